//! Tests of journals: the contract of every journal (`contract`), files (`file`), copies (`copy`), files of earlier
//! versions (`old`), damaged (`damage`) and missing files (`gone`), a full disk (`full`), sorting of the log
//! (`sorting`), a killed process (`kill`), and error messages for unusable databases (`start`).

mod contract;
mod copy;
mod damage;
mod file;
mod full;
mod gone;
mod kill;
mod old;
mod sorting;
#[cfg(unix)]
mod start;

use journal::{Cursor, Journal};

/// Returns `count` distinct entries.
fn entries(count: usize) -> Vec<String> {
    (1..=count).map(|n| format!(r#"{{"n":{n}}}"#)).collect()
}

async fn create(journal: &dyn Journal, room: &str, count: usize, running_ms: u64) -> Cursor {
    let end = journal.append(room, Cursor::START, entries(count), running_ms).await.expect("the room is new");
    assert_eq!(end.entries(), count as u64);
    end
}

/// Returns the current end of a room.
async fn end(journal: &dyn Journal, room: &str) -> Cursor {
    journal.open(room, 0).await.expect("the journal can be read").map_or(Cursor::START, |opened| opened.cursor)
}

async fn loaded(journal: &dyn Journal, room: &str) -> Option<Vec<String>> {
    journal.read(room).await.expect("the journal can be read")
}
