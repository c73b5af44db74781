//! What all clients of one room were sent.

use super::game_ledger::{GameLedger, Key};
use super::record::{self, RecordFindings};
use super::{Participant, Promise};
use game::Seat;
use protocol::{Kind, RoomPhase, RoomView};
use std::collections::{HashMap, VecDeque};
use std::fmt::{self, Write};
use std::time::Instant;

/// Number of lines kept in a room's trace.
const TRACE: usize = 2000;
/// Longest part of a message in the trace, in characters.
const TRACED: usize = 700;

/// A room as its clients saw it.
pub struct RoomLedger {
    code: String,
    games: HashMap<Key, GameLedger>,
    /// Games that were announced as started, in that order.
    begun: Vec<Key>,
    /// The newest version sent to any client.
    newest: u64,
    tokens: Vec<(Participant, String)>,
    last_record: Option<String>,
    trace: VecDeque<String>,
}

/// What any client of the room had been sent when a client began to join. Its welcome must not be older than this.
#[derive(Debug, Clone, Default)]
pub struct ShownBefore {
    begun: usize,
    newest: u64,
    next: Option<(Key, HashMap<Seat, u32>)>,
}

impl RoomLedger {
    pub fn new(code: &str) -> RoomLedger {
        RoomLedger {
            code: code.to_owned(),
            games: HashMap::new(),
            begun: Vec::new(),
            newest: 0,
            tokens: Vec::new(),
            last_record: None,
            trace: VecDeque::new(),
        }
    }

    pub fn code(&self) -> &str {
        &self.code
    }

    pub fn told(&self) -> ShownBefore {
        let last = self.begun.last().and_then(|key| Some((*key, self.games.get(key)?.next_told())));
        ShownBefore { begun: self.begun.len(), newest: self.newest, next: last }
    }

    /// Returns the game with this commitment, which is in progress or finished.
    pub fn game(&mut self, key: Key, kind: &str) -> &mut GameLedger {
        if !self.begun.contains(&key) {
            self.begun.push(key);
        }
        self.games.entry(key).or_insert_with(|| GameLedger::new(kind))
    }

    /// Returns the game with this commitment, if any client has seen it begin.
    pub fn known_game(&mut self, key: Key) -> Option<&mut GameLedger> {
        self.games.get_mut(&key)
    }

    /// Notes a version that a client received.
    pub fn saw(&mut self, version: u64) {
        self.newest = self.newest.max(version);
    }

    /// Notes for which seats a substitute may act, according to this view of the room.
    pub fn looked_at(&mut self, room: &RoomView) {
        if room.phase == RoomPhase::Lobby {
            return;
        }
        let helped = room.clock.is_some() || room.forced == protocol::Forced::Auto;
        let game = self.game(room.fair.commitment.0, &room.game);
        for seat in &room.seats {
            if helped || seat.kind == Kind::Bot || seat.bot.is_some() {
                game.may_be_helped(seat.seat);
            }
        }
    }

    /// Checks a welcome against what had been sent before the client joined, and describes what it lacks.
    pub fn stale(
        &self,
        told: &ShownBefore,
        room: &RoomView,
        version: Option<u64>,
        place: Option<(Seat, u32)>,
    ) -> Option<String> {
        let key = room.fair.commitment.0;
        let Some(version) = version else {
            let begun = self.begun.iter().position(|game| *game == key).is_some_and(|at| at < told.begun);
            return begun.then(|| "a game had begun, but a welcome shows its lobby".to_owned());
        };
        if version < told.newest {
            return Some(format!("version {} had been sent, but a welcome has {version}", told.newest));
        }
        let (seat, next) = place?;
        let (game, nexts) = told.next.as_ref()?;
        let before = *nexts.get(&seat).filter(|_| *game == key)?;
        (next < before)
            .then(|| format!("act {} of seat {} was acknowledged, but a welcome asks for {next}", before - 1, seat.0))
    }

    /// Notes the token that a client received.
    pub fn gave(&mut self, who: Participant, token: &str) {
        if !self.tokens.iter().any(|(_, known)| known == token) {
            self.tokens.push((who, token.to_owned()));
        }
    }

    /// Returns the owner of a token that appears in a message to another client.
    pub fn leaks_token(&self, to: Participant, text: &str) -> Option<Participant> {
        let foreign = |(owner, token): &&(Participant, String)| *owner != to && text.contains(token.as_str());
        self.tokens.iter().find(foreign).map(|(owner, _)| *owner)
    }

    pub fn tokens(&self) -> Vec<String> {
        self.tokens.iter().map(|(_, token)| token.clone()).collect()
    }

    /// Compares the record of the last game with what clients were sent about it.
    pub fn recorded(&mut self, text: &str) -> RecordFindings {
        let record: protocol::Record = match serde_json::from_str(text) {
            Ok(record) => record,
            Err(error) => {
                return RecordFindings::broken(Promise::Unverified, format!("the record cannot be parsed: {error}"));
            }
        };
        let Some(game) = self.games.get_mut(&record.commitment.0) else {
            let what = "the record is of an unknown game".to_owned();
            return RecordFindings::broken(Promise::Diverged, what);
        };
        self.last_record = Some(text.to_owned());
        record::compare(game, &record)
    }

    pub fn last_record(&self) -> Option<&str> {
        self.last_record.as_deref()
    }

    /// Returns whether a game began of which there is no record yet.
    pub fn is_playing(&self) -> bool {
        self.games.values().any(|game| !game.is_closed())
    }

    pub fn note(&mut self, began: Instant, what: fmt::Arguments<'_>) {
        if self.trace.len() == TRACE {
            self.trace.pop_front();
        }
        let mut line = format!("{:9.3} ", began.elapsed().as_secs_f64());
        let text = what.to_string();
        let short = text.char_indices().nth(TRACED).map_or(&*text, |(end, _)| &text[..end]);
        let _ = writeln!(line, "{short}");
        self.trace.push_back(line);
    }

    pub fn trace(&self) -> String {
        self.trace.iter().map(String::as_str).collect()
    }
}
