//! The judge: observes every message that clients send and receive, and detects violated invariants. It relies on the
//! wire contract only: it compares each message with everything any client received before, and with the record of the
//! game.

mod absences;
mod game_ledger;
mod record;
mod room_ledger;
mod witness;

pub use witness::Witness;

use crate::plan::FaultKind;
use absences::Absences;
use game::Commitment;
use protocol::Have;
use room_ledger::RoomLedger;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// An invariant that the judge checks. Violations are counted for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Promise {
    /// Everything acknowledged is durable.
    Lost,
    /// An action counts once.
    Doubled,
    /// All clients see the same table, and versions only increase.
    Diverged,
    /// A seat can be opened and played only with its token.
    Foreign,
    /// Private information is shown only to its owner.
    Leaked,
    /// Every game ends.
    Unfinished,
    /// Every record can be verified.
    Unverified,
    /// A server stops when asked to and not otherwise, and stays within its memory limit.
    Unsound,
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Promise::Lost => "nothing acknowledged is lost",
            Promise::Doubled => "no act counts twice",
            Promise::Diverged => "all clients see the same table, and versions only rise",
            Promise::Foreign => "no seat is opened or played without its token",
            Promise::Leaked => "no client sees another seat's secrets",
            Promise::Unfinished => "every game ends",
            Promise::Unverified => "every record can be verified",
            Promise::Unsound => "the server stays up and within its memory limit",
        })
    }
}

/// A violated invariant and the evidence.
#[derive(Debug, Clone, Serialize)]
pub struct Violation {
    /// The violated invariant.
    pub promise: Promise,
    /// The room, or `None` if the violation concerns a whole server.
    pub room: Option<String>,
    /// What was observed, in one sentence.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "violated: \"{}\"", self.promise)?;
        if let Some(room) = &self.room {
            write!(f, " in room {room}")?;
        }
        write!(f, ": {}", self.what)
    }
}

/// A simulated participant, independent of its current connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Participant {
    /// A player.
    Person(u32),
    /// A spectator.
    Watcher(u32),
    /// A malicious client.
    Intruder(u32),
}

impl fmt::Display for Participant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Participant::Person(number) => write!(f, "person {number}"),
            Participant::Watcher(number) => write!(f, "watcher {number}"),
            Participant::Intruder(number) => write!(f, "intruder {number}"),
        }
    }
}

/// Counters of a run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct JudgeTally {
    /// Actions that were acknowledged and are in the record of their game.
    pub acknowledged: u64,
    /// Actions that another decision for the same seat preceded: by the clock, a bot or another tab.
    pub overtaken: u64,
    /// Actions that were refused.
    pub refused: u64,
    /// Finished games whose record agrees with everything clients were sent.
    pub games: u64,
    /// Messages received.
    pub heard: u64,
    /// Messages sent and tokens tried by intruders.
    pub intrusions: u64,
    /// Number of occurrences of each kind of activity.
    pub done: BTreeMap<&'static str, u64>,
    /// Longest time that a player needed to reconnect.
    #[serde(skip)]
    pub longest_absence: Duration,
    /// Longest time in milliseconds that a seat was empty because of each kind of fault. Measured only if faults come
    /// one at a time.
    pub absence_after: BTreeMap<FaultKind, u64>,
}

/// The judge of a run.
pub struct Judge {
    began: Instant,
    rooms: Mutex<HashMap<String, Arc<Mutex<RoomLedger>>>>,
    tally: Mutex<JudgeTally>,
    violations: Mutex<Vec<Violation>>,
    absences: Mutex<Absences>,
    /// Cancelled at the first violation.
    broken: CancellationToken,
    /// Folder for the traces of rooms in which an invariant was violated.
    traces: Option<PathBuf>,
}

impl Judge {
    /// Creates a judge that has heard nothing yet and writes traces into this folder.
    pub fn new(traces: Option<PathBuf>) -> Arc<Judge> {
        Arc::new(Judge {
            began: Instant::now(),
            rooms: Mutex::default(),
            tally: Mutex::default(),
            violations: Mutex::default(),
            absences: Mutex::default(),
            broken: CancellationToken::new(),
            traces,
        })
    }

    /// Creates the witness for a client that is about to join a room. Everything that any client was sent about the
    /// room until now must be included in its welcome.
    pub fn witness(self: &Arc<Judge>, room: &str, who: Participant) -> Witness {
        Witness::new(self.clone(), self.room(room), who)
    }

    /// Returns what a client says about the events that it has of a game at a version, if some client was sent them.
    pub fn have(&self, room: &str, game: Commitment, version: u64) -> Option<Have> {
        let room = self.room(room);
        let mut room = room.lock().expect("not poisoned");
        room.known_game(game.0)?.have(game.0, version)
    }

    /// Compares the record of a finished game with what clients were sent about it.
    pub fn recorded(&self, room: &str, text: &str) {
        let ledger = self.room(room);
        let mut ledger = ledger.lock().expect("not poisoned");
        ledger.note(self.began, format_args!("received a record of {} bytes", text.len()));
        let found = ledger.recorded(text);
        let mut tally = self.counts();
        tally.acknowledged += found.acknowledged;
        tally.overtaken += found.overtaken;
        tally.games += u64::from(found.whole);
        drop(tally);
        self.broken(&ledger, found.violations);
    }

