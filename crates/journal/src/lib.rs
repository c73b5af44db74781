//! Where rooms are written down: an ordered list of entries for each room, kept across restarts.
//!
//! It knows nothing of games, rooms or the wire: an entry is a string of JSON text that is given back unchanged, a
//! room is a code. It has no clock either; the time comes in as an argument, and it is never the wall clock's: how old
//! a room is, is counted in running time, which is how long servers have run over this journal. A machine that
//! starts with a wrong date, or is switched off for a year, makes no room older.

mod memory;
mod sqlite;

pub use memory::Memory;
pub use sqlite::{CopyError, OpenError, Options, Sqlite, copy};

use std::pin::Pin;

/// What a journal answers later. Boxed, so that a journal can be an `Arc<dyn Journal>`.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How many entries a room has. An append names the head it follows, and is refused if that is not the head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Head(pub u64);

/// A place where rooms are written down.
///
/// A room exists from its first entry on. What was acknowledged is on disk (as far as the implementation has one).
/// Dropping a future that was already polled does not take its request back.
pub trait Journal: Send + Sync + 'static {
    /// Appends all the entries or none of them, if the room has exactly `after` entries; answers the new head.
    ///
    /// `Head(0)` creates the room. An append counts as opening the room; one without entries only checks the head.
    fn append<'a>(
        &'a self,
        room: &'a str,
        after: Head,
        entries: Vec<String>,
        running_ms: u64,
    ) -> Pending<'a, Result<Head, AppendError>>;

    /// All entries of a room in order; `None` if there is no such room.
    fn load<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Vec<String>>, JournalError>>;

    /// Notes that somebody opened the room; does nothing if there is no such room.
    ///
    /// Called before [`load`](Journal::load), it keeps a sweep that is under way from deleting the room in between.
    fn opened<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<(), JournalError>>;

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

/// Why an append wrote nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// Another writer was here: the room has another number of entries than the append was to follow.
    #[error("the room's head is {}, the append was to follow {}", actual.0, after.0)]
    NotHead {
        /// The head the append named.
        after: Head,
        /// The head the room has.
        actual: Head,
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
