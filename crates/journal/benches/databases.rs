//! Compares SQLite and PostgreSQL with concurrent appends to 64 rooms: throughput, latency, and CPU time in this
//! process and in the database. Runs at full speed and at the pace of people. Run with `cargo bench -p journal --bench
//! databases`. It starts its own PostgreSQL, which syncs to disk as in production.

use journal::postgres::{DatabaseSettings, Postgres};
use journal::sqlite::Sqlite;
use journal::{Cursor, Journal};
use pgtest::{Disk, PostgresCluster};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::sleep;

const ROOMS: usize = 64;
const ROUNDS: usize = 2;
const SECONDS: Duration = Duration::from_secs(6);
/// Delay before each append. Zero means full speed.
const PACES: [Duration; 2] = [Duration::ZERO, Duration::from_millis(200)];

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("start a runtime");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let cluster = PostgresCluster::start_in(place, Disk::Durable);
    println!(
        "pace     journal     appends/s |  p50 ms   p99 ms   longest | ms CPU per 1,000: this process, the database"
    );
    for pace in PACES {
        for _ in 0..ROUNDS {
            let folder = tempfile::tempdir_in(place).expect("create a folder");
            let sqlite = Arc::new(Sqlite::open(folder.path()).expect("open the journal"));
            runtime.block_on(measure("SQLite", sqlite, pace, &[]));
            let address = cluster.database().parse().expect("the address is valid");
            runtime.block_on(async {
                let postgres = Postgres::open(DatabaseSettings::alone(address)).await.expect("open the journal");
                measure("PostgreSQL", Arc::new(postgres), pace, &cluster.family()).await;
            });
        }
    }
}

/// Appends for a while and prints a line of results.
async fn measure<J: Journal>(name: &str, journal: Arc<J>, pace: Duration, others: &[u32]) {
    let (begun, own, theirs) = (Instant::now(), cpu_ms(&[std::process::id()]), cpu_ms(others));
    let mut playing = JoinSet::new();
    for room in 0..ROOMS {
        let journal = journal.clone();
        playing.spawn(async move {
            sleep(pace * room as u32 / ROOMS as u32).await;
            let (room, mut at, mut waits) = (format!("R{room:0>5}"), Cursor::START, Vec::new());
            while begun.elapsed() < SECONDS {
                let asked = Instant::now();
                at = journal.append(&room, at, vec![entry(at.entries())], 0).await.expect("append");
                waits.push(asked.elapsed());
                sleep(pace).await;
            }
            waits
        });
    }
    let mut waits: Vec<Duration> = playing.join_all().await.concat();
    let took = begun.elapsed();
    let (own, theirs) = (cpu_ms(&[std::process::id()]) - own, cpu_ms(others) - theirs);
    journal.close().await;
    waits.sort();
    let at = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    let thousands = waits.len() as f64 / 1000.0;
    println!(
        "{:>4} ms  {name:<10}  {:>9.0} | {:>7.2}  {:>7.2}  {:>8.1} | {:>6.0}  {:>6.0}",
        pace.as_millis(),
        waits.len() as f64 / took.as_secs_f64(),
        at(0.5),
        at(0.99),
        at(1.0),
        own / thousands,
        theirs / thousands,
    );
}

/// Returns an entry of 112 bytes, about the size of an action in a game.
fn entry(n: u64) -> String {
    format!(r#"{{"v":1,"at":1767225600000,"act":"{n:0>78}"}}"#)
}

/// Returns the CPU time of these processes, as reported by `/proc`.
fn cpu_ms(processes: &[u32]) -> f64 {
    let of = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may contain spaces. User and system time are the 12th and 13th fields after it.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        let user: f64 = fields.next()?.parse().ok()?;
        let system: f64 = fields.next()?.parse().ok()?;
        // Linux reports these in hundredths of a second, regardless of its tick rate.
        Some((user + system) * 10.0)
    };
    processes.iter().filter_map(of).sum()
}
