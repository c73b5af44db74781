//! The driver against a real server, and bots against bots.

mod attacks;
mod measuring;
mod rooms;
mod tournament;
