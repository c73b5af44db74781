//! The driver against a real server, and bots against bots.

mod attacks;
mod measuring;
mod review;
mod rooms;
mod tournament;
