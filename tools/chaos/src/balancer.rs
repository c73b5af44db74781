//! A load balancer for several servers. It health-checks each one every second, like the HAProxy configuration in
//! `docs/hosting`. It does not know which server owns a room, so many connections arrive at a server other than their
//! room's.

use crate::dice::SeededRandom;
use client::{Deployment, StatusCode};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

/// Interval between health checks, timeout of one check, and the number of consecutive failures that mark a server
/// down.
const EVERY: Duration = Duration::from_secs(1);
const ANSWER: Duration = Duration::from_secs(1);
const FALL: u32 = 2;
/// Connection attempts before giving up. A server that has just gone refuses connections before a health check notices.
pub const TRIES: usize = 3;

/// The servers and their health. The health checks stop when this is dropped.
pub struct Balancer {
    servers: Vec<SocketAddr>,
    up: Arc<watch::Sender<Vec<bool>>>,
    _asking: Vec<AbortOnDropHandle<()>>,
}

impl Balancer {
    /// Creates a balancer in front of these servers. A single server is not health-checked, because there is no
    /// alternative.
    pub fn before(servers: Vec<SocketAddr>) -> Balancer {
        let up = Arc::new(watch::Sender::new(vec![true; servers.len()]));
        let several = servers.len() > 1;
        let asked = servers.iter().copied().enumerate().filter(|_| several);
        let ask = |(index, server)| AbortOnDropHandle::new(tokio::spawn(keep_asking(index, server, up.clone())));
        let asking = asked.map(ask).collect();
        Balancer { servers, up, _asking: asking }
    }

    /// Returns the index and address of a healthy server, or of any server if none is healthy. Avoids the server that
    /// has just refused a connection (`refused`) if there is another one (redispatch).
    pub fn choose(&self, dice: &mut SeededRandom, refused: Option<usize>) -> (usize, SocketAddr) {
        let all = 0..self.servers.len();
        let others: Vec<usize> = all.clone().filter(|index| Some(*index) != refused).collect();
        let up: Vec<usize> = others.iter().copied().filter(|index| self.up.borrow()[*index]).collect();
        let from = [up, others, all.collect()].into_iter().find(|servers| !servers.is_empty());
        let index = *dice.pick(&from.expect("there is at least one server"));
        (index, self.servers[index])
    }

    /// Waits until a healthy server goes down, so that the proxy can cut its connections. Does not return while all
    /// servers are down, because there is no better server to reconnect to.
    pub async fn goes_down(&self, index: usize) {
        let mut up = self.up.subscribe();
        let was_up = up.wait_for(|up| up[index]).await.is_ok();
        let down = up.wait_for(|up| !up[index] && up.iter().any(|up| *up)).await.is_ok();
        if !(was_up && down) {
            std::future::pending().await
        }
    }
}

async fn keep_asking(index: usize, server: SocketAddr, up: Arc<watch::Sender<Vec<bool>>>) {
    let server = Deployment::at(server).patience(ANSWER);
    let mut failed = 0;
    loop {
        let well = server.get("/readyz").await.is_ok_and(|answer| answer.status == StatusCode::OK);
        failed = if well { 0 } else { failed + 1 };
        if well || failed >= FALL {
            up.send_if_modified(|up| std::mem::replace(&mut up[index], well) != well);
        }
        sleep(EVERY).await;
    }
}
