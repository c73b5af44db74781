//! Commands a host runs beside the server: back up the journal, check the deployment from outside, check its health,
//! verify a record, and move all rooms to another journal.
//!
//! It uses the wire protocol and the journal's files, and knows nothing else of the server.

mod backup;
mod doctor;
mod health;
mod move_rooms;
mod verify;

pub use backup::backup;
pub use doctor::examine;
pub use health::ask_health;
pub use move_rooms::{RoomStorage, move_rooms};
pub use verify::verify;
