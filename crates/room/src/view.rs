//! What clients see. A view is built from what its viewer may see and never by removing secrets.

use crate::{Millis, Room};
use game::{Seat, Viewer};
use protocol::{Fair, Have, Kind, RoomPhase, RoomView, SeatView, State, Watcher};
use serde_json::value::RawValue;

impl Room {
    /// Returns the public view of the room. The caller supplies the spectators and how long rooms are kept.
    pub fn view(&self, audience: Vec<Watcher>, keep_days: u32, now: Millis) -> RoomView {
        let (offer, (min, max)) = (self.options.offer(), self.table_size());
        let seats = self.seats.iter().map(|(seat, player)| SeatView {
            seat,
            name: player.name.to_string(),
            kind: if player.is_human() { Kind::Human } else { Kind::Bot },
            connected: !player.is_human() || player.presence.connected(),
            away_ms: if player.is_human() { player.presence.away(now) } else { 0 },
            wins: player.wins,
            bot: player.bot,
            program: player.program,
            ready: player.ready,
            chair: player.chair,
        });
        RoomView {
            code: self.code.clone(),
            game: offer.id.into(),
            phase: self.phase,
            rules: self.options.rules().clone(),
            clock: self.options.clock(),
            forced: self.options.forced(),
            pace: self.options.pace(),
            starter: self.starter(),
            min,
            max,
            host: self.seats.host().and_then(|host| self.seats.seat_of(host)),
            watchers: audience.len(),
            seats: seats.collect(),
            fair: Fair { commitment: self.seed.commitment(), salts: self.game.as_ref().map(|game| game.salts.clone()) },
            keep_days,
            audience,
            origin: self.origin.as_ref().map(|origin| origin.view()),
            starts_in_ms: self.starts_in(now),
            asked: None,
        }
    }

    /// Returns the seats whose decisions are awaited, while a game is running.
    pub fn asked(&self) -> Option<Vec<Seat>> {
        let game = self.game.as_ref().filter(|_| self.phase == RoomPhase::Playing)?;
        Some(game.state().asked())
    }

    /// Returns the game as `viewer` sees it, or `None` in the lobby.
    pub fn state(&self, viewer: Viewer, now: Millis) -> Option<State<'_>> {
        let game = self.game.as_ref()?;
        let seat = viewer.seat();
        Some(State {
            version: self.version,
            next: seat.map(|seat| game.next(seat)),
            asked: game.state().asked(),
            table: game.table(),
            mine: seat.map(|seat| game.state().mine(seat)),
            actions: seat.map_or_else(nothing, |seat| game.state().actions(seat)),
            events: &game.events,
            deadline_ms: self.deadline().map(|deadline| deadline.saturating_sub(now)),
        })
    }

    /// Returns every event of this game so far.
    pub fn history(&self) -> &[Box<RawValue>] {
        self.game.as_ref().map_or(&[], |game| &game.history)
    }

    /// Returns the events after those that a client has, or `None` if it has anything but the first events of this
    /// game. Events are the same for every viewer, so it does not matter as whom the client got them.
    pub fn history_after(&self, have: &Have) -> Option<&[Box<RawValue>]> {
        let commitment = self.seed.commitment();
        let (first, rest) = self.game.as_ref()?.history.split_at_checked(have.events as usize)?;
        (have.game == commitment && *have == Have::of(commitment, first.iter().map(|event| event.get())))
            .then_some(rest)
    }
}

/// Returns an empty list of actions, because a spectator may do nothing in a game.
fn nothing() -> Box<RawValue> {
    RawValue::from_string("[]".to_owned()).expect("an empty list is JSON")
}
