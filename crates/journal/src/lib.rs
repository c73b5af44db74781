//! Where rooms are written down: an ordered list of entries for each room, kept across restarts, and beside it a few notes
//! that are written over and over.
//!
//! It knows nothing of games, rooms or the wire: an entry is a string of JSON text that is given back unchanged, a
//! room is a code. It has no clock either; the time comes in as an argument, and it is never the wall clock's: how old
//! a room is, is counted in running time, which is how long servers have run over this journal. A machine that
//! starts with a wrong date, or is switched off for a year, makes no room older.

pub mod memory;
pub mod moving;
pub mod ownership;
pub mod postgres;
pub mod sqlite;

use ownership::{Alone, Ownership};
use std::pin::Pin;

/// What a journal answers later. Boxed, so that a journal can be an `Arc<dyn Journal>`.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where a room's entries end, as whoever has it last saw them. An append is a compare-and-set (optimistic concurrency):
/// it names the cursor it follows and is refused if the room has moved on, so of two writers one learns of the other.
///
/// Opaque: a cursor comes from the journal and goes back to it. Where several servers write to one journal it also holds the
/// fencing token (the room's epoch), which rises whenever the room gets another owner, and the number of the room's last append,
/// which tells two histories of the same length apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    entries: u64,
    epoch: u64,
    /// Random; 0 if it is not known.
    append: u64,
}

impl Cursor {
    /// Before the first entry: to append here creates the room.
    pub const START: Cursor = Cursor::alone(0);

    /// How many entries lie before it.
    pub fn entries(self) -> u64 {
        self.entries
    }

    /// Where a room ends in a journal that has one writer, and so needs no fencing token.
    pub(crate) const fn alone(entries: u64) -> Cursor {
        Cursor { entries, epoch: 0, append: 0 }
    }

    /// Whether a room that ends here has lost entries since it ended at `before`. In one history of a journal that never happens.
    pub fn is_behind(self, before: Cursor) -> bool {
        self.entries < before.entries
            || self.epoch < before.epoch
            || (self.entries == before.entries && self.append != before.append)
    }
}

/// A place where rooms are written down.
///
/// A room exists from its first entry on. What was acknowledged is on disk (as far as the implementation has one).
/// Dropping a future that was already polled does not take its request back.
///
/// ```
/// use journal::{AppendError, Cursor, Journal, Lines, memory::Memory};
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
/// let opened = journal.open("K7QF3M", 0).await.unwrap().expect("the room was written");
/// assert_eq!(opened.entries, ["opened", "sat"]);
///
/// // What is shown for a while and is no history goes into a slot of a ring, over what was there.
/// journal.note("K7QF3M", opened.cursor, 0, "hello".to_owned(), 0).await.unwrap();
/// journal.note("K7QF3M", opened.cursor, 0, "bye".to_owned(), 0).await.unwrap();
/// assert_eq!(journal.open("K7QF3M", 0).await.unwrap().expect("it was written").notes, ["bye"]);
///
/// // A checkpoint stands for all that was before it, and opening a room begins with the last one.
/// let lines = Lines::with_checkpoint(vec!["left".to_owned(), "so it stands".to_owned()]);
/// journal.append_lines("K7QF3M", opened.cursor, lines, 0).await.unwrap();
/// let opened = journal.open("K7QF3M", 0).await.unwrap().expect("the room was written");
/// assert_eq!((opened.before, opened.entries), (3, vec!["so it stands".to_owned()]));
/// assert_eq!(journal.read("K7QF3M").await.unwrap().expect("it was written").len(), 4);
/// # });
/// ```
pub trait Journal: Send + Sync + 'static {
    /// Appends all the lines or none of them, if the room still ends at `after`; answers where it ends then.
    ///
    /// An append counts as opening the room; one without entries only compares the cursor.
    fn append_lines<'a>(
        &'a self,
        room: &'a str,
        after: Cursor,
        lines: Lines,
        running_ms: u64,
    ) -> Pending<'a, Result<Cursor, AppendError>>;

    /// [`Journal::append_lines`] of entries among which there is no checkpoint.
    fn append<'a>(
        &'a self,
        room: &'a str,
        after: Cursor,
        entries: Vec<String>,
        running_ms: u64,
    ) -> Pending<'a, Result<Cursor, AppendError>> {
        self.append_lines(room, after, Lines::from(entries), running_ms)
    }

    /// Writes a note into one slot of the room's ring buffer, over what was there, if the room still ends at `at`; the
    /// room ends there afterwards, too. For what is shown for a while and is no history: however much is noted, a room has
    /// no more than 256 of them. As durable as an entry once it is acknowledged.
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

    /// What is needed to go on with a room: its entries in order from the last checkpoint on, or all of them, its notes,
    /// and where to append; `None` if there is no such room. Where there are several servers it claims the room, and fails
    /// with [`JournalError::Elsewhere`] if another one has it.
    ///
    /// Notes that the room was opened, so that no sweep takes it from under its reader. If that cannot be written, on a
    /// full disk, the room merely counts as not opened: to look at it nothing need be written.
    fn open<'a>(
        &'a self,
        room: &'a str,
        running_ms: u64,
    ) -> Pending<'a, Result<Option<Opened>, JournalError>>;

    /// All entries from the very first, for whoever will not append; it notes nothing.
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

    /// Which server has which room. A journal in which nobody else writes has one owner.
    fn ownership(&self) -> &dyn Ownership {
        &Alone
    }

    /// Waits until everything asked before is on disk, and ends the journal: whatever is asked later fails with
    /// [`JournalError::Closed`]. Closing twice does no harm.
    fn close(&self) -> Pending<'_, ()>;
}

