//! Tests of Five Towers: examples, invariants of every game, and recorded games.

mod allocations;
mod auction;
mod book;
mod bots;
mod build;
mod deals;
mod endgame;
mod laws;
mod oracle;
mod perft;
mod records;
mod redaction;
mod reseed;
mod rounds;
mod script;
mod sights;
mod tables;
mod wire;
