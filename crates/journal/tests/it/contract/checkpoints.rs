//! Opening a room: its cursor and its last checkpoint.

use super::lines;
use crate::{create, entries, loaded};
use journal::{AppendError, Cursor, Journal, Lines, Opened};
use std::sync::Arc;

pub(super) async fn an_opened_room_comes_with_its_cursor(journal: Arc<dyn Journal>) {
    create(&*journal, "a", 3, 10).await;
    let first = journal.open("a", 10).await.unwrap().unwrap();
    assert_eq!((first.before, &first.entries), (0, &entries(3)));
    let second = journal.open("a", 10).await.unwrap().unwrap();
    assert_eq!(second, first, "opening a room writes nothing");
    assert!(journal.append("a", first.cursor, entries(1), 10).await.is_ok());
    let late = journal.append("a", second.cursor, entries(1), 10).await;
    assert!(matches!(late, Err(AppendError::Conflict { .. })), "{late:?}");
    // Opening a room also protects it from the next sweep.
    journal.open("a", 150).await.unwrap();
    assert_eq!(journal.forget_unopened(100, vec![]).await, Ok(vec![]));
}

pub(super) async fn an_opened_room_starts_at_its_last_checkpoint(journal: Arc<dyn Journal>) {
    let at = create(&*journal, "a", 3, 0).await;
    let at = journal.append_lines("a", at, Lines::with_checkpoint(lines(&["4", "all"])), 0).await.unwrap();
    let opened = journal.open("a", 0).await.unwrap().unwrap();
    assert_eq!(opened, Opened { cursor: at, before: 4, entries: lines(&["all"]), notes: vec![] });

    let at = journal.append("a", at, lines(&["6", "7"]), 0).await.unwrap();
    let opened = journal.open("a", 0).await.unwrap().unwrap();
    assert_eq!(opened, Opened { cursor: at, before: 4, entries: lines(&["all", "6", "7"]), notes: vec![] });

    let at = journal.append_lines("a", at, Lines::with_checkpoint(lines(&["again"])), 0).await.unwrap();
    // A checkpoint needs at least one entry.
    let at = journal.append_lines("a", at, Lines::with_checkpoint(vec![]), 0).await.unwrap();
    let opened = journal.open("a", 0).await.unwrap().unwrap();
    assert_eq!(opened, Opened { cursor: at, before: 7, entries: lines(&["again"]), notes: vec![] });

    let all = [entries(3), lines(&["4", "all", "6", "7", "again"])].concat();
    assert_eq!(loaded(&*journal, "a").await, Some(all), "a read returns all entries");
    // A room may begin with a checkpoint.
    let at = journal.append_lines("b", Cursor::START, Lines::with_checkpoint(lines(&["all"])), 0).await.unwrap();
    let opened = journal.open("b", 0).await.unwrap().unwrap();
    assert_eq!(opened, Opened { cursor: at, before: 0, entries: lines(&["all"]), notes: vec![] });
}

pub(super) async fn a_refused_append_leaves_no_checkpoint(journal: Arc<dyn Journal>) {
    let at = create(&*journal, "a", 3, 0).await;
    let late = journal.append_lines("a", Cursor::START, Lines::with_checkpoint(entries(2)), 0).await;
    assert_eq!(late, Err(AppendError::Conflict { after: Cursor::START, actual: at }));
    let opened = journal.open("a", 0).await.unwrap().unwrap();
    assert_eq!(opened, Opened { cursor: at, before: 0, entries: entries(3), notes: vec![] });
}

pub(super) async fn a_room_created_again_has_no_checkpoint(journal: Arc<dyn Journal>) {
    journal.append_lines("a", Cursor::START, Lines::with_checkpoint(entries(5)), 10).await.unwrap();
    assert_eq!(journal.forget_unopened(11, vec![]).await, Ok(vec!["a".to_owned()]));
    let at = create(&*journal, "a", 2, 20).await;
    let opened = journal.open("a", 20).await.unwrap().unwrap();
    assert_eq!(opened, Opened { cursor: at, before: 0, entries: entries(2), notes: vec![] });
}
