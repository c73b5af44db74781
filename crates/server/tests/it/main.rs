//! Rookery over real sockets.

mod bots;
mod client;
mod contract;
mod docs;
mod drain;
mod failure;
mod games;
mod harness;
mod idle;
mod kill;
mod limits;
mod lobby;
mod redaction;
mod resend;
mod slow;
mod types;
