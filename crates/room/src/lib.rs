//! One table and those who sit at it: lobby, host, seats, game, rematch, chat.
//!
//! Pure: time and randomness come in as arguments, and nothing here knows sockets, tasks or disks. Every
//! change is first decided ([`Room::decide`]), written down by the caller, and only then applied
//! ([`Room::apply`]); a room is rebuilt by applying its journal. What is said ([`Room::say`], [`Room::hear`]) goes the
//! same way, but is no history.

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
pub use decide::Input;
pub use entry::{Cause, Entry, Misfit, What};
pub use games::{GAMES, Offer, Thinking, Visitor, each_game};
pub use moments::Moments;
pub use name::Name;
pub use options::Options;
pub use origin::{MOST_BYTES as MOST_ORIGIN_BYTES, options_of, origin_of};
pub use played::{NoRecord, Which, games_played, moments_of, record_of};
pub use protocol::By;
pub use record::{Doubt, last_record, read_record, records_of, verify};
pub use refusal::Refusal;
pub use review::{Assessment, Hinting, Reviewing, review_of, reviewing};
pub use seats::{Player, PlayerId, Seats, TokenHash};
pub use time::{Millis, Now, WallTime};

use chat::Chat;
use game::{Commitment, Salt, Seat, Seed};
use live_game::LiveGame;
use protocol::{Origin, RoomPhase};
use std::collections::BTreeMap;

/// One room.
pub struct Room {
    code: String,
    options: Options,
    /// The server's part of the next game's chance, or of this game's once it is on.
    seed: Seed,
    /// The earlier game that the next one begins with, or the one on the table began with.
    origin: Option<Box<Origin>>,
    phase: RoomPhase,
    seats: Seats,
    /// The game on the table; it stays there after its end until the rematch.
    game: Option<LiveGame>,
    /// Counts the changes of all games in this room, so that it never falls.
    version: u64,
    /// Rises with everything that changes what [`Room::view`] shows, but for the time somebody is away.
    revision: u64,
    /// The salts that went into games of this room: everybody has seen them.
    public_salts: Vec<Salt>,
    chat: Chat,
    /// How many entries of the journal have taken effect, or tried to.
    entries: u64,
    /// How many of them since the last checkpoint.
    since_checkpoint: u64,
    /// About how many bytes they take.
    written: u64,
    /// Somebody hurries whatever is played for others.
    hurried: bool,
    /// The commitment of the game that was reviewed last.
    reviewed: Option<Commitment>,
}

impl Room {
    /// The first entry of a new room.
    pub fn open(code: &str, options: Options, seed: Seed, at: WallTime) -> Entry {
        Entry::new(at, What::Opened { code: code.to_owned(), options, seed, origin: None })
    }

    /// The first entry of a new room whose first game begins with an earlier one; the options are those of [`options_of`].
    pub fn open_from(code: &str, options: Options, seed: Seed, origin: Box<Origin>, at: WallTime) -> Entry {
        Entry::new(at, What::Opened { code: code.to_owned(), options, seed, origin: Some(origin) })
    }

    /// Rebuilds a room from its journal: from the opening on, or from any checkpoint. Everyone is away until they come.
    /// What was said in it is not among the entries: [`Room::recall`].
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

    /// The room as its first entry says, or the first that is read of it.
    fn begin(first: Option<Entry>, now: Millis) -> Result<Room, Misfit> {
        let begun = match first.map(|entry| entry.what) {
            Some(What::Opened { code, options, seed, origin }) => Room::opened(code, options, seed, origin),
            Some(What::Checkpoint(checkpoint)) => {
                let entry = checkpoint.entry();
                return Room::at_checkpoint(*checkpoint, now).map_err(|cause| Misfit { entry, cause });
            }
            Some(_) => Err(Cause::from("a room that does not begin with its opening")),
            None => Err(Cause::from("a room without entries")),
        };
        begun.map_err(|cause| Misfit { entry: 1, cause })
    }

    fn opened(
        code: String,
        options: Options,
        seed: Seed,
        origin: Option<Box<Origin>>,
    ) -> Result<Room, Cause> {
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
            hurried: false,
            reviewed: None,
        })
    }

    /// What people type to find the room.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Where the room is between opening and the next game.
    pub fn phase(&self) -> RoomPhase {
        self.phase
    }

    /// Counts the changes of the game; a client is shown each once.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Rises with every change of the room as everyone sees it; while it stays, [`Room::view`] differs in nothing but
    /// for how long somebody has been away, and in what its caller says.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Who sits, and where.
    pub fn seats(&self) -> &Seats {
        &self.seats
    }

    /// Whether somebody may sit down now.
    pub fn has_free_seat(&self) -> bool {
        self.phase == RoomPhase::Lobby && self.seats.len() < self.table_size().1
    }

    /// The seat that the host chose to begin the next game; none for chance, and where an earlier game says who begins.
    pub(crate) fn starter(&self) -> Option<Seat> {
        let chosen = self.options.starter().filter(|_| self.origin.is_none())?;
        self.seats.seat_of(chosen)
    }

    /// How the game on the table ended, if it has.
    pub(crate) fn outcome(&self) -> Option<game::Outcome> {
        self.game.as_ref()?.state().outcome()
    }

    /// What a book notes of the table, by seat; nothing without one.
    pub(crate) fn feats(&self) -> Vec<BTreeMap<String, u32>> {
        let Some(game) = &self.game else { return Vec::new() };
        let named = |(name, count): (&str, u32)| (name.to_owned(), count);
        let seats = self.seats.iter().map(|(seat, _)| seat);
        seats.map(|seat| game.state().feats(seat).into_iter().map(named).collect()).collect()
    }
}
