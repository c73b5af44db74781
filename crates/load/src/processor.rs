//! How much processor time a process has used, as Linux counts it.

use std::fs;
use std::time::Duration;

/// Linux shows times to programs in hundredths of a second, whatever it counts in itself.
const TICK: Duration = Duration::from_millis(10);

/// What a process with this number, or `self`, has used so far; none if there is no such process here.
pub fn used_by(process: &str) -> Option<Duration> {
    read(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

fn read(stat: &str) -> Option<Duration> {
    // The name comes second, in parentheses, and may hold spaces and parentheses itself.
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u32>().ok();
    let (user, system) = (ticks()?, ticks()?);
    Some(TICK * (user + system))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_system_time_are_added() {
        let stat = "42 (a (odd) name) S 1 42 42 0 -1 4194560 900 0 0 0 250 50 0 0 20 0 5 0 100 1000 90";
        assert_eq!(read(stat), Some(Duration::from_secs(3)));
        assert_eq!(read("42 (cut off) S 1"), None);
    }
}
