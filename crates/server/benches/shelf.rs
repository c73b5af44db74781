//! Measures a server with 20,000 old rooms: the startup time, the time until a returning player gets the welcome, and
//! the latency of acts while a sweep deletes half of the rooms.
//! `cargo bench -p server`; `cargo bench -p server --bench shelf -- 4000` for another number of rooms.
//!
//! Server and clients share one process and its processors. The file has just been written, so it may still be in the
//! page cache.

#[path = "../tests/it/forward.rs"]
mod forward;

use clap::Parser;
use client::{Deployment, Join, RoomConnection};
use forward::forward;
use game::{Chance, Salt, Seat, Seed, Viewer};
use journal::sqlite::Sqlite;
use journal::{Cursor, Journal, JournalError, Lines, Pending};
use protocol::{ClientMessage, Forced, RoomPhase};
use room::{Entry, Input, Name, Now, Options, PlayerId, Room, TokenHash, WallTime};
use serde_json::Value;
use server::{AppState, Cli, RoomCode, Server};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;

/// The same allocator as in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROOMS: usize = 20_000;
/// Number of concurrent writers that fill the journal.
const WRITERS: usize = 100;
/// A journal that closes faster than this has no maintenance left to do.
const TIDYING: Duration = Duration::from_secs(1);
/// Number of players that return to a room each, first one at a time and then concurrently.
const VISITS: usize = 500;
/// Number of concurrent returns.
const AT_ONCE: usize = 20;
/// Number of active games.
const TABLES: usize = 20;
/// Interval between the acts of a game: 100 acts per second in total.
const PACE: Duration = Duration::from_millis(200);
/// Time of play before the sweep.
const BEFORE: Duration = Duration::from_secs(5);

const DAY_MS: u64 = 24 * 60 * 60 * 1000;
const KEEP_DAYS: u64 = 30;
/// Running time at which half of the rooms were last opened.
const LONG_AGO: u64 = DAY_MS;
/// Current running time, at which the other rooms were last opened.
const NOW: u64 = (KEEP_DAYS + 2) * DAY_MS;

/// Code of the room that all others are copied from.
const MODEL: &str = "K7QF3M";
/// Names of the players, which are also their tokens.
const PLAYERS: [&str; 3] = ["Ana", "Bea", "Cid"];

#[tokio::main]
async fn main() {
    // Ignore the flags that `cargo bench` adds, such as `--bench`.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let rooms = wanted.map_or(ROOMS, |rooms| rooms.parse().expect("a number of rooms"));
    // Not the system's temporary folder, which may be in memory.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let shelf = Shelf::new(rooms);
    fill(folder.path(), &shelf).await;

    let (server, journal, mut swept) = start(folder.path()).await;
    let deployment = Deployment::at(server.address());

    // A visited room is not swept, so only rooms that are kept are visited.
    let mut kept = shelf.kept.iter().map(ToString::to_string);
    println!("return to a room that is not in memory, from the request to the welcome");
    for at_once in [1, AT_ONCE] {
        let codes: Vec<String> = kept.by_ref().take(VISITS).collect();
        assert_eq!(codes.len(), VISITS, "a shelf of {rooms} rooms is too small");
        println!("  {at_once:>2} at a time: {}", visit(&deployment, &codes, at_once).await);
    }

    let mut tables = Vec::new();
    for (number, code) in (0..).zip(kept.take(TABLES)) {
        tables.push(Table::join(&deployment, &code, number).await);
    }
    assert_eq!(tables.len(), TABLES, "a shelf of {rooms} rooms is too small");
    println!("acts at {TABLES} tables, until all players see them");
    let (before, tables) = play_during(tables, tokio::time::sleep(BEFORE)).await;
    println!("  before the sweep: {before}");
    let mut sweep = None;
    let sweeping = async {
        journal.begin.notify_one();
        sweep = swept.recv().await;
    };
    let (during, tables) = play_during(tables, sweeping).await;
    println!("  during the sweep: {during}");
    let (deleted, took) = sweep.expect("a sweep result");
    println!("the sweep deleted {deleted} rooms in {took:.1?}; {} MB remain", bytes(folder.path()) / 1_000_000);
    assert_eq!(deleted, shelf.forgotten.len(), "exactly the old rooms are deleted");

    drop(tables);
    server.stop().await;
}

