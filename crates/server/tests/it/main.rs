//! Rookery over real sockets.

mod client;
mod docs;
mod games;
mod harness;
mod kill;
mod redaction;
mod resend;
mod slow;
mod types;
