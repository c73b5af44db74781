//! A thundering herd: all players are in their seats, all connections are cut at once, and all reconnect at the
//! same time. Optionally the server is stopped or killed and started again.

use super::table::{PlainConnection, connect, next_state, sit};
use super::{Ending, Launcher, MeasureError, Subject, files};
use crate::play::open_room;
use crate::progress::Spinner;
use crate::statistics::Times;
use client::scripted::socket_at;
use client::{Deployment, Join, RoomConnection};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use game::Seat;
use protocol::{ClientMessage, RoomView};
use serde_json::{Value, json};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Number of rooms filled concurrently.
const AT_ONCE: usize = 16;
/// Pause before the next attempt to reconnect. The web page waits longer, but here the server is measured.
const AGAIN: Duration = Duration::from_millis(50);

/// Parameters of the measurement.
#[derive(Debug, Clone)]
pub struct StormPlan {
    /// Number of players.
    pub people: usize,
    /// Number of players per room.
    pub per_room: usize,
    /// Whether and how the server is stopped and started again.
    pub restart: Option<Ending>,
    /// Whether the default limits apply. The players of each room then join from their own address, and all reconnect
    /// from one.
    pub default_limits: bool,
    /// Players who are not back after this time are missing.
    pub patience: Duration,
}

/// Results of the measurement.
#[derive(Debug, Clone)]
pub struct Storm {
    /// Number of players seated before the cut.
    pub people: usize,
    /// Number of rooms.
    pub rooms: usize,
    /// Time from the cut until each player was back in their seat.
    pub times: Times,
    /// Failed attempts, because the server was not up yet or at capacity.
    pub failed_tries: usize,
    /// Seats that are not connected at the end, according to the server.
    pub away: usize,
    /// Time from the cut until the server was up again, if it was restarted.
    pub open_again: Option<Duration>,
}

/// A seated player.
struct SeatedClient {
    code: String,
    seat: Seat,
    token: String,
    connection: PlainConnection,
}

/// Seats all players, cuts all connections and waits until all have reconnected. Returns an error if a player is
/// missing.
pub async fn run(plan: &StormPlan, launcher: &Launcher) -> Result<Storm, MeasureError> {
    // Old connections may still be open when the new ones arrive.
    files::allow(2 * plan.people)?;
    let progress = Spinner::new();
    let launcher = &Launcher { default_limits: plan.default_limits, ..launcher.clone() };
    let mut server = launcher.start(Subject::Sqlite).await?;
    let address = server.address();
    let mut seated: Vec<SeatedClient> = Vec::with_capacity(plan.people);
    let rooms = plan.people.div_ceil(plan.per_room);
    let tables = (0..rooms).map(|number| {
        let people = plan.per_room.min(plan.people - number * plan.per_room);
        fill(address, people, if plan.default_limits { home(number) } else { Ipv4Addr::LOCALHOST })
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
    for SeatedClient { code, seat, token, mut connection } in seated {
        let mut told = None;
        if plan.restart == Some(Ending::Asked) {
            // A server that is stopped with SIGTERM sends close frames, and a page answers them.
            told = Some(connection);
        } else {
            // An RST without a close frame, as when a network disappears.
            connection.stream().set_zero_linger()?;
            lines.push(connection);
        }
        coming.spawn(timeout(plan.patience, async move {
            if let Some(mut connection) = told {
                connection.drain().await;
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
        // A player who ran out of time counts as missing.
        if let Ok(Ok((time, failed, connection))) = came {
            times.record(time);
            failed_tries += failed;
            back.push(connection);
        }
        progress.say(format!("{} of {} have reconnected", times.count(), plan.people));
    }
    let mut away = 0;
    for code in &codes {
        away += seats_away(server.address(), code).await?;
    }
    let storm = Storm { people: plan.people, rooms, times, failed_tries, away, open_again };
    if storm.missing() > 0 { Err(MeasureError::Missing(storm.to_string())) } else { Ok(storm) }
}

/// The address from which the players of a room join.
fn home(room: usize) -> Ipv4Addr {
    let [high, low] = (room as u16).to_be_bytes();
    Ipv4Addr::new(127, 3, high, low)
}

/// Opens a room, seats players in it and starts a game.
async fn fill(address: SocketAddr, people: usize, from: Ipv4Addr) -> Result<(String, Vec<SeatedClient>), MeasureError> {
    let code = open_room(&Deployment::at(address), "towers", None).await?;
    let mut seated: Vec<SeatedClient> = Vec::with_capacity(people);
    for place in 1..=people {
        let stream = socket_at(from)?.connect(address).await?;
        let mut connection = RoomConnection::over(stream, address, &code).await?;
        let (seat, token) = sit(&mut connection, Join::named(&format!("Person {place}"))).await?;
        seated.push(SeatedClient { code: code.clone(), seat, token, connection });
    }
    // A game needs two players. A single one stays in the lobby.
    if people > 1 {
        seated[0].connection.say(&ClientMessage::Start {}).await?;
        // Wait for the game, because a player in a game cannot lose the seat by being away.
        next_state(&mut seated[0].connection).await?;
    }
    Ok((code, seated))
}

async fn come_back(address: SocketAddr, code: &str, token: &str) -> Result<(Seat, PlainConnection), MeasureError> {
    let mut connection = connect(address, code).await?;
    let (seat, _) = sit(&mut connection, Join::back(token)).await?;
    Ok((seat, connection))
}

/// Returns the number of unconnected seats of a room, according to the server.
async fn seats_away(address: SocketAddr, code: &str) -> Result<usize, MeasureError> {
    let answer = Deployment::at(address).get(&format!("/api/rooms/{code}")).await?;
    let room: Result<RoomView, _> = serde_json::from_str(&answer.body);
    let room = room.map_err(|_| MeasureError::Refused(answer.body))?;
    Ok(room.seats.iter().filter(|seat| !seat.connected).count())
}

impl Storm {
    /// Returns how many players did not reconnect, or were disconnected again.
    pub fn missing(&self) -> usize {
        (self.people - self.times.count()).max(self.away)
    }

    /// Returns the results as a JSON object.
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
            Some(time) => writeln!(f, "; the server was stopped and open again after {:.0} ms", milliseconds(time))?,
            None => writeln!(f, "; all connections were cut at once")?,
        }
        writeln!(
            f,
            "back in their seats: {}, after {:.0} ms (p50), {:.0} ms (p99), {:.0} ms (longest); {} tries failed; \
             {} missing",
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
