//! Where rooms are written down: an ordered list of entries for each room, kept across restarts.
//!
//! It knows nothing of games, rooms or the wire: an entry is a string of JSON text that is given back unchanged, a
//! room is a code. It has no clock either; the time comes in as an argument, and it is never the wall clock's: how old
//! a room is, is counted in running time, which is how long servers have run over this journal. A machine that
//! starts with a wrong date, or is switched off for a year, makes no room older.

pub mod memory;
pub mod sqlite;

use std::pin::Pin;

/// What a journal answers later. Boxed, so that a journal can be an `Arc<dyn Journal>`.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where a room's entries end, as whoever has it last saw them. An append is a compare-and-set (optimistic concurrency):
/// it names the cursor it follows and is refused if the room has moved on, so of two writers one learns of the other.
///
/// Opaque: a cursor comes from the journal and goes back to it, so that a journal may put more into it than a count,
/// such as a fencing token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    entries: u64,
}

impl Cursor {
    /// Before the first entry: to append here creates the room.
    pub const START: Cursor = Cursor { entries: 0 };

    /// How many entries lie before it.
    pub fn entries(self) -> u64 {
        self.entries
    }
}

/// A place where rooms are written down.
///
/// A room exists from its first entry on. What was acknowledged is on disk (as far as the implementation has one).
/// Dropping a future that was already polled does not take its request back.
///
/// ```
/// use journal::{AppendError, Cursor, Journal, memory::Memory};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let journal = Memory::new();
/// let at = journal.append("K7QF3M", Cursor::START, vec!["opened".to_owned()], 0).await.unwrap();
/// journal.append("K7QF3M", at, vec!["sat".to_owned()], 0).await.unwrap();
///
/// // Whoever still holds the old cursor is not the newest writer.
/// let late = journal.append("K7QF3M", at, vec!["left".to_owned()], 0).await;
/// assert!(matches!(late, Err(AppendError::Conflict { .. })));
///
/// let (at, entries) = journal.open("K7QF3M", 0).await.unwrap().expect("the room was written");
/// assert_eq!(entries, ["opened", "sat"]);
/// assert!(journal.append("K7QF3M", at, vec!["left".to_owned()], 0).await.is_ok());
/// # });
/// ```
pub trait Journal: Send + Sync + 'static {
    /// Appends all the entries or none of them, if the room still ends at `after`; answers where it ends then.
    ///
    /// An append counts as opening the room; one without entries only compares the cursor.
    fn append<'a>(
        &'a self,
        room: &'a str,
        after: Cursor,
        entries: Vec<String>,
        running_ms: u64,
    ) -> Pending<'a, Result<Cursor, AppendError>>;

    /// All entries of a room in order, and where to append; `None` if there is no such room.
    ///
    /// Notes that the room was opened, so that no sweep takes it from under its reader. If that cannot be written, on a
    /// full disk, the room merely counts as not opened: to look at it nothing need be written.
    fn open<'a>(
        &'a self,
        room: &'a str,
        running_ms: u64,
    ) -> Pending<'a, Result<Option<Opened>, JournalError>>;

    /// The entries alone, for whoever will not append; it notes nothing.
    fn read<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Vec<String>>, JournalError>>;

    /// Whether there is such a room, without reading it.
    fn exists<'a>(&'a self, room: &'a str) -> Pending<'a, Result<bool, JournalError>>;

    /// Notes that somebody was in the room until now; does nothing if there is no such room.
    fn touch<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<(), JournalError>>;

    /// Deletes the rooms last opened before the running time was `before_ms`, except those in `keep`; answers which ones.
    ///
    /// Works in small steps between which appends get their turn. After an error some rooms may be deleted already.
    fn forget_unopened<'a>(
        &'a self,
        before_ms: u64,
        keep: Vec<String>,
    ) -> Pending<'a, Result<Vec<String>, JournalError>>;

    /// The running time as it was last noted; a server counts on from here.
    fn running_ms(&self) -> u64;

    /// Notes the running time, which never goes back. What passes between the last note and a crash is not counted.
    fn ran(&self, running_ms: u64) -> Pending<'_, Result<(), JournalError>>;

    /// Proves by a real write that the journal can be written now, and tells of whatever else a host should know of:
    /// damage that was met since the start, files that are no longer there.
    fn probe(&self) -> Pending<'_, Result<(), JournalError>>;

    /// Waits until everything asked before is on disk, and ends the journal: whatever is asked later fails with
    /// [`JournalError::Closed`]. Closing twice does no harm.
    fn close(&self) -> Pending<'_, ()>;
}

/// A room's entries and where they end.
pub type Opened = (Cursor, Vec<String>);

/// Why an append wrote nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The compare-and-set failed: another writer was here, and the room does not end where the append was to follow.
    #[error("the room has {} entries, the append was to follow {}", actual.entries, after.entries)]
    Conflict {
        /// The cursor the append named.
        after: Cursor,
        /// Where the room ends.
        actual: Cursor,
    },
    /// The storage failed.
    #[error(transparent)]
    Failed(#[from] JournalError),
}

/// Why the journal could not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// It was closed before.
    #[error("the journal is closed")]
    Closed,
    /// The thread that writes has ended unexpectedly; nothing can be written until the server is restarted.
    #[error("the journal's writer has ended unexpectedly; restart the server")]
    WriterGone,
    /// The entries of a room have a gap.
    #[error("the journal is damaged: room {room} has no entry {missing}")]
    Damaged {
        /// The room's code.
        room: String,
        /// The first entry that is not there, counted from 1.
        missing: u64,
    },
    /// The storage holds what nobody has written there. Rooms elsewhere in it are well.
    #[error("the journal is damaged: {0}; stop the server and restore a backup")]
    Corrupt(String),
    /// What is written now would not be found again.
    #[error("the journal's file {file} was {how} while the server ran; put it back, or restart the server")]
    Gone {
        /// Its name, without the folder: strangers may read this in `/readyz`.
        file: String,
        /// What happened to it.
        how: &'static str,
    },
    /// The storage refused: no space, no permission, a lock held by another program, a broken disk.
    #[error("the journal's storage failed: {0}")]
    Storage(String),
}

impl JournalError {
    /// Whether what was written once cannot be read any more.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, JournalError::Damaged { .. } | JournalError::Corrupt(_))
    }
}
