//! What a host runs beside the server: a backup of its journal, a look at the deployment from outside, a check of its
//! health, the verification of a record, a move of all rooms into another journal.
//!
//! Of the server it knows the wire contract and the journal's files, and nothing of how it serves.

mod backup;
mod doctor;
mod health;
mod move_rooms;
mod verify;

pub use backup::backup;
pub use doctor::examine;
pub use health::ask_health;
pub use move_rooms::{Shelf, move_rooms};
pub use verify::verify;
