//! Several servers that share one journal: how they identify and reach each other, and how a connection is relayed to
//! the server that owns its room.
//!
//! The journal records which server owns which room (`journal::ownership`). This module knows nothing about games, and
//! a server that runs alone pays nothing for it.

mod histories;
mod list;
mod listener;
mod relay;
mod start;

pub use histories::compare as compare_histories;
pub use list::list;
pub use listener::app;
pub use relay::{look, record, serve, serve_barred};
pub use start::{check, warn_alone};

use crate::VERSION;
use crate::base::Base;
use crate::cluster::Cluster;
use crate::peers::Hello;
use crate::rooms::Rooms;
use journal::ownership::Load;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// How often this server's load is updated. It is published with the lease.
const REPORT: Duration = Duration::from_secs(1);

/// Returns what this server tells others about itself.
fn hello(base: &Base, cluster: &Cluster) -> Hello {
    let history = base.journal.ownership().history().map(Into::into);
    Hello { me: cluster.me, version: VERSION.to_owned(), at: base.clock.wall().0, history }
}

/// Publishes this server's load until it drains, and notifies the rooms here when the database has failed over.
pub async fn report(rooms: Arc<Rooms>, cluster: Arc<Cluster>) {
    let mut history = rooms.base.journal.ownership().history();
    let mut ticks = interval(REPORT);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = rooms.base.draining.cancelled() => return,
            _ = ticks.tick() => {}
        }
        let (loaded, sockets) = (rooms.loaded.len() as u64, rooms.base.limits.open_sockets() as u64);
        rooms.base.journal.ownership().report(Load { rooms: loaded, sockets });
        cluster.peers.tidy();
        let newest = rooms.base.journal.ownership().history();
        if std::mem::replace(&mut history, newest) != newest {
            rooms.failovers.send_modify(|count| *count += 1);
        }
    }
}
