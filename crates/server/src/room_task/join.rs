//! How connections join and leave a room, and which player each belongs to.

use super::connections::Connection;
use super::{Halt, NotDone, RoomTask};
use crate::code::random_bytes;
use crate::handle::{Arrival, ConnectionId, Who};
use crate::held::Quota;
use crate::line::Line;
use game::{Salt, Seat};
use protocol::{Close, Code, ServerMessage};
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
    met: bool,
}

impl Guest {
    fn watcher(name: Name) -> Guest {
        Guest { player: None, name, token: None, met: false }
    }
}

impl RoomTask {
    /// Admits a connection, or returns the close reason.
    pub async fn join(&mut self, join: Arrival, line: Line) -> Result<Result<ConnectionId, Close>, Halt> {
        let Arrival { who, salt, program } = join;
        // Checked before any quota: a wrong token must not reveal anything about quotas to an address that does not
        // know the room.
        if matches!(&who, Who::Token(token) if !self.is_key(token)) {
            return Ok(Err(Close::BadToken));
        }
        if let Some(close) = self.keeps_out(&who, line.source()) {
            return Ok(Err(close));
        }
        let Some(hold) = self.shared.held.hold(line.source(), self.code, self.quota_for(&who)) else {
            return Ok(Ok(self.turn_away(line, Code::TooManyRooms, "this address is in too many rooms")));
        };
        let Some(guest) = self.receive(who, salt, program).await? else { return Ok(Err(Close::BadToken)) };
        let Guest { player, name, token, met } = guest;
        if player.is_none() && self.connections.watchers() >= WATCHERS {
            return Ok(Ok(self.turn_away(line, Code::TooManyWatchers, "too many watch this room")));
        }
        line.seat(player);
        let muted = player.is_none() && self.comes_muted(line.source(), &name);
        let connection = Connection {
            line,
            player,
            name,
            token,
            salt,
            program,
            told: None,
            muted,
            _hold: hold,
            welcomed: false,
        };
        let id = self.connections.insert(connection);
        if let Some(player) = player {
            let now = self.shared.clock.running();
            if met {
                self.room.came(player, now)
            } else {
                self.room.came_unmet(player, now)
            }
            self.close_oldest_place(player);
        }
        // Inform the others first, then send the newcomer the complete state.
        self.show();
        self.welcome(id);
        Ok(Ok(id))
    }

    /// Returns whether this is a seat token, or a handover code for a seat.
    fn is_key(&self, token: &str) -> bool {
        self.handovers.has(token, self.shared.clock.running())
            || self.room.seats().by_token(TokenHash::of(token)).is_some()
    }

    /// Returns whether the quota of rooms applies. The owner of a seat may exceed it while half of the server is free.
    fn quota_for(&self, who: &Who) -> Quota {
        let has_seat =
            matches!(who, Who::Token(token) if self.room.seats().by_token(TokenHash::of(token)).is_some());
        let is_room_left = self.shared.registry.is_half_empty(self.shared.config.max_rooms);
        if has_seat && is_room_left { Quota::Beyond } else { Quota::Within }
    }

    /// Sends a refusal and closes the connection after it.
    fn turn_away(&mut self, line: Line, code: Code, detail: &str) -> ConnectionId {
        self.shared.metrics.refused(code.as_str());
        let refusal = ServerMessage::Error { code: code.as_str(), detail }.to_json();
        // The queue of a new connection is empty.
        let _ = line.send(refusal.into());
        line.hang_up(Close::TryLater);
        self.connections.nobody()
    }

    async fn receive(&mut self, who: Who, salt: Option<Salt>, program: bool) -> Result<Option<Guest>, Halt> {
        let name = match who {
            Who::Token(token) => return self.receive_back(token, salt).await,
            Who::Watcher(name) => return Ok(Some(Guest::watcher(name))),
            Who::Player(name) => name,
        };
        let token = new_token();
        match self.seat_newcomer(name.clone(), &token, salt, program).await {
            Ok((id, name)) => Ok(Some(Guest { player: Some(id), name, token: Some(token), met: false })),
            // No seat is free, or a game is running.
            Err(NotDone::Refused(_)) => Ok(Some(Guest::watcher(name))),
            Err(NotDone::Halted(halt)) => Err(halt),
        }
    }

    /// Admits a client with the token of its seat, or with a handover code for a second device.
    async fn receive_back(&mut self, token: String, salt: Option<Salt>) -> Result<Option<Guest>, Halt> {
        let token = self.handovers.redeem(&token, self.shared.clock.running()).unwrap_or(token);
        let Some(player) = self.room.seats().by_token(TokenHash::of(&token)) else { return Ok(None) };
        let (id, name) = (player.id, player.name.clone());
        let salted = salt.map(|salt| Input::Salt { player: id, salt });
        for input in salted.into_iter().chain([Input::Return { player: id }]) {
            // The owner of a seat may see the table even if neither input can be written now.
            if let Err(NotDone::Halted(Halt::Stale)) = self.carry_out(input).await {
                return Err(Halt::Stale);
            }
        }
        Ok(Some(Guest { player: Some(id), name, token: Some(token), met: true }))
    }

    /// Seats a client that joins by name: for the first time, or again after its connection broke before the welcome.
    /// Only its salt can tell the two cases apart.
    async fn seat_newcomer(
        &mut self,
        name: Name,
        token: &str,
        salt: Option<Salt>,
        program: bool,
    ) -> Result<(PlayerId, Name), NotDone> {
        let Some(salt) = salt else { return self.sit(name, token, None, program).await };
        self.seat(Input::Join { name, token: TokenHash::of(token), salt, program }).await
    }

    /// Gives a free seat to a client.
    pub async fn sit(
        &mut self,
        name: Name,
        token: &str,
        salt: Option<Salt>,
        program: bool,
    ) -> Result<(PlayerId, Name), NotDone> {
        // Without any salt the game's seed would be the commitment itself, which is public. So a client without a salt
        // is given one.
        let salt = salt.or_else(|| Some(Salt(random_bytes())));
        self.seat(Input::Sit { name, token: TokenHash::of(token), salt, program }).await
    }

    /// Carries out an input that seats a player, and returns the player's id and name.
    async fn seat(&mut self, input: Input) -> Result<(PlayerId, Name), NotDone> {
        let entries = self.carry_out(input).await?;
        let seated = entries.iter().find_map(|entry| entry.what.seated());
        let player = seated.and_then(|id| self.room.seats().get(id)).ok_or(Halt::Stale)?;
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
            connection.line.seat(None);
            if let Some(close) = farewell {
                self.tell_place(id);
                self.hang_up(id, close);
            }
        }
    }

    /// Closes a connection after its queued messages.
    pub fn hang_up(&mut self, id: ConnectionId, close: Close) {
        if let Some(connection) = self.remove(id) {
            connection.line.hang_up(close);
        }
    }

    /// Removes a connection that has ended or was too slow.
    pub fn forget(&mut self, id: ConnectionId) {
        self.remove(id);
    }

    fn remove(&mut self, id: ConnectionId) -> Option<Connection> {
        let connection = self.connections.remove(id)?;
        if let Some(player) = connection.player {
            if connection.line.is_met() {
                self.room.met(player);
            }
            self.room.went(player, self.shared.clock.running());
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
