//! Checkpoints (snapshots). A checkpoint is an entry that replaces all entries before it when a room is rebuilt, so
//! that a rebuild costs one game and not the room's whole history. It is taken in the lobby after a game, where the
//! state is smallest.

use crate::chat::Chat;
use crate::origin;
use crate::seats::{Player, Seats};
use crate::{Cause, Entry, Millis, Options, PlayerId, Room, RoomEvent};
use game::{Salt, Seed};
use protocol::{ChatLine, Origin, RoomPhase};
use serde::{Deserialize, Serialize};

/// Current version of the checkpoint format. It is separate from that of entries, because checkpoints contain a whole
/// room and change more often. Older versions always stay readable, and newer ones are refused.
const FORM: u32 = 2;
/// Version for checkpoints without an earlier game to start from, which every release with checkpoints can read.
const FIRST: u32 = 1;

/// Number of entries in the lobby after which a checkpoint is written even without a game.
const RESTLESS: u64 = 1000;

/// The persistent state of a room in the lobby.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    form: u32,
    /// Number of this entry in its journal, counted from 1.
    entry: u64,
    code: String,
    options: Options,
    seed: Seed,
    /// Players who have left are not at the table any more in the lobby.
    players: Vec<Player>,
    host: Option<PlayerId>,
    next_id: PlayerId,
    version: u64,
    public_salts: Vec<Salt>,
    /// The shown chat messages that were entries.
    chat: Vec<ChatLine>,
    /// Approximate size in bytes of the entries before it. Checkpoints of the first version lack it, and their rooms
    /// count from there.
    #[serde(default, skip_serializing_if = "is_0")]
    written: u64,
    /// The earlier game that the next one starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<Box<Origin>>,
}

fn is_0(number: &u64) -> bool {
    *number == 0
}

impl Room {
    /// Appends a checkpoint to the decided entries if they return the room to the lobby, or if the lobby has seen many
    /// entries since the last one. A rebuild therefore never costs more than one game and a while in the lobby. The
    /// entries are applied to a copy by the regular code, so the checkpoint is exact and deciding changes nothing.
    pub(crate) fn with_checkpoint(&self, mut decided: Vec<Entry>, now: Millis) -> Vec<Entry> {
        let rematched = decided.iter().any(|entry| matches!(entry.what, RoomEvent::Rematched { .. }));
        let restless = self.phase == RoomPhase::Lobby
            && self.since_checkpoint >= RESTLESS
            && !decided.iter().any(|entry| matches!(entry.what, RoomEvent::Started { .. }));
        let Some(at) = decided.last().map(|last| last.at).filter(|_| rematched || restless) else {
            return decided;
        };
        let mut room = self.without_game();
        // An entry that cannot be applied is reported when it is applied to the room itself, and needs no checkpoint.
        if decided.iter().all(|entry| room.apply(entry, now).is_ok()) {
            decided.push(Entry::new(at, RoomEvent::Checkpoint(Box::new(Checkpoint::of(room)))));
        }
        decided
    }

    /// Returns a copy without the game on the table. Every field is named, here and below, so that a new one cannot be
    /// forgotten.
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
            // Belongs to a game, which this copy does not have.
            starts_at: _,
            hurried: _,
            review,
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
            starts_at: None,
            hurried: false,
            review: review.clone(),
        }
    }

    /// Creates the room from a checkpoint, with everyone away.
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
            return Err(Cause::from("a checkpoint with too many players"));
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
            starts_at: None,
            hurried: false,
            review: None,
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
            starts_at: _,
            hurried: _,
            // The journal keeps it.
            review: _,
        } = room;
        let (players, host, next_id) = seats.into_parts();
        let players = players.into_iter().map(Player::written_down).collect();
        Checkpoint {
            form: if origin.is_some() { FORM } else { FIRST },
            // The checkpoint itself is the next entry.
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

    /// Returns its approximate size in bytes.
    pub(crate) fn weight(&self) -> u64 {
        let said: usize = self.chat.iter().map(|line| 64 + line.text.len()).sum();
        let origin = self.origin.as_deref().map_or(0, origin::weight);
        (512 + 512 * self.players.len() + 35 * self.public_salts.len() + said) as u64 + origin
    }

    /// Returns the approximate size in bytes of the entries before it.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// Returns the number of this entry in its journal, counted from 1.
    pub(crate) fn entry(&self) -> u64 {
        self.entry
    }

    /// Returns whether it has a newer format, in which unknown fields would be lost.
    pub(crate) fn is_newer(&self) -> bool {
        self.form > FORM
    }

    /// Returns whether this text is a checkpoint of a newer format, even if nothing else of it can be parsed.
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
