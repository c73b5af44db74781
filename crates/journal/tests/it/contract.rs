//! The contract of every journal, run against each implementation.

use super::{create, end, entries, loaded};
use journal::memory::Memory;
use journal::ownership::{Claim, Load};
use journal::sqlite::{Settings, Sqlite};
use journal::{AppendError, Cursor, Journal, JournalError, Lines, Opened};
use std::sync::Arc;
use tokio::task::JoinSet;

macro_rules! for_every_journal {
    ($($test:ident),* $(,)?) => {
        mod memory {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                super::$test(Arc::new(Memory::new())).await;
            })*
        }
        #[cfg(unix)]
        mod postgres {
            use super::*;
            use journal::postgres::{Postgres, Settings};
            use pgtest::Cluster;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let settings = Settings::alone(Cluster::shared().database().parse().unwrap());
                let journal = Arc::new(Postgres::open(settings).await.unwrap());
                super::$test(journal.clone()).await;
                journal.close().await;
            })*
        }
        mod sorted {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let folder = tempfile::tempdir().unwrap();
                // The log is sorted whenever it is not empty.
                let settings = Settings { sorted_at: 1, ..Settings::default() };
                let journal = Arc::new(Sqlite::open_with(folder.path(), settings).unwrap());
                super::$test(journal.clone()).await;
                journal.close().await;
            })*
        }
        mod sqlite {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let folder = tempfile::tempdir().unwrap();
                let journal = Arc::new(Sqlite::open(folder.path()).unwrap());
                super::$test(journal.clone()).await;
                journal.close().await;
            })*
        }
    };
}

for_every_journal![
    appended_entries_are_loaded_in_order,
    a_room_exists_from_its_first_entry,
    an_append_after_the_wrong_cursor_writes_nothing,
    a_room_is_created_once,
    of_racing_writers_one_wins_each_end,
    many_rooms_at_once_are_all_written,
    a_refused_append_does_not_spoil_its_neighbours,
    entries_come_back_unchanged,
    an_opened_room_comes_with_the_place_to_append,
    an_opened_room_begins_with_its_last_checkpoint,
    a_refused_append_leaves_no_checkpoint,
    a_room_created_again_has_no_checkpoint,
    a_note_is_written_over_what_was_in_its_slot,
    a_note_after_the_wrong_cursor_writes_nothing,
    a_room_that_notes_much_has_no_more_to_read,
    notes_come_back_unchanged,
    a_note_opens_the_room,
    a_room_created_again_has_no_notes,
    rooms_nobody_opens_are_forgotten,
    running_time_is_counted_on_and_never_back,
    a_forgotten_room_can_be_created_again,
    many_rooms_are_forgotten_while_others_play,
    the_end_of_time_is_a_time,
    a_room_belongs_to_whoever_created_it,
    a_room_that_is_not_there_is_claimed_and_still_not_there,
    a_room_that_was_given_up_is_taken_again,
    a_server_that_writes_holds_its_lease,
    a_probe_succeeds,
    a_closed_journal_refuses_everything,
];

async fn appended_entries_are_loaded_in_order(journal: Arc<dyn Journal>) {
    create(&*journal, "a", 2, 0).await;
    assert_eq!(
        journal
            .append("a", end(&*journal, "a").await, vec!["third".into(), "fourth".into()], 0)
            .await
            .map(Cursor::entries),
        Ok(4)
    );
    // A journal that sorted numbers as text would put 10 before 9.
    assert_eq!(
        journal.append("a", end(&*journal, "a").await, entries(20), 0).await.map(Cursor::entries),
        Ok(24)
    );
    let expected = [entries(2), vec!["third".into(), "fourth".into()], entries(20)].concat();
    assert_eq!(loaded(&*journal, "a").await, Some(expected));
}

