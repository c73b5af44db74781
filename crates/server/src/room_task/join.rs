//! How connections come into a room and go out of it, and who they are in it.

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

/// Connection quota of a seat: in how many places it may be open at a time. A person has a phone and a laptop, and perhaps
/// one more of each.
const PLACES: usize = 4;

/// How many may watch a room. What everyone sees is sent to each of them.
const WATCHERS: usize = 50;

/// Somebody who may come in, and as whom.
struct Guest {
    player: Option<PlayerId>,
    name: Name,
    token: Option<String>,
    /// Whether they know of their seat already. For the others it is still on its way.
    met: bool,
}

impl Guest {
    fn watcher(name: Name) -> Guest {
        Guest { player: None, name, token: None, met: false }
    }
}

impl RoomTask {
    /// Lets a connection in, or says why it is closed.
    pub async fn join(&mut self, join: Arrival, line: Line) -> Result<Result<ConnectionId, Close>, Halt> {
        let Arrival { who, salt, program } = join;
        // Before any quota: a wrong token must not tell what the quotas of an address are in a room it does not know.
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
        // The others hear of it, then the newcomer is shown everything as it is now.
        self.show();
        self.welcome(id);
        Ok(Ok(id))
    }

    /// Returns whether this is the token of a seat, or a handover code for one.
    fn is_key(&self, token: &str) -> bool {
        self.handovers.has(token, self.shared.clock.running())
            || self.room.seats().by_token(TokenHash::of(token)).is_some()
    }

    /// Whether the quota of rooms holds for whoever comes.
    fn quota_for(&self, who: &Who) -> Quota {
        let has_seat =
            matches!(who, Who::Token(token) if self.room.seats().by_token(TokenHash::of(token)).is_some());
        let is_room_left = self.shared.registry.is_half_empty(self.shared.config.max_rooms);
        if has_seat && is_room_left { Quota::Beyond } else { Quota::Within }
    }

    /// Says why somebody is not let in, and closes their line after it.
    fn turn_away(&mut self, line: Line, code: Code, detail: &str) -> ConnectionId {
        self.shared.metrics.refused(code.as_str());
        let refusal = ServerMessage::Error { code: code.as_str(), detail }.to_json();
        // A new line has a place for it.
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
            // No seat is free, or a game is on.
            Err(NotDone::Refused(_)) => Ok(Some(Guest::watcher(name))),
            Err(NotDone::Halted(halt)) => Err(halt),
        }
    }

    /// Somebody comes by the token of their seat, or by a code for a second device.
    async fn receive_back(&mut self, token: String, salt: Option<Salt>) -> Result<Option<Guest>, Halt> {
        let token = self.handovers.redeem(&token, self.shared.clock.running()).unwrap_or(token);
        let Some(player) = self.room.seats().by_token(TokenHash::of(&token)) else { return Ok(None) };
        let (id, name) = (player.id, player.name.clone());
        let salted = salt.map(|salt| Input::Salt { player: id, salt });
        for input in salted.into_iter().chain([Input::Return { player: id }]) {
            // Whoever has a seat may look at the table even if neither can be written now.
            if let Err(NotDone::Halted(Halt::Stale)) = self.carry_out(input).await {
                return Err(Halt::Stale);
            }
        }
        Ok(Some(Guest { player: Some(id), name, token: Some(token), met: true }))
    }

    /// Somebody comes by name: for the first time, or again after a line that broke before they were welcomed. Only a
    /// salt of their own can tell.
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

    /// Somebody takes a free seat.
    pub async fn sit(
        &mut self,
        name: Name,
        token: &str,
        salt: Option<Salt>,
        program: bool,
    ) -> Result<(PlayerId, Name), NotDone> {
        // Without any salt the game's seed would be the commitment itself, which everyone sees. So who brings none
        // is given one.
        let salt = salt.or_else(|| Some(Salt(random_bytes())));
        self.seat(Input::Sit { name, token: TokenHash::of(token), salt, program }).await
    }

    /// Carries out what seats somebody, and answers whom and under what name.
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

    /// A player gave up their place: their connections watch from now on, or are closed.
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

    /// Closes a connection after what it was sent.
    pub fn hang_up(&mut self, id: ConnectionId, close: Close) {
        if let Some(connection) = self.remove(id) {
            connection.line.hang_up(close);
        }
    }

    /// A connection has ended, by itself or because it was too slow.
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

    /// Where a connection's player sits.
    pub fn seat_of(&self, connection: &Connection) -> Option<Seat> {
        self.room.seats().seat_of(connection.player?)
    }
}

/// A seat's bearer token: 122 bits nobody can guess.
pub fn new_token() -> String {
    Uuid::new_v4().simple().to_string()
}
