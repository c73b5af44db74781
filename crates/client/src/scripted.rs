//! What our simulated players and attackers share: the load driver, the chaos suite, the fuzz targets and the server's
//! tests.
//!
//! A [`ScriptedPlayer`] follows the protocol: it keeps its seat, the room and its turn, sends one action at a time, and
//! repeats it after a lost connection only if it was not accepted. It knows no rules, no sockets and no time: when it
//! acts, what is measured and what is checked is up to its owner.

pub mod abuse;
mod player;

pub use player::{ActFate, MessageSummary, PlayerTurn, ScriptedPlayer, SentAct};

use crate::{ClientError, Deployment, End, Join, RoomConnection};
use game::Chance;
use serde_json::value::RawValue;
use std::io;
use std::net::{IpAddr, SocketAddr};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream};

/// Flags of a server without limits per client, and with a bot delay of an hour, so that clients play every action.
pub const FAST: &[&str] = &[
    "--acts-per-second",
    "0",
    "--rooms-per-hour",
    "0",
    "--misses-per-minute",
    "0",
    "--sockets-per-ip",
    "0",
    "--connections-per-ip",
    "0",
    "--requests-per-second",
    "0",
    "--bot-delay-ms",
    "3600000",
];

/// The flags of [`FAST`] that remove limits.
pub const UNLIMITED: &[&str] = FAST.split_at(FAST.len() - 2).0;

/// Random players who undo and retract would play for days, so these actions are avoided.
const TAKING_BACK: [&str; 2] = [r#"{"type":"undo"}"#, r#"{"type":"retract"}"#];

/// Returns a random action of a JSON list, or `None` if it is empty. One that takes something back is chosen only with
/// `any`, or if there is no other.
pub fn choose<'a>(actions: &'a str, any: bool, chance: &mut Chance) -> Option<&'a str> {
    let listed: Vec<&RawValue> = serde_json::from_str(actions).ok()?;
    let is_onward = |action: &&&RawValue| any || !TAKING_BACK.contains(&action.get());
    let onward: Vec<&RawValue> = listed.iter().filter(is_onward).copied().collect();
    let from = if onward.is_empty() { listed } else { onward };
    (!from.is_empty()).then(|| from[chance.below(from.len() as u32) as usize].get())
}

/// Returns a socket bound to a loopback address. On Linux all of 127.0.0.0/8 is local.
pub fn socket_at(from: impl Into<IpAddr>) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((from.into(), 0).into())?;
    Ok(socket)
}

impl RoomConnection<TcpStream> {
    /// Opens a connection into a room of the server at this address, over a stream to it.
    pub async fn over(stream: TcpStream, server: SocketAddr, code: &str) -> Result<Self, ClientError> {
        // Disable Nagle's algorithm: an action is one small message, and the delay would count as the server's time.
        stream.set_nodelay(true)?;
        RoomConnection::open(Deployment::at(server).upgrade(code)?, stream).await
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> RoomConnection<S> {
    /// Joins, and returns what the first message says. It is a welcome, or a refusal.
    pub async fn enter(&mut self, join: Join) -> Result<MessageSummary, End> {
        Ok(MessageSummary::read(&self.join(join).await?).unwrap_or_default())
    }

    /// Reads until the connection ends.
    pub async fn drain(&mut self) -> End {
        loop {
            if let Err(end) = self.frame().await {
                return end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Seed;

    #[test]
    fn undo_is_chosen_only_if_nothing_else_is_legal() {
        let choose = |actions| choose(actions, false, &mut Chance::new(Seed([7; 32]))).map(str::to_owned);
        let listed = r#"[{"type":"undo"},{"type":"finish"},{"type":"retract"}]"#;
        assert_eq!(choose(listed).as_deref(), Some(r#"{"type":"finish"}"#));
        assert_eq!(choose(r#"[{"type":"undo"}]"#).as_deref(), Some(r#"{"type":"undo"}"#));
        assert_eq!(choose("[]"), None);
    }
}
