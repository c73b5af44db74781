//! The entries of a room's journal, one for each thing that happened.

use crate::checkpoint::Checkpoint;
use crate::games::ActRefusal;
use crate::origin;
use crate::{Name, Options, PlayerId, TokenHash, WallTime};
use game::{Commitment, Level, Salt, Seat, Seed};
use protocol::{By, Origin, RawAction, Review};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use std::borrow::Cow;

/// The newest version of the entry format. Older versions always stay readable, and newer ones are refused. It was
/// introduced for games with a later version of their rules or with a chosen starter.
const VERSION: u32 = 3;
/// Version for games that start from an earlier one, and for renamed players.
const SECOND: u32 = 2;
/// Version for all other entries. An entry has the oldest version that can express it, so that earlier servers can read
/// as much as possible and refuse the rest. Options are an exception: earlier servers ignore those they do not know.
const FIRST: u32 = 1;

/// Rules version of games whose `started` entry names none.
const FIRST_RULES: u32 = 1;

const NEWER: &str = "an entry written by a newer Rookery";
const NEWER_CHECKPOINT: &str = "a checkpoint written by a newer Rookery";

/// Something that happened to a room, with its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    v: u32,
    /// When it was decided. Later entries may have earlier times, because wall clocks can be set back.
    pub at: WallTime,
    /// What happened.
    pub what: RoomEvent,
}

/// What can happen to a room. The names are in the past tense, because an entry has been decided and cannot be refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields are self-explanatory")]
pub enum RoomEvent {
    /// The room was opened, possibly for a game that starts from an earlier one.
    Opened {
        code: String,
        options: Options,
        seed: Seed,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Box<Origin>>,
    },
    /// A player sat down in the next free seat. `asked` is the requested name, if the player can be recognised by it
    /// together with the salt. `program` is set if the client declared itself a program.
    Sat {
        player: PlayerId,
        name: Name,
        token: TokenHash,
        salt: Option<Salt>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<Name>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        program: bool,
    },
    /// A seated player joined again with the original name and salt, and got another token.
    Rejoined { player: PlayerId, token: TokenHash },
    /// A bot sat down in the next free seat.
    BotSat { player: PlayerId, name: Name, level: Level },
    /// A player brought a new salt for the next game.
    Salted { player: PlayerId, salt: Salt },
    /// A player changed their name.
    Renamed { player: PlayerId, name: Name },
    /// A player gave up their seat.
    Left { player: PlayerId },
    /// A player gave up their seat during a game, and a bot plays on in it.
    Replaced { player: PlayerId, level: Level },
    /// A bot plays for a player until they return.
    Substituted { player: PlayerId, level: Level },
    /// A substituted player returned.
    Returned { player: PlayerId },
    /// Another player became host.
    HostPassed { player: PlayerId },
    /// The host changed the options.
    Configured { options: Options },
    /// The game started, by this version of its rules. `starter` is the host's choice.
    Started {
        #[serde(default = "first_rules", skip_serializing_if = "is_first_rules")]
        rules_version: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        starter: Option<Seat>,
    },
    /// A seat acted.
    Acted {
        seat: Seat,
        action: RawAction,
        #[serde(default, skip_serializing_if = "By::is_player")]
        by: By,
    },
    /// The strongest bot has reviewed a game of this room, identified by its commitment. The
    /// room keeps it until its next game, and nothing else changes.
    Reviewed { commitment: Commitment, review: Box<Review> },
    /// The room returned to the lobby, with a new seed for the next game.
    Rematched { seed: Seed },
    /// The next game starts from an earlier one.
    OriginKept { origin: Box<Origin> },
    /// The next game starts with a new deal after all.
    OriginDropped {},
    /// A player took a seat of the earlier game.
    ChairTaken { player: PlayerId, chair: Seat },
    /// A chat message. Only read from old journals, because chat is no longer written as entries.
    Chatted { seat: Option<Seat>, name: Name, text: String },
    /// The state that all entries before it have produced, so that they need not be read.
    Checkpoint(Box<Checkpoint>),
}

fn first_rules() -> u32 {
    FIRST_RULES
}

fn is_first_rules(version: &u32) -> bool {
    *version == FIRST_RULES
}

impl RoomEvent {
    /// Returns the player seated by this entry, new or rejoined.
    pub fn seated(&self) -> Option<PlayerId> {
        match self {
            RoomEvent::Sat { player, .. } | RoomEvent::Rejoined { player, .. } => Some(*player),
            _ => None,
        }
    }

    /// Returns the approximate size in the journal in bytes. An estimate is enough to bound a room and avoids
    /// serialising twice.
    pub(crate) fn weight(&self) -> u64 {
        match self {
            RoomEvent::Acted { action, .. } => 64 + action.bytes() as u64,
            RoomEvent::Chatted { text, .. } => 128 + text.len() as u64,
            RoomEvent::Checkpoint(checkpoint) => checkpoint.weight(),
            RoomEvent::Opened { origin: Some(origin), .. } | RoomEvent::OriginKept { origin } => {
                256 + origin::weight(origin)
            }
            RoomEvent::Reviewed { review, .. } => {
                let points: usize = review.players.iter().map(|player| player.curve.len()).sum();
                1024 + 32 * points as u64 + 512 * review.players.len() as u64
            }
            _ => 256,
        }
    }

