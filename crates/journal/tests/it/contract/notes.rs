//! Notes: slots that are overwritten.

use super::lines;
use crate::{create, end, entries, loaded};
use journal::{AppendError, Cursor, Journal, Lines, Opened};
use std::sync::Arc;

async fn notes(journal: &dyn Journal, room: &str) -> Vec<String> {
    journal.open(room, 0).await.unwrap().expect("the room exists").notes
}

pub(super) async fn a_note_replaces_the_previous_one_in_its_slot(journal: Arc<dyn Journal>) {
    let at = create(&*journal, "a", 1, 0).await;
    create(&*journal, "b", 1, 0).await;
    assert_eq!(notes(&*journal, "a").await, lines(&[]));
    for (slot, note) in [(1, "one"), (0, "zero"), (255, "last"), (1, "another one")] {
        assert_eq!(journal.note("a", at, slot, note.to_owned(), 0).await, Ok(()));
    }
    assert_eq!(notes(&*journal, "a").await, lines(&["zero", "another one", "last"]), "ordered by slot");
    assert_eq!(notes(&*journal, "b").await, lines(&[]), "each room has its own notes");
    // Notes are not history: the cursor does not move, and a reader of the entries does not see them.
    assert_eq!(end(&*journal, "a").await, at);
    assert_eq!(loaded(&*journal, "a").await, Some(entries(1)));
    let at = journal.append_lines("a", at, Lines::with_checkpoint(lines(&["all"])), 0).await.unwrap();
    assert_eq!(journal.note("a", at, 0, "zero again".to_owned(), 0).await, Ok(()));
    let kept = lines(&["zero again", "another one", "last"]);
    let opened = journal.open("a", 0).await.unwrap().unwrap();
    assert_eq!(opened, Opened { cursor: at, before: 1, entries: lines(&["all"]), notes: kept });
}

pub(super) async fn a_note_after_the_wrong_cursor_writes_nothing(journal: Arc<dyn Journal>) {
    let old = create(&*journal, "a", 1, 0).await;
    let actual = journal.append("a", old, entries(1), 0).await.unwrap();
    for after in [old, Cursor::START] {
        let late = journal.note("a", after, 0, "late".to_owned(), 0).await;
        assert_eq!(late, Err(AppendError::Conflict { after, actual }));
    }
    for after in [Cursor::START, actual] {
        let nowhere = journal.note("b", after, 0, "nowhere".to_owned(), 0).await;
        assert_eq!(nowhere, Err(AppendError::Conflict { after, actual: Cursor::START }));
    }
    assert_eq!(notes(&*journal, "a").await, lines(&[]));
    assert_eq!(journal.exists("b").await, Ok(false));
}

pub(super) async fn each_slot_keeps_only_its_newest_note(journal: Arc<dyn Journal>) {
    let at = create(&*journal, "a", 1, 0).await;
    for n in 0..300_u32 {
        journal.note("a", at, (n % 3) as u8, n.to_string(), 0).await.unwrap();
    }
    assert_eq!(notes(&*journal, "a").await, lines(&["297", "298", "299"]));
}

pub(super) async fn notes_come_back_unchanged(journal: Arc<dyn Journal>) {
    let at = create(&*journal, "a", 1, 0).await;
    let odd = ["", "it's \"quoted\" \\", "line\r\nline", "a\u{0}b", "👩‍👩‍👧 e\u{301}", "1e999"];
    for (slot, note) in (0..).zip(odd) {
        journal.note("a", at, slot, note.to_owned(), 0).await.unwrap();
    }
    assert_eq!(notes(&*journal, "a").await, odd);
}

pub(super) async fn a_note_counts_as_opening_the_room(journal: Arc<dyn Journal>) {
    for room in ["said", "quiet"] {
        create(&*journal, room, 1, 10).await;
    }
    let at = end(&*journal, "said").await;
    journal.note("said", at, 0, "still here".to_owned(), 150).await.unwrap();
    assert_eq!(journal.forget_unopened(100, vec![]).await, Ok(vec!["quiet".to_owned()]));
}

pub(super) async fn a_room_created_again_has_no_notes(journal: Arc<dyn Journal>) {
    let at = create(&*journal, "a", 1, 10).await;
    journal.note("a", at, 0, "of the old one".to_owned(), 10).await.unwrap();
    assert_eq!(journal.forget_unopened(11, vec![]).await, Ok(vec!["a".to_owned()]));
    create(&*journal, "a", 1, 20).await;
    assert_eq!(notes(&*journal, "a").await, lines(&[]));
}
