//! Processor affinity: the server on one core and the driver on another, so that neither is measured waiting for the
//! other.

use std::io;

/// Which core is whose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cores {
    /// The driver's.
    pub driver: usize,
    /// That of each server in turn.
    pub server: usize,
}

impl Cores {
    /// The first core for the driver and the last for the server, of those this process may use; none where there is
    /// only one, or where cores cannot be chosen.
    pub fn choose() -> Option<Cores> {
        let allowed = allowed();
        let (driver, server) = (*allowed.first()?, *allowed.last()?);
        (driver != server).then_some(Cores { driver, server })
    }

    /// Keeps the thread that calls this, and all it starts later, to the driver's core.
    pub fn keep_driver(self) -> io::Result<()> {
        keep_to(self.driver)
    }

    /// Starts something on the server's core: a process inherits the affinity of the thread that starts it.
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
