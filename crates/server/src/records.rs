//! Records of finished games, lists of games and books, in the form in which they are sent. They are made one at a time
//! and cached, and the number of waiting requests is limited. Equal requests of an address wait as one, because a table
//! asks for its record all at once.
//!
//! Making a record replays the journal of a room. Without this limit, a hundred requests at once would use the memory
//! of a hundred games.

use crate::RoomCode;
use crate::client_addr::ClientAddr;
use crate::limits::table::{OPEN_ROOM_STREAMS, WAITING_REQUESTS};
use crate::limits::{CpuQuota, Limits};
use crate::turns::{Turn, Turns};
use axum::body::Bytes;
use futures_util::FutureExt;
use futures_util::future::{Shared as FutureShared, WeakShared};
use game::Commitment;
use journal::Journal;
use parking_lot::Mutex;
use protocol::{Code, RoomPhase, RoomView};
use room::{Misfit, NoRecord, Which};
use serde::Serialize;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use tokio::task::JoinError;

/// Maximum size of the cache in bytes.
const KEPT: usize = 8 << 20;
/// Maximum number of cached results. A room without a record has an empty one.
const KEPT_RECORDS: usize = 64;

/// The most recently requested records.
pub struct Records {
    journal: Arc<dyn Journal>,
    limits: Arc<Limits>,
    turns: Turns,
    /// Limits how many clients download all records of a room at once.
    whole_rooms: Turns,
    kept: Arc<RecordCache>,
    waiting: Mutex<Vec<(WaitingKey, WeakShared<Making>)>>,
}

/// A result that is sent, or why there is none.
type Made = Result<Bytes, NoRecord>;

/// A request that waits for its turn, and then makes its result.
type Making = Pin<Box<dyn Future<Output = Result<Made, NotMade>> + Send>>;

/// Identifies equal requests of one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WaitingKey {
    code: RoomCode,
    wanted: Wanted,
    client: ClientAddr,
}

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Record(CachedItem),
    Games,
    Book(BookForm),
}

#[derive(Default)]
struct RecordCache(Mutex<VecDeque<(CacheKey, Option<Bytes>)>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CacheKey {
    code: RoomCode,
    what: CachedItem,
}

/// A cached result, identified by what it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CachedItem {
    /// The last record. It depends on the commitment, which names the next or finished game, and on the room's phase.
    /// It is never requested during a game.
    Last { commitment: Commitment, phase: RoomPhase },
    /// The record of a finished game, which never changes.
    Game(Which),
    /// The list of games after this many journal entries.
    Games { entries: usize },
    /// The book after this many journal entries, as JSON or CSV.
    Book { entries: usize, form: BookForm },
}

/// The format of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookForm {
    Json,
    Csv,
}

