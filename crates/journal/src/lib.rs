//! Durable storage for rooms: an append-only list of entries for each room, and a small ring of notes that are
//! overwritten.
//!
//! The journal knows nothing about games, rooms or the protocol: an entry is a JSON text that is returned unchanged,
//! and a room is a code. It has no clock either. Times are arguments and never wall-clock times: the age of a room is
//! measured in running time, which is how long servers have run on this journal. A machine with a wrong date, or one
//! that was switched off for a year, therefore does not age any room.

pub mod memory;
pub mod moving;
pub mod ownership;
pub mod postgres;
pub mod sqlite;

use ownership::{Alone, Ownership, Peer};
use std::pin::Pin;

/// The future returned by journal methods. It is boxed so that a journal can be used as `Arc<dyn Journal>`.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The end of a room's entries, as the writer last saw it. An append is a compare-and-set (optimistic concurrency): it
/// names the cursor it follows and is refused if the room has changed, so a stale writer notices the other one.
///
/// A cursor is opaque: it comes from the journal and is passed back to it. Where several servers write to one journal
/// it also contains the fencing token (the room's epoch), which rises whenever the room gets another owner, and the
/// number of the room's last append, which distinguishes two histories of the same length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    entries: u64,
    epoch: u64,
    /// Random number of the last append, or 0 if unknown.
    append: u64,
}

impl Cursor {
    /// The position before the first entry. An append here creates the room.
    pub const START: Cursor = Cursor::alone(0);

    /// Returns the number of entries before it.
    pub fn entries(self) -> u64 {
        self.entries
    }

    /// Returns the end of a room in a journal with a single writer, which needs no fencing token.
    pub(crate) const fn alone(entries: u64) -> Cursor {
        Cursor { entries, epoch: 0, append: 0 }
    }

    /// Returns whether a room that ends here has lost entries since it ended at `before`. This never happens within one
    /// history of a journal.
    pub fn is_behind(self, before: Cursor) -> bool {
        self.entries < before.entries
            || self.epoch < before.epoch
            || (self.entries == before.entries && self.append != before.append)
    }
}

/// Durable storage for rooms.
///
/// A room exists from its first entry on. Acknowledged data is on disk, if the implementation has one. Dropping a
/// future that was already polled does not cancel its request.
///
/// ```
/// use journal::{AppendError, Cursor, Journal, Lines, memory::Memory};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let journal = Memory::new();
/// let at = journal.append("K7QF3M", Cursor::START, vec!["opened".to_owned()], 0).await.unwrap();
/// journal.append("K7QF3M", at, vec!["sat".to_owned()], 0).await.unwrap();
///
/// // A writer with an outdated cursor is refused.
/// let late = journal.append("K7QF3M", at, vec!["left".to_owned()], 0).await;
/// assert!(matches!(late, Err(AppendError::Conflict { .. })));
///
/// let opened = journal.open("K7QF3M", 0).await.unwrap().expect("the room was written");
/// assert_eq!(opened.entries, ["opened", "sat"]);
///
/// // A note is not part of the history. It replaces the previous note in its slot.
/// journal.note("K7QF3M", opened.cursor, 0, "hello".to_owned(), 0).await.unwrap();
/// journal.note("K7QF3M", opened.cursor, 0, "bye".to_owned(), 0).await.unwrap();
/// assert_eq!(journal.open("K7QF3M", 0).await.unwrap().expect("the room was written").notes, ["bye"]);
///
/// // A checkpoint replaces all entries before it. An opened room starts at the last one.
/// let lines = Lines::with_checkpoint(vec!["left".to_owned(), "so it stands".to_owned()]);
/// journal.append_lines("K7QF3M", opened.cursor, lines, 0).await.unwrap();
/// let opened = journal.open("K7QF3M", 0).await.unwrap().expect("the room was written");
/// assert_eq!((opened.before, opened.entries), (3, vec!["so it stands".to_owned()]));
/// assert_eq!(journal.read("K7QF3M").await.unwrap().expect("the room was written").len(), 4);
/// # });
/// ```
pub trait Journal: Send + Sync + 'static {
    /// Appends all the lines atomically if the room still ends at `after`, and returns its new end.
    ///
    /// An append counts as opening the room. An append without entries only compares the cursor.
    fn append_lines<'a>(
        &'a self,
        room: &'a str,
        after: Cursor,
        lines: Lines,
        running_ms: u64,
    ) -> Pending<'a, Result<Cursor, AppendError>>;

    /// Calls [`Journal::append_lines`] with entries that contain no checkpoint.
    fn append<'a>(
        &'a self,
        room: &'a str,
        after: Cursor,
        entries: Vec<String>,
        running_ms: u64,
    ) -> Pending<'a, Result<Cursor, AppendError>> {
        self.append_lines(room, after, Lines::from(entries), running_ms)
    }

    /// Overwrites one slot of the room's ring buffer of notes if the room still ends at `at`. The room's end does not
    /// change. Notes are for data that is shown for a while and is not history: a room never has more than 256 of them.
    /// An acknowledged note is as durable as an entry.
    ///
    /// It counts as opening the room. The cursor fences off a writer that is no longer the newest.
    fn note<'a>(
        &'a self,
        room: &'a str,
        at: Cursor,
        slot: u8,
        note: String,
        running_ms: u64,
    ) -> Pending<'a, Result<(), AppendError>>;

    /// Returns what is needed to continue a room: its entries from the last checkpoint on, or all of them, its notes
    /// and its end. `None` if the room does not exist. Where there are several servers this claims the room if it has
    /// no owner or its owner is gone (its lease has expired), and fails with [`JournalError::Elsewhere`] otherwise.
    ///
    /// Records that the room was opened, so that no sweep deletes it. If that cannot be written, for example on a full
    /// disk, the room merely counts as not opened, because reading requires no write.
    fn open<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<Option<Opened>, JournalError>>;

    /// Returns all entries from the very first, for a reader that will not append. Records nothing.
    fn read<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Vec<String>>, JournalError>>;

    /// Returns whether the room exists, without reading it.
    fn exists<'a>(&'a self, room: &'a str) -> Pending<'a, Result<bool, JournalError>>;

    /// Records that the room was in use until now. Does nothing if it does not exist.
    fn touch<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<(), JournalError>>;

    /// Deletes the rooms last opened before the running time `before_ms`, except those in `keep`, and returns their
    /// codes.
    ///
    /// Works in small steps so that appends can run in between. After an error some rooms may already be deleted.
    fn forget_unopened<'a>(
        &'a self,
        before_ms: u64,
        keep: Vec<String>,
    ) -> Pending<'a, Result<Vec<String>, JournalError>>;

    /// Returns the last recorded running time, from which a server continues counting.
    fn running_ms(&self) -> u64;

    /// Records the running time, which never decreases. Time between the last record and a crash is not counted.
    fn ran(&self, running_ms: u64) -> Pending<'_, Result<(), JournalError>>;

    /// Verifies by a real write that the journal is writable, and reports other problems a host should know about:
    /// damage found since the start, or missing files.
    fn probe(&self) -> Pending<'_, Result<(), JournalError>>;

    /// Returns which server owns which room. A journal with a single writer has a single owner.
    fn ownership(&self) -> &dyn Ownership {
        &Alone
    }

    /// Waits until all earlier requests are on disk, and closes the journal. Later requests fail with
    /// [`JournalError::Closed`]. Closing twice is harmless.
    fn close(&self) -> Pending<'_, ()>;
}