/// The codes of the rooms, unordered.
struct Shelf {
    /// Rooms that were not opened for longer than rooms are kept.
    forgotten: Vec<RoomCode>,
    kept: Vec<RoomCode>,
}

impl Shelf {
    fn new(rooms: usize) -> Shelf {
        let mut codes = HashSet::new();
        while codes.len() < rooms {
            codes.insert(RoomCode::random());
        }
        let mut forgotten: Vec<RoomCode> = codes.into_iter().collect();
        let kept = forgotten.split_off(rooms / 2);
        Shelf { forgotten, kept }
    }
}

/// Writes a copy of the same evening for each room.
async fn fill(folder: &Path, shelf: &Shelf) {
    let started = Instant::now();
    let lines = Arc::new(Evening::lines());
    let journal = Arc::new(Sqlite::open(folder).expect("a journal"));
    // Alternate, because rooms of different age are mixed in a file that has grown over years.
    let rooms: Vec<(RoomCode, u64)> = (shelf.forgotten.iter().zip(&shelf.kept))
        .flat_map(|(forgotten, kept)| [(*forgotten, LONG_AGO), (*kept, NOW)])
        .collect();
    let mut writing = JoinSet::new();
    for part in rooms.chunks(rooms.len().div_ceil(WRITERS)) {
        let (journal, lines, part) = (journal.clone(), lines.clone(), part.to_vec());
        writing.spawn(async move {
            for (code, opened) in part {
                let (until_checkpoint, since) = lines.of(code);
                let at = journal.append_lines(code.as_str(), Cursor::START, until_checkpoint, opened).await;
                let at = at.expect("an append");
                journal.append_lines(code.as_str(), at, since, opened).await.expect("an append");
            }
        });
    }
    writing.join_all().await;
    journal.ran(NOW).await.expect("a note");
    // The entries arrive faster than the log is sorted, and closing gives up after a second. This does not happen in
    // real use, so reopen the journal until everything is sorted.
    let mut closing = Instant::now();
    journal.close().await;
    while closing.elapsed() >= TIDYING {
        let journal = Sqlite::open(folder).expect("a journal");
        closing = Instant::now();
        journal.close().await;
    }
    println!(
        "wrote {} rooms of {} entries, {} MB, in {:.1?}",
        rooms.len(),
        lines.before.len() + lines.since.len(),
        bytes(folder) / 1_000_000,
        started.elapsed()
    );
}

fn bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).expect("the folder");
    files.map(|file| file.and_then(|file| file.metadata()).expect("a file").len()).sum()
}

/// The lines of one room's journal.
struct EveningLines {
    /// Lines up to and including the checkpoint.
    before: Vec<String>,
    since: Vec<String>,
}

impl EveningLines {
    /// Returns the lines for another room code.
    fn of(&self, code: RoomCode) -> (Lines, Lines) {
        let of = |lines: &[String]| lines.iter().map(|line| line.replace(MODEL, code.as_str())).collect();
        (Lines::with_checkpoint(of(&self.before)), Lines::from(of(&self.since)))
    }
}

/// A room in which three players have finished a game of Five Towers and started another one.
struct Evening {
    room: Room,
    lines: Vec<String>,
    chance: Chance,
}

impl Evening {
    fn lines() -> EveningLines {
        // Forced acts are not automatic, so that every measured act was sent by a client.
        let options = Options::new("towers", None, None, Forced::Ask).expect("a known game");
        let opened = Room::open(MODEL, options, Seed([1; 32]), WallTime(0));
        let lines = vec![opened.to_json()];
        let room = Room::rebuild([opened], 0).expect("a room");
        let mut evening = Evening { room, lines, chance: Chance::new(Seed([7; 32])) };
        for (number, name) in (1..).zip(PLAYERS) {
            let (name, token) = (Name::new(name).expect("a valid name"), TokenHash::of(name));
            evening.asks(Input::Sit { name, token, salt: Some(Salt([number; 16])), program: false });
        }
        evening.asks(Input::Start { player: PlayerId(0) });
        while evening.room.phase() == RoomPhase::Playing {
            evening.acts();
        }
        evening.asks(Input::Rematch { player: PlayerId(0), seed: Seed([2; 32]) });
        let last = evening.lines.last().expect("lines");
        assert!(Entry::read(last).expect("an entry").is_checkpoint(), "the last entry is a checkpoint");
        let before = std::mem::take(&mut evening.lines);
        evening.asks(Input::Start { player: PlayerId(0) });
        for _ in 0..20 {
            evening.acts();
        }
        EveningLines { before, since: evening.lines }
    }

