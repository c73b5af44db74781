//! Tests of the load generator against a real server, and of tournaments between bots.

mod attacks;
mod measuring;
mod review;
mod rooms;
mod tournament;
