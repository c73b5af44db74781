//! Checks several servers on one PostgreSQL, as listed by one of them (`/api/nodes` on its admin address).

use super::Findings;
use client::{Deployment, StatusCode};
use serde::Deserialize;

/// Maximum clock difference in milliseconds. More makes times in chats and records confusing.
const CLOCKS: i64 = 2_000;
/// Maximum write latency in milliseconds. More is noticeable to players.
const SLOW: f64 = 50.0;

/// One server of the list.
#[derive(Debug, Deserialize)]
pub struct ListedServer {
    address: Option<String>,
    version: String,
    here: bool,
    lease_ms: u64,
    rooms: u64,
    sockets: u64,
    unreachable: Option<String>,
    cannot_reach: Vec<String>,
    clock_ahead_ms: Option<i64>,
    database_ms: Option<f64>,
}

impl ListedServer {
    fn name(&self) -> &str {
        self.address.as_deref().unwrap_or("the server without --node")
    }
}

/// Returns the servers if this is an admin address, or why they cannot be listed if the database is away. `None`
/// otherwise.
pub async fn servers(site: &Deployment) -> Option<Result<Vec<ListedServer>, String>> {
    let answer = site.get("/api/nodes").await.ok()?;
    match (answer.status, answer.failure()) {
        (StatusCode::OK, _) => serde_json::from_str(&answer.body).ok().map(Ok),
        (_, Some(failure)) if failure.code() == "not_ready" => Some(Err(failure.detail().to_owned())),
        _ => None,
    }
}

/// Prints a finding for each check.
pub fn examine(servers: &[ListedServer], findings: &mut Findings) {
    let (alive, gone): (Vec<&ListedServer>, Vec<&ListedServer>) =
        servers.iter().partition(|server| server.lease_ms > 0);
    for server in &alive {
        findings.good("server", &format!("{}: {} rooms, {} connections", server.name(), server.rooms, server.sockets));
    }
    for server in gone {
        findings.good("server", &format!("{} is down; other servers serve its rooms", server.name()));
    }
    findings.note("reach", reach(&alive));
    findings.note("versions", versions(&alive));
    findings.note("clocks", clocks(&alive));
    findings.note("database", database(&alive));
}

fn reach(alive: &[&ListedServer]) -> Result<String, String> {
    if let Some((server, why)) = alive.iter().find_map(|server| Some((server, server.unreachable.as_ref()?))) {
        return Err(format!("{}: {why}", server.name()));
    }
    match alive.iter().find_map(|server| Some((server, server.cannot_reach.first()?))) {
        Some((server, other)) => {
            Err(format!("{} cannot reach {other}; open the port of --node between all servers", server.name()))
        }
        None => Ok("all servers reach each other".to_owned()),
    }
}

fn versions(alive: &[&ListedServer]) -> Result<String, String> {
    let version = |server: &&&ListedServer| server.version.clone();
    let newest = alive.iter().max_by_key(version).map(|server| server.version.as_str()).unwrap_or_default();
    match alive.iter().find(|server| server.version != newest) {
        Some(old) => {
            Err(format!("{} runs version {}, another runs {newest}; update all servers", old.name(), old.version))
        }
        None => Ok(format!("all servers run version {newest}")),
    }
}

fn clocks(alive: &[&ListedServer]) -> Result<String, String> {
    let apart = |server: &&&ListedServer| server.clock_ahead_ms.is_some_and(|ahead| ahead.abs() > CLOCKS);
    match alive.iter().find(apart) {
        Some(server) => Err(format!(
            "the clock of {} is off by {} ms; synchronize all machines with NTP",
            server.name(),
            server.clock_ahead_ms.unwrap_or_default().abs()
        )),
        None => Ok("the clocks agree".to_owned()),
    }
}

fn database(alive: &[&ListedServer]) -> Result<String, String> {
    let away =
        alive.iter().find(|server| server.database_ms.is_none() && (server.here || server.unreachable.is_none()));
    if let Some(server) = away {
        return Err(format!("{} cannot write to it; see its /readyz", server.name()));
    }
    let slowest = alive.iter().filter_map(|server| Some((server.database_ms?, server.name())));
    match slowest.max_by(|one, other| one.0.total_cmp(&other.0)) {
        Some((ms, name)) if ms > SLOW => {
            Err(format!("a write takes {ms:.0} ms from {name}; reduce the network latency between the two"))
        }
        Some((ms, _)) => Ok(format!("a write takes {ms:.1} ms at most")),
        None => Ok("no server was asked".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(address: &str, change: impl FnOnce(&mut ListedServer)) -> ListedServer {
        let mut server = ListedServer {
            address: Some(address.to_owned()),
            version: "1.0.0".to_owned(),
            here: false,
            lease_ms: 4000,
            rooms: 1,
            sockets: 2,
            unreachable: None,
            cannot_reach: Vec::new(),
            clock_ahead_ms: Some(3),
            database_ms: Some(1.5),
        };
        change(&mut server);
        server
    }

    #[test]
    fn reports_each_problem_with_advice() {
        let wrong =
            |change: fn(&mut ListedServer), said: &str, look: fn(&[&ListedServer]) -> Result<String, String>| {
                let (one, two) = (server("http://one", |_| ()), server("http://two", change));
                let found = look(&[&one, &two]).expect_err(said);
                assert!(found.contains("http://two") && found.contains(said), "{found}");
                assert!(look(&[&one]).is_ok());
            };
        wrong(|two| two.unreachable = Some("no answer".into()), "no answer", reach);
        wrong(|two| two.cannot_reach.push("http://one".into()), "open the port", reach);
        wrong(|two| two.version = "0.9.0".into(), "update all servers", versions);
        wrong(|two| two.clock_ahead_ms = Some(-9000), "9000 ms", clocks);
        wrong(|two| two.database_ms = None, "cannot write", database);
        wrong(|two| two.database_ms = Some(120.0), "120 ms", database);
    }
}
