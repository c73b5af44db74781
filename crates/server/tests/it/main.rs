//! Rookery over real sockets.

mod backup;
mod bots;
mod client;
mod clock;
mod contract;
mod disk;
mod docs;
mod drain;
mod failure;
mod games;
mod ghosts;
mod harness;
mod hosting;
mod idle;
mod journals;
mod kill;
mod limits;
mod lobby;
mod metrics;
mod nginx;
mod record;
mod redaction;
mod resend;
mod slow;
mod types;
mod update;
