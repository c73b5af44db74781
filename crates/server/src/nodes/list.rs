//! `GET /api/nodes` on the admin address: all servers, as the database lists them and as this server reaches them.

use super::listener::journal_ms;
use crate::VERSION;
use crate::app_state::AppState;
use crate::base::Base;
use crate::cluster::Cluster;
use crate::refused::Refused;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use journal::ownership::{Load, Node};
use protocol::Code;
use serde::Serialize;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

/// Timeout for asking a server.
const LOOK: Duration = Duration::from_secs(3);

/// One server in the list.
#[derive(Debug, Serialize)]
pub struct ServerStatus {
    /// Identifies one run of a server. A string, because a JavaScript number cannot represent it exactly.
    node: String,
    address: Option<String>,
    version: String,
    /// Whether this is the server that answers.
    here: bool,
    /// Remaining time of its lease in milliseconds, on the database's clock; 0 if it has expired.
    lease_ms: u64,
    rooms: u64,
    sockets: u64,
    /// Why this server cannot reach it, or `None` if it can, or if it is this server.
    unreachable: Option<String>,
    /// The other servers that it cannot reach.
    cannot_reach: Vec<String>,
    /// Round-trip time in milliseconds, on the path that relays use.
    round_trip_ms: Option<f64>,
    /// How far its clock is ahead of this server's, in milliseconds.
    clock_ahead_ms: Option<i64>,
    /// How long a write to the database takes from there, in milliseconds.
    database_ms: Option<f64>,
}

/// Lists all servers. A server that runs alone lists itself.
pub async fn list(State(state): State<AppState>) -> Result<Json<Vec<ServerStatus>>, Refused> {
    let unread =
        |error: journal::JournalError| Refused::new(StatusCode::SERVICE_UNAVAILABLE, Code::NotReady, error.to_string());
    let mut nodes = state.base.journal.ownership().nodes().await.map_err(unread)?;
    if nodes.is_empty() {
        nodes.push(alone(&state));
    }
    let mut looking = JoinSet::new();
    for (index, node) in nodes.into_iter().enumerate() {
        let state = state.clone();
        looking.spawn(async move { (index, look(&state, node).await) });
    }
    let mut rows = looking.join_all().await;
    rows.sort_by_key(|(index, _)| *index);
    Ok(Json(rows.into_iter().map(|(_, row)| row).collect()))
}

fn alone(state: &AppState) -> Node {
    let load = Load { rooms: state.rooms.loaded.len() as u64, sockets: state.base.limits.open_sockets() as u64 };
    Node {
        node: state.cluster.me,
        address: None,
        version: VERSION.to_owned(),
        here: true,
        lease: Duration::from_millis(u64::from(u32::MAX)),
        load,
    }
}

/// Returns the addresses of servers that are alive but cannot be reached from here.
pub async fn unreached(base: &Base, cluster: &Cluster) -> Vec<String> {
    let Some(member) = cluster.membership() else { return Vec::new() };
    let nodes = base.journal.ownership().nodes().await.unwrap_or_default();
    let alive = nodes.into_iter().filter(|node| !node.here && !node.lease.is_zero());
    let mut looking = JoinSet::new();
    for address in alive.filter_map(|node| node.address) {
        let (peers, secret) = (cluster.peers.clone(), member.secret.clone());
        looking.spawn(async move {
            let reached = timeout(LOOK, peers.greet(&secret, &address)).await;
            (!matches!(reached, Ok(Ok(_)))).then_some(address)
        });
    }
    looking.join_all().await.into_iter().flatten().collect()
}

async fn look(state: &AppState, node: Node) -> ServerStatus {
    let mut row = ServerStatus {
        node: node.node.to_string(),
        version: node.version,
        here: node.here,
        lease_ms: node.lease.as_millis() as u64,
        rooms: node.load.rooms,
        sockets: node.load.sockets,
        unreachable: None,
        cannot_reach: Vec::new(),
        round_trip_ms: None,
        clock_ahead_ms: None,
        database_ms: None,
        address: node.address,
    };
    if row.here {
        row.database_ms = journal_ms(&state.base).await;
        row.cannot_reach = unreached(&state.base, &state.cluster).await;
        return row;
    }
    let (Some(member), Some(address)) = (state.cluster.membership(), &row.address) else {
        row.unreachable = Some("all servers that share rooms must be started with --node".to_owned());
        return row;
    };
    let (peers, begun) = (&state.cluster.peers, Instant::now());
    match timeout(LOOK, peers.greet(&member.secret, address)).await {
        Ok(Ok(hello)) => {
            let there_and_back = begun.elapsed();
            // Its clock was read half a round trip ago.
            let now = state.base.clock.wall().0 as i64 - there_and_back.as_millis() as i64 / 2;
            row.round_trip_ms = Some(there_and_back.as_secs_f64() * 1000.0);
            row.clock_ahead_ms = Some(hello.at as i64 - now);
            let ask = |path| timeout(2 * LOOK, peers.ask(&member.secret, address, path, None));
            let (journal, others) = tokio::join!(ask("/node/journal"), ask("/node/unreached"));
            row.database_ms = journal.ok().and_then(Result::ok).and_then(|answer| answer.body.parse().ok());
            let others = others.ok().and_then(Result::ok);
            row.cannot_reach = others.and_then(|answer| serde_json::from_str(&answer.body).ok()).unwrap_or_default();
        }
        Ok(Err(error)) => row.unreachable = Some(error.to_string()),
        Err(_) => row.unreachable = Some(format!("{address} did not respond in time")),
    }
    row
}