impl CachedItem {
    /// Returns whether `self` makes `other` obsolete.
    fn replaces(&self, other: &CachedItem) -> bool {
        match (self, other) {
            (CachedItem::Game(which), CachedItem::Game(other)) => which == other,
            (CachedItem::Book { form, .. }, CachedItem::Book { form: other, .. }) => form == other,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

/// Why a result was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotMade {
    /// Load shedding: it is better to refuse now than to answer when the client no longer waits.
    #[error("too many requests of this kind at the moment, try again")]
    Busy,
    /// The journal cannot be read now.
    #[error("the room cannot be read now")]
    Unreadable,
    /// Another game has begun meanwhile.
    #[error("the game is no longer on the table")]
    OtherGame,
    /// The work panicked.
    #[error("the server failed to do this")]
    Internal,
}

impl NotMade {
    pub fn code(self) -> Code {
        match self {
            NotMade::Busy => Code::Busy,
            NotMade::Unreadable => Code::RoomUnreadable,
            NotMade::OtherGame => Code::NotFinished,
            NotMade::Internal => Code::Internal,
        }
    }
}

impl From<JoinError> for NotMade {
    fn from(error: JoinError) -> NotMade {
        if !error.is_panic() {
            // The server is stopping.
            return NotMade::Unreadable;
        }
        tracing::error!(%error, "work on a room panicked");
        NotMade::Internal
    }
}

impl Records {
    pub fn new(journal: Arc<dyn Journal>, limits: Arc<Limits>) -> Records {
        let turns = Turns::new(1, WAITING_REQUESTS);
        let whole_rooms = Turns::new(OPEN_ROOM_STREAMS, WAITING_REQUESTS);
        Records { journal, limits, turns, whole_rooms, kept: Arc::default(), waiting: Mutex::default() }
    }

    /// Returns the record of the room's last finished game as JSON, or `None` if no game was finished.
    pub async fn last(
        self: &Arc<Records>,
        code: RoomCode,
        view: &RoomView,
        client: ClientAddr,
    ) -> Result<Option<Bytes>, NotMade> {
        let what = CachedItem::Last { commitment: view.fair.commitment, phase: view.phase };
        let (kept, key) = (self.kept.clone(), CacheKey { code, what });
        let make = move |lines: &[String]| {
            let made = room::last_record(lines)?.map(|record| json(&record));
            // Cache it before the turn ends; otherwise the next request would find nothing and make it again.
            kept.keep(key, made.clone());
            Ok(made.ok_or(NoRecord::Missing))
        };
        Ok(self.make_once(code, Wanted::Record(what), client, make).await?.ok())
    }

    /// Returns the record of one game as JSON.
    pub async fn of(
        self: &Arc<Records>,
        code: RoomCode,
        which: Which,
        client: ClientAddr,
    ) -> Result<Result<Bytes, NoRecord>, NotMade> {
        let what = CachedItem::Game(which);
        let (kept, key) = (self.kept.clone(), CacheKey { code, what });
        let make = move |lines: &[String]| {
            let made = room::record_of(lines, which)?.map(|record| json(&record));
            // The last game may be another one next time.
            if let (Ok(made), Which::Number(_)) = (&made, which) {
                kept.keep(key, Some(made.clone()));
            }
            Ok(made)
        };
        self.make_once(code, Wanted::Record(what), client, make).await
    }

    /// Returns the list of all games of a room as JSON.
    pub async fn games(self: &Arc<Records>, code: RoomCode, client: ClientAddr) -> Result<Bytes, NotMade> {
        let kept = self.kept.clone();
        let make = move |lines: &[String]| {
            kept.find_or_make(CacheKey { code, what: CachedItem::Games { entries: lines.len() } }, || {
                Ok(json(&room::games_played(lines)?))
            })
        };
        self.make_once(code, Wanted::Games, client, make).await?.or(Err(NotMade::Internal))
    }

    /// Returns the book of a room.
    pub async fn book(
        self: &Arc<Records>,
        code: RoomCode,
        form: BookForm,
        client: ClientAddr,
    ) -> Result<Bytes, NotMade> {
        let kept = self.kept.clone();
        let make = move |lines: &[String]| {
            kept.find_or_make(CacheKey { code, what: CachedItem::Book { entries: lines.len(), form } }, || {
                let book = room::book_of(lines)?;
                Ok(match form {
                    BookForm::Json => json(&book),
                    BookForm::Csv => Bytes::from(room::csv_of(&book)),
                })
            })
        };
        self.make_once(code, Wanted::Book(form), client, make).await?.or(Err(NotMade::Internal))
    }

    /// Makes a result when a turn is free, unless it is in the cache. Equal requests of the same address that come
    /// while this one waits get the same result, and do not count as waiting.
    async fn make_once(
        self: &Arc<Records>,
        code: RoomCode,
        wanted: Wanted,
        client: ClientAddr,
        make: impl FnOnce(&[String]) -> Result<Made, Misfit> + Send + 'static,
    ) -> Result<Made, NotMade> {
        if let Some(made) = self.kept.find_record(code, wanted) {
            return Ok(made);
        }
        let key = WaitingKey { code, wanted, client };
        let records = self.clone();
        let making = async move {
            let turn = records.turns.turn_unless_many(Some(client)).await;
            // The journal is read next, and a later request may be about later entries.
            records.waiting.lock().retain(|(other, _)| *other != key);
            let turn = turn.ok_or(NotMade::Busy)?;
            // Requests of other addresses that had to wait mostly waited for the same record.
            if let Some(made) = records.kept.find_record(code, wanted) {
                return Ok(made);
            }
            records.make(code, turn, client, move |lines| make(&lines)).await
        };
        self.join_or_start(key, Box::pin(making)).await
    }

    /// Returns the equal request that waits already, or else this one.
    fn join_or_start(&self, key: WaitingKey, making: Making) -> FutureShared<Making> {
        let mut waiting = self.waiting.lock();
        // A request is gone if all its clients are.
        waiting.retain(|(_, request)| request.upgrade().is_some());
        let equal = waiting.iter().find(|(other, _)| *other == key);
        if let Some(equal) = equal.and_then(|(_, request)| request.upgrade()) {
            return equal;
        }
        let making = making.shared();
        waiting.extend(making.downgrade().map(|request| (key, request)));
        making
    }

    /// Makes a result from all journal entries of a room, when a turn is free. The time is charged to the client
    /// address. A missing room has no entries.
    pub async fn read<T: Send + 'static>(
        &self,
        code: RoomCode,
        client: ClientAddr,
        make: impl FnOnce(Vec<String>) -> Result<T, Misfit> + Send + 'static,
    ) -> Result<T, NotMade> {
        let turn = self.turns.turn_unless_many(Some(client)).await.ok_or(NotMade::Busy)?;
        self.make(code, turn, client, make).await
    }

    /// Waits until a client may download all records of a room.
    pub async fn turn_for_whole_room(&self, client: ClientAddr) -> Result<Turn, NotMade> {
        self.whole_rooms.turn_unless_many(Some(client)).await.ok_or(NotMade::Busy)
    }

    /// Runs work for a client when a turn is free, unless too many requests are waiting. The time is charged to the
    /// client.
    pub async fn work<T: Send + 'static>(
        &self,
        client: ClientAddr,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotMade> {
        let turn = self.turns.turn_unless_many(Some(client)).await.ok_or(NotMade::Busy)?;
        let charged = self.limits.charged(client, CpuQuota::Replaying, work);
        Ok(turn.work(charged).await?)
    }

    /// Makes the next piece of a stream that was already begun, when a turn is free. Making and sending it is charged
    /// to the client.
    pub async fn next_piece<T: Send + 'static>(
        &self,
        client: ClientAddr,
        make: impl FnOnce() -> io::Result<(Bytes, T)> + Send + 'static,
    ) -> io::Result<(Bytes, T)> {
        let turn = self.turns.turn(Some(client)).await;
        let charged = self.limits.charged(client, CpuQuota::Replaying, make);
        let (piece, rest) = turn.work(charged).await.map_err(io::Error::other)??;
        self.limits.sent_replay(client, piece.len());
        Ok((piece, rest))
    }

