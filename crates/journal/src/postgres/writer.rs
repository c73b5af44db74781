//! The writer: appends to many rooms share one statement and one commit.
//!
//! While a statement is in flight, further appends collect for the next one, so batches grow with the load.

use super::append::{Append, Columns, ENDS, NOTE, RoomEnd, accepted, count};
use super::link::{Link, RequestError, Session};
use super::membership::Registration;
use crate::ownership::SELF_FENCE;
use crate::{AppendError, Cursor, JournalError};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_postgres::types::ToSql;

/// Maximum number of appends in one statement, as in a transaction of the SQLite writer.
const BATCH: usize = 256;
/// Maximum number of statements in flight (pipelining), so that the next one is already there while one is answered.
const UNDER_WAY: usize = 2;
/// Maximum number of queued appends. Beyond that callers wait (backpressure).
const QUEUE: usize = 1024;
/// Timeout for an answer. After that the server would have to give the room up anyway.
pub(super) const PATIENCE: Duration = SELF_FENCE;

/// An append and the channel for its result.
struct AppendRequest {
    append: Append,
    reply: oneshot::Sender<Result<Cursor, AppendError>>,
}

enum Order {
    Append(AppendRequest),
    Close(oneshot::Sender<()>),
}

/// The callers' handle.
pub(super) struct BatchWriter {
    orders: mpsc::Sender<Order>,
    tools: Arc<Tools>,
}

/// What every batch needs.
pub(super) struct Tools {
    pub(super) link: Link,
    pub(super) membership: Arc<Registration>,
    /// One of the statements of `append`.
    pub(super) statement: &'static str,
}

impl BatchWriter {
    pub(super) fn start(tools: Tools) -> BatchWriter {
        let (orders, received) = mpsc::channel(QUEUE);
        let tools = Arc::new(tools);
        tokio::spawn(work(tools.clone(), received));
        BatchWriter { orders, tools }
    }

    /// Returns the connection for writing.
    #[cfg(all(test, unix))]
    pub(super) fn link(&self) -> &Link {
        &self.tools.link
    }

    /// Writes a note, in a separate statement because chat is less frequent than actions.
    pub(super) async fn note(
        &self,
        room: &str,
        at: Cursor,
        slot: u8,
        note: String,
        running_ms: u64,
    ) -> Result<(), AppendError> {
        self.tools.link.may_write().map_err(not_written)?;
        let session = self.tools.link.session().await.map_err(not_written)?;
        let node = self.tools.membership.node();
        let (epoch, head, opened) = (count(at.epoch), count(at.entries), count(running_ms));
        let follows = count(at.append);
        let parameters: [&(dyn ToSql + Sync); 8] =
            [&node, &room, &epoch, &head, &opened, &i16::from(slot), &note.as_bytes(), &follows];
        if !session.ask(NOTE, &parameters, PATIENCE).await.map_err(not_written)?.is_empty() {
            return Ok(());
        }
        let append = Append { room: room.to_owned(), after: at, lines: vec![note].into(), running_ms };
        let (reply, told) = oneshot::channel();
        self.tools.tell_why(&session, vec![AppendRequest { append, reply }]).await;
        told.await.unwrap_or(Err(JournalError::Closed.into())).map(|_| ())
    }

    pub(super) async fn append(&self, append: Append) -> Result<Cursor, AppendError> {
        let (reply, answer) = oneshot::channel();
        if self.orders.send(Order::Append(AppendRequest { append, reply })).await.is_err() {
            return Err(JournalError::Closed.into());
        }
        // The writer answers everything it takes, unless it is closed in between.
        answer.await.unwrap_or(Err(JournalError::Closed.into()))
    }

    /// Waits until all earlier requests are answered, and stops the writer.
    pub(super) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.orders.send(Order::Close(done)).await.is_ok() {
            let _ = closed.await;
        }
    }
}

async fn work(tools: Arc<Tools>, mut orders: mpsc::Receiver<Order>) {
    let under_way = Arc::new(Semaphore::new(UNDER_WAY));
    let mut waiting: VecDeque<AppendRequest> = VecDeque::new();
    let mut closer = None;
    while closer.is_none() || !waiting.is_empty() {
        if waiting.is_empty() {
            match orders.recv().await {
                Some(Order::Append(job)) => waiting.push_back(job),
                Some(Order::Close(done)) => closer = Some(done),
                None => break,
            }
            continue;
        }
        let place = under_way.clone().acquire_owned().await.expect("the semaphore is never closed");
        // Appends that arrived in the meantime join the batch.
        while closer.is_none() && waiting.len() < BATCH {
            match orders.try_recv() {
                Ok(Order::Append(job)) => waiting.push_back(job),
                Ok(Order::Close(done)) => closer = Some(done),
                Err(_) => break,
            }
        }
        let batch = next_batch(&mut waiting);
        let tools = tools.clone();
        tokio::spawn(async move {
            tools.write(batch).await;
            drop(place);
        });
    }
    orders.close();
    let _all = under_way.acquire_many(UNDER_WAY as u32).await;
    if let Some(done) = closer {
        let _ = done.send(());
    }
}