/// Entries to be appended together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    entries: Vec<String>,
    checkpoint: bool,
}

impl Lines {
    /// Entries of which the last is a checkpoint: it stands for everything before it, so that whoever opens the room
    /// need not read that. The journal takes the writer's word for it. Without entries there is no checkpoint either.
    pub fn with_checkpoint(entries: Vec<String>) -> Lines {
        Lines { checkpoint: !entries.is_empty(), entries }
    }
}

impl From<Vec<String>> for Lines {
    /// Entries among which there is no checkpoint.
    fn from(entries: Vec<String>) -> Lines {
        Lines { entries, checkpoint: false }
    }
}

/// What is needed to go on with a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Where to append.
    pub cursor: Cursor,
    /// How many entries lie before the first of these.
    pub before: u64,
    /// The entries from the last checkpoint on; all of them if there is none.
    pub entries: Vec<String>,
    /// What lies in the slots of its ring, in their order; which of them is the newest, the notes themselves must say.
    pub notes: Vec<String>,
}

/// Why an append is not acknowledged. Except for [`AppendError::Unknown`] it wrote nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The compare-and-set failed: another writer was here, and the room does not end where the append was to follow. If it lost
    /// entries ([`Cursor::is_behind`]), the database failed over to a standby that did not have them.
    #[error("the room has {} entries, the append was to follow {}", actual.entries, after.entries)]
    Conflict {
        /// The cursor the append named.
        after: Cursor,
        /// Where the room ends.
        actual: Cursor,
    },
    /// The fencing token is not the newest: another server has claimed the room, or it was given up.
    #[error("another server has the room by now")]
    Fenced,
    /// Nobody knows whether it was written: the connection broke, or the answer took too long. It must be neither shown nor
    /// refused; whoever opens the room next reads what is there.
    #[error("it is not known whether the append was written: {0}")]
    Unknown(JournalError),
    /// The storage failed, and nothing was written.
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
    /// The end of what was acknowledged is not there any more.
    #[error(
        "what was written last is missing: rookery.db-wal was deleted, cut short or damaged while the server was down, or \
         an older copy of rookery.db was put in its place; restore a backup if it has more"
    )]
    Lost,
    /// What is written now would not be found again.
    #[error("the journal's file {file} was {how} while the server ran; put it back, or restart the server")]
    Gone {
        /// Its name, without the folder: strangers may read this in `/readyz`.
        file: String,
        /// What happened to it.
        how: &'static str,
    },
    /// Another server has the room, or nobody may have it just now.
    #[error("another server has the room")]
    Elsewhere,
    /// The database cannot be reached now; it is tried again all the time.
    #[error("the database is away: {0}")]
    Away(String),
    /// The storage refused: no space, no permission, a lock held by another program, a broken disk.
    #[error("the journal's storage failed: {0}")]
    Storage(String),
}

impl JournalError {
    /// Whether what was written once cannot be read any more.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, JournalError::Damaged { .. } | JournalError::Corrupt(_) | JournalError::Lost)
    }
}
