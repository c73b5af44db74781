//! The server: HTTP and WebSockets, one task per room, and a journal for persistence.
//!
//! It does not know the rules: `room` decides what an act does. `main` and the tests both start it with
//! [`Server::start`].

mod address;
mod allowance;
mod barred;
mod clock;
mod code;
mod config;
mod data_place;
mod frames;
mod greeting;
mod handle;
mod held;
mod http;
mod limits;
mod line;
mod links;
mod listen;
mod metrics;
mod moments;
mod nodes;
mod page;
mod records;
mod registry;
mod reviews;
mod room_task;
mod shared;
mod socket;
mod thinkers;
mod turns;
mod websocket;
mod wire;

pub use clock::Clock;
pub use code::RoomCode;
pub use config::{Admin, Cli, Command, Config, wrong_flag};
pub use data_place::{DataPlace, DatabaseAddress};
pub use greeting::{greeting, lan_address};
pub use listen::{Server, is_clock_set, read_date};
pub use nodes::VERSION;
pub use shared::Shared;
pub use thinkers::Mind;
