//! The driver against a real server, and bots against bots.

mod rooms;
mod tournament;
