//! Processor affinity: the server runs on one core and the load generator on another, so that they do not compete for
//! processor time.

use std::io;

/// The assignment of cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cores {
    /// Core of the load generator.
    pub driver: usize,
    /// Core of the servers, which run one at a time.
    pub server: usize,
}

impl Cores {
    /// Returns the first available core for the load generator and the last for the server. Returns `None` if there is
    /// only one, or where affinity is not supported.
    pub fn choose() -> Option<Cores> {
        let allowed = allowed();
        let (driver, server) = (*allowed.first()?, *allowed.last()?);
        (driver != server).then_some(Cores { driver, server })
    }

    /// Pins the calling thread, and all that it starts later, to the load generator's core.
    pub fn keep_driver(self) -> io::Result<()> {
        keep_to(self.driver)
    }

    /// Runs `start` on the server's core: a process inherits the affinity of the thread that starts it.
    pub fn start_server<T>(self, start: impl FnOnce() -> T) -> io::Result<T> {
        keep_to(self.server)?;
        let started = start();
        keep_to(self.driver)?;
        Ok(started)
    }
}

#[cfg(target_os = "linux")]
fn allowed() -> Vec<usize> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let set = sched_getaffinity(None).unwrap_or_default();
    (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect()
}

#[cfg(target_os = "linux")]
fn keep_to(core: usize) -> io::Result<()> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut set = CpuSet::new();
    set.set(core);
    Ok(sched_setaffinity(None, &set)?)
}

#[cfg(not(target_os = "linux"))]
fn allowed() -> Vec<usize> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
fn keep_to(_core: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
