//! What a room's journal holds, one entry for each thing that happened.

use crate::checkpoint::Checkpoint;
use crate::games::ActRefusal;
use crate::origin;
use crate::{Name, Options, PlayerId, TokenHash, WallTime};
use game::{Commitment, Level, Salt, Seat, Seed};
use protocol::{By, Origin, RawAction, Review};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use std::borrow::Cow;

/// The newest form of entries. Older forms stay readable for ever; a newer one is refused. Games that are not played by the
/// first version of their rules, or whose starter was chosen, came with this form.
const VERSION: u32 = 3;
/// The form of games that begin with an earlier one, and of players who change their names.
const SECOND: u32 = 2;
/// The form of all other entries. An entry has the oldest form that has all it says: a server that does not know what came
/// later must not read that, and reads everything else. Options are the exception: an earlier server ignores those it does not
/// know.
const FIRST: u32 = 1;

/// Version of the rules of games whose `started` entry names none.
const FIRST_RULES: u32 = 1;

const NEWER: &str = "an entry written by a newer Rookery";
const NEWER_CHECKPOINT: &str = "a checkpoint written by a newer Rookery";

/// One thing that happened, and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    v: u32,
    /// When it was decided. Later entries may have earlier times, for wall clocks are set back.
    pub at: WallTime,
    /// What happened.
    pub what: What,
}

/// What can happen to a room. Past tense: it was decided and nothing can refuse it any more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields say what they are")]
pub enum What {
    /// Somebody opened the room, perhaps for a game that begins with an earlier one.
    Opened {
        code: String,
        options: Options,
        seed: Seed,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Box<Origin>>,
    },
    /// Somebody sat down in the next free seat. `asked` is what they asked to be called if they can be known again by
    /// it together with their salt; a `program` said that it is one.
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
    /// Somebody who sits came again with the name and salt they first came with, and was given another token.
    Rejoined { player: PlayerId, token: TokenHash },
    /// A bot sat down in the next free seat.
    BotSat { player: PlayerId, name: Name, level: Level },
    /// A player brought a new salt for the next game.
    Salted { player: PlayerId, salt: Salt },
    /// A player is called otherwise from now on.
    Renamed { player: PlayerId, name: Name },
    /// A player gave up their place.
    Left { player: PlayerId },
    /// A player gave up their seat in the middle of a game, and a bot plays on in it.
    Replaced { player: PlayerId, level: Level },
    /// A bot plays for a player until they are back.
    Substituted { player: PlayerId, level: Level },
    /// A player for whom a bot played is back.
    Returned { player: PlayerId },
    /// Another player became host.
    HostPassed { player: PlayerId },
    /// The host changed the options.
    Configured { options: Options },
    /// The game began, by this version of its rules. The `starter` is whom the host chose to begin.
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
    /// The strongest bot has judged a game of this room: the one this was the commitment of. Nothing follows from it; it is kept for whoever
    /// asks again.
    Reviewed { commitment: Commitment, review: Box<Review> },
    /// The room went back to the lobby, with a new seed for the next game.
    Rematched { seed: Seed },
    /// The next game begins with an earlier one.
    OriginKept { origin: Box<Origin> },
    /// It does not, but with a deal of its own.
    OriginDropped {},
    /// Somebody took a place of the earlier game.
    ChairTaken { player: PlayerId, chair: Seat },
    /// Somebody said something. Only ever read: since then lines are noted, and no history.
    Chatted { seat: Option<Seat>, name: Name, text: String },
    /// Nothing happened: this is what all the entries before have led to, so that they need not be read.
    Checkpoint(Box<Checkpoint>),
}

fn first_rules() -> u32 {
    FIRST_RULES
}

fn is_first_rules(version: &u32) -> bool {
    *version == FIRST_RULES
}

impl What {
    /// Whom this seats: somebody new, or somebody who came again.
    pub fn seated(&self) -> Option<PlayerId> {
        match self {
            What::Sat { player, .. } | What::Rejoined { player, .. } => Some(*player),
            _ => None,
        }
    }

    /// About how many bytes it takes in the journal: enough to bound a room, and nothing need be written twice to know it.
    pub(crate) fn weight(&self) -> u64 {
        match self {
            What::Acted { action, .. } => 64 + action.bytes() as u64,
            What::Chatted { text, .. } => 128 + text.len() as u64,
            What::Checkpoint(checkpoint) => checkpoint.weight(),
            What::Opened { origin: Some(origin), .. } | What::OriginKept { origin } => {
                256 + origin::weight(origin)
            }
            What::Reviewed { review, .. } => {
                let points: usize = review.players.iter().map(|player| player.curve.len()).sum();
                1024 + 32 * points as u64 + 512 * review.players.len() as u64
            }
            _ => 256,
        }
    }

