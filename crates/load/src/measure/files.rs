//! The limit on open files (RLIMIT_NOFILE): a connection is one for the driver and one for the server.

use super::MeasureError;

/// What a process has open besides connections, with room to spare.
const BESIDES: u64 = 100;

/// The soft limit most systems give a process.
#[cfg(unix)]
const USUAL: u64 = 1024;

/// Raises the soft limit of this process, and so of those it starts from now on, as far as so many connections need.
#[cfg(unix)]
pub fn allow(connections: usize) -> Result<(), MeasureError> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let wanted = connections as u64 + BESIDES;
    let limit = getrlimit(Resource::Nofile);
    // No limit is as many as one likes.
    if limit.current.is_none_or(|allowed| allowed >= wanted) {
        return Ok(());
    }
    if let Some(allowed) = limit.maximum.filter(|allowed| *allowed < wanted) {
        return Err(MeasureError::TooFewFiles { wanted, allowed });
    }
    let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).map_err(|error| MeasureError::Io(error.into()))
}

/// Sets the soft limit to what systems give: a server that is started now must see to its limit itself.
#[cfg(unix)]
pub fn as_usual() -> Result<(), MeasureError> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Nofile).maximum;
    let current = Some(maximum.map_or(USUAL, |most| most.min(USUAL)));
    setrlimit(Resource::Nofile, Rlimit { current, maximum }).map_err(|error| MeasureError::Io(error.into()))
}

/// Elsewhere there is none to set.
#[cfg(not(unix))]
pub fn as_usual() -> Result<(), MeasureError> {
    Ok(())
}

/// Elsewhere there is no such limit to raise.
#[cfg(not(unix))]
pub fn allow(_connections: usize) -> Result<(), MeasureError> {
    Ok(())
}
