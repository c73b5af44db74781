//! What is measured: the floor, or Rookery with one of its journals, each as a process of its own.

use super::{Cores, MeasureError};
use crate::process;
use clap::ValueEnum;
use serde::Serialize;
use std::ffi::OsString;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use std::{env, fmt, io};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// How every server is started.
const ALWAYS: &[&str] = &[
    "--admin",
    "off",
    // A whole evening's rooms are opened in a few seconds.
    "--rooms-per-hour",
    "0",
];

/// None of the limits per address: all these people come from one.
const UNLIMITED: &[&str] = &[
    "--sockets-per-ip",
    "0",
    "--connections-per-ip",
    "0",
    "--requests-per-second",
    "0",
    "--misses-per-minute",
    "0",
    "--acts-per-second",
    "0",
    "--max-rooms",
    "0",
    "--max-sockets",
    "0",
];

/// A kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A bare server, inside this program.
    Floor,
    /// Rookery that keeps nothing.
    Memory,
    /// Rookery that writes everything down before it answers.
    Sqlite,
    /// The same in a PostgreSQL database.
    Postgres,
    /// Two of those: one has the rooms, and all people are at the other.
    Relayed,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Subject::Floor => "floor",
            Subject::Memory => "memory",
            Subject::Sqlite => "sqlite",
            Subject::Postgres => "postgres",
            Subject::Relayed => "relayed",
        })
    }
}

/// How servers are started.
#[derive(Debug, Clone, Default)]
pub struct Launcher {
    /// Rookery's binary; the one beside this program if none is named.
    pub server: Option<PathBuf>,
    /// Whose core is which, if they are kept apart.
    pub cores: Option<Cores>,
    /// Where folders for journals are made; where the system has them if none is named.
    pub folder: Option<PathBuf>,
    /// The address of a database for those who keep their rooms in one.
    pub postgres: Option<String>,
    /// A program that runs the server, with its arguments, such as valgrind.
    pub under: Vec<OsString>,
    /// Whether the limits for people hold, as a host has them who sets none.
    pub default_limits: bool,
}

/// What the servers of a relay share.
const SECRET: &str = "known to both of them";

impl Launcher {
    /// Starts a server on a port of its own and waits until it is open.
    pub async fn start(&self, subject: Subject) -> Result<Running, MeasureError> {
        let folder = match subject {
            Subject::Sqlite => Some(match &self.folder {
                Some(folder) => TempDir::new_in(folder)?,
                None => TempDir::new()?,
            }),
            Subject::Floor | Subject::Memory | Subject::Postgres | Subject::Relayed => None,
        };
        let running = self.start_at(subject, "127.0.0.1:0", folder).await?;
        if subject != Subject::Relayed {
            return Ok(running);
        }
        let edge = self.start_at(subject, "127.0.0.1:0", None).await?;
        Ok(Running { beside: Some(Box::new(running)), ..edge })
    }

    /// Whether all that is to be started is there, before anything is measured in vain.
    pub fn look_for(&self, subjects: &[Subject]) -> Result<(), MeasureError> {
        if subjects.iter().any(|subject| *subject != Subject::Floor) {
            self.rookery()?;
        }
        Ok(())
    }

    /// Ends a server, without a warning or as a host does, and starts it again where it was, over the same journal.
    pub async fn restart(&self, running: Running, how: Ending) -> Result<Running, MeasureError> {
        let Running { subject, address, folder, mut child, .. } = running;
        match how {
            Ending::Killed => child.kill().await?,
            Ending::Asked => {
                terminate(&mut child)?;
                child.wait().await?;
            }
        }
        self.start_at(subject, &address.to_string(), folder).await
    }

