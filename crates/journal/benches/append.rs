//! Measures the cost of an append to the SQLite journal: time, bytes written to disk and bytes kept. It uses one room
//! and many, with one append at a time (as people play) and many concurrently (as bots do), and includes compaction of
//! the log. Also measures opening a long room and the effect of a sweep on appends. Run with `cargo bench -p journal`.

use journal::sqlite::Sqlite;
use journal::{Cursor, Journal, Lines};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Number of rooms, concurrent appends and total appends. The totals are large enough for the log to be compacted more
/// than once, or once where every append waits for the disk.
const CASES: [(usize, usize, u64); 5] =
    [(1, 1, 5_000), (50, 1, 5_000), (50, 60, 120_000), (500, 1, 5_000), (500, 60, 120_000)];
const LONG_ROOM: u64 = 20_000;

fn main() {
    // `cargo bench` passes its own arguments, such as `--bench`, which are ignored.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let runtime = tokio::runtime::Runtime::new().expect("start a runtime");
    println!("rooms  at once  appends | µs each  µs CPU | bytes to disk  to files  kept");
    for (rooms, at_once, appends) in CASES {
        if wanted.as_ref().is_none_or(|wanted| *wanted == rooms.to_string()) {
            runtime.block_on(measure(rooms, at_once, appends));
        }
    }
    runtime.block_on(open_a_long_room());
    runtime.block_on(play_during_a_sweep());
}

/// Creates a folder on disk. The system's temporary folder may be in memory and would have no disk to wait for.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("create a folder")
}

/// Returns an entry of 112 bytes, about the size of an action in a game.
fn entry(n: u64) -> String {
    format!(r#"{{"v":1,"at":1767225600000,"act":"{n:0>78}"}}"#)
}

/// Appends to this many rooms in turn with this concurrency, and closes the journal.
async fn measure(rooms: usize, at_once: usize, appends: u64) {
    let folder = folder();
    let (started, before) = (Instant::now(), Used::now());
    let journal = Arc::new(Sqlite::open(folder.path()).expect("open the journal"));
    let at_once = at_once.min(rooms);
    let mut playing = JoinSet::new();
    for player in 0..at_once {
        let journal = journal.clone();
        playing.spawn(async move {
            let mut mine: Vec<(String, Cursor)> =
                (player..rooms).step_by(at_once).map(|room| (format!("R{room:0>5}"), Cursor::START)).collect();
            let count = mine.len();
            for act in 0..appends as usize / at_once {
                let (room, at) = &mut mine[act % count];
                *at = journal.append(room, *at, vec![entry(at.entries())], act as u64).await.expect("append");
            }
        });
    }
    playing.join_all().await;
    let took = started.elapsed();
    journal.close().await;
    let each = |whole: f64| whole / appends as f64;
    let used = Used::now().since(&before);
    println!(
        "{rooms:>5}  {at_once:>7}  {appends:>7} | {:>7.1}  {:>6.1} | {:>13.0}  {:>8.0}  {:>4.0}",
        each(took.as_secs_f64() * 1e6),
        each(used.cpu.as_secs_f64() * 1e6),
        each(used.to_disk as f64),
        each(used.to_files as f64),
        each(size(folder.path()) as f64),
    );
}

async fn open_a_long_room() {
    let folder = folder();
    let journal = Sqlite::open(folder.path()).expect("open the journal");
    let mut at = Cursor::START;
    while at.entries() < LONG_ROOM {
        let lines = Lines::from((0..100).map(entry).collect::<Vec<_>>());
        at = journal.append_lines("LONG", at, lines, 0).await.expect("append");
    }
    for when in ["played now", "played long ago"] {
        let started = Instant::now();
        let opened = journal.open("LONG", 0).await.expect("open the room").expect("the room exists");
        println!("opened a room of {} entries, {when}, in {:.1?}", opened.entries.len(), started.elapsed());
        // Compact the log by writing to another room.
        let mut at = Cursor::START;
        for _ in 0..200 {
            let lines = Lines::from((0..100).map(entry).collect::<Vec<_>>());
            at = journal.append_lines(when, at, lines, 0).await.expect("append");
        }
    }
    journal.close().await;
}

/// Deletes ten thousand rooms while twenty others are played.
async fn play_during_a_sweep() {
    let folder = folder();
    let journal = Arc::new(Sqlite::open(folder.path()).expect("open the journal"));
    let mut creating = JoinSet::new();
    for part in 0..100 {
        let journal = journal.clone();
        creating.spawn(async move {
            for room in 0..100 {
                let lines = (0..60).map(entry).collect();
                journal.append(&format!("{part}-{room}"), Cursor::START, lines, 1).await.expect("append");
            }
        });
    }
    creating.join_all().await;
    journal.close().await;
    let journal = Arc::new(Sqlite::open(folder.path()).expect("open the journal"));
    println!("appends of twenty rooms: p50, p99, longest");
    println!("  without a sweep: {}", play_during(&journal, tokio::time::sleep(Duration::from_secs(3))).await);
    let started = Instant::now();
    let sweep = async {
        let deleted = journal.forget_unopened(2, Vec::new()).await.expect("sweep").len();
        println!("  deleted {deleted} rooms in {:.1?}", started.elapsed());
    };
    println!("  during the sweep: {}", play_during(&journal, sweep).await);
    journal.close().await;
}

/// Plays until `something_else` is done and returns statistics of the append times.
async fn play_during(journal: &Arc<Sqlite>, something_else: impl Future<Output = ()>) -> String {
    let over = Arc::new(AtomicBool::new(false));
    let mut playing = JoinSet::new();
    for room in 0..20 {
        let (journal, over) = (journal.clone(), over.clone());
        playing.spawn(async move {
            let room = format!("R{room}");
            let mut at = journal.open(&room, 3).await.expect("open the room").map_or(Cursor::START, |room| room.cursor);
            let mut waits = Vec::new();
            while !over.load(Ordering::Relaxed) {
                let asked = Instant::now();
                at = journal.append(&room, at, vec![entry(at.entries())], 3).await.expect("append");
                waits.push(asked.elapsed());
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            waits
        });
    }
    something_else.await;
    over.store(true, Ordering::Relaxed);
    let mut waits: Vec<Duration> = playing.join_all().await.concat();
    waits.sort();
    let at = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize];
    format!("{} appends, {:.1?}, {:.1?}, {:.1?}", waits.len(), at(0.5), at(0.99), at(1.0))
}

fn size(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).expect("list the folder");
    files.map(|file| file.and_then(|file| file.metadata()).expect("read the file size").len()).sum()
}

/// Resources used by this process, as reported by `/proc`: CPU time of all threads, bytes sent to the disk (whole
/// pages, so more than was written) and bytes written to files.
#[derive(Default)]
struct Used {
    cpu: Duration,
    to_disk: u64,
    to_files: u64,
}

impl Used {
    fn now() -> Used {
        let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
        let bytes = |name: &str| {
            let line = io.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line.and_then(|bytes| bytes.parse().ok()).unwrap_or(0)
        };
        Used { cpu: cpu_time().unwrap_or_default(), to_disk: bytes("write_bytes"), to_files: bytes("wchar") }
    }

    fn since(&self, before: &Used) -> Used {
        Used {
            cpu: self.cpu - before.cpu,
            to_disk: self.to_disk - before.to_disk,
            to_files: self.to_files - before.to_files,
        }
    }
}

fn cpu_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may contain spaces. User and system time are the 12th and 13th fields after it.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    // Linux reports these in hundredths of a second, regardless of its tick rate.
    Some(Duration::from_millis((user + system) * 10))
}
