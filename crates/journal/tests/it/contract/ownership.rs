//! Which server owns a room, and what a closed journal answers.

use crate::{create, entries, loaded};
use journal::ownership::Load;
use journal::{AppendError, Cursor, Journal, JournalError};
use std::sync::Arc;

pub(super) async fn a_room_belongs_to_the_server_that_created_it(journal: Arc<dyn Journal>) {
    let at = create(&*journal, "a", 1, 0).await;
    assert!(journal.open("a", 0).await.unwrap().is_some());
    assert_eq!(journal.ownership().elsewhere("a").await, Ok(None));
    // Claiming a room that is already owned does not invalidate its cursor.
    assert_eq!(journal.append("a", at, entries(1), 0).await.map(Cursor::entries), Ok(2));
}

pub(super) async fn claiming_a_missing_room_does_not_create_it(journal: Arc<dyn Journal>) {
    assert_eq!(journal.open("a", 0).await, Ok(None));
    assert_eq!(journal.ownership().elsewhere("a").await, Ok(None));
    assert_eq!(journal.exists("a").await, Ok(false));
    assert_eq!(journal.ownership().release("a").await, Ok(()));
    create(&*journal, "a", 1, 0).await;
}

pub(super) async fn a_released_room_can_be_claimed_again(journal: Arc<dyn Journal>) {
    create(&*journal, "a", 2, 0).await;
    assert_eq!(journal.ownership().release("a").await, Ok(()));
    assert_eq!(journal.ownership().elsewhere("a").await, Ok(None));
    assert_eq!(loaded(&*journal, "a").await, Some(entries(2)), "a room without an owner can be read");
    let opened = journal.open("a", 0).await.unwrap().unwrap();
    assert_eq!(opened.entries, entries(2));
    assert_eq!(journal.append("a", opened.cursor, entries(1), 0).await.map(Cursor::entries), Ok(3));
}

pub(super) async fn a_server_that_writes_has_a_lease(journal: Arc<dyn Journal>) {
    let lease = journal.ownership().lease();
    let term = lease.term().expect("an open journal has a lease");
    assert!(lease.holds(term));
    journal.ownership().report(Load { rooms: 1, sockets: 2 });
    let nodes = journal.ownership().nodes().await.unwrap();
    assert!(nodes.len() <= 1, "no other server is listed: {nodes:?}");
    create(&*journal, "a", 1, 0).await;
    assert!(journal.ownership().release_all().await.unwrap() <= 1);
    assert_eq!(journal.exists("a").await, Ok(true), "releasing a room deletes nothing");
}

pub(super) async fn a_probe_succeeds(journal: Arc<dyn Journal>) {
    assert_eq!(journal.probe().await, Ok(()));
    assert_eq!(journal.probe().await, Ok(()));
}

pub(super) async fn a_closed_journal_refuses_everything(journal: Arc<dyn Journal>) {
    let end = create(&*journal, "a", 1, 10).await;
    tokio::join!(journal.close(), journal.close());
    journal.close().await;
    let closed = JournalError::Closed;
    assert_eq!(journal.append("a", end, entries(1), 0).await, Err(AppendError::Failed(closed.clone())));
    let noted = journal.note("a", end, 0, "late".to_owned(), 0).await;
    assert_eq!(noted, Err(AppendError::Failed(closed.clone())));
    assert_eq!(journal.open("a", 20).await, Err(closed.clone()));
    assert_eq!(journal.read("a").await, Err(closed.clone()));
    assert_eq!(journal.exists("a").await, Err(closed.clone()));
    assert_eq!(journal.touch("a", 20).await, Err(closed.clone()));
    assert_eq!(journal.ran(20).await, Err(closed.clone()));
    assert_eq!(journal.forget_unopened(100, vec![]).await, Err(closed.clone()));
    assert_eq!(journal.probe().await, Err(closed));
}
