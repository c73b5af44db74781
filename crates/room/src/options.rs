//! The options that a host chooses before the start.

use crate::{Cause, Offer, PlayerId, Refusal};
use protocol::{Forced, Pace};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::RangeInclusive;

/// Allowed time limits per decision, in seconds.
const CLOCK: RangeInclusive<u32> = 10..=3600;

/// The game, its rules and the room's settings. Always valid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    game: String,
    rules: Value,
    clock: Option<u32>,
    forced: Forced,
    /// Missing in journals from before this option existed.
    #[serde(default, skip_serializing_if = "Pace::is_normal")]
    pace: Pace,
    /// The starter of the next game, or `None` for a random one. It is a player, because seats are renumbered in the
    /// lobby.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    starter: Option<PlayerId>,
}

impl Options {
    /// Creates options with all defaults filled in.
    pub fn new(game: &str, rules: Option<&Value>, clock: Option<u32>, forced: Forced) -> Result<Options, Refusal> {
        let offer = Offer::find(game).ok_or_else(|| Refusal::BadOptions(format!("no game {game:?}")))?;
        let rules = match rules {
            Some(rules) => offer.rules(rules).map_err(Refusal::BadOptions)?,
            None => offer.default_rules(),
        };
        if clock.is_some_and(|seconds| !CLOCK.contains(&seconds)) {
            return Err(Refusal::BadOptions("clock must be 10–3600 or null".to_owned()));
        }
        Ok(Options { game: game.to_owned(), rules, clock, forced, pace: Pace::default(), starter: None })
    }

    /// Returns these options with another pace.
    pub fn at_pace(self, pace: Pace) -> Options {
        Options { pace, ..self }
    }

    /// Returns these options with this starter, or a random one.
    pub(crate) fn started_by(self, starter: Option<PlayerId>) -> Options {
        Options { starter, ..self }
    }

    /// Returns these options with some of them changed. A different game starts with its default rules.
    pub(crate) fn changed(
        &self,
        game: Option<&str>,
        rules: Option<&Value>,
        clock: Option<Option<u32>>,
        forced: Option<Forced>,
        pace: Option<Pace>,
    ) -> Result<Options, Refusal> {
        let game = game.unwrap_or(&self.game);
        let rules = rules.or((game == self.game).then_some(&self.rules));
        let changed = Options::new(game, rules, clock.unwrap_or(self.clock), forced.unwrap_or(self.forced))?;
        Ok(changed.at_pace(pace.unwrap_or(self.pace)).started_by(self.starter))
    }

    /// Checks options read from a journal, which a server with other games may have written.
    pub(crate) fn readable(&self) -> Result<(), Cause> {
        let offer = Offer::find(&self.game).ok_or(Cause::from("an unknown game"))?;
        offer.rules(&self.rules).map(|_| ()).map_err(|_| Cause::from("rules that cannot be read"))
    }

    /// Returns the chosen game.
    pub fn offer(&self) -> &'static Offer {
        Offer::find(&self.game).expect("options name a game on offer")
    }

    /// Returns the game's own options.
    pub fn rules(&self) -> &Value {
        &self.rules
    }

    /// Returns the seconds for each decision, or `None` for no limit.
    pub fn clock(&self) -> Option<u32> {
        self.clock
    }

    /// Returns the starter of the next game, or `None` for a random one.
    pub fn starter(&self) -> Option<PlayerId> {
        self.starter
    }

    /// Returns the pace of automatic actions.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// Returns what happens when a seat has only one legal action.
    pub fn forced(&self) -> Forced {
        self.forced
    }
}
