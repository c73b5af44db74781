//! The driver against a real server, and bots against bots.

mod measuring;
mod rooms;
mod tournament;
