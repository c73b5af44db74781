//! What holds for every journal (`contract`), what holds for the file (`file`) and its copies (`copy`), for one that
//! is damaged (`damage`) or taken away (`gone`), for a disk that refuses (`full`), and for a process that is killed
//! (`kill`).

mod contract;
mod copy;
mod damage;
mod file;
mod full;
mod gone;
mod kill;

use journal::{Head, Journal};

/// `count` entries that can be told apart.
fn entries(count: usize) -> Vec<String> {
    (1..=count).map(|n| format!(r#"{{"n":{n}}}"#)).collect()
}

async fn create(journal: &dyn Journal, room: &str, count: usize, running_ms: u64) {
    assert_eq!(journal.append(room, Head(0), entries(count), running_ms).await, Ok(Head(count as u64)));
}

async fn loaded(journal: &dyn Journal, room: &str) -> Option<Vec<String>> {
    journal.load(room).await.expect("the journal can be read")
}
