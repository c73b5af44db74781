//! Those who do nothing wrong: two who play, and a visitor every second, each from an address of their own.

use super::ground::Ground;
use crate::measure::MeasureError;
use crate::play::{Figures, Person, open_room};
use crate::statistics::Times;
use client::{Answer, ByteStream, Deployment, Request, RoomConnection};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, interval, sleep};

/// How long each of the two waits before an act: nobody is near the limits.
const PACE: &str = "150-350";
/// They are there a little longer than the attack, for as long as the look at what it left.
const LONGER: Duration = Duration::from_secs(3);
/// How often somebody visits.
const VISIT: Duration = Duration::from_secs(1);

/// People at a table, and visitors.
pub struct Honest {
    playing: JoinSet<Figures>,
    visiting: JoinHandle<Visits>,
}

/// How visitors fared, who ask for the page and for a room.
#[derive(Debug, Clone, Default)]
pub struct Visits {
    /// How many came.
    pub tried: usize,
    /// How long those waited who were answered.
    pub answered: Times,
}

impl Honest {
    /// They sit down and begin, for this long. A server that somebody else started may see everybody at one address, as through a port
    /// that Docker publishes: visitors `share` it with the attackers then, may be told that it asks too much, and are cut with them: they
    /// try again, as people do.
    pub async fn begin(address: SocketAddr, time: Duration, share: bool) -> Result<Honest, MeasureError> {
        let server = Deployment::at(address);
        let code = open_room(&server, "towers", None).await?;
        let mut people = Vec::new();
        for place in 0..2 {
            let stream: Box<dyn ByteStream> = Box::new(TcpStream::connect(address).await?);
            let connection = RoomConnection::open(server.upgrade(&code)?, stream).await?;
            people.push(Person::join(connection, place, PACE.parse().expect("a pace"), [7, 7, place]).await?);
        }
        people[0].begin(2, &[]).await?;
        // The first acts of a server are slower than the rest.
        sleep(VISIT.min(time)).await;
        let end = Instant::now() + time + LONGER.min(time);
        let mut playing = JoinSet::new();
        for person in people {
            playing.spawn(person.play(end, None));
        }
        Ok(Honest { playing, visiting: tokio::spawn(visit(address, code, end, share)) })
    }

    /// What they say of it.
    pub async fn end(self) -> (Figures, Visits) {
        let mut played = Figures::default();
        for figures in self.playing.join_all().await {
            played.add(figures);
        }
        (played, self.visiting.await.unwrap_or_default())
    }
}

/// Somebody new comes every second, whether the one before was answered or not.
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

/// What a visitor is answered.
async fn look_in(address: SocketAddr, code: &str) -> Option<[Answer; 2]> {
    let ground = Ground::visitor(address);
    let page = ground.ask(0, Request::get("/"), String::new()).await?;
    let room = ground.ask(0, Request::get(format!("/api/rooms/{code}")), String::new()).await?;
    Some([page, room])
}
