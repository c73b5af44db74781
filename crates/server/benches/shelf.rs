//! What a server with a shelf of old rooms is like: how long it takes to start over 20,000 of them, how long the first to
//! come back to one waits for the welcome, and what those who play feel of a sweep that deletes half of them.
//! `cargo bench -p server`; `cargo bench -p server --bench shelf -- 4000` for another number of rooms.
//!
//! Server and clients share one process and its processors, and the file has just been written, so that the system may
//! still hold it in memory.

use clap::Parser;
use client::{Deployment, Join, RoomConnection};
use game::{Chance, Salt, Seat, Seed, Viewer};
use journal::sqlite::Sqlite;
use journal::{AppendError, Cursor, Journal, JournalError, Lines, Opened, Pending};
use protocol::{ClientMessage, Forced, RoomPhase};
use room::{Entry, Input, Name, Now, Options, PlayerId, Room, TokenHash, WallTime};
use serde_json::Value;
use server::{Cli, RoomCode, Server, Shared};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;

/// The allocator of the server itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROOMS: usize = 20_000;
/// How many appends are asked for at once while the shelf is filled.
const WRITERS: usize = 100;
/// A journal that took less time to close has left nothing to do.
const TIDYING: Duration = Duration::from_secs(1);
/// How many come back to a room each, one after the other and then again so many at a time.
const VISITS: usize = 500;
const AT_ONCE: usize = 20;
/// So many rooms are played in, each with one act in every interval: 100 acts a second in all.
const TABLES: usize = 20;
const PACE: Duration = Duration::from_millis(200);
/// How long they play before the sweep.
const BEFORE: Duration = Duration::from_secs(5);

const DAY_MS: u64 = 24 * 60 * 60 * 1000;
const KEEP_DAYS: u64 = 30;
/// Running time in which half of the rooms were opened for the last time, and that of now, when the others were.
const LONG_AGO: u64 = DAY_MS;
const NOW: u64 = (KEEP_DAYS + 2) * DAY_MS;

/// The code every room of the shelf is first written with.
const MODEL: &str = "K7QF3M";
/// Their names are their tokens too.
const PLAYERS: [&str; 3] = ["Ana", "Bea", "Cid"];

#[tokio::main]
async fn main() {
    // What `cargo bench` hands on besides, such as `--bench`, is not meant for it.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let rooms = wanted.map_or(ROOMS, |rooms| rooms.parse().expect("a number of rooms"));
    // Not the system's folder for temporary files, which may be in memory and then has no disk to wait for.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let shelf = Shelf::new(rooms);
    fill(folder.path(), &shelf).await;

    let (server, journal, mut swept) = start(folder.path()).await;
    let deployment = Deployment::at(server.address());

    // Whoever comes to a room keeps it from the sweep, so nobody comes to those that are to be deleted.
    let mut kept = shelf.kept.iter().map(ToString::to_string);
    println!("first to come back to a room, from the request to the welcome");
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
    println!("acts at {TABLES} tables, until everybody there sees them");
    let (before, tables) = play_during(tables, tokio::time::sleep(BEFORE)).await;
    println!("  before the sweep: {before}");
    let mut sweep = None;
    let sweeping = async {
        journal.begin.notify_one();
        sweep = swept.recv().await;
    };
    let (during, tables) = play_during(tables, sweeping).await;
    println!("  during the sweep: {during}");
    let (deleted, took) = sweep.expect("a sweep");
    println!(
        "the sweep deleted {deleted} rooms in {took:.1?}; {} MB are left",
        bytes(folder.path()) / 1_000_000
    );
    assert_eq!(deleted, shelf.forgotten.len(), "all that were forgotten are deleted, and no others");

    drop(tables);
    server.stop().await;
}