    /// Returns whether it changes the public view of the room. Changes of the game are counted separately. Whether an
    /// action ends the game is known only to the rules.
    pub(crate) fn shows_in_the_room(&self) -> bool {
        match self {
            RoomEvent::Acted { .. }
            | RoomEvent::Chatted { .. }
            | RoomEvent::Salted { .. }
            | RoomEvent::Rejoined { .. }
            | RoomEvent::Reviewed { .. }
            | RoomEvent::Checkpoint(_) => false,
            RoomEvent::Opened { .. }
            | RoomEvent::Sat { .. }
            | RoomEvent::BotSat { .. }
            | RoomEvent::Renamed { .. }
            | RoomEvent::Left { .. }
            | RoomEvent::Replaced { .. }
            | RoomEvent::Substituted { .. }
            | RoomEvent::Returned { .. }
            | RoomEvent::HostPassed { .. }
            | RoomEvent::Configured { .. }
            | RoomEvent::Started { .. }
            | RoomEvent::Rematched { .. }
            | RoomEvent::OriginKept { .. }
            | RoomEvent::OriginDropped {}
            | RoomEvent::ChairTaken { .. } => true,
        }
    }

    fn version(&self) -> u32 {
        match self {
            RoomEvent::Started { rules_version, starter } if *rules_version > FIRST_RULES || starter.is_some() => {
                VERSION
            }
            RoomEvent::Opened { origin: Some(_), .. }
            | RoomEvent::OriginKept { .. }
            | RoomEvent::OriginDropped {}
            | RoomEvent::ChairTaken { .. }
            | RoomEvent::Renamed { .. } => SECOND,
            _ => FIRST,
        }
    }
}

impl Entry {
    /// Creates an entry.
    pub fn new(at: WallTime, what: RoomEvent) -> Entry {
        Entry { v: what.version(), at, what }
    }

    /// Serialises the entry for the journal.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("entries have string keys only")
    }

    /// Returns whether it replaces all entries before it, so that a room can be rebuilt from here.
    pub fn is_checkpoint(&self) -> bool {
        matches!(self.what, RoomEvent::Checkpoint(_))
    }

    /// Parses an entry written by this or an earlier version.
    pub fn read(text: &str) -> Result<Entry, Cause> {
        let read = serde_json::from_str(text).map_err(|error| Cause::at("an entry that cannot be read", &error));
        match read {
            Ok(Entry { v, .. }) if v > VERSION => Err(Cause::from(NEWER)),
            Ok(Entry { what: RoomEvent::Checkpoint(checkpoint), .. }) if checkpoint.is_newer() => {
                Err(Cause::from(NEWER_CHECKPOINT))
            }
            Ok(entry) => Ok(entry),
            // The check for newer versions runs only on entries that cannot be parsed, which makes long journals faster
            // to read.
            Err(cause) => Err(newer(text)?.unwrap_or(cause)),
        }
    }

    /// Parses entries of a journal that follow `before` others.
    pub fn read_all(before: u64, lines: &[String]) -> Result<Vec<Entry>, Misfit> {
        let numbered = (before + 1..).zip(lines);
        numbered.map(|(entry, line)| Entry::read(line).map_err(|cause| Misfit { entry, cause })).collect()
    }
}

/// Checks whether this was written by a newer version, of which only the version number can be read.
fn newer(text: &str) -> Result<Option<Cause>, Cause> {
    #[derive(Deserialize)]
    struct EntryVersion {
        v: u32,
    }
    let EntryVersion { v } =
        serde_json::from_str(text).map_err(|error| Cause::at("an entry without a version", &error))?;
    let newer = if v > VERSION { Some(NEWER) } else { Checkpoint::is_newer_form(text).then_some(NEWER_CHECKPOINT) };
    Ok(newer.map(Cause::from))
}

/// An entry that does not fit those before it: the journal is damaged or there is a bug.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {entry} of the journal: {cause}")]
pub struct Misfit {
    /// Number of the entry, counted from 1.
    pub entry: u64,
    /// What is wrong with it.
    pub cause: Cause,
}

/// What is wrong with an entry, for the log. It quotes nothing from the entry, which may contain a secret seed, a
/// token's hash or chat. The entry can be looked up by its number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Cause(Cow<'static, str>);

impl Cause {
    /// Describes a parse error by kind and column. The error's own text is not used because it quotes its input.
    fn at(what: &str, error: &serde_json::Error) -> Cause {
        let kind = match error.classify() {
            Category::Syntax => "not JSON",
            Category::Eof => "cut short",
            Category::Data | Category::Io => "unexpected structure",
        };
        Cause(format!("{what} ({kind}, column {})", error.column()).into())
    }
}

impl From<&'static str> for Cause {
    fn from(cause: &'static str) -> Cause {
        Cause(cause.into())
    }
}

impl From<ActRefusal> for Cause {
    fn from(refusal: ActRefusal) -> Cause {
        match refusal {
            ActRefusal::Malformed(_) => Cause::from("an act this game cannot read"),
            ActRefusal::Forbidden { code, detail } => {
                Cause(format!("an act the rules refuse as {code}: {detail}").into())
            }
        }
    }
}
