//! Appending entries and reading them back.

use crate::{create, end, entries, loaded};
use journal::{AppendError, Cursor, Journal};
use std::sync::Arc;
use tokio::task::JoinSet;

pub(super) async fn appended_entries_are_loaded_in_order(journal: Arc<dyn Journal>) {
    create(&*journal, "a", 2, 0).await;
    assert_eq!(
        journal
            .append("a", end(&*journal, "a").await, vec!["third".into(), "fourth".into()], 0)
            .await
            .map(Cursor::entries),
        Ok(4)
    );
    // A journal that sorted numbers as text would put 10 before 9.
    assert_eq!(journal.append("a", end(&*journal, "a").await, entries(20), 0).await.map(Cursor::entries), Ok(24));
    let expected = [entries(2), vec!["third".into(), "fourth".into()], entries(20)].concat();
    assert_eq!(loaded(&*journal, "a").await, Some(expected));
}

pub(super) async fn a_room_exists_from_its_first_entry(journal: Arc<dyn Journal>) {
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

pub(super) async fn an_append_after_the_wrong_cursor_writes_nothing(journal: Arc<dyn Journal>) {
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
    let conflict = AppendError::Conflict { after: actual, actual: Cursor::START };
    assert_eq!(journal.append("b", actual, entries(1), 0).await, Err(conflict));
    assert_eq!(loaded(&*journal, "a").await, Some(entries(3)));
    assert_eq!(loaded(&*journal, "b").await, None);
}

pub(super) async fn a_room_is_created_once(journal: Arc<dyn Journal>) {
    let actual = create(&*journal, "a", 1, 0).await;
    let taken = AppendError::Conflict { after: Cursor::START, actual };
    assert_eq!(journal.append("a", Cursor::START, vec!["mine".into()], 0).await, Err(taken));
    assert_eq!(loaded(&*journal, "a").await, Some(entries(1)));
}

pub(super) async fn of_racing_writers_one_wins_each_append(journal: Arc<dyn Journal>) {
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

pub(super) async fn concurrent_appends_to_many_rooms_all_succeed(journal: Arc<dyn Journal>) {
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

pub(super) async fn a_refused_append_does_not_affect_its_neighbours(journal: Arc<dyn Journal>) {
    create(&*journal, "late", 1, 0).await;
    let mut appends = JoinSet::new();
    for room in 0..60 {
        let journal = journal.clone();
        appends.spawn(async move {
            if room % 3 == 0 {
                let refused = journal.append("late", Cursor::START, entries(1), 0).await;
                assert!(matches!(refused, Err(AppendError::Conflict { actual, .. }) if actual.entries() == 1));
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

pub(super) async fn entries_come_back_unchanged(journal: Arc<dyn Journal>) {
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
    assert_eq!(journal.append(room, Cursor::START, odd.clone(), 0).await.map(Cursor::entries), Ok(odd.len() as u64));
    assert_eq!(loaded(&*journal, room).await, Some(odd));
}
