//! What holds for every journal (`contract`), what holds for the file (`file`) and its copies (`copy`), for one that
//! earlier versions wrote (`old`), is damaged (`damage`) or taken away (`gone`), for a disk that refuses (`full`), while
//! the log is sorted (`sorting`), and for a process that is killed (`kill`); what a host reads of a database that cannot be
//! used (`start`).

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

/// `count` entries that can be told apart.
fn entries(count: usize) -> Vec<String> {
    (1..=count).map(|n| format!(r#"{{"n":{n}}}"#)).collect()
}

async fn create(journal: &dyn Journal, room: &str, count: usize, running_ms: u64) -> Cursor {
    let end = journal.append(room, Cursor::START, entries(count), running_ms).await.expect("the room is new");
    assert_eq!(end.entries(), count as u64);
    end
}

/// Where a room ends now.
async fn end(journal: &dyn Journal, room: &str) -> Cursor {
    journal
        .open(room, 0)
        .await
        .expect("the journal can be read")
        .map_or(Cursor::START, |opened| opened.cursor)
}

async fn loaded(journal: &dyn Journal, room: &str) -> Option<Vec<String>> {
    journal.read(room).await.expect("the journal can be read")
}
