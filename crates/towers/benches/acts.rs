//! Measures the speed of the rules on one core in whole three-player games of random actions: actions per second
//! through `legal` and `apply`, allocations on that path, and the cost of one view with its JSON. Run with `cargo bench
//! -p towers`.

use game::{Game, Luck, Seat, Seed};
use std::hint::black_box;
use std::time::{Duration, Instant};
use towers::{Actions, Mistakes, Rules, Towers};

const PLAYERS: usize = 3;

fn main() {
    // `cargo test --benches` only checks that the benchmark runs.
    let bench = std::env::args().any(|arg| arg == "--bench");
    let games = if bench { 10_000 } else { 5 };
    for mistakes in [Mistakes::Prevented, Mistakes::Allowed] {
        println!("mistakes {mistakes:?}, {PLAYERS} players, {games} games of random actions");
        let rules = Rules { mistakes };
        acts(&rules, games);
        allocations(&rules);
        views(&rules, games / 50 + 1);
    }
    println!("size of the state: {} bytes", size_of::<Towers>());
}

fn acts(rules: &Rules, games: u64) {
    let started = CpuTime::now();
    let acts: u64 = (0..games).map(|game| play(rules, game, |_| {})).sum();
    let spent = started.elapsed();
    let rate = acts as f64 / spent.as_secs_f64() / 1e6;
    println!("  actions     {rate:8.2} million/s, {} in a game  (goal: at least 3 million/s)", acts / games);
}

fn allocations(rules: &Rules) {
    let info = allocation_counter::measure(|| {
        black_box((0..5).map(|game| play(rules, game, |_| {})).sum::<u64>());
    });
    println!("  allocations {:8}                         (goal: 0)", info.count_total);
}

fn views(rules: &Rules, games: u64) {
    let mut positions = Vec::new();
    for game in 0..games {
        play(rules, game, |towers| positions.push(*towers));
    }
    let mut json = Vec::with_capacity(16 * 1024);
    let mut bytes = 0;
    let started = CpuTime::now();
    for (i, towers) in positions.iter().enumerate() {
        json.clear();
        let seat = Seat::from(i % PLAYERS);
        let view = (towers.table(), towers.mine(seat), towers.legal(seat));
        serde_json::to_writer(&mut json, &view).expect("a view serialises to JSON");
        bytes += black_box(&json).len();
    }
    let spent = started.elapsed();
    let each = spent.as_secs_f64() * 1e6 / positions.len() as f64;
    println!("  view        {each:8.2} µs, {} bytes of JSON     (goal: under 10 µs)", bytes / positions.len());
}

/// Plays a whole game and returns the number of actions.
fn play(rules: &Rules, game: u64, mut visit: impl FnMut(&Towers)) -> u64 {
    // Uses the fast generator so that choosing an action costs little compared to what is measured.
    let mut luck = Luck::branch(game as u32);
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&game.to_le_bytes());
    let (mut towers, _) = Towers::new(rules, PLAYERS, Seed(seed));
    let mut acts = 0;
    while let Some(seat) = towers.turn() {
        visit(&towers);
        let listed: Actions = towers.legal(seat);
        let action = listed[luck.below(listed.len())];
        black_box(towers.apply(seat, &action)).expect("listed actions are legal");
        acts += 1;
    }
    acts
}

/// This thread's CPU time where the system reports it, else wall time.
struct CpuTime {
    wall: Instant,
    core: Option<Duration>,
}

impl CpuTime {
    fn now() -> CpuTime {
        CpuTime { wall: Instant::now(), core: on_core() }
    }

    fn elapsed(&self) -> Duration {
        match (self.core, on_core()) {
            (Some(before), Some(after)) if after > before => after - before,
            _ => self.wall.elapsed(),
        }
    }
}

fn on_core() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
