//! Tests of the server over real sockets.

mod audience;
mod backup;
mod bots;
mod checkpoint;
mod client;
mod clock;
mod cluster;
mod contract;
#[cfg(unix)]
mod database;
mod disk;
mod docs;
mod drain;
mod edge;
mod evening;
mod failure;
mod forward;
mod frames;
mod games;
mod harness;
mod hosting;
mod hosts;
mod idle;
mod journals;
mod kill;
mod limits;
mod lobby;
#[cfg(unix)]
mod lost;
mod metrics;
#[cfg(unix)]
mod modules;
mod moving;
mod names;
mod neighbours;
mod nginx;
mod origin;
mod past;
mod record;
mod redaction;
mod requests;
mod resend;
mod returning;
mod review;
mod schema;
mod security;
mod signs;
mod slow;
mod strangers;
mod topology;
mod types;
mod unconfirmed;
mod update;
