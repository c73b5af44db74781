//! How connections join and leave a room, and which player each belongs to.

use super::commit::NotDone;
use super::connections::Connection;
use super::load::LoadCost;
use super::{RoomTask, TaskExit};
use crate::client_addr::ClientAddr;
use crate::code::random_bytes;
use crate::handle::{Arrival, ConnectionId, JoinRefusal, Who};
use crate::limits::rooms::Quota;
use crate::outbox::Outbox;
use game::{Salt, Seat};
use protocol::{Close, Code};
use room::{Input, Name, PlayerId, TokenHash};
use uuid::Uuid;

/// Maximum number of connections per seat. A person has a phone and a laptop, and perhaps one more of each.
const PLACES: usize = 4;

/// Maximum number of spectators of a room. Everything public is sent to each of them.
const WATCHERS: usize = 50;

/// A client that is admitted.
struct Guest {
    player: Option<PlayerId>,
    name: Name,
    token: Option<String>,
    /// Whether the client already knows of its seat. Otherwise the welcome will announce it.
    confirmed: bool,
}

impl Guest {
    fn watcher(name: Name) -> Guest {
        Guest { player: None, name, token: None, confirmed: false }
    }
}

/// Why a connection was not admitted.
pub enum NotAdmitted {
    /// The room refused it.
    Refused(JoinRefusal),
    /// The task must end.
    Exited(TaskExit),
}

impl From<Close> for NotAdmitted {
    fn from(close: Close) -> NotAdmitted {
        NotAdmitted::Refused(close.into())
    }
}

impl From<TaskExit> for NotAdmitted {
    fn from(exit: TaskExit) -> NotAdmitted {
        NotAdmitted::Exited(exit)
    }
}

impl RoomTask {
    /// Admits a connection and sends it the welcome.
    pub async fn join(&mut self, join: Arrival, outbox: Outbox) -> Result<ConnectionId, NotAdmitted> {
        let Arrival { who, salt, program, have } = join;
        // Checked before any quota: a wrong token must not reveal anything about quotas to an address that does not
        // know the room.
        if matches!(&who, Who::Token(token) if !self.is_key(token)) {
            return Err(Close::BadToken.into());
        }
        if let Some(close) = self.keeps_out(&who, outbox.source()) {
            return Err(close.into());
        }
        let Some(entry) = self.base.limits.rooms.enter(outbox.source(), self.code, self.quota_for(&who)) else {
            return Err(self.refusal(Code::TooManyRooms, "this address is in too many rooms"));
        };
        let Guest { player, name, token, confirmed } = self.receive(who, salt, program, outbox.source()).await?;
        if player.is_none() && self.connections.watchers() >= WATCHERS {
            return Err(self.refusal(Code::TooManyWatchers, "this room has too many spectators"));
        }
        outbox.seat(player);
        let muted = player.is_none() && self.comes_muted(outbox.source(), &name);
        let connection = Connection {
            outbox,
            player,
            name,
            token,
            salt,
            program,
            told: None,
            muted,
            _entry: entry,
            welcomed: false,
        };
        let id = self.connections.insert(connection);
        if let Some(player) = player {
            let now = self.base.clock.running();
            if confirmed {
                self.room.came(player, now)
            } else {
                self.room.came_unconfirmed(player, now)
            }
            self.close_oldest_place(player);
        }
        // Inform the others first, then send the newcomer the complete state.
        self.show();
        self.welcome(id, have);
        Ok(id)
    }

    /// Returns whether this is a seat token, or a handover code for a seat.
    fn is_key(&self, token: &str) -> bool {
        self.handovers.has(token, self.base.clock.running())
            || self.room.seats().by_token(TokenHash::of(token)).is_some()
    }

    /// Returns whether the quota of rooms applies. The owner of a seat may exceed it while half of the server is free.
    fn quota_for(&self, who: &Who) -> Quota {
        let has_seat = matches!(who, Who::Token(token) if self.room.seats().by_token(TokenHash::of(token)).is_some());
        let is_room_left = self.rooms.loaded.is_half_empty(self.base.config.max_rooms);
        if has_seat && is_room_left { Quota::Beyond } else { Quota::Within }
    }

    /// Counts a refusal because of a limit, and returns it.
    fn refusal(&self, code: Code, detail: &str) -> NotAdmitted {
        self.base.metrics.refused(code.as_str());
        NotAdmitted::Refused(JoinRefusal::with_error(code, detail, Close::TryLater))
    }

    async fn receive(
        &mut self,
        who: Who,
        salt: Option<Salt>,
        program: bool,
        client: ClientAddr,
    ) -> Result<Guest, NotAdmitted> {
        let name = match who {
            Who::Token(token) => return self.receive_back(token, salt, client).await,
            Who::Watcher(name) => return Ok(Guest::watcher(name)),
            Who::Player(name) => name,
        };
        let token = new_token();
        match self.seat_newcomer(client, name.clone(), &token, salt, program).await {
            Ok((id, name)) => Ok(Guest { player: Some(id), name, token: Some(token), confirmed: false }),
            // No seat is free, or a game is running.
            Err(NotDone::Refused(_)) => Ok(Guest::watcher(name)),
            Err(NotDone::Exited(exit)) => Err(exit.into()),
        }
    }

