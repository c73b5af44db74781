//! How many appends a second the SQLite journal takes: one room alone, then a hundred at once. The ratio shows how
//! far rooms share one wait for the disk. `cargo bench -p journal`.

use journal::sqlite::Sqlite;
use journal::{Cursor, Journal};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const ROOMS_AT_ONCE: usize = 100;
const LASTS: Duration = Duration::from_secs(2);

fn main() {
    // Not the system's folder for temporary files, which may be in memory and then has no disk to wait for.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let journal = Arc::new(Sqlite::open(folder.path()).expect("a journal"));
        let alone = measure(&journal, "alone", 1).await;
        let together = measure(&journal, "together", ROOMS_AT_ONCE).await;
        println!("ratio        {:>9.1}", together / alone);
        journal.close().await;
    });
}

/// Appends to so many rooms at once, each waiting for its answer before the next; prints and answers the rate.
async fn measure(journal: &Arc<Sqlite>, name: &str, rooms: usize) -> f64 {
    let started = Instant::now();
    let cpu_before = cpu_time();
    let mut playing = JoinSet::new();
    for room in 0..rooms {
        let journal = journal.clone();
        let room = format!("{name}-{room}");
        playing.spawn(async move {
            let mut head = Cursor::START;
            while started.elapsed() < LASTS {
                // About what an act of a game takes.
                let entry = format!(r#"{{"v":1,"at":1767225600000,"act":{:0>150}}}"#, head.entries());
                head = journal.append(&room, head, vec![entry], head.entries()).await.expect("an append");
            }
            head.entries()
        });
    }
    let appends: u64 = playing.join_all().await.into_iter().sum();
    let rate = appends as f64 / started.elapsed().as_secs_f64();
    let cpu = match (cpu_before, cpu_time()) {
        (Some(before), Some(after)) => {
            format!("{:.0} µs of CPU each", (after - before).as_secs_f64() * 1e6 / appends as f64)
        }
        _ => "CPU time unknown on this system".to_owned(),
    };
    println!("{rooms:>4} room(s) {rate:>9.0} appends/s, {cpu}");
    rate
}

/// What all threads of this process have used, where `/proc` tells.
fn cpu_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may hold spaces; user and system time are the 12th and 13th fields after it.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    // Linux counts these in hundredths of a second whatever its own tick is.
    Some(Duration::from_millis((user + system) * 10))
}
