//! Simulated players and spectators, grouped into tables.

mod acting;
mod person;
mod table;
mod watcher;
mod whims;

pub use table::{PlayedTable, RunContext};
