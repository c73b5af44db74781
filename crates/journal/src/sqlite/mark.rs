//! The mark: a small file beside the database that names one entry of the last commit, so that a lost write-ahead log
//! is noticed at the next start. SQLite itself treats a write-ahead log that was deleted, truncated or corrupted as one
//! that ends earlier.
//!
//! The mark is written after the commit is on disk, and it is not synced there. A crash or power failure leaves a mark
//! that is older than the database but never newer, so there are no false reports. It cannot detect the loss of notes
//! (chat) alone, nor of commits after the last mark that reached the disk before a power failure.

use super::folder::private_file;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

const MARK: &str = "rookery.mark";
/// Every mark has this length, so that a shorter one leaves nothing of a longer one behind.
const BYTES: usize = 128;

/// A committed entry: the room has at least this many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Committed {
    pub(super) room: String,
    pub(super) entries: u64,
}

/// The open mark of a journal.
#[derive(Debug)]
pub(super) struct Mark {
    file: File,
    database: u64,
}

impl Mark {
    /// Opens the mark of a folder, and reads what it says about this database.
    ///
    /// A mark does not apply to another file that was moved into place, such as a backup. A backup copied over the old
    /// file keeps that file's inode, so the mark still applies, and a backup without the marked entry is reported as a
    /// loss.
    pub(super) fn open(folder: &Path, database: &Path) -> io::Result<(Mark, Option<Committed>)> {
        let path = folder.join(MARK);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let database = identity(&fs::metadata(database)?);
        let said = read(&text).filter(|(of, _)| *of == database).map(|(_, committed)| committed);
        Ok((Mark { file: private_file(&path)?, database }, said))
    }

    /// Records an entry of the last commit. Write errors are ignored, because an old mark is as correct as a new one.
    pub(super) fn set(&mut self, committed: &Committed) {
        let _ = self.write(&line(self.database, committed));
    }

    /// Clears the mark durably: before rooms are deleted, because it may name one of them, and after a loss was
    /// reported.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.write("")?;
        self.file.sync_data()
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(format!("{text:<BYTES$}").as_bytes())
    }
}

fn line(database: u64, Committed { room, entries }: &Committed) -> String {
    let said = format!("rookery 1 {database:016x} {entries} {room}");
    format!("{:016x} {said}\n", checksum(&said))
}

fn read(text: &str) -> Option<(u64, Committed)> {
    let (sum, said) = text.split_once('\n')?.0.split_once(' ')?;
    if u64::from_str_radix(sum, 16) != Ok(checksum(said)) {
        return None;
    }
    let mut words = said.strip_prefix("rookery 1 ")?.splitn(3, ' ');
    let database = u64::from_str_radix(words.next()?, 16).ok()?;
    let entries = words.next()?.parse().ok()?;
    Some((database, Committed { room: words.next()?.to_owned(), entries }))
}

/// Detects partial writes only, so any hash is sufficient that does not change between versions of this program.
fn checksum(said: &str) -> u64 {
    said.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Identifies the file itself, independent of its contents.
#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    checksum(&format!("{} {}", metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_round_trips_and_a_truncated_one_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("rookery.db");
        fs::write(&database, "x").unwrap();
        let (mut mark, said) = Mark::open(folder.path(), &database).unwrap();
        assert_eq!(said, None);
        let long = Committed { room: "K7QF3M".to_owned(), entries: 123_456 };
        let short = Committed { room: "K7QF3M".to_owned(), entries: 7 };
        for committed in [&long, &short] {
            mark.set(committed);
            assert_eq!(Mark::open(folder.path(), &database).unwrap().1.as_ref(), Some(committed));
        }
        let path = folder.path().join(MARK);
        let half = fs::read_to_string(&path).unwrap().replace(" 7 ", " 9 ");
        fs::write(&path, half).unwrap();
        assert_eq!(Mark::open(folder.path(), &database).unwrap().1, None);
        mark.set(&short);
        mark.clear().unwrap();
        assert_eq!(Mark::open(folder.path(), &database).unwrap().1, None);
    }

    #[cfg(unix)]
    #[test]
    fn a_mark_applies_only_to_its_own_file() {
        let folder = tempfile::tempdir().unwrap();
        let (database, backup) = (folder.path().join("rookery.db"), folder.path().join("backup"));
        fs::write(&database, "x").unwrap();
        fs::write(&backup, "y").unwrap();
        let (mut mark, _) = Mark::open(folder.path(), &database).unwrap();
        mark.set(&Committed { room: "a".to_owned(), entries: 1 });
        fs::rename(&backup, &database).unwrap();
        assert_eq!(Mark::open(folder.path(), &database).unwrap().1, None);
    }
}
