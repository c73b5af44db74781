//! Checks at startup whether this server can work with the others.

use super::histories;
use crate::VERSION;
use crate::base::Base;
use crate::cluster::Cluster;
use crate::config::Membership;
use crate::peers::NoPeer;
use std::time::Duration;
use tokio::time::timeout;

/// Timeout for reaching a server, including this one.
const REACH: Duration = Duration::from_secs(3);

/// Checks that this server is reachable at its own address, and that the others have the same secret. Problems that do
/// not prevent the start are logged.
///
/// # Errors
/// Describes what is wrong and what to do, in one sentence.
pub async fn check(base: &Base, cluster: &Cluster, member: &Membership) -> Result<(), String> {
    let address = &member.address;
    match reach(cluster, member, address).await {
        Ok(hello) if hello.me == cluster.me => {}
        Ok(_) | Err(NoPeer::OtherSecret(_)) => {
            return Err(format!(
                "another server answers at {address}; --node must be the address at which the others reach this one"
            ));
        }
        Err(error) => {
            return Err(format!(
                "no server answers at {address}, the address in --node ({error}); correct --node or --node-listen, or \
                 open the port to the other servers"
            ));
        }
    }
    let others = base.journal.ownership().nodes().await.map_err(|error| error.to_string())?;
    for other in others.iter().filter(|other| !other.here && !other.lease.is_zero()) {
        let Some(address) = &other.address else {
            tracing::warn!("a server without --node uses this database; restart it with --node, or stop it");
            continue;
        };
        let reached = reach(cluster, member, address).await;
        if let Ok(hello) = &reached {
            histories::learn(base, hello);
        }
        match reached {
            Ok(hello) if hello.version == VERSION => {}
            Ok(hello) => tracing::warn!(
                "the server at {address} runs version {}, this one runs {VERSION}; update all servers, one at a time",
                hello.version
            ),
            Err(error @ (NoPeer::OtherSecret(_) | NoPeer::OtherVersion(_))) => {
                return Err(format!("the server at {error}"));
            }
            // It may be stopping, or not listening yet.
            Err(error) => tracing::warn!("the server at {error}; open its port to this one"),
        }
    }
    Ok(())
}

/// Logs a warning if other servers are registered but this one was started to run alone.
pub async fn warn_alone(base: &Base) {
    let Ok(nodes) = base.journal.ownership().nodes().await else { return };
    let others = nodes.iter().filter(|node| !node.here && !node.lease.is_zero()).count();
    if others > 0 {
        tracing::warn!(
            "this server was started without --node, but other servers ({others}) are registered in its database; \
             start it with --node, or it cannot serve the rooms of the others"
        );
    }
}

async fn reach(cluster: &Cluster, member: &Membership, address: &str) -> Result<super::Hello, NoPeer> {
    let late = NoPeer::Unreachable(address.to_owned(), format!("no answer within {} s", REACH.as_secs()));
    timeout(REACH, cluster.peers.greet(&member.secret, address)).await.unwrap_or(Err(late))
}