/// Entries to be appended together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    entries: Vec<String>,
    checkpoint: bool,
}

impl Lines {
    /// Creates lines whose last entry is a checkpoint: it replaces everything before it when the room is opened. The
    /// journal does not verify this. Without entries there is no checkpoint.
    pub fn with_checkpoint(entries: Vec<String>) -> Lines {
        Lines { checkpoint: !entries.is_empty(), entries }
    }
}

impl From<Vec<String>> for Lines {
    /// Creates lines without a checkpoint.
    fn from(entries: Vec<String>) -> Lines {
        Lines { entries, checkpoint: false }
    }
}

/// What is needed to continue a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Where to append.
    pub cursor: Cursor,
    /// Number of entries before the first of these.
    pub before: u64,
    /// The entries from the last checkpoint on, or all of them if there is none.
    pub entries: Vec<String>,
    /// The notes in the order of their slots. Which is the newest must be determined from the notes themselves.
    pub notes: Vec<String>,
}

/// Why an append was not acknowledged. Nothing was written, except possibly for [`AppendError::Unknown`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The compare-and-set failed: another writer has changed the room's end. If the room lost entries
    /// ([`Cursor::is_behind`]), the database failed over to a standby that did not have them.
    #[error("the room has {} entries, but the append expects {}", actual.entries, after.entries)]
    Conflict {
        /// The cursor the append named.
        after: Cursor,
        /// The room's actual end.
        actual: Cursor,
    },
    /// The fencing token is outdated: another server has claimed the room, or it was released.
    #[error("another server owns the room now")]
    Fenced,
    /// It is unknown whether the entries were written, because the connection broke or the answer took too long. The
    /// append must be neither shown nor refused. The next open of the room reads the actual entries.
    #[error("the outcome of the append is unknown: {0}")]
    Unknown(JournalError),
    /// The storage failed, and nothing was written.
    #[error(transparent)]
    Failed(#[from] JournalError),
}

/// Why a request to the journal failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// The journal is closed.
    #[error("the journal is closed")]
    Closed,
    /// The writer thread has ended unexpectedly. Nothing can be written until the server is restarted.
    #[error("the journal's writer has ended unexpectedly; restart the server")]
    WriterGone,
    /// The entries of a room have a gap.
    #[error("the journal is damaged: room {room} has no entry {missing}")]
    Damaged {
        /// The room's code.
        room: String,
        /// The first missing entry, counted from 1.
        missing: u64,
    },
    /// The storage contains corrupt data. Other rooms in it may be intact.
    #[error("the journal is damaged: {0}; stop the server and restore a backup")]
    Corrupt(String),
    /// The end of the acknowledged data is missing.
    #[error(
        "the last writes are missing: rookery.db-wal was deleted, truncated or damaged while the server was down, or \
         an older copy of rookery.db was put in its place; restore a backup if it has more"
    )]
    Lost,
    /// A file of the journal was removed or replaced, so new data would be lost.
    #[error("the journal's file {file} was {how} while the server ran; put it back, or restart the server")]
    Gone {
        /// Its name without the folder, because anybody may read this in `/readyz`.
        file: String,
        /// What happened to it.
        how: &'static str,
    },
    /// Another server owns the room and is alive. `None` if nobody may own the room at the moment. Either its owner is
    /// gone but may still come back, because the journal itself was unreachable until just now, or this server has no
    /// lease or is stopping. Retry in a second.
    #[error("another server owns the room")]
    Elsewhere(Option<Peer>),
    /// The database is unreachable. Connecting is retried continuously.
    #[error("the database is unavailable: {0}")]
    Away(String),
    /// The storage failed: no space, no permission, a lock held by another program, or a broken disk.
    #[error("the journal's storage failed: {0}")]
    Storage(String),
}

impl JournalError {
    /// Returns whether previously written data cannot be read any more.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, JournalError::Damaged { .. } | JournalError::Corrupt(_) | JournalError::Lost)
    }
}
