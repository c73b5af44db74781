//! One room and its players: lobby, host, seats, game, rematch and chat.
//!
//! This crate is pure: time and randomness are arguments, and it uses no sockets, tasks or disks. Every change is first
//! decided ([`Room::decide`]), then written to the journal by the caller, and only then applied ([`Room::apply`]). A
//! room is rebuilt by applying its journal. Chat ([`Room::say`], [`Room::hear`]) works the same way but is not part of
//! the history.

mod again;
mod apply;
mod autopilot;
mod book;
mod chat;
mod checkpoint;
mod decide;
mod digest;
mod entry;
mod games;
mod live_game;
mod moments;
mod name;
mod options;
mod origin;
mod played;
mod presence;
mod record;
mod refusal;
mod review;
mod seats;
mod time;
mod view;

pub use autopilot::Want;
pub use book::{book_of, csv_of};
pub use chat::Said;
pub use checkpoint::Checkpoint;
pub use decide::{Activity, Input, InputClass, InputLimit};
pub use entry::{Cause, Entry, Misfit, RoomEvent};
pub use games::{GAMES, Offer, Thinking, Visitor, each_game};
pub use moments::Moments;
pub use name::Name;
pub use options::Options;
pub use origin::{MOST_BYTES as MOST_ORIGIN_BYTES, options_of, origin_of};
pub use played::{NoRecord, Which, games_played, moments_of, record_of};
pub use protocol::By;
pub use record::{Doubt, last_record, read_record, records_of, verify};
pub use refusal::Refusal;
pub use review::{Assessment, Hinting, LastReview, Reviewing, review_of, reviewing};
pub use seats::{Player, PlayerId, Seats, TokenHash};
pub use time::{Millis, Now, WallTime};

use chat::Chat;
use game::{Salt, Seat, Seed};
use live_game::LiveGame;
use protocol::{Origin, Review, RoomPhase};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A room.
pub struct Room {
    code: String,
    options: Options,
    /// The server's seed for the next game, or for the current one once it has started.
    seed: Seed,
    /// The earlier game that the next or current game starts from.
    origin: Option<Box<Origin>>,
    phase: RoomPhase,
    seats: Seats,
    /// The game on the table, which stays there after its end until the rematch.
    game: Option<LiveGame>,
    /// Number of changes of all games in this room. It never decreases.
    version: u64,
    /// Rises with every change of what [`Room::view`] shows, except for the time a player has been away.
    revision: u64,
    /// The salts used in games of this room, which are public.
    public_salts: Vec<Salt>,
    chat: Chat,
    /// Number of entries of the journal that were applied, including a failed one.
    entries: u64,
    /// Number of entries since the last checkpoint.
    since_checkpoint: u64,
    /// Approximate size of the entries in bytes.
    written: u64,
    /// When the next game starts without the host, because everyone has asked for it. Like presence this is not part of
    /// the history.
    starts_at: Option<Millis>,
    /// Whether a player asked to shorten the pauses of automatic actions.
    hurried: bool,
    /// The review of the last game, kept until the next one starts.
    review: Option<Arc<Review>>,
}

impl Room {
    /// Returns the first entry of a new room.
    pub fn open(code: &str, options: Options, seed: Seed, at: WallTime) -> Entry {
        Entry::new(at, RoomEvent::Opened { code: code.to_owned(), options, seed, origin: None })
    }

    /// Returns the first entry of a new room whose first game starts from an earlier one. The options must come from
    /// [`options_of`].
    pub fn open_from(code: &str, options: Options, seed: Seed, origin: Box<Origin>, at: WallTime) -> Entry {
        Entry::new(at, RoomEvent::Opened { code: code.to_owned(), options, seed, origin: Some(origin) })
    }

    /// Rebuilds a room from its journal, starting at the opening or at any checkpoint. Everyone is away until they
    /// reconnect. Chat is not among the entries, see [`Room::recall`].
    pub fn rebuild(entries: impl IntoIterator<Item = Entry>, now: Millis) -> Result<Room, Misfit> {
        let mut entries = entries.into_iter();
        let mut room = Room::begin(entries.next(), now)?;
        for entry in entries {
            room.apply(&entry, now)?;
        }
        room.seats.all_away(now);
        if let Some(game) = &mut room.game {
            game.ask_anew(now);
        }
        Ok(room)
    }

    /// Rebuilds a room from lines of its journal, starting at their last checkpoint. `before` is the number of lines
    /// before these.
    pub fn from_journal(before: u64, lines: &[String], now: Millis) -> Result<Room, Misfit> {
        Room::rebuild(record::from_last_checkpoint(before, lines)?, now)
    }

    /// Creates the room from its opening or from a checkpoint.
    fn begin(first: Option<Entry>, now: Millis) -> Result<Room, Misfit> {
        let begun = match first.map(|entry| entry.what) {
            Some(RoomEvent::Opened { code, options, seed, origin }) => Room::opened(code, options, seed, origin),
            Some(RoomEvent::Checkpoint(checkpoint)) => {
                let entry = checkpoint.entry();
                return Room::at_checkpoint(*checkpoint, now).map_err(|cause| Misfit { entry, cause });
            }
            Some(_) => Err(Cause::from("a journal that does not begin with an opening entry")),
            None => Err(Cause::from("a journal without entries")),
        };
        begun.map_err(|cause| Misfit { entry: 1, cause })
    }

    fn opened(code: String, options: Options, seed: Seed, origin: Option<Box<Origin>>) -> Result<Room, Cause> {
        options.readable()?;
        origin::readable(origin.as_deref(), &options)?;
        Ok(Room {
            code,
            options,
            seed,
            origin,
            phase: RoomPhase::Lobby,
            seats: Seats::default(),
            game: None,
            version: 0,
            revision: 0,
            public_salts: Vec::new(),
            chat: Chat::default(),
            entries: 1,
            since_checkpoint: 1,
            written: 0,
            starts_at: None,
            hurried: false,
            review: None,
        })
    }

    /// Returns the code by which people find the room.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns the room's phase.
    pub fn phase(&self) -> RoomPhase {
        self.phase
    }

    /// Returns the number of game changes. Each version is shown to a client once.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns a number that rises with every public change of the room. While it stays equal, [`Room::view`] differs
    /// only in the times players have been away and in the caller's arguments.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the players and their seats.
    pub fn seats(&self) -> &Seats {
        &self.seats
    }

    /// Returns whether a player may sit down now.
    pub fn has_free_seat(&self) -> bool {
        self.phase == RoomPhase::Lobby && self.seats.len() < self.table_size().1
    }

    /// Returns the seat the host chose to start the next game. `None` for a random starter, or if an earlier game
    /// determines it.
    pub(crate) fn starter(&self) -> Option<Seat> {
        let chosen = self.options.starter().filter(|_| self.origin.is_none())?;
        self.seats.seat_of(chosen)
    }

    /// Returns the result of the game on the table, if it is over.
    pub(crate) fn outcome(&self) -> Option<game::Outcome> {
        self.game.as_ref()?.state().outcome()
    }

    /// Returns the statistics for the book, by seat. Empty without a game.
    pub(crate) fn feats(&self) -> Vec<BTreeMap<String, u32>> {
        let Some(game) = &self.game else { return Vec::new() };
        let named = |(name, count): (&str, u32)| (name.to_owned(), count);
        let seats = self.seats.iter().map(|(seat, _)| seat);
        seats.map(|seat| game.state().feats(seat).into_iter().map(named).collect()).collect()
    }
}
