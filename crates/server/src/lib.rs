//! The server: HTTP and WebSockets, one task per room, and a journal for persistence.
//!
//! It does not know the rules: `room` decides what an act does. `main` and the tests both start it with
//! [`Server::start`].

mod accept_encoding;
mod app_state;
mod barred;
mod base;
mod client_addr;
mod clock;
mod cluster;
mod code;
mod config;
mod data_place;
mod frames;
mod greeting;
mod handle;
mod http;
mod limits;
mod links;
mod listen;
mod loaded_rooms;
mod metrics;
mod moments;
mod nodes;
mod outbox;
mod page;
mod peers;
mod qr_codes;
mod records;
mod refused;
mod registry;
mod reviews;
mod room_info;
mod room_task;
mod rooms;
mod socket;
mod thinkers;
mod turns;
mod upkeep;
mod websocket;
mod wire;

pub use app_state::AppState;
pub use clock::Clock;
pub use code::RoomCode;
pub use config::{Admin, Cli, Command, Config, wrong_flag};
pub use data_place::{DataPlace, DatabaseAddress};
pub use greeting::{greeting, lan_address};
pub use listen::{Server, is_clock_set, read_date};
pub use thinkers::Mind;

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
