//! Five Towers as stories, as laws that hold in every game, and as games once played.

mod allocations;
mod auction;
mod book;
mod bots;
mod build;
mod deals;
mod laws;
mod oracle;
mod records;
mod redaction;
mod reseed;
mod rounds;
mod script;
mod sights;
mod tables;
mod wire;
