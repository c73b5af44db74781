//! The limit on open files (RLIMIT_NOFILE): a connection is one. Many systems start programs with a soft limit of 1,024 and let
//! them raise it.

/// What is open besides connections: the journal, the listeners, the runtime; and connections that are about to end.
const RESERVE: usize = 128;

/// Raises the soft limit as far as the system lets us. Answers how many files may be open; none if there is no limit.
#[cfg(unix)]
pub fn raise() -> Option<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    // Some systems allow less than they say: then it stays as it was.
    let allowed = if setrlimit(Resource::Nofile, raised).is_ok() { limit.maximum } else { limit.current };
    allowed.map(|allowed| usize::try_from(allowed).unwrap_or(usize::MAX))
}

/// Elsewhere there is no such limit.
#[cfg(not(unix))]
pub fn raise() -> Option<usize> {
    None
}

/// How many WebSockets and how many other connections there can be if so many are wanted and so many files may be open. A
/// reserve stays for the journal: a server without it would accept and not write.
///
/// Of several servers each may pass all its people on, which takes a second connection for each, and have as many of others
/// passed on to it.
pub fn fit(sockets: usize, plain: usize, files: Option<usize>, several: bool) -> (usize, usize) {
    let Some(files) = files else { return (sockets, plain) };
    let free = files.saturating_sub(RESERVE).max(8);
    // Those over the limit who may have a seat to show are counted with the plain ones.
    let plain = plain.min(free / 8);
    let each = if several { 3 } else { 1 };
    (sockets.min((free - 2 * plain) / each), plain)
}

/// What a host should know if there cannot be as many as they asked for.
pub fn too_few(wanted: usize, files: Option<usize>, several: bool) -> Option<String> {
    let (allowed, _) = fit(wanted, super::PLAIN, files, several);
    let files = files.filter(|_| wanted != 0 && allowed < wanted)?;
    Some(format!(
        "the system lets this program open {files} files, so {allowed} people can be connected and not {wanted}; \
         raise it (`ulimit -n`, systemd: LimitNOFILE=) or lower --max-sockets"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_a_reserve() {
        for files in [0, 100, 128, 200, 1024, 4096, 20_000, 1 << 20] {
            for (several, each) in [(false, 1), (true, 3)] {
                let (sockets, plain) = fit(10_000, 1500, Some(files), several);
                assert!(sockets > 0 && plain > 0, "{files}: somebody gets in");
                let taken = each * sockets + 2 * plain + RESERVE;
                assert!(files < 256 || taken <= files, "{files}: {sockets} and {plain}");
            }
        }
        assert_eq!(fit(10_000, 1500, Some(1 << 20), true), (10_000, 1500));
        assert_eq!(fit(usize::MAX, 1500, None, false), (usize::MAX, 1500));
    }

    #[test]
    fn a_host_is_told_when_the_system_allows_less() {
        assert_eq!(too_few(10_000, Some(1 << 20), false), None);
        assert_eq!(too_few(10_000, None, false), None);
        assert_eq!(too_few(0, Some(1024), false), None, "as many as there can be");
        let told = too_few(10_000, Some(1024), false).unwrap();
        assert!(told.contains("1024 files") && told.contains("672 people"), "{told}");
    }
}