    async fn start_at(
        &self,
        subject: Subject,
        listen: &str,
        folder: Option<TempDir>,
    ) -> Result<Running, MeasureError> {
        let program = match subject {
            Subject::Floor => env::current_exe()?,
            _ => self.rookery()?,
        };
        let mut words = self.under.iter().cloned().chain([program.into_os_string()]);
        let mut command = Command::new(words.next().expect("the program at least"));
        command.args(words);
        match subject {
            Subject::Floor => command.arg("floor"),
            _ => {
                command.args(["--listen", listen]).args(ALWAYS);
                match subject {
                    Subject::Postgres | Subject::Relayed => {
                        let database = self.postgres.as_ref().ok_or(MeasureError::NoDatabase)?;
                        command.env("ROOKERY_DATA", database);
                    }
                    _ => {
                        let data = folder.as_ref().map_or(Path::new("memory"), TempDir::path);
                        command.arg("--data").arg(data);
                    }
                }
                if subject == Subject::Relayed {
                    let node = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
                    command.args(["--node", &format!("http://{node}"), "--node-listen", &node.to_string()]);
                    command.env("ROOKERY_NODE_SECRET", SECRET);
                }
                command.args(if self.default_limits { &[] } else { UNLIMITED })
            }
        };
        command.env("ROOKERY_LOG", "warn").stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let no_start = |error: io::Error| MeasureError::NoStart(subject.to_string(), error);
        let spawned = match self.cores {
            Some(cores) => cores.start_server(|| command.spawn()).map_err(no_start)?,
            None => command.spawn(),
        };
        let mut child = spawned.map_err(no_start)?;
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let greeting = lines.next_line().await?.unwrap_or_default();
        let address = greeting.rsplit("//").next().and_then(|address| address.trim().parse().ok());
        match address {
            Some(address) => Ok(Running { subject, address, folder, child, beside: None }),
            None => Err(MeasureError::NoGreeting(subject.to_string(), greeting)),
        }
    }

    fn rookery(&self) -> Result<PathBuf, MeasureError> {
        let name = format!("rookery{}", env::consts::EXE_SUFFIX);
        let beside = || Ok::<_, io::Error>(env::current_exe()?.with_file_name(name));
        let program = self.server.clone().map_or_else(beside, Ok)?;
        if program.is_file() { Ok(program) } else { Err(MeasureError::NoServer(program)) }
    }
}

/// How a server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// SIGKILL.
    Killed,
    /// SIGTERM: it says goodbye to everybody first.
    Asked,
}

/// A server that runs. It is killed when this is dropped, and its journal deleted.
#[derive(Debug)]
pub struct Running {
    subject: Subject,
    address: SocketAddr,
    folder: Option<TempDir>,
    child: Child,
    /// The server that has the rooms, if that is another.
    beside: Option<Box<Running>>,
}

impl Running {
    /// Where rooms are opened.
    pub fn opens(&self) -> SocketAddr {
        self.beside.as_ref().map_or(self.address, |beside| beside.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    /// Asks it to end, and waits until it has.
    pub async fn stop(mut self) -> Result<(), MeasureError> {
        terminate(&mut self.child)?;
        self.child.wait().await?;
        Ok(())
    }

    /// Processor time it has used so far, together with the one beside it.
    pub fn processor_time(&self) -> Result<Duration, MeasureError> {
        let own =
            process::processor_time(&self.id().to_string()).ok_or(MeasureError::NoFigures(self.id()))?;
        let beside = self.beside.as_ref().map(|beside| beside.processor_time()).transpose()?;
        Ok(own + beside.unwrap_or_default())
    }

    /// Its resident memory in bytes.
    pub fn resident(&self) -> Result<u64, MeasureError> {
        process::resident(&self.id().to_string()).ok_or(MeasureError::NoFigures(self.id()))
    }

    /// What it has written so far.
    pub fn written(&self) -> Result<process::Written, MeasureError> {
        process::written(&self.id().to_string()).ok_or(MeasureError::NoFigures(self.id()))
    }
}

/// SIGTERM, upon which a server says goodbye and ends.
#[cfg(unix)]
fn terminate(child: &mut Child) -> io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    let id = child.id().and_then(|id| Pid::from_raw(id as i32));
    Ok(id.map_or(Ok(()), |id| kill_process(id, Signal::TERM))?)
}

/// Where there are no signals it is ended at once.
#[cfg(not(unix))]
fn terminate(child: &mut Child) -> io::Result<()> {
    child.start_kill()
}
