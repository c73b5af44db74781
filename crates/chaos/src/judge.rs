//! The judge: hears what every client is told and says, and finds out whether a promise was broken. It stands on the wire
//! contract alone: what was told to anyone is held against what is told to anyone later, and against the record of the game.

mod absences;
mod game_ledger;
mod record;
mod room_ledger;
mod witness;

pub use witness::{Choice, Heard, Witness};

use crate::plan::Kind;
use absences::Absences;
use room_ledger::RoomLedger;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// What is promised, and counted when it is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Promise {
    /// What was acknowledged stays.
    Lost,
    /// An act counts once.
    Doubled,
    /// All see the same, and it only goes forward.
    Diverged,
    /// A seat is opened, and played, by whoever has its token.
    Foreign,
    /// Nobody sees what is another's.
    Leaked,
    /// Every game ends.
    Unfinished,
    /// A record can be checked by anyone.
    Unverified,
    /// A server ends when it is asked to and not before, and takes no more memory than it may.
    Unsound,
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Promise::Lost => "nothing acknowledged is lost",
            Promise::Doubled => "no act counts twice",
            Promise::Diverged => "all see the same table, and versions only rise",
            Promise::Foreign => "no seat is opened or played without its token",
            Promise::Leaked => "nobody sees what is another's",
            Promise::Unfinished => "every game ends",
            Promise::Unverified => "every record holds",
            Promise::Unsound => "the server stays up and within its memory",
        })
    }
}

/// A promise that was broken, and how.
#[derive(Debug, Clone, Serialize)]
pub struct Violation {
    /// Which.
    pub promise: Promise,
    /// Where; none if it is the whole server's.
    pub room: Option<String>,
    /// What was seen, in one sentence.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" does not hold", self.promise)?;
        if let Some(room) = &self.room {
            write!(f, " in room {room}")?;
        }
        write!(f, ": {}", self.what)
    }
}

/// Who somebody is, whatever line they come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Who {
    /// Somebody who plays.
    Person(u32),
    /// Somebody who looks on.
    Watcher(u32),
    /// Somebody who should get nowhere.
    Intruder(u32),
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Who::Person(number) => write!(f, "person {number}"),
            Who::Watcher(number) => write!(f, "watcher {number}"),
            Who::Intruder(number) => write!(f, "intruder {number}"),
        }
    }
}

/// What came of it all.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Tally {
    /// Acts that were acknowledged and found in the record of their game.
    pub acknowledged: u64,
    /// Acts that somebody else's decision for the seat came before: the clock's, a bot's, another tab's.
    pub overtaken: u64,
    /// Acts that were refused.
    pub refused: u64,
    /// Games that ended, with a record that agrees with what everyone was told.
    pub games: u64,
    /// Messages that were heard.
    pub heard: u64,
    /// Messages of strangers, and keys that were tried.
    pub intrusions: u64,
    /// How often each kind of thing that people do was done.
    pub done: BTreeMap<&'static str, u64>,
    /// The longest that a player was away though they tried to come back.
    #[serde(skip)]
    pub longest_absence: Duration,
    /// The longest that a seat was empty for a fault of this kind, in milliseconds, where faults come one at a time.
    pub absence_after: BTreeMap<Kind, u64>,
}

/// The judge of a run.
pub struct Judge {
    began: Instant,
    rooms: Mutex<HashMap<String, Arc<Mutex<RoomLedger>>>>,
    tally: Mutex<Tally>,
    violations: Mutex<Vec<Violation>>,
    absences: Mutex<Absences>,
    /// Cancelled with the first of them.
    broken: CancellationToken,
    /// Where traces of rooms go in which a promise was broken.
    traces: Option<PathBuf>,
}

impl Judge {
    /// A judge who knows nothing yet, and writes traces into this folder.
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

    /// Somebody who is about to come into a room. What was told to anyone there until now must be there when they come.
    pub fn witness(self: &Arc<Judge>, room: &str, who: Who) -> Witness {
        Witness::new(self.clone(), self.room(room), who)
    }