    /// Checks that a record fetched again at the end of the run is unchanged.
    pub fn recorded_again(&self, room: &str, text: &str) {
        let ledger = self.room(room);
        let ledger = ledger.lock().expect("not poisoned");
        if ledger.last_record().is_some_and(|before| before != text) {
            let what = "the record of the last game changed after a restart".to_owned();
            self.broken(&ledger, vec![(Promise::Lost, what)]);
        }
    }

    /// Reports a violation that the judge cannot detect by itself.
    pub fn accuse(&self, promise: Promise, room: Option<&str>, what: String) {
        match room {
            Some(room) => {
                let ledger = self.room(room);
                let ledger = ledger.lock().expect("not poisoned");
                self.broken(&ledger, vec![(promise, what)]);
            }
            None => {
                self.condemned().push(Violation { promise, room: None, what });
                self.broken.cancel();
            }
        }
    }

    /// Counts an intrusion.
    pub fn intruded(&self) {
        self.counts().intrusions += 1;
    }

    /// Counts an activity.
    pub fn did(&self, what: &'static str) {
        *self.counts().done.entry(what).or_default() += 1;
    }

    /// Notes that a seated player is not connected but wants to be. `wished` is true if they disconnected on purpose
    /// and false if their connection broke.
    pub fn is_away(&self, who: Participant, wished: bool) {
        self.absences().goes(who, wished, Instant::now());
    }

    /// Notes that a player is connected again, with or without a seat.
    pub fn is_here(&self, who: Participant, seated: bool) {
        let Some(absence) = self.absences().comes(who, Instant::now()).filter(|_| seated) else { return };
        let mut tally = self.counts();
        tally.longest_absence = tally.longest_absence.max(absence.tried);
        if let Some((kind, empty)) = absence.of_fault {
            let longest = tally.absence_after.entry(kind).or_default();
            *longest = (*longest).max(empty.as_millis() as u64);
        }
    }

    /// Notes the start of a fault that affects all players.
    pub fn strikes(&self, kind: FaultKind) {
        self.absences().strikes(kind, Instant::now());
    }

    /// Notes the end of the last fault.
    pub fn relents(&self) {
        self.absences().relents(Instant::now());
    }

    /// Returns whether the last fault is over and every player affected by it has reconnected.
    pub fn is_settled(&self) -> bool {
        self.absences().is_settled()
    }

    fn absences(&self) -> MutexGuard<'_, Absences> {
        self.absences.lock().expect("not poisoned")
    }

    /// Returns the counters so far.
    pub fn tally(&self) -> JudgeTally {
        self.counts().clone()
    }

    fn counts(&self) -> MutexGuard<'_, JudgeTally> {
        self.tally.lock().expect("not poisoned")
    }

    /// Returns the violations found so far.
    pub fn violations(&self) -> Vec<Violation> {
        self.condemned().clone()
    }

    fn condemned(&self) -> MutexGuard<'_, Vec<Violation>> {
        self.violations.lock().expect("not poisoned")
    }

    /// Waits for the first violation.
    pub async fn first_violation(&self) {
        self.broken.cancelled().await;
    }

    /// Returns the codes of the rooms with a game that began and has no record yet.
    pub fn unfinished(&self) -> Vec<String> {
        let rooms = self.rooms.lock().expect("not poisoned");
        let open = rooms.iter().filter(|(_, room)| room.lock().expect("not poisoned").is_playing());
        open.map(|(code, _)| code.clone()).collect()
    }

    /// Returns the tokens of players in other rooms, for intruders to try in this one.
    pub fn foreign_tokens(&self, room: &str) -> Vec<String> {
        let rooms = self.rooms.lock().expect("not poisoned");
        let others = rooms.iter().filter(|(code, _)| *code != room);
        others.flat_map(|(_, other)| other.lock().expect("not poisoned").tokens()).collect()
    }

    fn room(&self, code: &str) -> Arc<Mutex<RoomLedger>> {
        let mut rooms = self.rooms.lock().expect("not poisoned");
        rooms.entry(code.to_owned()).or_insert_with(|| Arc::new(Mutex::new(RoomLedger::new(code)))).clone()
    }

    fn broken(&self, ledger: &RoomLedger, found: Vec<(Promise, String)>) {
        if found.is_empty() {
            return;
        }
        self.broken.cancel();
        let room = Some(ledger.code().to_owned());
        let mut violations = self.condemned();
        let first = !violations.iter().any(|violation| violation.room == room);
        for (promise, what) in found {
            violations.push(Violation { promise, room: room.clone(), what });
        }
        if let Some(folder) = self.traces.as_ref().filter(|_| first) {
            let last = violations.last().expect("just pushed").to_string();
            let _ = std::fs::create_dir_all(folder);
            let file = folder.join(format!("{}.trace", ledger.code()));
            let _ = std::fs::write(file, format!("{}{last}\n", ledger.trace()));
        }
    }
}

#[cfg(test)]
mod tests;
