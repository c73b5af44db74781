//! A thundering herd: everybody is in their seat, every line is cut at once, and all come back at the same time. With a
//! restart the server itself is killed and started again under them.

use super::table::{Connection, connect, connect_from};
use super::{Ending, Launcher, MeasureError, Subject, files};
use crate::play::open_room;
use crate::progress::Progress;
use crate::statistics::Times;
use client::{Deployment, Join};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use game::Seat;
use protocol::{ClientMessage, Received, RoomView, ServerMessage};
use serde_json::{Value, json};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// How many rooms are filled at once.
const AT_ONCE: usize = 16;
/// Backoff: how soon somebody who did not get in tries again. A page waits longer; here the server is to be measured.
const AGAIN: Duration = Duration::from_millis(50);

/// What is to come down on the server.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How many people.
    pub people: usize,
    /// How many share a room.
    pub per_room: usize,
    /// Whether the server is ended and started again, and how.
    pub restart: Option<Ending>,
    /// Whether the limits for people hold. Each room's people then sit down at an address of their own, and all come back from one.
    pub default_limits: bool,
    /// Whoever is not back by then is missing.
    pub patience: Duration,
}

/// How it went.
#[derive(Debug, Clone)]
pub struct Storm {
    /// How many people were in their seats before.
    pub people: usize,
    /// In how many rooms.
    pub rooms: usize,
    /// How long after the cut each was back in theirs.
    pub times: Times,
    /// Tries that failed, because the server was not there yet or had no room.
    pub failed_tries: usize,
    /// Seats that are not connected at the end, as the server says.
    pub away: usize,
    /// How long after the cut the server was open again, if it was killed.
    pub open_again: Option<Duration>,
}

/// Somebody in their seat.
struct Seated {
    code: String,
    seat: Seat,
    token: String,
    connection: Connection,
}

/// Seats everybody, cuts every line and waits for them to come back. Whoever does not is an error.
pub async fn run(plan: &Plan, launcher: &Launcher) -> Result<Storm, MeasureError> {
    // The old lines may not be all gone when the new ones come.
    files::allow(2 * plan.people)?;
    let progress = Progress::new();
    let launcher = &Launcher { default_limits: plan.default_limits, ..launcher.clone() };
    let mut server = launcher.start(Subject::Sqlite).await?;
    let address = server.address();
    let mut seated: Vec<Seated> = Vec::with_capacity(plan.people);
    let rooms = plan.people.div_ceil(plan.per_room);
    let tables = (0..rooms).map(|number| {
        let people = plan.per_room.min(plan.people - number * plan.per_room);
        sit(address, people, if plan.default_limits { home(number) } else { Ipv4Addr::LOCALHOST })
    });
    let mut tables = stream::iter(tables).buffer_unordered(AT_ONCE);
    let mut codes = Vec::with_capacity(rooms);
    while let Some((code, people)) = tables.try_next().await? {
        codes.push(code);
        seated.extend(people);
        progress.say(format!("{} of {} in their seats", seated.len(), plan.people));
    }

    let cut = Instant::now();
    let mut coming = JoinSet::new();
    let mut lines = Vec::with_capacity(plan.people);
    for Seated { code, seat, token, mut connection } in seated {
        let mut told = None;
        if plan.restart == Some(Ending::Asked) {
            // A server that is asked to end says goodbye, and a page answers.
            told = Some(connection);
        } else {
            // An RST instead of a goodbye, as when a network goes away.
            connection.stream().set_zero_linger()?;
            lines.push(connection);
        }
        coming.spawn(timeout(plan.patience, async move {
            if let Some(mut connection) = told {
                while connection.hear().await.is_ok() {}
            }
            let mut failed = 0;
            loop {
                match come_back(address, &code, &token).await {
                    Ok((there, connection)) if there == seat => return (cut.elapsed(), failed, connection),
                    Ok(_) | Err(_) => failed += 1,
                }
                sleep(AGAIN).await;
            }
        }));
    }
    let mut open_again = None;
    if let Some(how) = plan.restart {
        server = launcher.restart(server, how).await?;
        open_again = Some(cut.elapsed());
    }
    drop(lines);

    let (mut times, mut failed_tries, mut back) = (Times::default(), 0, Vec::new());
    while let Some(came) = coming.join_next().await {
        // Whoever is out of patience stays away.
        if let Ok(Ok((time, failed, connection))) = came {
            times.record(time);
            failed_tries += failed;
            back.push(connection);
        }
        progress.say(format!("{} of {} are back", times.count(), plan.people));
    }
    let mut away = 0;
    for code in &codes {
        away += seats_away(server.address(), code).await?;
    }
    let storm = Storm { people: plan.people, rooms, times, failed_tries, away, open_again };
    if storm.missing() > 0 { Err(MeasureError::Missing(storm.to_string())) } else { Ok(storm) }
}