    fn asks(&mut self, input: Input) {
        let now = Now { wall: WallTime(1_700_000_000_000), steady: 0 };
        for entry in self.room.decide(input, now).expect("a valid input") {
            self.room.apply(&entry, 0).expect("an entry that fits");
            self.lines.push(entry.to_json());
        }
    }

    fn acts(&mut self) {
        let seat: Seat = self.room.state(Viewer::Watcher, 0).expect("a game").asked[0];
        let state = self.room.state(Viewer::Seat(seat), 0).expect("a game");
        let acts = serde_json::from_str(state.actions.get()).expect("a list");
        let (n, action) = (state.next.expect("a seat"), choose(acts, &mut self.chance));
        self.asks(Input::Act { player: PlayerId(seat.0.into()), n, action: action.into() });
    }
}

/// Chooses any act that does not take back another one.
fn choose(mut acts: Vec<Value>, chance: &mut Chance) -> Value {
    acts.retain(|act| act["type"] != "undo" && act["type"] != "retract");
    let chosen = chance.below(acts.len() as u32) as usize;
    acts.swap_remove(chosen)
}

/// Number of rooms that a sweep has deleted, and its duration.
type Swept = mpsc::UnboundedReceiver<(usize, Duration)>;

/// Starts a server and waits until it answers.
async fn start(folder: &Path) -> (Server, Arc<HeldSweep>, Swept) {
    let keep_days = KEEP_DAYS.to_string();
    let flags = ["--listen", "127.0.0.1:0", "--admin", "off", "--keep-days", keep_days.as_str()];
    let unlimited = ["--acts-per-second", "0", "--sockets-per-ip", "0"];
    let config = Cli::parse_from(["rookery"].iter().chain(&flags).chain(&unlimited)).config;
    let started = Instant::now();
    let journal = Sqlite::open(folder).expect("a journal");
    let opened = started.elapsed();
    let (done, swept) = mpsc::unbounded_channel();
    let journal = Arc::new(HeldSweep { journal, begin: Notify::new(), done });
    let server = Server::start(AppState::new(config, journal.clone())).await.expect("port 0 is always available");
    let answer = Deployment::at(server.address()).get("/healthz").await.expect("an answer");
    assert_eq!(answer.status, 200);
    println!("startup takes {:.1} ms, of which opening the journal takes {:.1} ms", ms(started.elapsed()), ms(opened));
    (server, journal, swept)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A journal whose first sweep waits for a signal and is timed.
struct HeldSweep {
    journal: Sqlite,
    begin: Notify,
    done: mpsc::UnboundedSender<(usize, Duration)>,
}

impl Journal for HeldSweep {
    forward!(journal: append_lines note open read exists touch running_ms ran probe close);

    fn forget_unopened<'a>(
        &'a self,
        before_ms: u64,
        keep: Vec<String>,
    ) -> Pending<'a, Result<Vec<String>, JournalError>> {
        Box::pin(async move {
            self.begin.notified().await;
            let started = Instant::now();
            let deleted = self.journal.forget_unopened(before_ms, keep).await;
            let _ = self.done.send((deleted.as_ref().expect("a sweep").len(), started.elapsed()));
            deleted
        })
    }
}

/// Returns to each room, `at_once` at a time. Returns the distribution of the waiting times.
async fn visit(deployment: &Deployment, codes: &[String], at_once: usize) -> String {
    let mut visiting = JoinSet::new();
    for codes in codes.chunks(codes.len().div_ceil(at_once)) {
        let (deployment, codes) = (deployment.clone(), codes.to_vec());
        visiting.spawn(async move {
            let mut waits = Vec::new();
            for code in &codes {
                let asked = Instant::now();
                let mut connection = come_back(&deployment, code, PLAYERS[0]).await.0;
                waits.push(asked.elapsed());
                connection.close().await;
            }
            waits
        });
    }
    spread(visiting.join_all().await.concat())
}

