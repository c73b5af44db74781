//! Resource usage of a process, read from Linux's `/proc`. Unknown on other systems.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::time::Duration;

/// Linux reports times in hundredths of a second, whatever its internal resolution.
const TICK: Duration = Duration::from_millis(10);

/// Returns the processor time of all threads, including ended ones, in user and system mode. The process is a number or
/// `self`. Returns `None` if there is no such process.
pub fn processor_time(process: &str) -> Option<Duration> {
    read_stat(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// Returns the resident memory (RSS) in bytes.
pub fn resident(process: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    Some(read_field(&status, "VmRSS")? * 1024)
}

/// Samples a process's resident memory through a file that stays open, because during an attack no more files can be
/// opened.
#[derive(Debug)]
pub struct MemoryGauge(File);

impl MemoryGauge {
    /// Opens the file for a process, if the process exists.
    pub fn of(process: &str) -> Option<MemoryGauge> {
        File::open(format!("/proc/{process}/status")).ok().map(MemoryGauge)
    }

    /// Returns the current resident memory (RSS) in bytes, or `None` if the process has ended.
    pub fn resident(&mut self) -> Option<u64> {
        let mut status = String::new();
        self.0.seek(SeekFrom::Start(0)).ok()?;
        self.0.read_to_string(&mut status).ok()?;
        Some(read_field(&status, "VmRSS")? * 1024)
    }
}

/// How much a process has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenBytes {
    /// Bytes passed to `write` and similar calls (`wchar`): files, not sockets.
    pub handed: u64,
    /// Bytes written, or to be written, to disk (`write_bytes`); zero where files are in memory.
    pub disk: u64,
}

/// Returns how much a process has written so far.
pub fn written(process: &str) -> Option<WrittenBytes> {
    let io = fs::read_to_string(format!("/proc/{process}/io")).ok()?;
    Some(WrittenBytes { handed: read_field(&io, "wchar")?, disk: read_field(&io, "write_bytes")? })
}

fn read_stat(stat: &str) -> Option<Duration> {
    // The second field is the name in parentheses, which may contain spaces and parentheses itself.
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u32>().ok();
    let (user, system) = (ticks()?, ticks()?);
    Some(TICK * (user + system))
}

/// Returns the number in a line such as `VmRSS:   1234 kB`.
fn read_field(lines: &str, name: &str) -> Option<u64> {
    let values = lines.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    values.filter_map(|value| value.split_whitespace().next()?.parse().ok()).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_is_sampled_repeatedly() {
        let mut memory = MemoryGauge::of("self").unwrap();
        let before = memory.resident().unwrap();
        let taken = vec![1_u8; 64 << 20];
        let after = memory.resident().unwrap();
        assert!(before > 0 && after > before + (32 << 20), "{before} and {after} with {}", taken.len());
        assert_eq!(MemoryGauge::of("no process").map(|_| ()), None);
    }

    #[test]
    fn user_and_system_time_are_added() {
        let stat = "42 (a (odd) name) S 1 42 42 0 -1 4194560 900 0 0 0 250 50 0 0 20 0 5 0 100 1000 90";
        assert_eq!(read_stat(stat), Some(Duration::from_secs(3)));
        assert_eq!(read_stat("42 (cut off) S 1"), None);
    }

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let io = "rchar: 7\nwchar: 12\nwrite_bytes: 4096\ncancelled_write_bytes: 1\n";
        assert_eq!((read_field(io, "wchar"), read_field(io, "write_bytes")), (Some(12), Some(4096)));
        assert_eq!((read_field(io, "write"), read_field(io, "VmRSS")), (None, None));
        assert_eq!(read_field("VmHWM:\t 9 kB\nVmRSS:\t  2048 kB\n", "VmRSS"), Some(2048));
    }
}
