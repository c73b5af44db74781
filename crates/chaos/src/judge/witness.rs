//! One connection as the judge observes it: what was known before it opened, and what was received and sent over it.

use super::game_ledger::Key;
use super::room_ledger::{RoomLedger, Told};
use super::{Judge, Promise, Who};
use client::End;
use game::Seat;
use protocol::{ChatLine, Received, RoomPhase, RoomView, ServerMessage, State};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

/// Reports one connection to the judge.
pub struct Witness {
    judge: Arc<Judge>,
    room: Arc<Mutex<RoomLedger>>,
    who: Who,
    told: Told,
    seat: Option<Seat>,
    game: Option<Key>,
    /// The last version received over this connection.
    version: Option<u64>,
    /// Actions sent over this connection: game, seat, number, action.
    acts: Vec<(Key, Seat, u32, Value)>,
    chats: HashSet<String>,
}

/// What a client keeps of a message.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    /// Seat and token, from a welcome or a change of seat.
    pub place: Option<(Option<Seat>, Option<String>)>,
    /// The room.
    pub room: Option<RoomView>,
    /// The state, as far as its owner needs it to choose an action.
    pub state: Option<Choice>,
    /// The number of the refused action, if the refusal is of one, and the error code.
    pub refusal: Option<(Option<u32>, String)>,
    /// A handover code.
    pub handover: Option<String>,
    /// Whether the message was a welcome.
    pub welcome: bool,
    /// Whether the message was the answer to a ping.
    pub pong: bool,
}

/// What a player can choose from.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The version of the table.
    pub version: u64,
    /// The number of the next action.
    pub next: Option<u32>,
    /// The seats that must act.
    pub asked: Vec<Seat>,
    /// The legal actions, as a JSON list.
    pub actions: String,
}

impl Witness {
    pub(super) fn new(judge: Arc<Judge>, room: Arc<Mutex<RoomLedger>>, who: Who) -> Witness {
        let told = room.lock().expect("nobody panics with it").told();
        let (acts, chats) = (Vec::new(), HashSet::new());
        Witness { judge, room, who, told, seat: None, game: None, version: None, acts, chats }
    }

    /// Notes a message other than an action that is sent.
    pub fn says(&mut self, text: &str) {
        self.note(format_args!("{} says {text}", self.who));
    }

    /// Notes that somebody else may act for this seat from now on.
    pub fn gives_up(&mut self) {
        let mut room = self.room.lock().expect("nobody panics with it");
        if let (Some(seat), Some(key)) = (self.seat, self.game) {
            room.known_game(key).into_iter().for_each(|game| game.may_be_helped(seat));
        }
    }

    /// Notes an action that is sent. `in_time` is false if the decision it is for has not come yet.
    pub fn acts(&mut self, n: u32, action: &str, in_time: bool) {
        self.note(format_args!("{} acts {n} {action}", self.who));
        let (Some(seat), Some(key)) = (self.seat, self.game) else { return };
        let version = self.version.unwrap_or_default();
        let mut room = self.room.lock().expect("nobody panics with it");
        let Some(game) = room.known_game(key) else { return };
        game.sends(seat, n, action, version, in_time);
        self.acts.push((key, seat, n, serde_json::from_str(action).unwrap_or_default()));
    }

    /// Notes that the connection ended.
    pub fn ends(&mut self, end: End) {
        self.note(format_args!("{}'s line ends: {end}", self.who));
    }