    /// Admits a client with the token of its seat, or with a handover code for a second device.
    async fn receive_back(
        &mut self,
        token: String,
        salt: Option<Salt>,
        client: ClientAddr,
    ) -> Result<Guest, NotAdmitted> {
        let token = self.handovers.redeem(&token, self.base.clock.running()).unwrap_or(token);
        let player = self.room.seats().by_token(TokenHash::of(&token)).ok_or(Close::BadToken)?;
        let (id, name) = (player.id, player.name.clone());
        // A seat token pays nothing for loading the room.
        if let Some(LoadCost { client, quota, took }) = self.load.take_if(|load| load.client == client) {
            self.base.limits.refund(client, quota, took);
        }
        let salted = salt.map(|salt| Input::Salt { player: id, salt });
        for input in salted.into_iter().chain([Input::Return { player: id }]) {
            // The owner of a seat may see the table even if neither input can be written now.
            if let Err(NotDone::Exited(TaskExit::Stale)) = self.carry_out(input, Some(client)).await {
                return Err(TaskExit::Stale.into());
            }
        }
        Ok(Guest { player: Some(id), name, token: Some(token), confirmed: true })
    }

    /// Seats a client that joins by name: for the first time, or again after its connection broke before the welcome.
    /// Only its salt can tell the two cases apart.
    async fn seat_newcomer(
        &mut self,
        client: ClientAddr,
        name: Name,
        token: &str,
        salt: Option<Salt>,
        program: bool,
    ) -> Result<(PlayerId, Name), NotDone> {
        let Some(salt) = salt else { return self.sit(client, name, token, None, program).await };
        self.seat(client, Input::Join { name, token: TokenHash::of(token), salt, program }).await
    }

    /// Gives a free seat to a client.
    pub async fn sit(
        &mut self,
        client: ClientAddr,
        name: Name,
        token: &str,
        salt: Option<Salt>,
        program: bool,
    ) -> Result<(PlayerId, Name), NotDone> {
        // Without any salt the game's seed would be the commitment itself, which is public. So a client without a salt
        // is given one.
        let salt = salt.or_else(|| Some(Salt(random_bytes())));
        self.seat(client, Input::Sit { name, token: TokenHash::of(token), salt, program }).await
    }

    /// Carries out an input that seats a player, and returns the player's id and name.
    async fn seat(&mut self, client: ClientAddr, input: Input) -> Result<(PlayerId, Name), NotDone> {
        let entries = self.carry_out(input, Some(client)).await?;
        let seated = entries.iter().find_map(|entry| entry.what.seated());
        let player = seated.and_then(|id| self.room.seats().get(id)).ok_or(TaskExit::Stale)?;
        Ok((player.id, player.name.clone()))
    }

    fn close_oldest_place(&mut self, player: PlayerId) {
        let places = self.connections.of(player);
        if places.len() > PLACES {
            self.hang_up(places[0], Close::TooManyPlaces);
        }
    }

    /// Turns the connections of a player who gave up the seat into spectators, or closes them.
    pub fn unseat(&mut self, player: PlayerId, farewell: Option<Close>) {
        for id in self.connections.of(player) {
            let connection = self.connections.get_mut(id).expect("just listed");
            (connection.player, connection.token) = (None, None);
            connection.outbox.seat(None);
            if let Some(close) = farewell {
                self.tell_place(id);
                self.hang_up(id, close);
            }
        }
    }

    /// Closes a connection after its queued messages.
    pub fn hang_up(&mut self, id: ConnectionId, close: Close) {
        if let Some(connection) = self.remove(id) {
            connection.outbox.hang_up(close);
        }
    }

    /// Removes a connection that has ended or was too slow.
    pub fn forget(&mut self, id: ConnectionId) {
        self.remove(id);
    }

    fn remove(&mut self, id: ConnectionId) -> Option<Connection> {
        let connection = self.connections.remove(id)?;
        self.questions.cancel_hints(id);
        if let Some(player) = connection.player {
            if connection.outbox.is_confirmed() {
                self.room.confirm_seat(player);
            }
            self.room.went(player, self.base.clock.running());
        }
        Some(connection)
    }

    /// Returns the seat of the connection's player.
    pub fn seat_of(&self, connection: &Connection) -> Option<Seat> {
        self.room.seats().seat_of(connection.player?)
    }
}

/// Returns a new bearer token for a seat, with 122 random bits.
pub fn new_token() -> String {
    Uuid::new_v4().simple().to_string()
}
