//! What a connection costs that says nothing: resident memory before anybody came and after everybody has.

use super::table::{Connection, connect};
use super::{Launcher, MeasureError, Subject, files};
use crate::play::open_room;
use crate::process;
use crate::progress::Progress;
use client::{Deployment, Join};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use protocol::ClientMessage;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// How many rooms are filled at once.
const AT_ONCE: usize = 16;

/// Who comes, and where.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The servers to start, one after the other; none to look at one that runs.
    pub servers: Servers,
    /// How many connections.
    pub connections: usize,
    /// In how many rooms.
    pub rooms: usize,
    /// Whether a game begins in each room.
    pub playing: bool,
    /// How long is waited before the second look.
    pub settle: Duration,
}

/// Whose memory is looked at.
#[derive(Debug, Clone)]
pub enum Servers {
    /// Those that are started for it.
    Started(Vec<Subject>),
    /// A Rookery that runs, without limits.
    Running(SocketAddr, u32),
}

/// What was seen of one server.
#[derive(Debug, Clone, Serialize)]
pub struct Measurement {
    /// Which.
    pub server: String,
    /// Resident memory before anybody came.
    pub resident_before: u64,
    /// And after.
    pub resident_after: u64,
    /// The difference for each connection, its share of a room included.
    pub bytes_per_connection: f64,
}

/// What was seen.
#[derive(Debug, Clone)]
pub struct Idle {
    /// How many connections.
    pub connections: usize,
    /// In how many rooms.
    pub rooms: usize,
    /// Of each server.
    pub measured: Vec<Measurement>,
}

/// Looks at each server in turn.
pub async fn run(plan: &Plan, launcher: &Launcher) -> Result<Idle, MeasureError> {
    files::allow(plan.connections)?;
    let progress = Progress::new();
    let mut measured = Vec::new();
    match &plan.servers {
        Servers::Running(address, id) => {
            measured.push(measure(plan, Subject::Memory, *address, *id, "running", &progress).await?);
        }
        Servers::Started(subjects) => {
            launcher.look_for(subjects)?;
            for subject in subjects {
                let server = launcher.start(*subject).await?;
                let (address, id, name) = (server.address(), server.id(), subject.to_string());
                measured.push(measure(plan, *subject, address, id, &name, &progress).await?);
            }
        }
    }
    Ok(Idle { connections: plan.connections, rooms: plan.rooms, measured })
}

async fn measure(
    plan: &Plan,
    subject: Subject,
    address: SocketAddr,
    id: u32,
    name: &str,
    progress: &Progress,
) -> Result<Measurement, MeasureError> {
    let resident = || process::resident(&id.to_string()).ok_or(MeasureError::NoFigures(id));
    let before = resident()?;
    let rooms = stream::iter(0..plan.rooms).map(|number| {
        // The first rooms have one more each if they cannot all have the same.
        let people = plan.connections / plan.rooms + usize::from(number < plan.connections % plan.rooms);
        fill(subject, address, number, people, plan.playing)
    });
    let mut rooms = rooms.buffer_unordered(AT_ONCE);
    let mut listening = JoinSet::new();
    while let Some(people) = rooms.try_next().await? {
        for person in people {
            listening.spawn(listen(person));
        }
        progress.say(format!("{name}: {} of {} connections", listening.len(), plan.connections));
    }
    progress.say(format!("{name}: letting it settle"));
    tokio::select! {
        () = sleep(plan.settle) => {}
        Some(ended) = listening.join_next() => {
            return Err(ended.unwrap_or_else(|panic| MeasureError::Refused(panic.to_string())));
        }
    }
    let after = resident()?;
    listening.shutdown().await;
    Ok(Measurement {
        server: name.to_owned(),
        resident_before: before,
        resident_after: after,
        bytes_per_connection: after.saturating_sub(before) as f64 / plan.connections as f64,
    })
}

/// Brings people into a room, who then only listen.
async fn fill(
    subject: Subject,
    address: SocketAddr,
    number: usize,
    people: usize,
    playing: bool,
) -> Result<Vec<Connection>, MeasureError> {
    let mut came = Vec::with_capacity(people);
    let code = match subject {
        Subject::Floor => number.to_string(),
        _ => open_room(&Deployment::at(address), "towers", None).await?,
    };
    for place in 1..=people {
        let mut person = connect(address, &code).await?;
        if subject != Subject::Floor {
            person.join(Join::named(&format!("Person {place}"))).await?;
        }
        came.push(person);
    }
    if let Some(host) = came.first_mut().filter(|_| playing && subject != Subject::Floor) {
        host.say(&ClientMessage::Start {}).await?;
    }
    Ok(came)
}

/// Answers the server's pings and says nothing else, until the connection ends.
async fn listen(mut person: Connection) -> MeasureError {
    loop {
        if let Err(end) = person.frame().await {
            return end.into();
        }
    }
}

impl Idle {
    /// All of it in one JSON object.
    pub fn to_json(&self) -> Value {
        json!({"connections": self.connections, "rooms": self.rooms, "measured": self.measured})
    }
}

impl fmt::Display for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} silent connections in {} rooms", self.connections, self.rooms)?;
        writeln!(f, "server   MiB before  MiB after  KiB/connection")?;
        for measured in &self.measured {
            let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
            writeln!(
                f,
                "{:<8} {:>10.1} {:>10.1} {:>15.1}",
                measured.server,
                mib(measured.resident_before),
                mib(measured.resident_after),
                measured.bytes_per_connection / 1024.0,
            )?;
        }
        Ok(())
    }
}
