//! What a host chooses before the start.

use crate::{Cause, Offer, PlayerId, Refusal};
use protocol::{Forced, Pace};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::RangeInclusive;

/// Seconds a clock may give for one decision.
const CLOCK: RangeInclusive<u32> = 10..=3600;

/// The game, its rules and the table's manners; always valid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    game: String,
    rules: Value,
    clock: Option<u32>,
    forced: Forced,
    /// Journals of before it do not have it.
    #[serde(default, skip_serializing_if = "Pace::is_normal")]
    pace: Pace,
    /// Who begins the next game, or none for chance. Seats are renumbered in the lobby, players are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    starter: Option<PlayerId>,
}

impl Options {
    /// These options with every default filled in.
    pub fn new(
        game: &str,
        rules: Option<&Value>,
        clock: Option<u32>,
        forced: Forced,
    ) -> Result<Options, Refusal> {
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

    /// These options at another pace.
    pub fn at_pace(self, pace: Pace) -> Options {
        Options { pace, ..self }
    }

    /// These options with this player to begin, or chance.
    pub(crate) fn started_by(self, starter: Option<PlayerId>) -> Options {
        Options { starter, ..self }
    }

    /// These options with some of them changed; another game begins with its own default rules.
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

    /// Options read from a journal that a Rookery with other games may have written.
    pub(crate) fn readable(&self) -> Result<(), Cause> {
        let offer = Offer::find(&self.game).ok_or(Cause::from("a game that is not on offer here"))?;
        offer.rules(&self.rules).map(|_| ()).map_err(|_| Cause::from("rules that cannot be read"))
    }

    /// The chosen game.
    pub fn offer(&self) -> &'static Offer {
        Offer::find(&self.game).expect("options name a game on offer")
    }

    /// The game's own options.
    pub fn rules(&self) -> &Value {
        &self.rules
    }

    /// Seconds for each decision, or none.
    pub fn clock(&self) -> Option<u32> {
        self.clock
    }

    /// Who begins the next game; none for chance.
    pub fn starter(&self) -> Option<PlayerId> {
        self.starter
    }

    /// How fast what is played for others comes.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// What happens when a seat has only one act.
    pub fn forced(&self) -> Forced {
        self.forced
    }
}