async fn a_room_exists_from_its_first_entry(journal: Arc<dyn Journal>) {
    assert_eq!(loaded(&*journal, "a").await, None);
    assert_eq!(journal.append("a", Cursor::START, vec![], 0).await, Ok(Cursor::START));
    assert_eq!(journal.touch("a", 5).await, Ok(()));
    assert_eq!(journal.open("a", 5).await, Ok(None));
    assert_eq!(journal.exists("a").await, Ok(false));
    assert_eq!(loaded(&*journal, "a").await, None);
    create(&*journal, "a", 1, 0).await;
    assert_eq!(loaded(&*journal, "a").await, Some(entries(1)));
    assert_eq!(journal.exists("a").await, Ok(true));
    // Codes are case-sensitive.
    assert_eq!(loaded(&*journal, "A").await, None);
    assert_eq!(journal.exists("A").await, Ok(false));
}

async fn an_append_after_the_wrong_cursor_writes_nothing(journal: Arc<dyn Journal>) {
    create(&*journal, "a", 3, 0).await;
    let actual = end(&*journal, "a").await;
    let mut wrong = vec![Cursor::START];
    for (room, count) in [("two", 2), ("four", 4), ("many", 300)] {
        wrong.push(create(&*journal, room, count, 0).await);
    }
    for after in wrong {
        let refused = AppendError::Conflict { after, actual };
        assert_eq!(journal.append("a", after, entries(2), 0).await, Err(refused.clone()));
        assert_eq!(journal.append("a", after, vec![], 0).await, Err(refused));
    }
    let nobody = AppendError::Conflict { after: actual, actual: Cursor::START };
    assert_eq!(journal.append("b", actual, entries(1), 0).await, Err(nobody));
    assert_eq!(loaded(&*journal, "a").await, Some(entries(3)));
    assert_eq!(loaded(&*journal, "b").await, None);
}

async fn a_room_is_created_once(journal: Arc<dyn Journal>) {
    let actual = create(&*journal, "a", 1, 0).await;
    let taken = AppendError::Conflict { after: Cursor::START, actual };
    assert_eq!(journal.append("a", Cursor::START, vec!["mine".into()], 0).await, Err(taken));
    assert_eq!(loaded(&*journal, "a").await, Some(entries(1)));
}