/// The rooms' codes, in no order.
struct Shelf {
    /// Those nobody has opened for longer than rooms are kept.
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

/// Writes the same evening down for each room of the shelf.
async fn fill(folder: &Path, shelf: &Shelf) {
    let started = Instant::now();
    let lines = Arc::new(Evening::lines());
    let journal = Arc::new(Sqlite::open(folder).expect("a journal"));
    // In turns, as rooms of different age lie side by side in a file that has grown over the years.
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
    // So many entries at once come faster than the log is sorted, and closing gives up on the rest after a second. Nobody
    // has played like that on a real shelf: what is left is sorted as by servers that came and went since.
    let mut closing = Instant::now();
    journal.close().await;
    while closing.elapsed() >= TIDYING {
        let journal = Sqlite::open(folder).expect("a journal");
        closing = Instant::now();
        journal.close().await;
    }
    println!(
        "{} rooms of {} entries are on the shelf, {} MB, after {:.1?}",
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
    /// Up to its checkpoint and with it.
    before: Vec<String>,
    since: Vec<String>,
}

impl EveningLines {
    /// The same of another room.
    fn of(&self, code: RoomCode) -> (Lines, Lines) {
        let of = |lines: &[String]| lines.iter().map(|line| line.replace(MODEL, code.as_str())).collect();
        (Lines::with_checkpoint(of(&self.before)), Lines::from(of(&self.since)))
    }
}

/// A room in which three people have played a game of Five Towers and begun another one.
struct Evening {
    room: Room,
    lines: Vec<String>,
    chance: Chance,
}

impl Evening {
    fn lines() -> EveningLines {
        // Nothing is played for anybody: each act of the measurement is one that somebody sent.
        let options = Options::new("towers", None, None, Forced::Ask).expect("a game on offer");
        let opened = Room::open(MODEL, options, Seed([1; 32]), WallTime(0));
        let lines = vec![opened.to_json()];
        let room = Room::rebuild([opened], 0).expect("a room");
        let mut evening = Evening { room, lines, chance: Chance::new(Seed([7; 32])) };
        for (number, name) in (1..).zip(PLAYERS) {
            let (name, token) = (Name::new(name).expect("a good name"), TokenHash::of(name));
            evening.asks(Input::Sit { name, token, salt: Some(Salt([number; 16])), program: false });
        }
        evening.asks(Input::Start { player: PlayerId(0) });
        while evening.room.phase() == RoomPhase::Playing {
            evening.acts();
        }
        evening.asks(Input::Rematch { player: PlayerId(0), seed: Seed([2; 32]) });
        let last = evening.lines.last().expect("lines");
        assert!(Entry::read(last).expect("an entry").is_checkpoint(), "back in the lobby");
        let before = std::mem::take(&mut evening.lines);
        evening.asks(Input::Start { player: PlayerId(0) });
        for _ in 0..20 {
            evening.acts();
        }
        EveningLines { before, since: evening.lines }
    }

    fn asks(&mut self, input: Input) {
        let now = Now { wall: WallTime(1_700_000_000_000), steady: 0 };
        for entry in self.room.decide(input, now).expect("it may be asked") {
            self.room.apply(&entry, 0).expect("what was decided can be applied");
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

/// Any act that goes forward.
fn choose(mut acts: Vec<Value>, chance: &mut Chance) -> Value {
    acts.retain(|act| act["type"] != "undo" && act["type"] != "retract");
    let chosen = chance.below(acts.len() as u32) as usize;
    acts.swap_remove(chosen)
}

/// How many rooms a sweep has deleted, and how long that took.
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
    let server = Server::start(Shared::new(config, journal.clone())).await.expect("port 0 is always free");
    let answer = Deployment::at(server.address()).get("/healthz").await.expect("an answer");
    assert_eq!(answer.status, 200);
    println!(
        "the server answers {:.1} ms after its start, {:.1} ms of them for the journal",
        ms(started.elapsed()),
        ms(opened)
    );
    (server, journal, swept)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The journal of a server whose sweep, which it begins with, waits for a signal and is timed.
struct HeldSweep {
    journal: Sqlite,
    begin: Notify,
    done: mpsc::UnboundedSender<(usize, Duration)>,
}

impl Journal for HeldSweep {
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

    fn append_lines<'a>(
        &'a self,
        room: &'a str,
        after: Cursor,
        lines: Lines,
        running_ms: u64,
    ) -> Pending<'a, Result<Cursor, AppendError>> {
        self.journal.append_lines(room, after, lines, running_ms)
    }

    fn note<'a>(
        &'a self,
        room: &'a str,
        at: Cursor,
        slot: u8,
        note: String,
        running_ms: u64,
    ) -> Pending<'a, Result<(), AppendError>> {
        self.journal.note(room, at, slot, note, running_ms)
    }

    fn open<'a>(
        &'a self,
        room: &'a str,
        running_ms: u64,
    ) -> Pending<'a, Result<Option<Opened>, JournalError>> {
        self.journal.open(room, running_ms)
    }

    fn read<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Vec<String>>, JournalError>> {
        self.journal.read(room)
    }

    fn exists<'a>(&'a self, room: &'a str) -> Pending<'a, Result<bool, JournalError>> {
        self.journal.exists(room)
    }

    fn touch<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<(), JournalError>> {
        self.journal.touch(room, running_ms)
    }

    fn running_ms(&self) -> u64 {
        self.journal.running_ms()
    }

    fn ran(&self, running_ms: u64) -> Pending<'_, Result<(), JournalError>> {
        self.journal.ran(running_ms)
    }

    fn probe(&self) -> Pending<'_, Result<(), JournalError>> {
        self.journal.probe()
    }

    fn close(&self) -> Pending<'_, ()> {
        self.journal.close()
    }
}

/// Somebody comes back to each of the rooms, so many of them at a time; answers how long they waited.
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

/// By the token of a seat; answers with the state in the welcome.
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
    /// By seat; who sits there, and the state they were last shown.
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

    /// Plays on at its pace until it is over; answers how long each act took, from the moment it was due.
    async fn play(&mut self, over: &AtomicBool) -> Vec<Duration> {
        let mut waits = Vec::new();
        // Not all at the same moment.
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

    /// The game is over, and the host begins another one.
    async fn begin_again(&mut self) {
        for message in [ClientMessage::Rematch {}, ClientMessage::Start {}] {
            self.seats[0].0.say(&message).await.expect("a connection");
        }
        self.are_shown().await;
    }

    /// Waits until everybody is shown the next state.
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

/// Plays at all tables until something else is over; answers how long acts took.
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
