//! Plays in rooms of a running server over real sockets, and measures the latency of actions.
//!
//! It knows no rules: a player chooses any action that the server lists. The latency is what a client experiences, from
//! sending an action to the state that acknowledges it.

mod figures;
mod pace;
mod person;

pub use figures::{PlayFigures, PlayReport};
pub use pace::ActPace;
pub(crate) use person::PacedPlayer;

use crate::process;
use crate::progress::Spinner;
use crate::statistics::Times;
use client::{ClientError, Deployment, Uri};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use game::Level;
use protocol::{Forced, OpenRoom, RoomOpened};
use serde_json::Value;
use std::pin::pin;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

/// Number of rooms opened concurrently.
const AT_ONCE: usize = 16;
/// Timeout for opening a room and starting a game.
const PATIENCE: Duration = Duration::from_secs(30);
/// Interval between measurements of timer lateness.
const PROBE: Duration = Duration::from_millis(10);

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The URL is not valid for this purpose.
    #[error("{0} is not an address such as http://127.0.0.1:8080")]
    Address(String),
    /// The server does not answer, or does not speak HTTP.
    #[error("cannot talk to {0}: {1}")]
    Silent(String, #[source] ClientError),
    /// A room could not be opened.
    #[error("cannot open a room (status {0}): {1}")]
    NoRoom(u16, String),
    /// A connection into a room could not be opened.
    #[error("cannot connect to the room: {0}")]
    NoConnection(#[source] ClientError),
    /// The server refused a request while the table was set up.
    #[error("the server refused while the table was set up: {0}")]
    Refused(String),
    /// The table was not set up in time.
    #[error("the server takes too long to set up a table")]
    Slow,
}

/// What to play.
#[derive(Debug, Clone)]
pub struct Workload {
    /// URL of the server.
    pub url: String,
    /// Name of the game.
    pub game: String,
    /// Rules of the game, or the defaults.
    pub rules: Option<Value>,
    /// Duration.
    pub time: Duration,
    /// Limit on the number of games in each room.
    pub games: Option<u32>,
    /// The rooms.
    pub groups: Vec<Group>,
    /// Process id of the server on this machine.
    pub server: Option<u32>,
}

/// Rooms of one kind, which are counted together.
#[derive(Debug, Clone)]
pub struct Group {
    /// Name in the report.
    pub name: &'static str,
    /// Number of rooms.
    pub rooms: usize,
    /// Players per room; the rooms rotate through several numbers.
    pub people: Vec<usize>,
    /// Bots in each room.
    pub bots: Vec<Level>,
    /// How long players wait before they act.
    pub pace: ActPace,
}

/// Opens all rooms, starts a game in each, and only then starts the clock and plays.
pub async fn run(workload: &Workload) -> Result<PlayReport, PlayError> {
    let server = &server_at(&workload.url)?;
    let progress = Spinner::new();
    let wanted: usize = workload.groups.iter().map(|alike| alike.rooms).sum();
    let mut playing = JoinSet::new();
    let mut rooms = Vec::new();
    for (group, alike) in workload.groups.iter().enumerate() {
        let numbers = stream::iter(0..alike.rooms);
        let opening = numbers.map(|number| async move {
            timeout(PATIENCE, open(server, workload, alike, group, number)).await.map_err(|_| PlayError::Slow)?
        });
        let mut opening = pin!(opening.buffer_unordered(AT_ONCE));
        while let Some(people) = opening.try_next().await? {
            rooms.push((group, people));
            progress.say(format!("{} of {wanted} rooms", rooms.len()));
        }
    }

    let used =
        || (process::processor_time("self"), workload.server.and_then(|id| process::processor_time(&id.to_string())));
    let (before, begun) = (used(), Instant::now());
    for (group, people) in rooms {
        for person in people {
            let played = person.play(begun + workload.time, workload.games);
            playing.spawn(async move { (group, played.await) });
        }
    }
    let say = || progress.say(format!("{} of {} s", begun.elapsed().as_secs(), workload.time.as_secs()));
    let (played, lateness) = timed(playing.join_all(), say).await;
    let (after, spent) = (used(), begun.elapsed());
    let mut figures = vec![PlayFigures::default(); workload.groups.len()];
    for (group, of_one) in played {
        figures[group].add(of_one);
    }
    let share = |before: Option<Duration>, after: Option<Duration>| {
        Some(after?.saturating_sub(before?).as_secs_f64() / spent.as_secs_f64())
    };
    Ok(PlayReport {
        groups: workload.groups.iter().cloned().zip(figures).collect(),
        spent,
        lateness,
        driver: share(before.0, after.0),
        server: share(before.1, after.1),
    })
}

/// Waits for `others`, and meanwhile measures the lateness of a timer that does not depend on the server. Latencies
/// cannot be measured more precisely than that.
async fn timed<T>(others: impl Future<Output = T>, say: impl Fn()) -> (T, Times) {
    let mut others = pin!(others);
    let mut lateness = Times::default();
    loop {
        say();
        let due = Instant::now() + PROBE;
        tokio::select! {
            done = &mut others => return (done, lateness),
            () = sleep_until(due) => lateness.record(due.elapsed()),
        }
    }
}

/// Opens a room, seats all players and bots, and starts a game.
async fn open(
    server: &Deployment,
    workload: &Workload,
    alike: &Group,
    group: usize,
    number: usize,
) -> Result<Vec<PacedPlayer>, PlayError> {
    let code = open_room(server, &workload.game, workload.rules.as_ref()).await?;
    let people = alike.people[number % alike.people.len()];
    let mut seated = Vec::with_capacity(people);
    for place in 0..people {
        let seed = [group, number, place];
        let connection = server.connect(&code).await.map_err(PlayError::NoConnection)?;
        seated.push(PacedPlayer::join(connection, place, alike.pace, seed).await?);
    }
    seated[0].begin(people, &alike.bots).await?;
    Ok(seated)
}

/// Returns the server at this URL, reached without TLS and at the root path, so that nothing else is measured.
fn server_at(url: &str) -> Result<Deployment, PlayError> {
    let uri: Option<Uri> = url.parse().ok();
    let plain = uri.filter(|uri| uri.scheme_str() == Some("http") && uri.path() == "/");
    plain.map(|uri| Deployment::new(&uri)).ok_or_else(|| PlayError::Address(url.to_owned()))
}

/// Opens a room and returns its code. Forced actions are not played automatically, so that every action can be timed.
pub(crate) async fn open_room(server: &Deployment, game: &str, rules: Option<&Value>) -> Result<String, PlayError> {
    let open = OpenRoom {
        game: game.to_owned(),
        rules: rules.cloned(),
        clock: None,
        forced: Forced::Ask,
        pace: Default::default(),
    };
    let open = serde_json::to_string(&open).expect("all keys are strings");
    let answer = server.post("/api/rooms", open).await;
    let answer = answer.map_err(|error| PlayError::Silent(server.url(), error))?;
    let opened: Result<RoomOpened, _> = serde_json::from_str(&answer.body);
    opened.map(|room| room.code).map_err(|_| PlayError::NoRoom(answer.status.as_u16(), answer.body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_http_addresses_are_accepted() {
        let url = |url: &str| server_at(url).map(|server| server.url()).ok();
        assert_eq!(url("http://127.0.0.1:8080").as_deref(), Some("http://127.0.0.1:8080"));
        assert_eq!(url("http://games.example.org/").as_deref(), Some("http://games.example.org"));
        for bad in ["127.0.0.1:8080", "https://games.example.org", "http://games.example.org/r/K7QF3M", ""] {
            assert_eq!(url(bad), None, "{bad}");
        }
    }
}
