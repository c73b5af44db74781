//! The limit of open files (RLIMIT_NOFILE). Each connection is one. Many systems start programs with a soft limit of
//! 1,024 and let them raise it.

/// Files besides the counted connections: the journal, the listeners, the runtime, and connections that are about to
/// end.
const RESERVE: usize = 128;

/// Raises the soft limit as far as the system allows. Returns the number of files that may be open, or `None` if there
/// is no limit.
#[cfg(unix)]
pub fn raise() -> Option<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    // Some systems allow less than they report. Then the limit stays as it was.
    let allowed = if setrlimit(Resource::Nofile, raised).is_ok() { limit.maximum } else { limit.current };
    allowed.map(|allowed| usize::try_from(allowed).unwrap_or(usize::MAX))
}

/// Returns `None`: other systems have no such limit.
#[cfg(not(unix))]
pub fn raise() -> Option<usize> {
    None
}

/// Returns how many WebSockets and how many other connections fit into the number of open files. A reserve is kept for
/// the journal: without it, the server would accept connections but could not write.
///
/// With several servers, each may relay all of its clients, which takes a second connection for each, and receive as
/// many relayed clients from the others.
pub fn fit(sockets: usize, plain: usize, files: Option<usize>, several: bool) -> (usize, usize) {
    let Some(files) = files else { return (sockets, plain) };
    let free = files.saturating_sub(RESERVE).max(8);
    // Connections beyond the limit that may present a seat token count as plain ones.
    let plain = plain.min(free / 8);
    let each = if several { 3 } else { 1 };
    (sockets.min((free - 2 * plain) / each), plain)
}

/// Returns a warning for the host if fewer connections are possible than configured.
pub fn too_few(wanted: usize, files: Option<usize>, several: bool) -> Option<String> {
    let (allowed, _) = fit(wanted, super::table::PLAIN_CONNECTIONS, files, several);
    let files = files.filter(|_| wanted != 0 && allowed < wanted)?;
    Some(format!(
        "the system allows {files} open files, so at most {allowed} clients can connect instead of {wanted}; \
         raise the limit (`ulimit -n`, systemd: LimitNOFILE=) or lower --max-sockets"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn always_reserves_some_files() {
        for files in [0, 100, 128, 200, 1024, 4096, 20_000, 1 << 20] {
            for (several, each) in [(false, 1), (true, 3)] {
                let (sockets, plain) = fit(10_000, 1500, Some(files), several);
                assert!(sockets > 0 && plain > 0, "{files}: some clients can connect");
                let taken = each * sockets + 2 * plain + RESERVE;
                assert!(
                    files < 256 || taken <= files,
                    "{files} files: {sockets} sockets and {plain} plain connections"
                );
            }
        }
        assert_eq!(fit(10_000, 1500, Some(1 << 20), true), (10_000, 1500));
        assert_eq!(fit(usize::MAX, 1500, None, false), (usize::MAX, 1500));
    }

    #[test]
    fn warns_when_the_system_allows_too_few_files() {
        assert_eq!(too_few(10_000, Some(1 << 20), false), None);
        assert_eq!(too_few(10_000, None, false), None);
        assert_eq!(too_few(0, Some(1024), false), None, "0 means no limit");
        let told = too_few(10_000, Some(1024), false).unwrap();
        assert!(told.contains("1024 open files") && told.contains("672 clients"), "{told}");
    }
}
