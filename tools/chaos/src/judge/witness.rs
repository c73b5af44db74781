//! One connection as the judge observes it: what was known before it opened, and what was received and sent over it.

use super::game_ledger::Key;
use super::room_ledger::{RoomLedger, ShownBefore};
use super::{Judge, Participant, Promise};
use client::End;
use client::scripted::MessageSummary;
use game::Seat;
use protocol::{ChatLine, Received, RoomPhase, RoomView, ServerMessage, State};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

/// Reports one connection to the judge.
pub struct Witness {
    judge: Arc<Judge>,
    room: Arc<Mutex<RoomLedger>>,
    who: Participant,
    told: ShownBefore,
    seat: Option<Seat>,
    game: Option<Key>,
    /// The last version received over this connection.
    version: Option<u64>,
    /// Actions sent over this connection: game, seat, number, action.
    acts: Vec<(Key, Seat, u32, Value)>,
    chats: HashSet<String>,
}

impl Witness {
    pub(super) fn new(judge: Arc<Judge>, room: Arc<Mutex<RoomLedger>>, who: Participant) -> Witness {
        let told = room.lock().expect("not poisoned").told();
        let (acts, chats) = (Vec::new(), HashSet::new());
        Witness { judge, room, who, told, seat: None, game: None, version: None, acts, chats }
    }

    /// Notes a message other than an action that is sent.
    pub fn says(&mut self, text: &str) {
        self.note(format_args!("{} sends {text}", self.who));
    }

    /// Notes that a substitute may act for this seat from now on.
    pub fn gives_up(&mut self) {
        let mut room = self.room.lock().expect("not poisoned");
        if let (Some(seat), Some(key)) = (self.seat, self.game) {
            room.known_game(key).into_iter().for_each(|game| game.may_be_helped(seat));
        }
    }

    /// Notes an action that is sent. `in_time` is false if the decision it is for has not come yet.
    pub fn acts(&mut self, n: u32, action: &str, in_time: bool) {
        self.note(format_args!("{} acts {n} {action}", self.who));
        let (Some(seat), Some(key)) = (self.seat, self.game) else { return };
        let version = self.version.unwrap_or_default();
        let mut room = self.room.lock().expect("not poisoned");
        let Some(game) = room.known_game(key) else { return };
        game.sends(seat, n, action, version, in_time);
        self.acts.push((key, seat, n, serde_json::from_str(action).unwrap_or_default()));
    }

    /// Notes that the connection ended.
    pub fn ends(&mut self, end: End) {
        self.note(format_args!("{}: connection ended: {end}", self.who));
    }

    /// Checks a received message, and returns what its owner keeps of it.
    pub fn hears(&mut self, text: &str) -> MessageSummary {
        self.judge.counts().heard += 1;
        self.note(format_args!("{} receives {text}", self.who));
        let room = self.room.clone();
        let mut room = room.lock().expect("not poisoned");
        let mut found = Vec::new();
        let mut received = match Received::read(text) {
            Ok(received) => received,
            Err(error) => {
                let what = format!("{} received an invalid message: {error}", self.who);
                self.judge.broken(&room, vec![(Promise::Diverged, what)]);
                return MessageSummary::default();
            }
        };
        let Some(message) = received.message() else { return MessageSummary::default() };
        let heard = MessageSummary::of(&message);
        match message {
            ServerMessage::Welcome { you, room: view, state, since, history, chat, .. } => {
                self.takes_place(&mut room, text, you.seat, you.token, &mut found);
                self.looks(&mut room, view, &mut found);
                let place = you.seat.zip(state.as_ref().and_then(|state| state.next));
                let version = state.as_ref().map(|state| state.version);
                let stale = room.stale(&self.told, view, version, place);
                found.extend(stale.map(|what| (Promise::Lost, what)));
                if let (Some(state), Some(key)) = (&state, self.game) {
                    if since.is_some() {
                        self.judge.did("welcomed with the events since");
                    }
                    let since = since.map_or(0, |since| since as usize);
                    found.extend(room.game(key, &view.game).history(state.version, since, history));
                    self.sees(&mut room, state, &mut found);
                }
                found.extend(twice(chat));
            }
            ServerMessage::You { seat, token, .. } => {
                self.takes_place(&mut room, text, seat, token, &mut found);
            }
            ServerMessage::Room { room: view } => {
                self.looks(&mut room, view, &mut found);
                if let Some(owner) = room.leaks_token(self.who, text) {
                    found.push((Promise::Leaked, format!("{} was sent the token of {owner}", self.who)));
                }
            }
            ServerMessage::State { state } => self.sees(&mut room, &state, &mut found),
            ServerMessage::Rejected { n, .. } => self.is_refused(&mut room, n),
            ServerMessage::Chat { text, name, at, .. } => {
                let first = self.chats.insert(format!("{at} {name} {text}"));
                let doubled = || (Promise::Doubled, format!("{} received \"{text}\" twice", self.who));
                found.extend((!first).then(doubled));
            }
            _ => {}
        }
        self.judge.broken(&room, found);
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
        if seat.is_some() && !matches!(self.who, Participant::Person(_)) {
            found.push((Promise::Foreign, format!("{} was given a seat", self.who)));
        }
        if let Some(token) = token {
            if let Some(owner) = room.leaks_token(self.who, token) {
                found.push((Promise::Foreign, format!("{} was given the token of {owner}", self.who)));
            }
            room.gave(self.who, token);
        }
        if let Some(owner) = room.leaks_token(self.who, text) {
            found.push((Promise::Leaked, format!("{} was sent the token of {owner}", self.who)));
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
            found.push((Promise::Leaked, "salts were sent in the lobby".to_owned()));
        }
    }

    fn sees(&mut self, room: &mut RoomLedger, state: &State<'_>, found: &mut Vec<(Promise, String)>) {
        let Some(key) = self.game else { return };
        if self.version.is_some_and(|version| state.version < version) {
            let what = format!("{} was sent version {} after {:?}", self.who, state.version, self.version);
            found.push((Promise::Diverged, what));
        }
        self.version = Some(state.version);
        room.saw(state.version);
        match room.known_game(key) {
            Some(game) => found.extend(game.shown(state, self.seat)),
            None => found.push((Promise::Diverged, "a state was sent in the lobby".to_owned())),
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
        self.room.lock().expect("not poisoned").note(self.judge.began, what);
    }
}

/// Finds a line that is in the chat twice. Every simulated client says everything only once.
fn twice(chat: &[ChatLine]) -> Option<(Promise, String)> {
    let mut lines = HashSet::new();
    let doubled = chat.iter().find(|line| !lines.insert((line.at, &line.name, &line.text)))?;
    Some((Promise::Doubled, format!("the chat has \"{}\" twice", doubled.text)))
}
