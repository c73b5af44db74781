//! The contract of every journal, run against each implementation.

mod appends;
mod checkpoints;
mod forgetting;
mod notes;
mod ownership;

use appends::*;
use checkpoints::*;
use forgetting::*;
use journal::Journal;
use journal::memory::Memory;
use journal::sqlite::{Settings, Sqlite};
use notes::*;
use ownership::*;
use std::sync::Arc;

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
            use journal::postgres::{DatabaseSettings, Postgres};
            use pgtest::PostgresCluster;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let settings = DatabaseSettings::alone(PostgresCluster::shared().database().parse().unwrap());
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
    of_racing_writers_one_wins_each_append,
    concurrent_appends_to_many_rooms_all_succeed,
    a_refused_append_does_not_affect_its_neighbours,
    entries_come_back_unchanged,
    an_opened_room_comes_with_its_cursor,
    an_opened_room_starts_at_its_last_checkpoint,
    a_refused_append_leaves_no_checkpoint,
    a_room_created_again_has_no_checkpoint,
    a_note_replaces_the_previous_one_in_its_slot,
    a_note_after_the_wrong_cursor_writes_nothing,
    each_slot_keeps_only_its_newest_note,
    notes_come_back_unchanged,
    a_note_counts_as_opening_the_room,
    a_room_created_again_has_no_notes,
    unopened_rooms_are_forgotten,
    running_time_never_decreases,
    a_forgotten_room_can_be_created_again,
    many_rooms_are_forgotten_while_others_are_played,
    accepts_the_largest_running_time,
    a_room_belongs_to_the_server_that_created_it,
    claiming_a_missing_room_does_not_create_it,
    a_released_room_can_be_claimed_again,
    a_server_that_writes_has_a_lease,
    a_probe_succeeds,
    a_closed_journal_refuses_everything,
];

fn lines(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|&entry| entry.to_owned()).collect()
}
