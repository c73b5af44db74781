//! The writer: appends of many rooms share one statement and one commit.
//!
//! While one statement is under way others gather for the next, so the more there is to write the larger the batches are.

use super::append::{Append, Columns, ENDS, End, NOTE, accepted, count};
use super::link::{Failure, Link, Session};
use super::membership::Membership;
use crate::ownership::SELF_FENCE;
use crate::{AppendError, Cursor, JournalError};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_postgres::types::ToSql;

/// The most appends in one statement, as in a transaction of the SQLite writer.
const BATCH: usize = 256;
/// How many statements may be under way at once (pipelining): while one is answered the next is already there.
const UNDER_WAY: usize = 2;
/// How many appends may wait; beyond that callers wait to hand theirs over (backpressure).
const QUEUE: usize = 1024;
/// How long an answer may take. After that the server would have to give the room up anyway.
pub(super) const PATIENCE: Duration = SELF_FENCE;

/// An append, and the way back to whoever asked.
struct Job {
    append: Append,
    reply: oneshot::Sender<Result<Cursor, AppendError>>,
}

enum Order {
    Append(Job),
    Close(oneshot::Sender<()>),
}

/// The callers' end.
pub(super) struct Writer {
    orders: mpsc::Sender<Order>,
    tools: Arc<Tools>,
}

/// What every batch needs.
pub(super) struct Tools {
    pub(super) link: Link,
    pub(super) membership: Arc<Membership>,
    /// One of the statements of `append`.
    pub(super) statement: &'static str,
}

impl Writer {
    pub(super) fn start(tools: Tools) -> Writer {
        let (orders, received) = mpsc::channel(QUEUE);
        let tools = Arc::new(tools);
        tokio::spawn(work(tools.clone(), received));
        Writer { orders, tools }
    }

    /// The connection that writes.
    #[cfg(all(test, unix))]
    pub(super) fn link(&self) -> &Link {
        &self.tools.link
    }

    /// Writes a note. People talk less often than they play: a note has a statement to itself.
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
        self.tools.tell_why(&session, vec![Job { append, reply }]).await;
        told.await.unwrap_or(Err(JournalError::Closed.into())).map(|_| ())
    }

    pub(super) async fn append(&self, append: Append) -> Result<Cursor, AppendError> {
        let (reply, answer) = oneshot::channel();
        if self.orders.send(Order::Append(Job { append, reply })).await.is_err() {
            return Err(JournalError::Closed.into());
        }
        // The writer answers everything it takes, except when it was closed in between.
        answer.await.unwrap_or(Err(JournalError::Closed.into()))
    }

    /// Waits until everything asked before is answered, and ends the writer.
    pub(super) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.orders.send(Order::Close(done)).await.is_ok() {
            let _ = closed.await;
        }
    }
}

async fn work(tools: Arc<Tools>, mut orders: mpsc::Receiver<Order>) {
    let under_way = Arc::new(Semaphore::new(UNDER_WAY));
    let mut waiting: VecDeque<Job> = VecDeque::new();
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
        let place = under_way.clone().acquire_owned().await.expect("nobody closes it");
        // Those who came meanwhile go with the first.
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

/// The jobs from the front, and of each room only the first: a statement sees a room as it was before it.
fn next_batch(waiting: &mut VecDeque<Job>) -> Vec<Job> {
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
    /// Writes a batch and answers everyone in it.
    async fn write(&self, batch: Vec<Job>) {
        let session = match (self.link.may_write(), self.link.session().await) {
            (Ok(()), Ok(session)) => session,
            (Err(failure), _) | (_, Err(failure)) => return fail(batch, failure),
        };
        let (batch, idle): (Vec<Job>, Vec<Job>) =
            batch.into_iter().partition(|job| !job.append.lines.entries.is_empty());
        let mut refused = idle;
        match self.append(&session, &batch).await {
            Ok(ends) => refused.extend(answer(batch, ends)),
            // One of them is to blame, and the others shall not suffer for it.
            Err(Failure::Refused { .. }) if batch.len() > 1 => {
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

    /// Appends in one statement; answers where the rooms end that were accepted, by their place in the batch.
    async fn append(&self, session: &Session, batch: &[Job]) -> Result<HashMap<usize, Cursor>, Failure> {
        if batch.is_empty() {
            return Ok(HashMap::new());
        }
        let columns = Columns::of(batch.iter().map(|job| &job.append));
        let node = self.membership.node();
        let rows = session.ask(self.statement, &columns.parameters(&node), PATIENCE).await?;
        rows.iter().map(|row| accepted(row).map_err(Failure::from)).collect()
    }

    /// Tells those that were not accepted how their rooms stand.
    async fn tell_why(&self, session: &Session, jobs: Vec<Job>) {
        if jobs.is_empty() {
            return;
        }
        let codes: Vec<&str> = jobs.iter().map(|job| &*job.append.room).collect();
        let node = self.membership.node();
        let ends = session.ask(ENDS, &[&codes, &node], PATIENCE).await.and_then(|rows| {
            rows.iter().map(|row| End::of(row).map_err(Failure::from)).collect::<Result<Vec<_>, _>>()
        });
        let ends = match ends {
            Ok(ends) => ends,
            // Nothing of theirs was written, whatever happens now.
            Err(failure) => return fail(jobs, Failure::NotSent(failure.into())),
        };
        let ends: HashMap<&str, &End> = ends.iter().map(|end| (&*end.code, end)).collect();
        for job in jobs {
            let told = job.append.compared(ends.get(&*job.append.room).copied());
            if told == Err(AppendError::Fenced) {
                self.membership.was_fenced();
            }
            // A caller that no longer waits is no error.
            let _ = job.reply.send(told);
        }
    }
}

/// Answers those that were accepted; the others are left over.
fn answer(batch: Vec<Job>, ends: HashMap<usize, Cursor>) -> Vec<Job> {
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

fn not_written(failure: Failure) -> AppendError {
    match failure {
        lost @ Failure::Lost(_) => AppendError::Unknown(lost.into()),
        known => AppendError::Failed(known.into()),
    }
}

fn fail(batch: Vec<Job>, failure: Failure) {
    let error = not_written(failure);
    for job in batch {
        let _ = job.reply.send(Err(error.clone()));
    }
}
