//! One table, told as stories: nothing here has a runtime, a socket or a disk.

mod acts;
mod again;
mod book;
mod bots;
mod chat;
mod checkpoint;
mod clocks;
mod decisions;
mod host;
mod journal_size;
mod journals;
mod laws;
mod lobby;
mod moments;
mod mutations;
mod options;
mod origin;
mod pauses;
mod programs;
mod qwantum;
mod rebuild;
mod record;
mod rematch;
mod review;
mod salts;
mod test_room;