/// Takes jobs from the front, but only the first of each room, because a statement sees each room as it was before the
/// statement.
fn next_batch(waiting: &mut VecDeque<AppendRequest>) -> Vec<AppendRequest> {
    let mut rooms = HashSet::new();
    let (mut batch, mut later) = (Vec::new(), VecDeque::new());
    for job in waiting.drain(..) {
        if batch.len() < BATCH && rooms.insert(job.append.room.clone()) {
            batch.push(job);
        } else {
            later.push_back(job);
        }
    }
    *waiting = later;
    batch
}

impl Tools {
    /// Writes a batch and answers all of its jobs.
    async fn write(&self, batch: Vec<AppendRequest>) {
        let session = match (self.link.may_write(), self.link.session().await) {
            (Ok(()), Ok(session)) => session,
            (Err(failure), _) | (_, Err(failure)) => return fail(batch, failure),
        };
        let (batch, idle): (Vec<AppendRequest>, Vec<AppendRequest>) =
            batch.into_iter().partition(|job| !job.append.lines.entries.is_empty());
        let mut refused = idle;
        match self.append(&session, &batch).await {
            Ok(ends) => refused.extend(answer(batch, ends)),
            // One append caused the error, and the others must not fail because of it.
            Err(RequestError::Refused { .. }) if batch.len() > 1 => {
                for job in batch {
                    match self.append(&session, std::slice::from_ref(&job)).await {
                        Ok(ends) => refused.extend(answer(vec![job], ends)),
                        Err(failure) => fail(vec![job], failure),
                    }
                }
            }
            Err(failure) => fail(batch, failure),
        }
        self.tell_why(&session, refused).await;
    }

    /// Appends in one statement. Returns the new ends of the accepted rooms, by index in the batch.
    async fn append(&self, session: &Session, batch: &[AppendRequest]) -> Result<HashMap<usize, Cursor>, RequestError> {
        if batch.is_empty() {
            return Ok(HashMap::new());
        }
        let columns = Columns::of(batch.iter().map(|job| &job.append));
        let node = self.membership.node();
        let rows = session.ask(self.statement, &columns.parameters(&node), PATIENCE).await?;
        rows.iter().map(|row| accepted(row).map_err(RequestError::from)).collect()
    }

    /// Answers refused appends with the state of their rooms.
    async fn tell_why(&self, session: &Session, jobs: Vec<AppendRequest>) {
        if jobs.is_empty() {
            return;
        }
        let codes: Vec<&str> = jobs.iter().map(|job| &*job.append.room).collect();
        let node = self.membership.node();
        let ends = session.ask(ENDS, &[&codes, &node], PATIENCE).await.and_then(|rows| {
            rows.iter().map(|row| RoomEnd::of(row).map_err(RequestError::from)).collect::<Result<Vec<_>, _>>()
        });
        let ends = match ends {
            Ok(ends) => ends,
            // Nothing of these appends was written, whatever happens now.
            Err(failure) => return fail(jobs, RequestError::NotSent(failure.into())),
        };
        let ends: HashMap<&str, &RoomEnd> = ends.iter().map(|end| (&*end.code, end)).collect();
        for job in jobs {
            let told = job.append.compared(ends.get(&*job.append.room).copied());
            if told == Err(AppendError::Fenced) {
                self.membership.was_fenced();
            }
            // It is not an error if the caller has stopped waiting.
            let _ = job.reply.send(told);
        }
    }
}

/// Answers the accepted appends and returns the others.
fn answer(batch: Vec<AppendRequest>, ends: HashMap<usize, Cursor>) -> Vec<AppendRequest> {
    let mut refused = Vec::new();
    for (place, job) in batch.into_iter().enumerate() {
        match ends.get(&place) {
            Some(&end) => {
                let _ = job.reply.send(Ok(end));
            }
            None => refused.push(job),
        }
    }
    refused
}

fn not_written(failure: RequestError) -> AppendError {
    match failure {
        lost @ RequestError::Lost(_) => AppendError::Unknown(lost.into()),
        known => AppendError::Failed(known.into()),
    }
}

fn fail(batch: Vec<AppendRequest>, failure: RequestError) {
    let error = not_written(failure);
    for job in batch {
        let _ = job.reply.send(Err(error.clone()));
    }
}