    /// Whether it changes what everyone sees of the room. What it changes of the game is counted by itself; that an act
    /// ends the game, the rules alone know.
    pub(crate) fn shows_in_the_room(&self) -> bool {
        match self {
            What::Acted { .. }
            | What::Chatted { .. }
            | What::Salted { .. }
            | What::Rejoined { .. }
            | What::Reviewed { .. }
            | What::Checkpoint(_) => false,
            What::Opened { .. }
            | What::Sat { .. }
            | What::BotSat { .. }
            | What::Renamed { .. }
            | What::Left { .. }
            | What::Replaced { .. }
            | What::Substituted { .. }
            | What::Returned { .. }
            | What::HostPassed { .. }
            | What::Configured { .. }
            | What::Started { .. }
            | What::Rematched { .. }
            | What::OriginKept { .. }
            | What::OriginDropped {}
            | What::ChairTaken { .. } => true,
        }
    }

    fn version(&self) -> u32 {
        match self {
            What::Started { rules_version, starter } if *rules_version > FIRST_RULES || starter.is_some() => {
                VERSION
            }
            What::Opened { origin: Some(_), .. }
            | What::OriginKept { .. }
            | What::OriginDropped {}
            | What::ChairTaken { .. }
            | What::Renamed { .. } => SECOND,
            _ => FIRST,
        }
    }
}

impl Entry {
    /// Something that happens now.
    pub fn new(at: WallTime, what: What) -> Entry {
        Entry { v: what.version(), at, what }
    }

    /// The entry as it is written down.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("entries have string keys only")
    }

    /// Whether it stands for all entries before it, so that a room may be rebuilt from here on.
    pub fn is_checkpoint(&self) -> bool {
        matches!(self.what, What::Checkpoint(_))
    }

    /// Reads an entry written by this or an older Rookery.
    pub fn read(text: &str) -> Result<Entry, Cause> {
        let read =
            serde_json::from_str(text).map_err(|error| Cause::at("an entry that cannot be read", &error));
        match read {
            Ok(Entry { v, .. }) if v > VERSION => Err(Cause::from(NEWER)),
            Ok(Entry { what: What::Checkpoint(checkpoint), .. }) if checkpoint.is_newer() => {
                Err(Cause::from(NEWER_CHECKPOINT))
            }
            Ok(entry) => Ok(entry),
            // Only of what cannot be read it is asked whether a newer Rookery wrote it: a long journal is read sooner so.
            Err(cause) => Err(newer(text)?.unwrap_or(cause)),
        }
    }

    /// Reads entries of a journal, before which there are `before` others.
    pub fn read_all(before: u64, lines: &[String]) -> Result<Vec<Entry>, Misfit> {
        let numbered = (before + 1..).zip(lines);
        numbered.map(|(entry, line)| Entry::read(line).map_err(|cause| Misfit { entry, cause })).collect()
    }
}

/// Whether this was written by a newer Rookery, in a form of which no more can be read than its version.
fn newer(text: &str) -> Result<Option<Cause>, Cause> {
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    let Version { v } =
        serde_json::from_str(text).map_err(|error| Cause::at("an entry without a version", &error))?;
    let newer =
        if v > VERSION { Some(NEWER) } else { Checkpoint::is_newer_form(text).then_some(NEWER_CHECKPOINT) };
    Ok(newer.map(Cause::from))
}

/// An entry that does not follow from those before it: the journal is damaged or there is a bug.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {entry} of the journal: {cause}")]
pub struct Misfit {
    /// Which, counted from 1.
    pub entry: u64,
    /// What is wrong with it.
    pub cause: Cause,
}

/// What is wrong with an entry, for whoever reads the log. It quotes nothing from the entry, for that may hold a seed
/// before its game, a token's hash or what somebody said; with the entry's number it can be looked up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Cause(Cow<'static, str>);

impl Cause {
    /// Something that cannot be read, and where. The error's own words quote what they found.
    fn at(what: &str, error: &serde_json::Error) -> Cause {
        let kind = match error.classify() {
            Category::Syntax => "not JSON",
            Category::Eof => "cut short",
            Category::Data | Category::Io => "another form",
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