/// The address at which the people of a room sit down.
fn home(room: usize) -> Ipv4Addr {
    let [high, low] = (room as u16).to_be_bytes();
    Ipv4Addr::new(127, 3, high, low)
}

/// Opens a room, seats people in it and begins a game.
async fn sit(
    address: SocketAddr,
    people: usize,
    from: Ipv4Addr,
) -> Result<(String, Vec<Seated>), MeasureError> {
    let code = open_room(&Deployment::at(address), "towers", None).await?;
    let mut seated: Vec<Seated> = Vec::with_capacity(people);
    for place in 1..=people {
        let mut connection = connect_from(from, address, &code).await?;
        let welcome = connection.join(Join::named(&format!("Person {place}"))).await?;
        let (seat, token) = place_of(&welcome)?;
        seated.push(Seated { code: code.clone(), seat, token, connection });
    }
    // Nobody plays alone: one who is left over stays in the lobby.
    if people > 1 {
        seated[0].connection.say(&ClientMessage::Start {}).await?;
        // Once a game is on, nobody can lose a seat for having been away.
        wait_for_state(&mut seated[0].connection).await?;
    }
    Ok((code, seated))
}

async fn wait_for_state(connection: &mut Connection) -> Result<(), MeasureError> {
    loop {
        let text = connection.hear().await?;
        match Received::read(&text).ok().as_mut().and_then(Received::message) {
            Some(ServerMessage::State { .. }) => return Ok(()),
            Some(ServerMessage::Error { .. }) => return Err(MeasureError::Refused(text.to_string())),
            _ => {}
        }
    }
}

async fn come_back(address: SocketAddr, code: &str, token: &str) -> Result<(Seat, Connection), MeasureError> {
    let mut connection = connect(address, code).await?;
    let welcome = connection.join(Join::back(token)).await?;
    Ok((place_of(&welcome)?.0, connection))
}

/// Where a welcome seats somebody, and what brings them back there.
fn place_of(welcome: &str) -> Result<(Seat, String), MeasureError> {
    let mut received = Received::read(welcome).ok();
    match received.as_mut().and_then(Received::message) {
        Some(ServerMessage::Welcome { you, .. }) => you.seat.zip(you.token.map(str::to_owned)),
        _ => None,
    }
    .ok_or_else(|| MeasureError::Refused(welcome.to_owned()))
}

/// How many seats of a room nobody is connected to, as the server says.
async fn seats_away(address: SocketAddr, code: &str) -> Result<usize, MeasureError> {
    let answer = Deployment::at(address).get(&format!("/api/rooms/{code}")).await?;
    let room: Result<RoomView, _> = serde_json::from_str(&answer.body);
    let room = room.map_err(|_| MeasureError::Refused(answer.body))?;
    Ok(room.seats.iter().filter(|seat| !seat.connected).count())
}

impl Storm {
    /// How many did not come back, or came and are away again.
    pub fn missing(&self) -> usize {
        (self.people - self.times.count()).max(self.away)
    }

    /// All of it in one JSON object.
    pub fn to_json(&self) -> Value {
        let ms = |share| milliseconds(self.times.under(share));
        json!({
            "people": self.people,
            "rooms": self.rooms,
            "back": self.times.count(),
            "missing": self.missing(),
            "failed_tries": self.failed_tries,
            "p50_ms": ms(0.5),
            "p99_ms": ms(0.99),
            "longest_ms": ms(1.0),
            "open_again_ms": self.open_again.map(milliseconds),
        })
    }
}

impl fmt::Display for Storm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |share| milliseconds(self.times.under(share));
        write!(f, "{} people in {} rooms", self.people, self.rooms)?;
        match self.open_again {
            Some(time) => {
                writeln!(f, "; the server was ended and open again after {:.0} ms", milliseconds(time))?
            }
            None => writeln!(f, "; every line was cut at once")?,
        }
        writeln!(
            f,
            "back in their seats: {}, after {:.0} ms (p50), {:.0} ms (p99), {:.0} ms (longest); {} tries failed; {} missing",
            self.times.count(),
            ms(0.5),
            ms(0.99),
            ms(1.0),
            self.failed_tries,
            self.missing(),
        )
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
