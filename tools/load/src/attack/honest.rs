//! Honest clients: two players, and a visitor every second, each with their own address.

use super::ground::AttackGround;
use crate::measure::MeasureError;
use crate::play::{PacedPlayer, PlayFigures, open_room};
use crate::statistics::Times;
use client::{Answer, ByteStream, Deployment, Request, RoomConnection};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, interval, sleep};

/// Delay before each action of the players, well within the rate limits.
const PACE: &str = "150-350";
/// How much longer than the attack they stay, for as long as memory is still sampled.
const LONGER: Duration = Duration::from_secs(3);
/// Interval between visitors.
const VISIT: Duration = Duration::from_secs(1);

/// Two players and a series of visitors.
pub struct Honest {
    playing: JoinSet<PlayFigures>,
    visiting: JoinHandle<Visits>,
}

/// Results of the visitors, who request the page and a room.
#[derive(Debug, Clone, Default)]
pub struct Visits {
    /// Number of visitors.
    pub tried: usize,
    /// Response times of the visitors who were served.
    pub answered: Times,
}

impl Honest {
    /// Opens a room and starts playing for `time`. A server behind a published Docker port sees all clients under one
    /// address. The visitors then `share` it with the attackers: they may be rate-limited or disconnected together with
    /// them, and retry as people would.
    pub async fn begin(address: SocketAddr, time: Duration, share: bool) -> Result<Honest, MeasureError> {
        let server = Deployment::at(address);
        let code = open_room(&server, "towers", None).await?;
        let mut people = Vec::new();
        for place in 0..2 {
            let stream: Box<dyn ByteStream> = Box::new(TcpStream::connect(address).await?);
            let connection = RoomConnection::open(server.upgrade(&code)?, stream).await?;
            people.push(
                PacedPlayer::join(connection, place, PACE.parse().expect("the pace is valid"), [7, 7, place]).await?,
            );
        }
        people[0].begin(2, &[]).await?;
        // The first actions on a new server are slower than the rest.
        sleep(VISIT.min(time)).await;
        let end = Instant::now() + time + LONGER.min(time);
        let mut playing = JoinSet::new();
        for person in people {
            playing.spawn(person.play(end, None));
        }
        Ok(Honest { playing, visiting: tokio::spawn(visit(address, code, end, share)) })
    }

    /// Waits for the end and returns the results.
    pub async fn end(self) -> (PlayFigures, Visits) {
        let mut played = PlayFigures::default();
        for figures in self.playing.join_all().await {
            played.add(figures);
        }
        (played, self.visiting.await.unwrap_or_default())
    }
}

/// Starts a new visitor every second, whether the previous one was served or not.
async fn visit(address: SocketAddr, code: String, end: Instant, share: bool) -> Visits {
    let fine = move |answer: &Answer| answer.status == 200 || share && answer.status == 429;
    let (mut visits, mut next, mut there) = (Visits::default(), interval(VISIT), JoinSet::new());
    while Instant::now() + VISIT < end {
        next.tick().await;
        visits.tried += 1;
        let code = code.clone();
        there.spawn(async move {
            let begun = Instant::now();
            let tries = if share { 3 } else { 1 };
            for _ in 0..tries {
                if look_in(address, &code).await.is_some_and(|[page, room]| fine(&page) && fine(&room)) {
                    return Some(begun.elapsed());
                }
            }
            None
        });
    }
    for waited in there.join_all().await.into_iter().flatten() {
        visits.answered.record(waited);
    }
    visits
}

/// Requests the page and a room, and returns both responses.
async fn look_in(address: SocketAddr, code: &str) -> Option<[Answer; 2]> {
    let ground = AttackGround::visitor(address);
    let page = ground.ask(0, Request::get("/"), String::new()).await?;
    let room = ground.ask(0, Request::get(format!("/api/rooms/{code}")), String::new()).await?;
    Some([page, room])
}
