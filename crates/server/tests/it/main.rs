//! Rookery over real sockets.

mod client;
mod games;
mod harness;
mod kill;
mod redaction;
mod resend;
mod slow;
mod types;
