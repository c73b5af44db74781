//! Memory of an idle connection: resident memory before the first and after the last client has connected.

use super::table::{PlainConnection, connect};
use super::{Launcher, MeasureError, Subject, files};
use crate::play::open_room;
use crate::process;
use crate::progress::Spinner;
use client::{Deployment, Join};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use protocol::ClientMessage;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::task::{JoinError, JoinSet};
use tokio::time::sleep;

/// Number of rooms filled concurrently.
const AT_ONCE: usize = 16;

/// Parameters of the measurement.
#[derive(Debug, Clone)]
pub struct IdlePlan {
    /// Servers to measure.
    pub servers: MeasuredServers,
    /// Number of connections.
    pub connections: usize,
    /// Number of rooms.
    pub rooms: usize,
    /// Whether a game is started in each room.
    pub playing: bool,
    /// Time between the last connection and the second memory sample.
    pub settle: Duration,
}

/// Servers to measure.
#[derive(Debug, Clone)]
pub enum MeasuredServers {
    /// Servers started for the measurement, one after the other.
    Started(Vec<Subject>),
    /// Address and process id of a Rookery that is already running without limits.
    Running(SocketAddr, u32),
}

/// Result for one server.
#[derive(Debug, Clone, Serialize)]
pub struct IdleMeasurement {
    /// Name of the server.
    pub server: String,
    /// Resident memory in bytes before the first connection.
    pub resident_before: u64,
    /// Resident memory in bytes after the last connection.
    pub resident_after: u64,
    /// Difference per connection, including its share of a room.
    pub bytes_per_connection: f64,
}

/// Results of the measurement.
#[derive(Debug, Clone)]
pub struct Idle {
    /// Number of connections.
    pub connections: usize,
    /// Number of rooms.
    pub rooms: usize,
    /// Results for each server.
    pub measured: Vec<IdleMeasurement>,
}

/// Measures each server in turn.
pub async fn run(plan: &IdlePlan, launcher: &Launcher) -> Result<Idle, MeasureError> {
    files::allow(plan.connections)?;
    let progress = Spinner::new();
    let mut measured = Vec::new();
    match &plan.servers {
        MeasuredServers::Running(address, id) => {
            measured.push(measure(plan, Subject::Memory, *address, *id, "running", &progress).await?);
        }
        MeasuredServers::Started(subjects) => {
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
    plan: &IdlePlan,
    subject: Subject,
    address: SocketAddr,
    id: u32,
    name: &str,
    progress: &Spinner,
) -> Result<IdleMeasurement, MeasureError> {
    let resident = || process::resident(&id.to_string()).ok_or(MeasureError::NoFigures(id));
    let before = resident()?;
    let rooms = stream::iter(0..plan.rooms).map(|number| {
        // If the connections cannot be divided evenly, the first rooms get one more.
        let people = plan.connections / plan.rooms + usize::from(number < plan.connections % plan.rooms);
        fill(subject, address, number, people, plan.playing)
    });
    let mut rooms = rooms.buffer_unordered(AT_ONCE);
    let mut listening = JoinSet::new();
    while let Some(people) = rooms.try_next().await? {
        for mut person in people {
            // Answers the server's pings and sends nothing else, until the connection ends.
            listening.spawn(async move { person.drain().await });
        }
        progress.say(format!("{name}: {} of {} connections", listening.len(), plan.connections));
    }
    progress.say(format!("{name}: waiting for it to settle"));
    tokio::select! {
        () = sleep(plan.settle) => {}
        Some(ended) = listening.join_next() => {
            let panicked = |panic: JoinError| MeasureError::Refused(panic.to_string());
            return Err(ended.map_or_else(panicked, MeasureError::Ended));
        }
    }
    let after = resident()?;
    listening.shutdown().await;
    Ok(IdleMeasurement {
        server: name.to_owned(),
        resident_before: before,
        resident_after: after,
        bytes_per_connection: after.saturating_sub(before) as f64 / plan.connections as f64,
    })
}

/// Connects clients to a room. They only listen afterwards.
async fn fill(
    subject: Subject,
    address: SocketAddr,
    number: usize,
    people: usize,
    playing: bool,
) -> Result<Vec<PlainConnection>, MeasureError> {
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

impl Idle {
    /// Returns the results as a JSON object.
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