    /// A finished game's record, against what everyone was told of it.
    pub fn recorded(&self, room: &str, text: &str) {
        let ledger = self.room(room);
        let mut ledger = ledger.lock().expect("nobody panics with it");
        ledger.note(self.began, format_args!("its record has {} bytes", text.len()));
        let found = ledger.recorded(text);
        let mut tally = self.counts();
        tally.acknowledged += found.acknowledged;
        tally.overtaken += found.overtaken;
        tally.games += u64::from(found.whole);
        drop(tally);
        self.broken(&ledger, found.violations);
    }

    /// A record asked for once more, at the end: it is the same as it was.
    pub fn recorded_again(&self, room: &str, text: &str) {
        let ledger = self.room(room);
        let ledger = ledger.lock().expect("nobody panics with it");
        if ledger.last_record().is_some_and(|before| before != text) {
            let what = "the record of its last game is another after a restart".to_owned();
            self.broken(&ledger, vec![(Promise::Lost, what)]);
        }
    }

    /// A promise was broken that the judge cannot see by itself.
    pub fn accuse(&self, promise: Promise, room: Option<&str>, what: String) {
        match room {
            Some(room) => {
                let ledger = self.room(room);
                let ledger = ledger.lock().expect("nobody panics with it");
                self.broken(&ledger, vec![(promise, what)]);
            }
            None => {
                self.condemned().push(Violation { promise, room: None, what });
                self.broken.cancel();
            }
        }
    }

    /// A stranger tried something.
    pub fn intruded(&self) {
        self.counts().intrusions += 1;
    }

    /// Somebody did something that is worth counting.
    pub fn did(&self, what: &'static str) {
        *self.counts().done.entry(what).or_default() += 1;
    }

    /// Somebody who has a seat is not in it, and wants to be: they had gone for a while, or their line broke.
    pub fn is_away(&self, who: Who, wished: bool) {
        self.absences().goes(who, wished, Instant::now());
    }

    /// Somebody is back: in their seat, or without one.
    pub fn is_here(&self, who: Who, seated: bool) {
        let Some(absence) = self.absences().comes(who, Instant::now()).filter(|_| seated) else { return };
        let mut tally = self.counts();
        tally.longest_absence = tally.longest_absence.max(absence.tried);
        if let Some((kind, empty)) = absence.of_fault {
            let longest = tally.absence_after.entry(kind).or_default();
            *longest = (*longest).max(empty.as_millis() as u64);
        }
    }

    /// A fault comes to all.
    pub fn strikes(&self, kind: Kind) {
        self.absences().strikes(kind, Instant::now());
    }

    /// The last fault is over.
    pub fn relents(&self) {
        self.absences().relents(Instant::now());
    }

    /// Whether nothing is left of the last fault: it is over, and whoever was away then is back.
    pub fn is_settled(&self) -> bool {
        self.absences().is_settled()
    }

    fn absences(&self) -> MutexGuard<'_, Absences> {
        self.absences.lock().expect("nobody panics with it")
    }

    /// What came of it so far.
    pub fn tally(&self) -> Tally {
        self.counts().clone()
    }

    fn counts(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().expect("nobody panics with it")
    }

    /// The promises that were broken so far.
    pub fn violations(&self) -> Vec<Violation> {
        self.condemned().clone()
    }

    fn condemned(&self) -> MutexGuard<'_, Vec<Violation>> {
        self.violations.lock().expect("nobody panics with it")
    }

    /// Waits for a promise to be broken.
    pub async fn first_violation(&self) {
        self.broken.cancelled().await;
    }

    /// The games that were told to have begun and of which there is no record.
    pub fn unfinished(&self) -> Vec<String> {
        let rooms = self.rooms.lock().expect("nobody panics with it");
        let open = rooms.iter().filter(|(_, room)| room.lock().expect("nobody panics with it").is_playing());
        open.map(|(code, _)| code.clone()).collect()
    }

    /// Tokens of people in other rooms, for those who try them where they do not belong.
    pub fn foreign_tokens(&self, room: &str) -> Vec<String> {
        let rooms = self.rooms.lock().expect("nobody panics with it");
        let others = rooms.iter().filter(|(code, _)| *code != room);
        others.flat_map(|(_, other)| other.lock().expect("nobody panics with it").tokens()).collect()
    }

    fn room(&self, code: &str) -> Arc<Mutex<RoomLedger>> {
        let mut rooms = self.rooms.lock().expect("nobody panics with it");
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