    async fn make<T: Send + 'static>(
        &self,
        code: RoomCode,
        turn: Turn,
        client: ClientAddr,
        make: impl FnOnce(Vec<String>) -> Result<T, Misfit> + Send + 'static,
    ) -> Result<T, NotMade> {
        let lines = self.journal.read(code.as_str()).await.map_err(|error| {
            tracing::debug!(%error, "cannot read the games of a room");
            NotMade::Unreadable
        })?;
        let lines = lines.unwrap_or_default();
        let make = self.limits.charged(client, CpuQuota::Replaying, move || make(lines));
        turn.work(make).await?.map_err(|error| {
            tracing::error!(room = %code, %error, "cannot replay the games of a room");
            NotMade::Unreadable
        })
    }
}

fn json(made: &impl Serialize) -> Bytes {
    Bytes::from(serde_json::to_vec(made).expect("it has string keys only"))
}

impl RecordCache {
    /// Returns a record that is cached under a key known before the journal is read.
    fn find_record(&self, code: RoomCode, wanted: Wanted) -> Option<Made> {
        let Wanted::Record(what) = wanted else { return None };
        self.find(&CacheKey { code, what }).map(|made| made.ok_or(NoRecord::Missing))
    }

    fn find_or_make(&self, key: CacheKey, make: impl FnOnce() -> Result<Bytes, Misfit>) -> Result<Made, Misfit> {
        if let Some(Some(made)) = self.find(&key) {
            return Ok(Ok(made));
        }
        let made = make()?;
        self.keep(key, Some(made.clone()));
        Ok(Ok(made))
    }

    fn find(&self, key: &CacheKey) -> Option<Option<Bytes>> {
        self.0.lock().iter().find(|(kept, _)| kept == key).map(|(_, made)| made.clone())
    }

