//! Deleting rooms that were not opened, and the running time by which that is decided.

use crate::{create, end, entries, loaded};
use journal::{AppendError, Cursor, Journal};
use std::sync::Arc;
use tokio::task::JoinSet;

pub(super) async fn unopened_rooms_are_forgotten(journal: Arc<dyn Journal>) {
    for (room, created_ms) in [("old", 10), ("kept", 10), ("opened", 10), ("played", 10), ("edge", 100)] {
        create(&*journal, room, 3, created_ms).await;
    }
    journal.touch("opened", 150).await.unwrap();
    journal.append("played", end(&*journal, "played").await, entries(1), 150).await.unwrap();
    // Running time that was not saved before a crash is counted again. That must not make a room older.
    journal.touch("opened", 20).await.unwrap();

    let forgotten = journal.forget_unopened(100, vec!["kept".into(), "unknown".into()]).await;
    assert_eq!(forgotten, Ok(vec!["old".to_owned()]));
    assert_eq!(loaded(&*journal, "old").await, None);
    for (room, count) in [("kept", 3), ("opened", 3), ("played", 4), ("edge", 3)] {
        assert_eq!(loaded(&*journal, room).await.map(|entries| entries.len()), Some(count), "{room}");
    }
    assert_eq!(journal.forget_unopened(100, vec!["kept".into()]).await, Ok(vec![]));
}

pub(super) async fn running_time_never_decreases(journal: Arc<dyn Journal>) {
    assert_eq!(journal.running_ms(), 0, "a new journal has no running time");
    journal.ran(60_000).await.unwrap();
    assert_eq!(journal.running_ms(), 60_000);
    journal.ran(20_000).await.unwrap();
    assert_eq!(journal.running_ms(), 60_000);
    // Running time alone deletes no room. The caller decides what to delete.
    create(&*journal, "a", 1, 0).await;
    journal.ran(u64::MAX).await.unwrap();
    assert_eq!(loaded(&*journal, "a").await, Some(entries(1)));
}

pub(super) async fn a_forgotten_room_can_be_created_again(journal: Arc<dyn Journal>) {
    let held = create(&*journal, "a", 3, 10).await;
    journal.forget_unopened(11, vec![]).await.unwrap();
    // A writer that still has the room open is refused.
    let gone = AppendError::Conflict { after: held, actual: Cursor::START };
    assert_eq!(journal.append("a", held, entries(1), 20).await, Err(gone));
    create(&*journal, "a", 1, 20).await;
    assert_eq!(loaded(&*journal, "a").await, Some(entries(1)));
}

pub(super) async fn many_rooms_are_forgotten_while_others_are_played(journal: Arc<dyn Journal>) {
    let mut rooms = JoinSet::new();
    for room in 0..200 {
        let journal = journal.clone();
        rooms.spawn(async move { create(&*journal, &format!("old-{room}"), 20, 10).await });
    }
    rooms.join_all().await;
    let mut end = create(&*journal, "played", 1, 10).await;

    let playing = {
        let journal = journal.clone();
        tokio::spawn(async move {
            for _ in 1..20 {
                end = journal.append("played", end, entries(1), 200).await.unwrap();
            }
        })
    };
    let forgotten = journal.forget_unopened(100, vec!["played".into()]).await.unwrap();
    playing.await.unwrap();
    assert_eq!(forgotten.len(), 200);
    assert_eq!(loaded(&*journal, "old-7").await, None);
    assert_eq!(loaded(&*journal, "played").await.unwrap().len(), 20);
}

pub(super) async fn accepts_the_largest_running_time(journal: Arc<dyn Journal>) {
    create(&*journal, "a", 1, u64::MAX).await;
    journal.touch("a", u64::MAX).await.unwrap();
    assert_eq!(journal.forget_unopened(u64::MAX, vec![]).await, Ok(vec![]));
    assert_eq!(loaded(&*journal, "a").await, Some(entries(1)));
}
