//! Those who play: tables of people, and those who look on.

mod acting;
mod person;
mod table;
mod watcher;
mod whims;

pub use table::{Seated, Table};
