//! From the first message of a connection to its entry into a room, or to the refusal of its join.
//!
//! It does not know whom a room admits.

use super::incoming::Heard;
use super::parse::read_join;
use super::{IncomingClient, Socket};
use crate::RoomCode;
use crate::base::Base;
use crate::handle::{Arrival, ConnectionId, Handle, JoinRefusal, NotJoined, Who};
use crate::limits::CpuQuota;
use crate::outbox::{Outbox, OutboxReader, outbox};
use crate::registry::{self, Location, NoEntry};
use crate::rooms::Rooms;
use crate::websocket::Utf8Bytes;
use protocol::Close;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Handshake timeout: the first message must arrive within this time after the upgrade.
const FIRST_MESSAGE: Duration = Duration::from_secs(10);
/// Handshake timeout when connection slots are scarce. The page sends its join as soon as the upgrade is answered.
const FIRST_MESSAGE_UNVERIFIED: Duration = Duration::from_secs(5);
/// Number of attempts to join a room that is unloaded at the same moment.
const ENTRIES: usize = 8;

impl Socket {
    /// Returns whether the client may join. When connection slots are scarce, only joins with a seat token may; the
    /// room validates the token later. The join rate limit is applied by the server to which the client is connected.
    pub fn may_join(&self, base: &Base, join: &Arrival) -> bool {
        let IncomingClient { source, unverified, .. } = self.incoming;
        (!unverified || matches!(join.who, Who::Token(_)))
            && (!self.remote.is_rate_limited() || base.limits.may_join(source))
    }

    /// Returns the first message of a client whose room is on another server, or the reason to close the connection.
    /// The other server validates the message; only admission is checked here.
    pub async fn join_to_pass_on(&mut self, base: &Base) -> Result<Utf8Bytes, Option<Close>> {
        let text = self.first_text(base).await?;
        let may_join = read_join(&text).map_or(true, |join| self.may_join(base, &join));
        if may_join { Ok(text) } else { Err(Some(Close::TryLater)) }
    }

    /// Returns the first message, or the reason to close the connection (`None` if it is already gone).
    pub async fn first_text(&mut self, base: &Base) -> Result<Utf8Bytes, Option<Close>> {
        let (within, late) = if self.incoming.unverified {
            (FIRST_MESSAGE_UNVERIFIED, Close::TryLater)
        } else {
            (FIRST_MESSAGE, Close::BadJoin)
        };
        let slot = self.incoming.slot.clone();
        let heard = tokio::select! {
            () = base.draining.cancelled() => return Err(Some(Close::Restart)),
            () = slot.evicted() => return Err(Some(Close::TryLater)),
            heard = timeout(within, self.hear_first()) => heard.unwrap_or(Heard::Bad(late)),
        };
        match heard {
            Heard::Text(text) => Ok(text),
            Heard::Bad(close) => Err(Some(close)),
            Heard::Pong | Heard::End => Err(None),
        }
    }

    /// Returns the first message. Pongs are skipped: nothing has been pinged yet.
    async fn hear_first(&mut self) -> Heard {
        loop {
            match self.hear().await {
                Heard::Pong => {}
                heard => return heard,
            }
        }
    }

    /// Returns the parsed join, or the reason to close the connection (`None` if it is already gone).
    pub(super) async fn first_message(&mut self, base: &Base) -> Result<Arrival, Option<Close>> {
        let text = self.first_text(base).await?;
        match read_join(&text) {
            Ok(join) => Ok(join),
            Err(refusal) => Err(Some(self.explain(refusal).await)),
        }
    }

    /// Joins the room.
    pub(super) async fn join_room(
        &self,
        rooms: &Arc<Rooms>,
        code: RoomCode,
        room: Handle,
        join: Arrival,
    ) -> Result<(Handle, ConnectionId, OutboxReader), JoinRefusal> {
        let source = self.incoming.source;
        let (own, waiting) = outbox(self.wire.clone(), source, rooms.base.limits.account(source));
        let (room, me) = enter(rooms, code, room, join, own).await?;
        Ok((room, me, waiting))
    }

    /// Refuses a join and closes the connection.
    pub async fn refuse_join(&mut self, refusal: JoinRefusal) {
        let close = self.explain(refusal).await;
        self.close(close).await;
    }

    /// Sends the error message of a refusal, if there is one. Returns the reason to close the connection.
    pub(super) async fn explain(&mut self, JoinRefusal { error, close }: JoinRefusal) -> Close {
        if let Some(error) = error {
            self.send_last(&error).await;
        }
        close
    }
}

/// Joins the room. It may be unloaded between lookup and join, so a failed attempt looks it up again.
async fn enter(
    rooms: &Arc<Rooms>,
    code: RoomCode,
    mut room: Handle,
    mut join: Arrival,
    mut outbox: Outbox,
) -> Result<(Handle, ConnectionId), JoinRefusal> {
    for _ in 0..ENTRIES {
        match room.join(join, outbox).await {
            Ok(me) => return Ok((room, me)),
            Err(NotJoined::Refused(refusal)) => return Err(refusal),
            Err(NotJoined::Ended(back, kept)) => (join, outbox) = (back, kept),
        }
        tokio::task::yield_now().await;
        match registry::enter(rooms, code, (outbox.source(), CpuQuota::Loading)).await.map_err(NoEntry::close)? {
            Location::Here(next) => room = next,
            // The client reconnects and is relayed there.
            Location::There(_) => return Err(Close::Restart.into()),
        }
    }
    Err(Close::Restart.into())
}
