//! Servers to measure: the baseline, or Rookery with one of its journals, each as a separate process.

use super::{Cores, MeasureError};
use crate::process;
use clap::ValueEnum;
use client::scripted::UNLIMITED;
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

/// A kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A bare WebSocket server, part of this program.
    Floor,
    /// Rookery without persistent storage.
    Memory,
    /// Rookery with SQLite, which writes everything before it answers.
    Sqlite,
    /// Rookery with PostgreSQL.
    Postgres,
    /// Two Rookery servers with PostgreSQL: one owns the rooms, and all clients connect to the other.
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

/// How to start servers.
#[derive(Debug, Clone, Default)]
pub struct Launcher {
    /// Path of Rookery's binary; by default the one next to this program.
    pub server: Option<PathBuf>,
    /// Cores of the server and the load generator, if they are pinned.
    pub cores: Option<Cores>,
    /// Parent folder for journals; by default the system's folder for temporary files.
    pub folder: Option<PathBuf>,
    /// URL of the database for servers that use PostgreSQL.
    pub postgres: Option<String>,
    /// A program that runs the server, such as valgrind, with its arguments.
    pub under: Vec<OsString>,
    /// Whether the default limits for clients apply.
    pub default_limits: bool,
}

/// Secret shared by the two servers of a relay.
const SECRET: &str = "known to both of them";

impl Launcher {
    /// Starts a server on a free port and waits until it is listening.
    pub async fn start(&self, subject: Subject) -> Result<StartedServer, MeasureError> {
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
        Ok(StartedServer { beside: Some(Box::new(running)), ..edge })
    }

    /// Checks that the binaries exist, before anything is measured.
    pub fn look_for(&self, subjects: &[Subject]) -> Result<(), MeasureError> {
        if subjects.iter().any(|subject| *subject != Subject::Floor) {
            self.rookery()?;
        }
        Ok(())
    }

    /// Stops or kills a server, and starts it again at its address with the same journal.
    pub async fn restart(&self, running: StartedServer, how: Ending) -> Result<StartedServer, MeasureError> {
        let StartedServer { subject, address, folder, mut child, .. } = running;
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
    ) -> Result<StartedServer, MeasureError> {
        let program = match subject {
            Subject::Floor => env::current_exe()?,
            _ => self.rookery()?,
        };
        let mut words = self.under.iter().cloned().chain([program.into_os_string()]);
        let mut command = Command::new(words.next().expect("the command names a program"));
        command.args(words);
        match subject {
            Subject::Floor => command.arg("floor"),
            _ => {
                command.args(["--listen", listen, "--admin", "off"]);
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
                if self.default_limits {
                    // Many rooms are opened within a few seconds.
                    command.args(["--rooms-per-hour", "0"])
                } else {
                    // All clients share one address.
                    command.args(UNLIMITED).args(["--max-rooms", "0", "--max-sockets", "0"])
                }
            }
        };
        command.env("ROOKERY_LOG", "warn").stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let no_start = |error: io::Error| MeasureError::NoStart(subject.to_string(), error);
        let spawned = match self.cores {
            Some(cores) => cores.start_server(|| command.spawn()).map_err(no_start)?,
            None => command.spawn(),
        };
        let mut child = spawned.map_err(no_start)?;
        let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        let greeting = lines.next_line().await?.unwrap_or_default();
        let address = greeting.rsplit("//").next().and_then(|address| address.trim().parse().ok());
        match address {
            Some(address) => Ok(StartedServer { subject, address, folder, child, beside: None }),
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

/// How to end a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// SIGKILL.
    Killed,
    /// SIGTERM: it closes all connections properly first.
    Asked,
}

/// A running server. When this is dropped, it is killed and its journal deleted.
#[derive(Debug)]
pub struct StartedServer {
    subject: Subject,
    address: SocketAddr,
    folder: Option<TempDir>,
    child: Child,
    /// The server that owns the rooms, if that is another one.
    beside: Option<Box<StartedServer>>,
}

impl StartedServer {
    /// Returns the address at which rooms are opened.
    pub fn opens(&self) -> SocketAddr {
        self.beside.as_ref().map_or(self.address, |beside| beside.address)
    }

    /// Returns the address that clients connect to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    /// Stops the server with SIGTERM and waits for its end.
    pub async fn stop(mut self) -> Result<(), MeasureError> {
        terminate(&mut self.child)?;
        self.child.wait().await?;
        Ok(())
    }

    /// Returns the processor time used so far, including that of the other server of a relay.
    pub fn processor_time(&self) -> Result<Duration, MeasureError> {
        let own = process::processor_time(&self.id().to_string()).ok_or(MeasureError::NoFigures(self.id()))?;
        let beside = self.beside.as_ref().map(|beside| beside.processor_time()).transpose()?;
        Ok(own + beside.unwrap_or_default())
    }

    /// Returns the resident memory in bytes.
    pub fn resident(&self) -> Result<u64, MeasureError> {
        process::resident(&self.id().to_string()).ok_or(MeasureError::NoFigures(self.id()))
    }

    /// Returns how much it has written so far.
    pub fn written(&self) -> Result<process::WrittenBytes, MeasureError> {
        process::written(&self.id().to_string()).ok_or(MeasureError::NoFigures(self.id()))
    }
}

/// Sends SIGTERM, after which a server closes its connections and exits.
#[cfg(unix)]
fn terminate(child: &mut Child) -> io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    let id = child.id().and_then(|id| Pid::from_raw(id as i32));
    Ok(id.map_or(Ok(()), |id| kill_process(id, Signal::TERM))?)
}

/// Without signals the process is killed.
#[cfg(not(unix))]
fn terminate(child: &mut Child) -> io::Result<()> {
    child.start_kill()
}