    /// Checks a received message, and returns what its owner keeps of it.
    pub fn hears(&mut self, text: &str) -> Heard {
        self.judge.counts().heard += 1;
        self.note(format_args!("{} hears {text}", self.who));
        let mut heard = Heard::default();
        let room = self.room.clone();
        let mut room = room.lock().expect("nobody panics with it");
        let mut found = Vec::new();
        let mut received = match Received::read(text) {
            Ok(received) => received,
            Err(error) => {
                let what = format!("{} hears what is not of the contract: {error}", self.who);
                return self.broken(&room, vec![(Promise::Diverged, what)], heard);
            }
        };
        match received.message() {
            Some(ServerMessage::Welcome { you, room: view, state, history, chat, .. }) => {
                heard.welcome = true;
                heard.place = Some((you.seat, you.token.map(str::to_owned)));
                self.takes_place(&mut room, text, you.seat, you.token, &mut found);
                self.looks(&mut room, view, &mut found);
                let place = you.seat.zip(state.as_ref().and_then(|state| state.next));
                let version = state.as_ref().map(|state| state.version);
                let stale = room.stale(&self.told, view, version, place);
                found.extend(stale.map(|what| (Promise::Lost, what)));
                if let (Some(state), Some(key)) = (&state, self.game) {
                    found.extend(room.game(key, &view.game).history(state.version, history));
                    self.sees(&mut room, state, &mut found);
                    heard.state = Some(choice(state));
                }
                found.extend(twice(chat));
                heard.room = Some(view.clone());
            }
            Some(ServerMessage::You { seat, token, .. }) => {
                self.takes_place(&mut room, text, seat, token, &mut found);
                heard.place = Some((seat, token.map(str::to_owned)));
            }
            Some(ServerMessage::Room { room: view }) => {
                self.looks(&mut room, view, &mut found);
                if let Some(owner) = room.leaks_token(self.who, text) {
                    found.push((Promise::Leaked, format!("{} is told the token of {owner}", self.who)));
                }
                heard.room = Some(view.clone());
            }
            Some(ServerMessage::State { state }) => {
                self.sees(&mut room, &state, &mut found);
                heard.state = Some(choice(&state));
            }
            Some(ServerMessage::Rejected { n, code, .. }) => {
                self.is_refused(&mut room, n);
                heard.refusal = Some((Some(n), code.to_owned()));
            }
            Some(ServerMessage::Error { code, .. }) => heard.refusal = Some((None, code.to_owned())),
            Some(ServerMessage::Chat { text, name, at, .. }) => {
                let first = self.chats.insert(format!("{at} {name} {text}"));
                let doubled = || (Promise::Doubled, format!("{} hears \"{text}\" twice", self.who));
                found.extend((!first).then(doubled));
            }
            Some(ServerMessage::Handover { code, .. }) => heard.handover = Some(code.to_owned()),
            Some(ServerMessage::Pong { .. }) => heard.pong = true,
            Some(
                ServerMessage::Review { .. }
                | ServerMessage::Hint { .. }
                | ServerMessage::Reacted { .. }
                | ServerMessage::Renamed { .. },
            )
            | None => {}
        }
        self.broken(&room, found, heard)
    }

    fn broken(&self, room: &RoomLedger, found: Vec<(Promise, String)>, heard: Heard) -> Heard {
        self.judge.broken(room, found);
        heard
    }

    fn takes_place(
        &mut self,
        room: &mut RoomLedger,
        text: &str,
        seat: Option<Seat>,
        token: Option<&str>,
        found: &mut Vec<(Promise, String)>,
    ) {
        self.seat = seat;
        if seat.is_some() && !matches!(self.who, Who::Person(_)) {
            found.push((Promise::Foreign, format!("{} was given a seat", self.who)));
        }
        if let Some(token) = token {
            if let Some(owner) = room.leaks_token(self.who, token) {
                found.push((Promise::Foreign, format!("{} was given the token of {owner}", self.who)));
            }
            room.gave(self.who, token);
        }
        if let Some(owner) = room.leaks_token(self.who, text) {
            found.push((Promise::Leaked, format!("{} is told the token of {owner}", self.who)));
        }
    }

    fn looks(&mut self, room: &mut RoomLedger, view: &RoomView, found: &mut Vec<(Promise, String)>) {
        let key = view.fair.commitment.0;
        if self.game != Some(key) {
            (self.game, self.version) = (Some(key), None);
        }
        room.looked_at(view);
        if view.phase == RoomPhase::Playing
            && let Some(seat) = self.seat
        {
            found.extend(room.game(key, &view.game).sits(seat, self.who));
        }
        if view.phase == RoomPhase::Lobby && view.fair.salts.is_some() {
            found.push((Promise::Leaked, "salts are shown in the lobby".to_owned()));
        }
    }

    fn sees(&mut self, room: &mut RoomLedger, state: &State<'_>, found: &mut Vec<(Promise, String)>) {
        let Some(key) = self.game else { return };
        if self.version.is_some_and(|version| state.version < version) {
            let what = format!("{} was shown version {} after {:?}", self.who, state.version, self.version);
            found.push((Promise::Diverged, what));
        }
        self.version = Some(state.version);
        room.saw(state.version);
        match room.known_game(key) {
            Some(game) => found.extend(game.shown(state, self.seat)),
            None => found.push((Promise::Diverged, "a state was shown in the lobby".to_owned())),
        }
    }

    fn is_refused(&mut self, room: &mut RoomLedger, n: u32) {
        let at = self.acts.iter().rposition(|(_, _, sent, _)| *sent == n);
        if let Some((key, seat, n, action)) = at.map(|at| self.acts.remove(at)) {
            room.known_game(key).into_iter().for_each(|game| game.refused(seat, n, &action));
            self.judge.counts().refused += 1;
        }
    }

    fn note(&self, what: std::fmt::Arguments<'_>) {
        self.room.lock().expect("nobody panics with it").note(self.judge.began, what);
    }
}

fn choice(state: &State<'_>) -> Choice {
    Choice {
        version: state.version,
        next: state.next,
        asked: state.asked.clone(),
        actions: state.actions.get().to_owned(),
    }
}

/// Finds a line that is in the chat twice. Every simulated client says everything only once.
fn twice(chat: &[ChatLine]) -> Option<(Promise, String)> {
    let mut lines = HashSet::new();
    let doubled = chat.iter().find(|line| !lines.insert((line.at, &line.name, &line.text)))?;
    Some((Promise::Doubled, format!("the chat has \"{}\" twice", doubled.text)))
}
