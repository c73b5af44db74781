//! Requests to the writer, and how each is performed within a transaction.

use super::log::{Appending, Log, NotAppended, Swept};
use super::schema::millis;
use crate::{AppendError, Cursor, JournalError, Lines};
use rusqlite::Connection;
use tokio::sync::oneshot;

/// A request to the writer.
pub(super) enum Job {
    Append {
        room: String,
        after: Cursor,
        lines: Lines,
        running_ms: u64,
        reply: Reply<Cursor, AppendError>,
    },
    Note {
        room: String,
        at: Cursor,
        slot: u8,
        note: String,
        running_ms: u64,
        reply: Reply<(), AppendError>,
    },
    Touch {
        room: String,
        running_ms: u64,
        reply: Reply<()>,
    },
    Sweep {
        rooms: Vec<String>,
        before_ms: u64,
        reply: Reply<Swept>,
    },
    Ran {
        running_ms: u64,
        reply: Reply<()>,
    },
    Probe {
        reply: Reply<()>,
    },
    Close {
        reply: Reply<()>,
    },
    #[cfg(test)]
    Panic {
        reply: Reply<()>,
    },
}

/// The reply channel, and the answer that waits for the commit.
pub(super) struct Reply<T, E = JournalError> {
    sender: oneshot::Sender<Result<T, E>>,
    answer: Option<Result<T, E>>,
}

impl<T, E: From<JournalError>> Reply<T, E> {
    pub(super) fn new(sender: oneshot::Sender<Result<T, E>>) -> Reply<T, E> {
        Reply { sender, answer: None }
    }

    pub(super) fn answer(&mut self, answer: Result<T, E>) {
        self.answer = Some(answer);
    }

    /// A failed commit overrides even a refusal, which may be based on entries that were rolled back.
    fn settle(self, outcome: Result<(), JournalError>) {
        let answer = match outcome {
            Ok(()) => self.answer.unwrap_or_else(|| Err(JournalError::WriterGone.into())),
            Err(error) => Err(error.into()),
        };
        // It is not an error if the caller has stopped waiting.
        let _ = self.sender.send(answer);
    }
}

impl Job {
    /// Performs the job in the current transaction. The answer waits for the commit.
    pub(super) fn perform(
        &mut self,
        connection: &Connection,
        log: &mut Log,
        appending: &mut Appending<'_>,
    ) -> Result<(), JournalError> {
        match self {
            Job::Append { room, after, lines, running_ms, reply } => {
                reply.answer = Some(match log.append(connection, appending, room, *after, lines, *running_ms) {
                    Ok(end) => Ok(end),
                    Err(NotAppended::Conflict { actual }) => Err(AppendError::Conflict { after: *after, actual }),
                    Err(NotAppended::Broken(error)) => return Err(error),
                });
            }
            Job::Note { room, at, slot, note, running_ms, reply } => {
                reply.answer = Some(match log.note(connection, room, *at, *slot, note, *running_ms) {
                    Ok(()) => Ok(()),
                    Err(NotAppended::Conflict { actual }) => Err(AppendError::Conflict { after: *at, actual }),
                    Err(NotAppended::Broken(error)) => return Err(error),
                });
            }
            Job::Touch { room, running_ms, reply } => {
                log.touch(connection, room, *running_ms)?;
                reply.answer = Some(Ok(()));
            }
            Job::Sweep { rooms, before_ms, reply } => {
                reply.answer = Some(Ok(log.sweep(connection, rooms, *before_ms)?));
            }
            Job::Ran { running_ms, reply } => {
                connection.prepare_cached("UPDATE running SET ms = max(ms, ?1)")?.execute([millis(*running_ms)])?;
                log.note_opened(connection)?;
                reply.answer = Some(Ok(()));
            }
            Job::Probe { reply } => {
                connection.prepare_cached("UPDATE probe SET writes = writes + 1")?.execute([])?;
                reply.answer = Some(Ok(()));
            }
            // Closing is not part of a transaction.
            Job::Close { .. } => {}
            #[cfg(test)]
            Job::Panic { .. } => panic!("a test asked the writer to panic"),
        }
        Ok(())
    }

    /// Fails this job only.
    pub(super) fn fail(&mut self, error: JournalError) {
        match self {
            Job::Append { reply, .. } => reply.answer = Some(Err(error.into())),
            Job::Note { reply, .. } => reply.answer = Some(Err(error.into())),
            Job::Sweep { reply, .. } => reply.answer = Some(Err(error)),
            Job::Touch { reply, .. } | Job::Ran { reply, .. } | Job::Probe { reply } | Job::Close { reply } => {
                reply.answer = Some(Err(error));
            }
            #[cfg(test)]
            Job::Panic { reply } => reply.answer = Some(Err(error)),
        }
    }

    /// Sends the answer.
    pub(super) fn settle(self, outcome: Result<(), JournalError>) {
        match self {
            Job::Append { reply, .. } => reply.settle(outcome),
            Job::Note { reply, .. } => reply.settle(outcome),
            Job::Sweep { reply, .. } => reply.settle(outcome),
            Job::Touch { reply, .. } | Job::Ran { reply, .. } | Job::Probe { reply } => reply.settle(outcome),
            Job::Close { reply } => drop(reply.sender.send(outcome)),
            #[cfg(test)]
            Job::Panic { reply } => reply.settle(outcome),
        }
    }
}