async fn of_racing_writers_one_wins_each_end(journal: Arc<dyn Journal>) {
    const WRITERS: usize = 16;
    const ENDS: u64 = 40;
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let journal = journal.clone();
        writers.spawn(async move {
            let mut won = Vec::new();
            let mut at = Cursor::START;
            while at.entries() < ENDS {
                let entry = format!("{} by {writer}", at.entries());
                match journal.append("a", at, vec![entry.clone()], 0).await {
                    Ok(next) => {
                        assert_eq!(next.entries(), at.entries() + 1);
                        won.push(entry);
                        at = next;
                    }
                    Err(AppendError::Conflict { after, actual }) => {
                        assert_eq!(after, at);
                        assert!(actual.entries() > at.entries());
                        at = actual;
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            won
        });
    }
    let mut won: Vec<String> = writers.join_all().await.concat();
    let mut written = loaded(&*journal, "a").await.unwrap();
    assert_eq!(written.len(), ENDS as usize);
    won.sort();
    written.sort();
    assert_eq!(won, written);
}

async fn many_rooms_at_once_are_all_written(journal: Arc<dyn Journal>) {
    let mut rooms = JoinSet::new();
    for room in 0..300 {
        let journal = journal.clone();
        rooms.spawn(async move {
            let room = format!("room-{room}");
            let end = create(&*journal, &room, 2, 0).await;
            let next = journal.append(&room, end, vec![room.clone()], 0).await;
            assert_eq!(next.map(Cursor::entries), Ok(3));
        });
    }
    rooms.join_all().await;
    for room in 0..300 {
        let room = format!("room-{room}");
        let expected = [entries(2), vec![room.clone()]].concat();
        assert_eq!(loaded(&*journal, &room).await, Some(expected));
    }
}

async fn a_refused_append_does_not_spoil_its_neighbours(journal: Arc<dyn Journal>) {
    create(&*journal, "late", 1, 0).await;
    let mut appends = JoinSet::new();
    for room in 0..60 {
        let journal = journal.clone();
        appends.spawn(async move {
            if room % 3 == 0 {
                let refused = journal.append("late", Cursor::START, entries(1), 0).await;
                assert!(
                    matches!(refused, Err(AppendError::Conflict { actual, .. }) if actual.entries() == 1)
                );
            } else {
                create(&*journal, &format!("room-{room}"), 1, 0).await;
            }
        });
    }
    appends.join_all().await;
    for room in (0..60).filter(|room| room % 3 != 0) {
        assert_eq!(loaded(&*journal, &format!("room-{room}")).await, Some(entries(1)));
    }
    assert_eq!(loaded(&*journal, "late").await, Some(entries(1)));
}

async fn entries_come_back_unchanged(journal: Arc<dyn Journal>) {
    let odd: Vec<String> = [
        String::new(),
        r#"{"text":"it's \"quoted\" \\ and '; DROP TABLE rooms; --"}"#.to_owned(),
        "line\nline\r\nline\ttab".to_owned(),
        "a\u{0}b".to_owned(),
        "Zoë Łukasz 日本語 👩‍👩‍👧 e\u{301} \u{202e}tfel \u{feff}".to_owned(),
        "123".to_owned(),
        "1e999".to_owned(),
        "ä".repeat(50_000),
    ]
    .into();
    let room = "rö'om\n\"";
    assert_eq!(
        journal.append(room, Cursor::START, odd.clone(), 0).await.map(Cursor::entries),
        Ok(odd.len() as u64)
    );
    assert_eq!(loaded(&*journal, room).await, Some(odd));
}

async fn an_opened_room_comes_with_the_place_to_append(journal: Arc<dyn Journal>) {
    create(&*journal, "a", 3, 10).await;
    let first = journal.open("a", 10).await.unwrap().unwrap();
    assert_eq!((first.before, &first.entries), (0, &entries(3)));
    let second = journal.open("a", 10).await.unwrap().unwrap();
    assert_eq!(second, first, "to open a room writes nothing into it");
    assert!(journal.append("a", first.cursor, entries(1), 10).await.is_ok());
    let late = journal.append("a", second.cursor, entries(1), 10).await;
    assert!(matches!(late, Err(AppendError::Conflict { .. })), "{late:?}");
    // Opening a room also protects it from the next sweep.
    journal.open("a", 150).await.unwrap();
    assert_eq!(journal.forget_unopened(100, vec![]).await, Ok(vec![]));
}

fn lines(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|&entry| entry.to_owned()).collect()
}

async fn an_opened_room_begins_with_its_last_checkpoint(journal: Arc<dyn Journal>) {
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
    assert_eq!(loaded(&*journal, "a").await, Some(all), "whoever reads is given everything");
    // A room may begin with a checkpoint.
    let at =
        journal.append_lines("b", Cursor::START, Lines::with_checkpoint(lines(&["all"])), 0).await.unwrap();
    let opened = journal.open("b", 0).await.unwrap().unwrap();
    assert_eq!(opened, Opened { cursor: at, before: 0, entries: lines(&["all"]), notes: vec![] });
}

async fn a_refused_append_leaves_no_checkpoint(journal: Arc<dyn Journal>) {
    let at = create(&*journal, "a", 3, 0).await;
    let late = journal.append_lines("a", Cursor::START, Lines::with_checkpoint(entries(2)), 0).await;
    assert_eq!(late, Err(AppendError::Conflict { after: Cursor::START, actual: at }));
    let opened = journal.open("a", 0).await.unwrap().unwrap();
    assert_eq!(opened, Opened { cursor: at, before: 0, entries: entries(3), notes: vec![] });
}

async fn a_room_created_again_has_no_checkpoint(journal: Arc<dyn Journal>) {
    journal.append_lines("a", Cursor::START, Lines::with_checkpoint(entries(5)), 10).await.unwrap();
    assert_eq!(journal.forget_unopened(11, vec![]).await, Ok(vec!["a".to_owned()]));
    let at = create(&*journal, "a", 2, 20).await;
    let opened = journal.open("a", 20).await.unwrap().unwrap();
    assert_eq!(opened, Opened { cursor: at, before: 0, entries: entries(2), notes: vec![] });
}

async fn notes(journal: &dyn Journal, room: &str) -> Vec<String> {
    journal.open(room, 0).await.unwrap().expect("the room").notes
}

async fn a_note_is_written_over_what_was_in_its_slot(journal: Arc<dyn Journal>) {
    let at = create(&*journal, "a", 1, 0).await;
    create(&*journal, "b", 1, 0).await;
    assert_eq!(notes(&*journal, "a").await, lines(&[]));
    for (slot, note) in [(1, "one"), (0, "zero"), (255, "last"), (1, "another one")] {
        assert_eq!(journal.note("a", at, slot, note.to_owned(), 0).await, Ok(()));
    }
    assert_eq!(notes(&*journal, "a").await, lines(&["zero", "another one", "last"]), "in the order of slots");
    assert_eq!(notes(&*journal, "b").await, lines(&[]), "each room has its own");
    // Notes are not history: the cursor does not move, and a reader of the entries does not see them.
    assert_eq!(end(&*journal, "a").await, at);
    assert_eq!(loaded(&*journal, "a").await, Some(entries(1)));
    let at = journal.append_lines("a", at, Lines::with_checkpoint(lines(&["all"])), 0).await.unwrap();
    assert_eq!(journal.note("a", at, 0, "zero again".to_owned(), 0).await, Ok(()));
    let kept = lines(&["zero again", "another one", "last"]);
    let opened = journal.open("a", 0).await.unwrap().unwrap();
    assert_eq!(opened, Opened { cursor: at, before: 1, entries: lines(&["all"]), notes: kept });
}

async fn a_note_after_the_wrong_cursor_writes_nothing(journal: Arc<dyn Journal>) {
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

async fn a_room_that_notes_much_has_no_more_to_read(journal: Arc<dyn Journal>) {
    let at = create(&*journal, "a", 1, 0).await;
    for n in 0..300_u32 {
        journal.note("a", at, (n % 3) as u8, n.to_string(), 0).await.unwrap();
    }
    assert_eq!(notes(&*journal, "a").await, lines(&["297", "298", "299"]));
}

async fn notes_come_back_unchanged(journal: Arc<dyn Journal>) {
    let at = create(&*journal, "a", 1, 0).await;
    let odd = ["", "it's \"quoted\" \\", "line\r\nline", "a\u{0}b", "👩‍👩‍👧 e\u{301}", "1e999"];
    for (slot, note) in (0..).zip(odd) {
        journal.note("a", at, slot, note.to_owned(), 0).await.unwrap();
    }
    assert_eq!(notes(&*journal, "a").await, odd);
}

async fn a_note_opens_the_room(journal: Arc<dyn Journal>) {
    for room in ["said", "quiet"] {
        create(&*journal, room, 1, 10).await;
    }
    let at = end(&*journal, "said").await;
    journal.note("said", at, 0, "still here".to_owned(), 150).await.unwrap();
    assert_eq!(journal.forget_unopened(100, vec![]).await, Ok(vec!["quiet".to_owned()]));
}

async fn a_room_created_again_has_no_notes(journal: Arc<dyn Journal>) {
    let at = create(&*journal, "a", 1, 10).await;
    journal.note("a", at, 0, "of the old one".to_owned(), 10).await.unwrap();
    assert_eq!(journal.forget_unopened(11, vec![]).await, Ok(vec!["a".to_owned()]));
    create(&*journal, "a", 1, 20).await;
    assert_eq!(notes(&*journal, "a").await, lines(&[]));
}

async fn rooms_nobody_opens_are_forgotten(journal: Arc<dyn Journal>) {
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

async fn running_time_is_counted_on_and_never_back(journal: Arc<dyn Journal>) {
    assert_eq!(journal.running_ms(), 0, "nobody has run over a new journal");
    journal.ran(60_000).await.unwrap();
    assert_eq!(journal.running_ms(), 60_000);
    journal.ran(20_000).await.unwrap();
    assert_eq!(journal.running_ms(), 60_000);
    // Running time alone deletes no room. The caller decides what to delete.
    create(&*journal, "a", 1, 0).await;
    journal.ran(u64::MAX).await.unwrap();
    assert_eq!(loaded(&*journal, "a").await, Some(entries(1)));
}

async fn a_forgotten_room_can_be_created_again(journal: Arc<dyn Journal>) {
    let held = create(&*journal, "a", 3, 10).await;
    journal.forget_unopened(11, vec![]).await.unwrap();
    // A writer that still has the room open is refused.
    let gone = AppendError::Conflict { after: held, actual: Cursor::START };
    assert_eq!(journal.append("a", held, entries(1), 20).await, Err(gone));
    create(&*journal, "a", 1, 20).await;
    assert_eq!(loaded(&*journal, "a").await, Some(entries(1)));
}

async fn many_rooms_are_forgotten_while_others_play(journal: Arc<dyn Journal>) {
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

async fn the_end_of_time_is_a_time(journal: Arc<dyn Journal>) {
    create(&*journal, "a", 1, u64::MAX).await;
    journal.touch("a", u64::MAX).await.unwrap();
    assert_eq!(journal.forget_unopened(u64::MAX, vec![]).await, Ok(vec![]));
    assert_eq!(loaded(&*journal, "a").await, Some(entries(1)));
}

async fn a_room_belongs_to_whoever_created_it(journal: Arc<dyn Journal>) {
    let at = create(&*journal, "a", 1, 0).await;
    assert_eq!(journal.ownership().claim("a").await, Ok(Claim::Ours));
    assert_eq!(journal.ownership().elsewhere("a").await, Ok(None));
    // Claiming a room that is already owned does not invalidate its cursor.
    assert_eq!(journal.append("a", at, entries(1), 0).await.map(Cursor::entries), Ok(2));
}

async fn a_room_that_is_not_there_is_claimed_and_still_not_there(journal: Arc<dyn Journal>) {
    assert_eq!(journal.ownership().claim("a").await, Ok(Claim::Ours));
    assert_eq!(journal.ownership().elsewhere("a").await, Ok(None));
    assert_eq!(journal.exists("a").await, Ok(false));
    assert_eq!(journal.ownership().release("a").await, Ok(()));
    create(&*journal, "a", 1, 0).await;
}

async fn a_room_that_was_given_up_is_taken_again(journal: Arc<dyn Journal>) {
    create(&*journal, "a", 2, 0).await;
    assert_eq!(journal.ownership().release("a").await, Ok(()));
    assert_eq!(journal.ownership().elsewhere("a").await, Ok(None));
    assert_eq!(loaded(&*journal, "a").await, Some(entries(2)), "to read it nobody need have it");
    assert_eq!(journal.ownership().claim("a").await, Ok(Claim::Ours));
    let opened = journal.open("a", 0).await.unwrap().unwrap();
    assert_eq!(opened.entries, entries(2));
    assert_eq!(journal.append("a", opened.cursor, entries(1), 0).await.map(Cursor::entries), Ok(3));
}

async fn a_server_that_writes_holds_its_lease(journal: Arc<dyn Journal>) {
    let lease = journal.ownership().lease();
    let term = lease.term().expect("a journal that is open has its lease");
    assert!(lease.holds(term));
    journal.ownership().report(Load { rooms: 1, sockets: 2 });
    let nodes = journal.ownership().nodes().await.unwrap();
    assert!(nodes.len() <= 1, "nobody else is here: {nodes:?}");
    create(&*journal, "a", 1, 0).await;
    assert!(journal.ownership().release_all().await.unwrap() <= 1);
    assert_eq!(journal.exists("a").await, Ok(true), "to give a room up deletes nothing");
}

async fn a_probe_succeeds(journal: Arc<dyn Journal>) {
    assert_eq!(journal.probe().await, Ok(()));
    assert_eq!(journal.probe().await, Ok(()));
}

async fn a_closed_journal_refuses_everything(journal: Arc<dyn Journal>) {
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
