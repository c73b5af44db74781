//! Compares which history of the database the servers use. Each tells the others, so that a server that still reaches
//! an old primary abandons it.

use crate::base::Base;
use crate::cluster::Cluster;
use crate::config::Membership;
use crate::peers::{Hello, HistoryId};
use journal::ownership::History;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// How often the other servers are asked, and how long each may take.
const ASK: Duration = Duration::from_secs(2);
const ANSWER: Duration = Duration::from_millis(1500);

/// Learns which history another server uses. Earlier versions do not send it.
pub(super) fn learn(base: &Base, hello: &Hello) {
    if let Some(HistoryId { system, timeline, branch }) = hello.history {
        base.journal.ownership().learn(History { system, timeline, branch });
    }
}

/// Asks the other servers until this one drains. Servers with an expired lease are asked too: an old primary does not
/// know that they have renewed it elsewhere.
pub async fn compare(base: Arc<Base>, cluster: Arc<Cluster>) {
    let Some(member) = cluster.membership() else { return };
    let mut ticks = interval(ASK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut addresses = BTreeSet::new();
    loop {
        let round = async {
            ticks.tick().await;
            ask_all(&base, &cluster, member, &mut addresses).await;
        };
        tokio::select! {
            () = base.draining.cancelled() => return,
            () = round => {}
        }
    }
}

/// Asks all other servers once. While the database is unreachable, uses the last list of addresses.
async fn ask_all(base: &Base, cluster: &Cluster, member: &Membership, addresses: &mut BTreeSet<String>) {
    if let Ok(nodes) = base.journal.ownership().nodes().await {
        *addresses = nodes.into_iter().filter(|node| !node.here).filter_map(|node| node.address).collect();
        addresses.remove(&member.address);
    }
    let mut asking = JoinSet::new();
    for address in addresses.clone() {
        let (peers, secret) = (cluster.peers.clone(), member.secret.clone());
        asking.spawn(async move { timeout(ANSWER, peers.greet(&secret, &address)).await });
    }
    for hello in asking.join_all().await.into_iter().flatten().flatten() {
        learn(base, &hello);
    }
}
