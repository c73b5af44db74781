//! What a balancer knows of several servers: whether people can play there, asked every second (health check), as the HAProxy of
//! `docs/hosting` does it. It knows nothing of rooms, so that many people come to another server than their room's.

use crate::dice::Dice;
use client::{Deployment, StatusCode};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

/// How often a server is asked, how long it may take, and how often in a row it must fail.
const EVERY: Duration = Duration::from_secs(1);
const ANSWER: Duration = Duration::from_secs(1);
const FALL: u32 = 2;
/// How often a connection is tried that a server refuses, as one does that is gone: no health check is so quick.
pub const TRIES: usize = 3;

/// The servers, and which of them are up. The asking ends when this is dropped.
pub struct Balancer {
    servers: Vec<SocketAddr>,
    up: Arc<watch::Sender<Vec<bool>>>,
    _asking: Vec<AbortOnDropHandle<()>>,
}

impl Balancer {
    /// One before these servers. A single one is never asked: there is no other to go to.
    pub fn before(servers: Vec<SocketAddr>) -> Balancer {
        let up = Arc::new(watch::Sender::new(vec![true; servers.len()]));
        let several = servers.len() > 1;
        let asked = servers.iter().copied().enumerate().filter(|_| several);
        let ask =
            |(index, server)| AbortOnDropHandle::new(tokio::spawn(keep_asking(index, server, up.clone())));
        let asking = asked.map(ask).collect();
        Balancer { servers, up, _asking: asking }
    }

    /// A server that is up, or any if none is: where it is, and its number. Not one that has just refused a connection, if there is
    /// another (redispatch).
    pub fn choose(&self, dice: &mut Dice, refused: Option<usize>) -> (usize, SocketAddr) {
        let all = 0..self.servers.len();
        let others: Vec<usize> = all.clone().filter(|index| Some(*index) != refused).collect();
        let up: Vec<usize> = others.iter().copied().filter(|index| self.up.borrow()[*index]).collect();
        let from = [up, others, all.collect()].into_iter().find(|servers| !servers.is_empty());
        let index = *dice.pick(&from.expect("there is a server"));
        (index, self.servers[index])
    }

    /// Waits until a server that is up is not: its lines are then cut. With none up there is no better place for them.
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
