//! The limit on open files (RLIMIT_NOFILE). Each connection needs one in the load generator and one in the server.

use super::MeasureError;

/// Upper bound for open files other than connections.
const BESIDES: u64 = 100;

/// The usual default of the soft limit.
#[cfg(unix)]
const USUAL: u64 = 1024;

/// Raises the soft limit of this process, and of processes it starts later, as far as `connections` require.
#[cfg(unix)]
pub fn allow(connections: usize) -> Result<(), MeasureError> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let wanted = connections as u64 + BESIDES;
    let limit = getrlimit(Resource::Nofile);
    // `None` means unlimited.
    if limit.current.is_none_or(|allowed| allowed >= wanted) {
        return Ok(());
    }
    if let Some(allowed) = limit.maximum.filter(|allowed| *allowed < wanted) {
        return Err(MeasureError::TooFewFiles { wanted, allowed });
    }
    let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).map_err(|error| MeasureError::Io(error.into()))
}

/// Sets the soft limit to the usual default, so that a server started now has to raise its limit itself.
#[cfg(unix)]
pub fn as_usual() -> Result<(), MeasureError> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Nofile).maximum;
    let current = Some(maximum.map_or(USUAL, |most| most.min(USUAL)));
    setrlimit(Resource::Nofile, Rlimit { current, maximum }).map_err(|error| MeasureError::Io(error.into()))
}

/// There is no such limit on this system.
#[cfg(not(unix))]
pub fn as_usual() -> Result<(), MeasureError> {
    Ok(())
}

/// There is no such limit on this system.
#[cfg(not(unix))]
pub fn allow(_connections: usize) -> Result<(), MeasureError> {
    Ok(())
}
