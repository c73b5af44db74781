//! Plays in rooms of a running server, over real sockets, and measures how long people wait for their acts.
//!
//! It knows no rules: a person plays any of the acts the server lists. What is timed is what a client waits for,
//! from the sending of an act to the state that acknowledges it.

mod door;
mod figures;
mod line;
mod pace;
mod person;

pub use door::{Door, Trouble};
pub use figures::{Figures, Report};
pub use pace::Pace;

use crate::processor;
use crate::statistics::Times;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use game::Level;
use person::Person;
use std::pin::pin;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

/// How many rooms are opened at once.
const AT_ONCE: usize = 16;
/// A server that takes longer than this to open a room and begin is not one to measure.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often the machine's own lateness is looked at.
const PROBE: Duration = Duration::from_millis(10);

/// What is to be played.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Where the server is.
    pub url: String,
    /// Which game.
    pub game: String,
    /// Its rules; the defaults if none.
    pub rules: Option<serde_json::Value>,
    /// For how long.
    pub time: Duration,
    /// How many games in each room at most.
    pub games: Option<u32>,
    /// The rooms.
    pub groups: Vec<Group>,
    /// The server's process on this machine.
    pub server: Option<u32>,
}

/// Rooms that are alike, and counted together.
#[derive(Debug, Clone)]
pub struct Group {
    /// What the report calls them.
    pub name: &'static str,
    /// How many.
    pub rooms: usize,
    /// How many people are in each; the rooms take turns if there are several numbers.
    pub people: Vec<usize>,
    /// The bots in each.
    pub bots: Vec<Level>,
    /// How long people wait before they act.
    pub pace: Pace,
}

/// Opens all rooms, begins a game in each, and only then starts the clock and plays.
pub async fn run(plan: &Plan) -> Result<Report, Trouble> {
    let door = &Door::at(&plan.url)?;
    let mut playing = JoinSet::new();
    let mut rooms = Vec::new();
    for (group, alike) in plan.groups.iter().enumerate() {
        let numbers = stream::iter(0..alike.rooms);
        let opening = numbers.map(|number| async move {
            timeout(PATIENCE, open(door, plan, alike, group, number)).await.map_err(|_| Trouble::Slow)?
        });
        let opened: Vec<Vec<Person>> = opening.buffer_unordered(AT_ONCE).try_collect().await?;
        rooms.extend(opened.into_iter().map(|people| (group, people)));
    }

    let used =
        || (processor::used_by("self"), plan.server.and_then(|id| processor::used_by(&id.to_string())));
    let (before, begun) = (used(), Instant::now());
    for (group, people) in rooms {
        for person in people {
            let played = person.play(begun + plan.time, plan.games);
            playing.spawn(async move { (group, played.await) });
        }
    }
    let (played, lateness) = timed(playing.join_all()).await;
    let (after, spent) = (used(), begun.elapsed());
    let mut figures = vec![Figures::default(); plan.groups.len()];
    for (group, of_one) in played {
        figures[group].add(of_one);
    }
    let share = |before: Option<Duration>, after: Option<Duration>| {
        Some(after?.saturating_sub(before?).as_secs_f64() / spent.as_secs_f64())
    };
    Ok(Report {
        groups: plan.groups.iter().cloned().zip(figures).collect(),
        spent,
        lateness,
        driver: share(before.0, after.0),
        server: share(before.1, after.1),
    })
}

/// Waits for the others to finish, and meanwhile sees how late a timer is that nothing of the server's can hold up:
/// what people wait for cannot be measured more finely than that.
async fn timed<T>(others: impl Future<Output = T>) -> (T, Times) {
    let mut others = pin!(others);
    let mut lateness = Times::default();
    loop {
        let due = Instant::now() + PROBE;
        tokio::select! {
            done = &mut others => return (done, lateness),
            () = sleep_until(due) => lateness.record(due.elapsed()),
        }
    }
}

/// Opens a room, seats everyone and begins.
async fn open(
    door: &Door,
    plan: &Plan,
    alike: &Group,
    group: usize,
    number: usize,
) -> Result<Vec<Person>, Trouble> {
    let code = door.open_room(&plan.game, plan.rules.as_ref()).await?;
    let people = alike.people[number % alike.people.len()];
    let mut seated = Vec::with_capacity(people);
    for place in 0..people {
        // The same people choose the same way on every run, as far as the server lets them.
        let seed = [group, number, place];
        seated.push(Person::join(door.connect(&code).await?, place, alike.pace, seed).await?);
    }
    seated[0].begin(people, &alike.bots).await?;
    Ok(seated)
}
