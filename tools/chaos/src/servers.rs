//! The servers under test: one or several processes of the real binary, each on a fixed port. The plan decides which
//! faults they get.

use crate::ChaosError;
use crate::gate::free_port;
use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// How long a server may take to stop after SIGTERM. The contract says five seconds; a busy machine needs more.
const GOODBYE: Duration = Duration::from_secs(15);
/// How long a server may take to print its address.
const GREETING: Duration = Duration::from_secs(30);

/// Limits as set for a server among friends. Every participant here has their own address.
const FLAGS: &[&str] = &["--admin", "off", "--acts-per-second", "50", "--bot-delay-ms", "30"];

/// How to start the servers.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Path of the `rookery` binary.
    pub program: PathBuf,
    /// Additional flags of each server, such as the location of its journal.
    pub flags: Vec<Vec<String>>,
    /// Address of each server.
    pub listen: Vec<SocketAddr>,
    /// Folder for their logs.
    pub logs: PathBuf,
}

impl Launch {
    /// Returns the parameters for one server with a journal in this folder.
    pub fn one(program: PathBuf, folder: &Path) -> Launch {
        let data = folder.join("data").display().to_string();
        let flags = vec![vec!["--data".into(), data]];
        Launch { program, flags, listen: vec![free_port()], logs: folder.to_owned() }
    }
}

/// The server processes. They are killed when this is dropped.
pub struct ServerProcesses {
    launch: Launch,
    list: Vec<ServerProcess>,
}

struct ServerProcess {
    address: SocketAddr,
    /// `None` while a fault keeps it down.
    child: Option<Child>,
}

impl ServerProcesses {
    /// Starts all servers.
    pub async fn start(launch: Launch) -> Result<ServerProcesses, ChaosError> {
        if !launch.program.is_file() {
            return Err(ChaosError::NoServer(launch.program));
        }
        let mut list = Vec::new();
        for index in 0..launch.flags.len() {
            let child = spawn(&launch, index).await?;
            list.push(ServerProcess { address: launch.listen[index], child: Some(child) });
        }
        Ok(ServerProcesses { launch, list })
    }

    /// Returns the addresses of all servers, running or not.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.list.iter().map(|server| server.address).collect()
    }

    /// Kills a server with SIGKILL.
    pub async fn kill(&mut self, index: usize) -> Result<(), ChaosError> {
        if let Some(mut child) = self.list[index].child.take() {
            child.kill().await?;
        }
        Ok(())
    }

    /// Stops a server with SIGTERM and waits for its end.
    pub async fn terminate(&mut self, index: usize) -> Result<(), ChaosError> {
        let Some(mut child) = self.list[index].child.take() else { return Ok(()) };
        signal(&child, ProcessSignal::Term)?;
        match timeout(GOODBYE, child.wait()).await {
            Ok(ended) => ended?.success().then_some(()).ok_or(ChaosError::BadEnd),
            Err(_) => Err(ChaosError::NoEnd(GOODBYE)),
        }
    }

    /// Pauses a server with SIGSTOP. Its connections stay open.
    pub fn pause(&self, index: usize) -> Result<(), ChaosError> {
        self.list[index].child.as_ref().map_or(Ok(()), |child| signal(child, ProcessSignal::Stop))
    }

    /// Resumes a server with SIGCONT.
    pub fn resume(&self, index: usize) -> Result<(), ChaosError> {
        self.list[index].child.as_ref().map_or(Ok(()), |child| signal(child, ProcessSignal::Cont))
    }

    /// Starts a server on its old address if it is down.
    pub async fn start_again(&mut self, index: usize) -> Result<(), ChaosError> {
        if self.list[index].child.is_none() {
            self.list[index].child = Some(spawn(&self.launch, index).await?);
        }
        Ok(())
    }

    /// Describes a server that ended without being asked to.
    pub fn crashed(&mut self) -> Option<String> {
        self.list.iter_mut().enumerate().find_map(|(index, server)| {
            let status = server.child.as_mut()?.try_wait().ok().flatten()?;
            server.child = None;
            Some(format!("server {index} ended unexpectedly with {status}"))
        })
    }

    /// Returns the highest resident memory of any server in bytes, or `None` where that is unknown.
    pub fn resident(&self) -> Option<u64> {
        let ids = self.list.iter().filter_map(|server| server.child.as_ref()?.id());
        ids.filter_map(resident).max()
    }

    /// Returns the first line about a panic in the logs.
    pub fn panics(&self) -> Option<String> {
        (0..self.list.len()).find_map(|index| {
            let said = fs::read_to_string(log(&self.launch, index)).ok()?;
            said.lines().find(|line| line.contains("panicked at")).map(str::to_owned)
        })
    }
}

fn log(launch: &Launch, index: usize) -> PathBuf {
    launch.logs.join(format!("server-{index}.log"))
}

async fn spawn(launch: &Launch, index: usize) -> Result<Child, ChaosError> {
    let log = File::options().create(true).append(true).open(log(launch, index))?;
    let mut child = Command::new(&launch.program)
        .args(["--listen", &launch.listen[index].to_string()])
        .args(FLAGS)
        .args(&launch.flags[index])
        .env("ROOKERY_LOG", "warn")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .kill_on_drop(true)
        .spawn()?;
    let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
    let greeting = timeout(GREETING, lines.next_line()).await.ok().and_then(Result::ok).flatten();
    if greeting.is_some_and(|line| line.contains("http://")) { Ok(child) } else { Err(ChaosError::NoGreeting(index)) }
}

/// Returns the resident memory of a process from Linux's `/proc`.
fn resident(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(kilobytes.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

enum ProcessSignal {
    Term,
    Stop,
    Cont,
}

#[cfg(unix)]
fn signal(child: &Child, signal: ProcessSignal) -> Result<(), ChaosError> {
    use rustix::process::{Pid, Signal as Unix, kill_process};
    let signal = match signal {
        ProcessSignal::Term => Unix::TERM,
        ProcessSignal::Stop => Unix::STOP,
        ProcessSignal::Cont => Unix::CONT,
    };
    let id = child.id().and_then(|id| Pid::from_raw(id as i32));
    id.map_or(Ok(()), |id| kill_process(id, signal)).map_err(|error| ChaosError::Io(error.into()))
}

/// There are no signals on this system.
#[cfg(not(unix))]
fn signal(_: &Child, _: ProcessSignal) -> Result<(), ChaosError> {
    Err(ChaosError::NoSignals)
}
