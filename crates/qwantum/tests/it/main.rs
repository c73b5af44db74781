//! Qwantum as stories, as laws that hold in every game, and as games once played.

mod book;
mod bots;
mod endings;
mod laws;
mod oracle;
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