    fn keep(&self, key: CacheKey, made: Option<Bytes>) {
        let mut kept = self.0.lock();
        kept.retain(|(other, _)| other.code != key.code || !key.what.replaces(&other.what));
        kept.push_back((key, made));
        let size = |kept: &VecDeque<(CacheKey, Option<Bytes>)>| -> usize {
            kept.iter().filter_map(|(_, made)| made.as_ref()).map(Bytes::len).sum()
        };
        while kept.len() > KEPT_RECORDS || size(&kept) > KEPT {
            kept.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use crate::client_addr::client;
    use crate::clock::Clock;
    use clap::Parser;
    use journal::memory::Memory;
    use std::time::Duration;
    use tokio::task::{JoinSet, yield_now};
    use tokio::time::timeout;

    fn key(code: RoomCode) -> CacheKey {
        CacheKey { code, what: CachedItem::Last { commitment: Commitment([0; 32]), phase: RoomPhase::Finished } }
    }

    #[tokio::test]
    async fn equal_requests_of_an_address_wait_as_one() {
        let limits = Limits::new(&Cli::parse_from(["rookery"]).config, None, Clock::start(0));
        let records = Arc::new(Records::new(Arc::new(Memory::new()), Arc::new(limits)));
        let working = records.turns.turn(None).await;
        let mut answers = JoinSet::new();
        let mut ask = async |code: RoomCode, address: &str| {
            let (asked, client) = (records.clone(), client(address));
            answers.spawn(async move { asked.of(code, Which::Number(1), client).await });
            yield_now().await;
            records.turns.waiting()
        };
        let table = RoomCode::random();
        for _ in 0..100 {
            assert_eq!(ask(table, "192.0.2.1").await, 1);
        }
        for waiting in 2..=WAITING_REQUESTS.by_address {
            assert_eq!(ask(RoomCode::random(), "192.0.2.1").await, waiting);
        }
        let full = WAITING_REQUESTS.by_address;
        assert_eq!(ask(RoomCode::random(), "192.0.2.1").await, full, "a fifth room may not wait");
        assert_eq!(ask(table, "192.0.2.1").await, full);
        assert_eq!(ask(table, "192.0.2.2").await, full + 1, "another address waits for itself");
        drop(working);
        let (refused, made): (Vec<_>, Vec<_>) =
            answers.join_all().await.into_iter().partition(|answer| *answer == Err(NotMade::Busy));
        assert_eq!((refused.len(), made.len()), (1, 100 + 3 + 2));
        assert!(made.iter().all(|made| *made == Ok(Err(NoRecord::Missing))));
        assert!(records.waiting.lock().is_empty());
    }

    #[tokio::test]
    async fn a_request_whose_clients_are_gone_does_not_wait() {
        let limits = Limits::new(&Cli::parse_from(["rookery"]).config, None, Clock::start(0));
        let records = Arc::new(Records::new(Arc::new(Memory::new()), Arc::new(limits)));
        let working = records.turns.turn(None).await;
        let (code, client) = (RoomCode::random(), client("192.0.2.1"));
        for _ in 0..2 * WAITING_REQUESTS.by_address {
            let asked = records.of(code, Which::Number(1), client);
            assert!(timeout(Duration::from_millis(1), asked).await.is_err(), "it waits");
        }
        drop(working);
        assert_eq!(records.of(code, Which::Number(1), client).await, Ok(Err(NoRecord::Missing)));
    }

    #[test]
    fn limits_the_number_of_cached_records() {
        let records = RecordCache::default();
        let codes: Vec<RoomCode> = (0..3).map(|_| RoomCode::random()).collect();
        for code in &codes {
            records.keep(key(*code), Some(Bytes::from(vec![0; KEPT / 2])));
        }
        let found: Vec<bool> = codes.iter().map(|code| records.find(&key(*code)).is_some()).collect();
        assert_eq!(found, [false, true, true]);
        records.keep(key(codes[0]), Some(Bytes::from(vec![0; KEPT + 1])));
        assert!(records.0.lock().is_empty(), "a record that is too large is not kept");
        for _ in 0..2 * KEPT_RECORDS {
            records.keep(key(RoomCode::random()), None);
        }
        assert_eq!(records.0.lock().len(), KEPT_RECORDS);
    }
}
