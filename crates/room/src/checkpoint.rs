//! A checkpoint (snapshot): an entry that stands for all entries before it, so that to rebuild a room costs one game and not
//! all the room has ever seen. It is taken where a room has the least to say: in the lobby after a game, with nothing on the table.

use crate::chat::Chat;
use crate::origin;
use crate::seats::{Player, Seats};
use crate::{Cause, Entry, Millis, Options, PlayerId, Room, What};
use game::{Salt, Seed};
use protocol::{ChatLine, Origin, RoomPhase};
use serde::{Deserialize, Serialize};

/// The form checkpoints are written in now, apart from that of entries: they hold all of a room and so change more often.
/// Older forms stay readable for ever; a newer one is refused.
const FORM: u32 = 2;
/// The form of those without an earlier game to begin with, which every Rookery reads that reads checkpoints.
const FIRST: u32 = 1;

/// After so many entries without a game the lobby is written down, too.
const RESTLESS: u64 = 1000;

/// All that a room in the lobby knows and that is written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    form: u32,
    /// Which entry of its journal it is, counted from 1.
    entry: u64,
    code: String,
    options: Options,
    seed: Seed,
    /// In the lobby nobody is at the table who has left.
    players: Vec<Player>,
    host: Option<PlayerId>,
    next_id: PlayerId,
    version: u64,
    public_salts: Vec<Salt>,
    /// Those of the lines still shown that were entries.
    chat: Vec<ChatLine>,
    /// About how many bytes the entries before it take; none in those of the first version, whose rooms then count from there.
    #[serde(default, skip_serializing_if = "is_0")]
    written: u64,
    /// The earlier game that the next one begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<Box<Origin>>,
}

fn is_0(number: &u64) -> bool {
    *number == 0
}

impl Room {
    /// What is decided, with a checkpoint behind it if it brings the room back to the lobby, or if the lobby has seen much
    /// since the last one: so to rebuild a room never costs more than one game and a while in the lobby. The entries take effect in a copy, by
    /// the code that will apply them: so the checkpoint says what they lead to, and deciding changes nothing.
    pub(crate) fn with_checkpoint(&self, mut decided: Vec<Entry>, now: Millis) -> Vec<Entry> {
        let rematched = decided.iter().any(|entry| matches!(entry.what, What::Rematched { .. }));
        let restless = self.phase == RoomPhase::Lobby
            && self.since_checkpoint >= RESTLESS
            && !decided.iter().any(|entry| matches!(entry.what, What::Started { .. }));
        let Some(at) = decided.last().map(|last| last.at).filter(|_| rematched || restless) else {
            return decided;
        };
        let mut room = self.without_game();
        // What does not fit is told when it is applied to the room itself, and needs no checkpoint.
        if decided.iter().all(|entry| room.apply(entry, now).is_ok()) {
            decided.push(Entry::new(at, What::Checkpoint(Box::new(Checkpoint::of(room)))));
        }
        decided
    }

    /// A copy whose table is cleared. Every field is named, here and below, so that a new one cannot be forgotten.
    fn without_game(&self) -> Room {
        let Room {
            code,
            options,
            seed,
            origin,
            phase,
            seats,
            game: _,
            version,
            revision,
            public_salts,
            chat,
            entries,
            since_checkpoint,
            written,
            // It is for a game, of which this copy has none.
            hurried: _,
            reviewed,
        } = self;
        Room {
            code: code.clone(),
            options: options.clone(),
            seed: *seed,
            origin: origin.clone(),
            phase: *phase,
            seats: seats.clone(),
            game: None,
            version: *version,
            revision: *revision,
            public_salts: public_salts.clone(),
            chat: chat.clone(),
            entries: *entries,
            since_checkpoint: *since_checkpoint,
            written: *written,
            hurried: false,
            reviewed: *reviewed,
        }
    }

    /// The room a checkpoint stands for; everyone is away.
    pub(crate) fn at_checkpoint(checkpoint: Checkpoint, now: Millis) -> Result<Room, Cause> {
        let weight = checkpoint.weight();
        let Checkpoint {
            form: _,
            entry,
            code,
            options,
            seed,
            players,
            host,
            next_id,
            version,
            public_salts,
            chat,
            written,
            origin,
        } = checkpoint;
        options.readable()?;
        origin::readable(origin.as_deref(), &options)?;
        if players.len() > options.offer().max {
            return Err(Cause::from("a checkpoint with more players than can play"));
        }
        let mut seats = Seats::restored(players, host, next_id);
        seats.all_away(now);
        Ok(Room {
            code,
            options,
            seed,
            origin,
            phase: RoomPhase::Lobby,
            seats,
            game: None,
            version,
            revision: 0,
            public_salts,
            chat: Chat::of_entries(chat),
            entries: entry,
            since_checkpoint: 0,
            written: written.saturating_add(weight),
            hurried: false,
            reviewed: None,
        })
    }
}

impl Checkpoint {
    fn of(room: Room) -> Checkpoint {
        let Room {
            code,
            options,
            seed,
            origin,
            phase: _,
            seats,
            game: _,
            version,
            revision: _,
            public_salts,
            chat,
            entries,
            since_checkpoint: _,
            written,
            hurried: _,
            // It matters only while that game is on the table.
            reviewed: _,
        } = room;
        let (players, host, next_id) = seats.into_parts();
        let players = players.into_iter().map(Player::written_down).collect();
        Checkpoint {
            form: if origin.is_some() { FORM } else { FIRST },
            // It follows them.
            entry: entries + 1,
            code,
            options,
            seed,
            players,
            host,
            next_id,
            version,
            public_salts,
            chat: chat.into_those_of_entries(),
            written,
            origin,
        }
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> u64 {
        let said: usize = self.chat.iter().map(|line| 64 + line.text.len()).sum();
        let origin = self.origin.as_deref().map_or(0, origin::weight);
        (512 + 512 * self.players.len() + 35 * self.public_salts.len() + said) as u64 + origin
    }

    /// About how many bytes the entries before it take.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// Which entry of its journal it is, counted from 1.
    pub(crate) fn entry(&self) -> u64 {
        self.entry
    }

    /// Whether it is in a newer form, of which some could be read and the rest would be lost.
    pub(crate) fn is_newer(&self) -> bool {
        self.form > FORM
    }

    /// The same of an entry of which nothing else can be read.
    pub(crate) fn is_newer_form(text: &str) -> bool {
        #[derive(Deserialize)]
        struct Of {
            what: Form,
        }
        #[derive(Deserialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        enum Form {
            Checkpoint { form: u32 },
        }
        let read = serde_json::from_str(text);
        read.is_ok_and(|Of { what: Form::Checkpoint { form } }| form > FORM)
    }
}
