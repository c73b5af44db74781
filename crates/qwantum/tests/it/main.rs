//! Tests of Qwantum: examples, invariants of every game, and recorded games.

mod book;
mod bots;
mod endgame;
mod endings;
mod laws;
mod oracle;
mod perft;
mod records;
mod redaction;
mod reseed;
mod rolls;
mod script;
mod share;
mod sights;
mod tables;
mod turns;
mod wire;
