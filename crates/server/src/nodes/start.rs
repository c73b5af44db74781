//! Checks at startup whether this server can work with the others.

use super::peers::{self, NoPeer};
use super::{Membership, VERSION, histories};
use crate::shared::Shared;
use std::time::Duration;
use tokio::time::timeout;

/// Timeout for reaching a server, including this one.
const REACH: Duration = Duration::from_secs(3);

/// Checks that this server is reachable at its own address, and that the others have the same secret. Problems that do
/// not prevent the start are logged.
///
/// # Errors
/// Describes what is wrong and what to do, in one sentence.
pub async fn check(shared: &Shared, member: &Membership) -> Result<(), String> {
    let address = &member.address;
    match reach(member, address).await {
        Ok(hello) if hello.me == shared.nodes.me => {}
        Ok(_) | Err(NoPeer::OtherSecret(_)) => {
            return Err(format!(
                "another server answers at {address}; --node must be the address at which the others reach this one"
            ));
        }
        Err(error) => {
            return Err(format!(
                "nobody answers at {address}, where --node says this server is reached ({error}); correct --node, or \
                 --node-listen, or open the port to the other servers"
            ));
        }
    }
    let others = shared.journal.ownership().nodes().await.map_err(|error| error.to_string())?;
    for other in others.iter().filter(|other| !other.here && !other.lease.is_zero()) {
        let Some(address) = &other.address else {
            tracing::warn!(
                "a server without --node has rooms in this database; start it again with --node, or stop it"
            );
            continue;
        };
        let reached = reach(member, address).await;
        if let Ok(hello) = &reached {
            histories::learn(shared, hello);
        }
        match reached {
            Ok(hello) if hello.version == VERSION => {}
            Ok(hello) => tracing::warn!(
                "the server at {address} is of version {}, this one of {VERSION}; update all of them, one after the other",
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
pub async fn warn_alone(shared: &Shared) {
    let Ok(nodes) = shared.journal.ownership().nodes().await else { return };
    let others = nodes.iter().filter(|node| !node.here && !node.lease.is_zero()).count();
    if others > 0 {
        tracing::warn!(
            "this server was started without --node and is alone, but {others} more are registered in its database; \
             start it with --node, or nobody in their rooms can be served here"
        );
    }
}

async fn reach(member: &Membership, address: &str) -> Result<super::Hello, NoPeer> {
    let late = NoPeer::Unreachable(address.to_owned(), format!("no answer within {} s", REACH.as_secs()));
    timeout(REACH, peers::greet(&member.secret, address)).await.unwrap_or(Err(late))
}
