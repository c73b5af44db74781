//! What a room's journal holds, one entry for each thing that happened.

use crate::{Name, Options, PlayerId, TokenHash, WallTime};
use game::{Level, Salt, Seat, Seed};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The form entries are written in now. Older forms stay readable for ever; a newer one is refused.
const VERSION: u32 = 1;

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
    /// Somebody opened the room.
    Opened { code: String, options: Options, seed: Seed },
    /// Somebody sat down in the next free seat. `asked` is what they asked to be called if they can be known again by
    /// it together with their salt.
    Sat {
        player: PlayerId,
        name: Name,
        token: TokenHash,
        salt: Option<Salt>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<Name>,
    },
    /// Somebody who sits came again with the name and salt they first came with, and was given another token.
    Rejoined { player: PlayerId, token: TokenHash },
    /// A bot sat down in the next free seat.
    BotSat { player: PlayerId, name: Name, level: Level },
    /// A player brought a new salt for the next game.
    Salted { player: PlayerId, salt: Salt },
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
    /// The game began.
    Started {},
    /// A seat acted.
    Acted {
        seat: Seat,
        action: Value,
        #[serde(default, skip_serializing_if = "By::is_player")]
        by: By,
    },
    /// The room went back to the lobby, with a new seed for the next game.
    Rematched { seed: Seed },
    /// Somebody said something.
    Chatted { seat: Option<Seat>, name: Name, text: String },
}

/// Who made a seat's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Its player.
    #[default]
    Player,
    /// The bot that plays the seat.
    Bot,
    /// A bot, since the player's time had run out.
    Clock,
    /// Nobody: there was only one thing to do.
    Force,
}

impl By {
    fn is_player(&self) -> bool {
        *self == By::Player
    }
}

impl Entry {
    /// Something that happens now.
    pub fn new(at: WallTime, what: What) -> Entry {
        Entry { v: VERSION, at, what }
    }

    /// The entry as it is written down.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("entries have string keys only")
    }

    /// Reads an entry written by this or an older Rookery.
    pub fn read(text: &str) -> Result<Entry, Misfit> {
        #[derive(Deserialize)]
        struct Version {
            v: u32,
        }
        let Version { v } = serde_json::from_str(text).map_err(|_| Misfit("an entry without a version"))?;
        if v > VERSION {
            return Err(Misfit("an entry written by a newer Rookery"));
        }
        serde_json::from_str(text).map_err(|_| Misfit("an entry that cannot be read"))
    }
}

/// An entry that does not follow from those before it: the journal is damaged or there is a bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the journal has {0}")]
pub struct Misfit(pub &'static str);