/// Rejoins with the token of a seat. Returns the connection and the state in the welcome.
async fn come_back(deployment: &Deployment, code: &str, token: &str) -> (RoomConnection, Value) {
    let mut connection = deployment.connect(code).await.expect("a connection");
    let heard = connection.join(Join::back(token)).await.expect("an answer");
    let mut welcome: Value = serde_json::from_str(&heard).expect("JSON");
    assert_eq!(welcome["type"], "welcome", "{heard}");
    (connection, welcome["state"].take())
}

fn spread(mut waits: Vec<Duration>) -> String {
    waits.sort();
    let at = |share: f64| ms(waits[((waits.len() - 1) as f64 * share) as usize]);
    let (half, most, all) = (at(0.5), at(0.99), at(1.0));
    format!("{:>5}, p50 {half:.1} ms, p99 {most:.1} ms, longest {all:.1} ms", waits.len())
}

/// A room and its three players.
struct Table {
    number: u32,
    /// Connections by seat, each with the state that it was last sent.
    seats: Vec<(RoomConnection, Value)>,
    chance: Chance,
}

impl Table {
    async fn join(deployment: &Deployment, code: &str, number: u32) -> Table {
        let mut seats = Vec::new();
        for token in PLAYERS {
            seats.push(come_back(deployment, code, token).await);
        }
        Table { number, seats, chance: Chance::new(Seed([number as u8; 32])) }
    }

    /// Plays at a fixed pace until `over` is set. Returns the time that each act took since it was due.
    async fn play(&mut self, over: &AtomicBool) -> Vec<Duration> {
        let mut waits = Vec::new();
        // Distribute the acts of the tables over the interval.
        let first = tokio::time::Instant::now() + PACE * self.number / TABLES as u32;
        let mut due = tokio::time::interval_at(first, PACE);
        loop {
            let due = due.tick().await;
            if over.load(Ordering::Relaxed) {
                return waits;
            }
            match self.seats[0].1["asked"][0].as_u64() {
                Some(seat) => {
                    self.act(seat as usize).await;
                    waits.push(due.elapsed());
                }
                None => self.begin_again().await,
            }
        }
    }

    async fn act(&mut self, seat: usize) {
        let (connection, state) = &mut self.seats[seat];
        let acts = state["actions"].as_array().expect("a list").clone();
        let action = choose(acts, &mut self.chance).to_string();
        let n = state["next"].as_u64().expect("a seat") as u32;
        connection.act(n, &action).await.expect("a connection");
        self.are_shown().await;
    }

    /// Starts another game after the end of one.
    async fn begin_again(&mut self) {
        for message in [ClientMessage::Rematch {}, ClientMessage::Start {}] {
            self.seats[0].0.say(&message).await.expect("a connection");
        }
        self.are_shown().await;
    }

    /// Waits until all players have received the next state.
    async fn are_shown(&mut self) {
        for (connection, state) in &mut self.seats {
            *state = loop {
                let heard = connection.hear().await.expect("a message");
                let mut message: Value = serde_json::from_str(&heard).expect("JSON");
                assert!(message["type"] != "rejected" && message["type"] != "error", "{heard}");
                if message["type"] == "state" {
                    break message["state"].take();
                }
            };
        }
    }
}

/// Plays at all tables until `something_else` completes. Returns the distribution of the times that acts took.
async fn play_during(tables: Vec<Table>, something_else: impl Future<Output = ()>) -> (String, Vec<Table>) {
    let over = Arc::new(AtomicBool::new(false));
    let mut playing = JoinSet::new();
    for mut table in tables {
        let over = over.clone();
        playing.spawn(async move { (table.play(&over).await, table) });
    }
    something_else.await;
    over.store(true, Ordering::Relaxed);
    let (waits, tables): (Vec<_>, Vec<_>) = playing.join_all().await.into_iter().unzip();
    (spread(waits.concat()), tables)
}
