//! The list of games, and the only place where a game's own types are converted to JSON. The rest of the crate works on
//! [`AnyGame`].

use game::{Bot, Budget, Chance, Game, Judged, Level, Outcome, RuleOption, Seat, Seed, Sight, View, Viewer};
use protocol::RawAction;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// Declares the list of games. It is a macro because an array cannot hold types, and both items below need all of them.
/// A game is added with one line.
macro_rules! games {
    ($($game:ty),+ $(,)?) => {
        /// All games, in the order in which they are offered to players.
        pub const GAMES: &[Offer] = &[$(Offer::of::<$game>()),+];

        /// Calls the visitor with every game, in its own types.
        pub fn each_game(visitor: &mut impl Visitor) {
            $(visitor.meet::<$game>();)+
        }
    };
}

games![towers::Towers, qwantum::Qwantum];

/// Visitor pattern: an operation on each game in its own types.
pub trait Visitor {
    /// Visits the next game.
    fn meet<G: Bot>(&mut self);
}

/// A game as offered to hosts.
pub struct Offer {
    /// The game's id on the wire.
    pub id: &'static str,
    /// Minimum number of players.
    pub min: usize,
    /// Maximum number of players.
    pub max: usize,
    /// The options of the rules.
    pub options: &'static [RuleOption],
    /// The newest version of the rules.
    pub rules_version: u32,
    version_for: fn(&Value) -> Result<u32, String>,
    rules: fn(&Value) -> Result<Value, String>,
    deal: fn(&Value, usize, Seed, Option<Seat>) -> Result<Dealt, String>,
}

/// A new game with the events of its setup.
pub(crate) type Dealt = (Box<dyn AnyGame>, Vec<Box<RawValue>>);

impl Offer {
    const fn of<G: Bot>() -> Offer {
        Offer {
            id: G::ID,
            min: *G::PLAYERS.start(),
            max: *G::PLAYERS.end(),
            options: G::OPTIONS,
            rules_version: G::RULES_VERSION,
            version_for: |rules| read(rules).map(|rules| G::version_for(&rules)),
            rules: |rules| read::<G::Rules>(rules).map(|rules| json(&rules)),
            deal: |rules, players, seed, starter| {
                let (game, events) = G::begin(&read(rules)?, players, seed, starter);
                Ok((Box::new(game), events.into_iter().map(|event| raw(&event)).collect()))
            },
        }
    }

    /// Returns the game with this id.
    pub fn find(id: &str) -> Option<&'static Offer> {
        GAMES.iter().find(|offer| offer.id == id)
    }

    /// Returns the default rules of a room.
    pub fn default_rules(&self) -> Value {
        self.rules(&Value::Object(Default::default())).expect("rules have defaults")
    }

    /// Returns these rules with all defaults filled in, or an error if they are not valid for this game.
    pub fn rules(&self, rules: &Value) -> Result<Value, String> {
        (self.rules)(rules)
    }

    /// Returns the rules version for a new game with these rules.
    pub(crate) fn version_for(&self, rules: &Value) -> u32 {
        (self.version_for)(rules).unwrap_or(self.rules_version)
    }

    /// Returns whether games of this rules version can be played here.
    pub(crate) fn has_rules_version(&self, version: u32) -> bool {
        (1..=self.rules_version).contains(&version)
    }

    /// Deals a game, with this starter or a random one.
    pub(crate) fn deal(
        &self,
        rules: &Value,
        players: usize,
        seed: Seed,
        starter: Option<Seat>,
    ) -> Result<Dealt, String> {
        (self.deal)(rules, players, seed, starter)
    }
}

/// The events of an action as JSON, and how much they give players to look at.
pub(crate) type Seen = (Vec<Box<RawValue>>, Option<Sight>);

/// Why an action was refused.
#[derive(Debug)]
pub(crate) enum ActRefusal {
    /// It cannot be parsed as an action of this game.
    Malformed(String),
    /// The rules forbid it now.
    Forbidden { code: &'static str, detail: String },
}

/// A type-erased game with a JSON interface.
pub(crate) trait AnyGame: Send {
    /// Checks whether an incoming action is legal, and returns it in the game's canonical form.
    fn check(&self, seat: Seat, action: &RawAction) -> Result<RawAction, ActRefusal>;
    fn apply(&mut self, seat: Seat, action: &RawAction) -> Result<Vec<Box<RawValue>>, ActRefusal> {
        self.apply_seen(seat, action).map(|(events, _)| events)
    }
    /// Applies an action and returns the events and how much they give players to look at, or `None` for that if there
    /// were no events.
    fn apply_seen(&mut self, seat: Seat, action: &RawAction) -> Result<Seen, ActRefusal>;
    fn table(&self) -> Box<RawValue>;
    fn mine(&self, seat: Seat) -> Box<RawValue>;
    fn actions(&self, seat: Seat) -> Box<RawValue>;
    fn outcome(&self) -> Option<Outcome>;
    fn set_rules_version(&mut self, version: u32);
    fn reseed(&mut self, seed: Seed);
    fn feats(&self, seat: Seat) -> Vec<(&'static str, u32)>;
    fn asked(&self) -> Vec<Seat>;
    fn epoch(&self) -> u32;
    /// Returns whether a seat has only one legal action.
    fn is_forced(&self, seat: Seat) -> bool;
    fn only_act(&self, seat: Seat) -> Option<RawAction>;
    fn any_act(&self, seat: Seat) -> Option<RawAction>;
    fn thinking(&self, seat: Seat) -> Thinking;
    /// Returns the strongest bot's evaluation of a seat's decision, from what that seat sees. An action that was played
    /// is always included.
    fn judging(&self, seat: Seat, played: Option<&RawAction>) -> Judging;
}

/// A bot's computation for one decision, containing everything it may see. It can be moved to another thread and called
/// several times: for a quick answer first, and then for a better one.
pub type Thinking = Box<dyn Fn(Level, Seed, Budget<'_>) -> Option<RawAction> + Send>;

/// The strongest bot's evaluation of one decision, containing everything it may see. Returns the possible actions, best
/// first. It can be called several times with different seeds.
pub(crate) type Judging = Box<dyn Fn(Seed, Budget<'_>) -> Vec<Judged<RawAction>> + Send>;

impl<G: Bot> AnyGame for G {
    fn check(&self, seat: Seat, action: &RawAction) -> Result<RawAction, ActRefusal> {
        let (action, written) = said::<G>(action)?;
        Game::check(self, seat, &action).map_err(forbidden)?;
        Ok(written)
    }

    fn apply_seen(&mut self, seat: Seat, action: &RawAction) -> Result<Seen, ActRefusal> {
        let action: G::Action = action.read().map_err(malformed)?;
        let events = Game::apply(self, seat, &action).map_err(forbidden)?;
        let mut most = None;
        let look = |event: G::Event| {
            most = most.max(Some(self.sight(&event)));
            raw(&event)
        };
        let events = events.into_iter().map(look).collect();
        Ok((events, most))
    }

    fn table(&self) -> Box<RawValue> {
        raw(&Game::table(self))
    }

    fn mine(&self, seat: Seat) -> Box<RawValue> {
        raw(&Game::mine(self, seat))
    }

    fn actions(&self, seat: Seat) -> Box<RawValue> {
        raw(&self.legal(seat).into_iter().collect::<Vec<_>>())
    }

    fn outcome(&self) -> Option<Outcome> {
        Game::outcome(self)
    }

    fn set_rules_version(&mut self, version: u32) {
        Game::set_rules_version(self, version);
    }

    fn reseed(&mut self, seed: Seed) {
        Game::reseed(self, seed);
    }

    fn feats(&self, seat: Seat) -> Vec<(&'static str, u32)> {
        Game::feats(self, seat)
    }

    fn asked(&self) -> Vec<Seat> {
        Game::asked(self).into_iter().collect()
    }

    fn epoch(&self) -> u32 {
        Game::epoch(self)
    }

    fn is_forced(&self, seat: Seat) -> bool {
        self.legal(seat).into_iter().take(2).count() == 1
    }

    fn only_act(&self, seat: Seat) -> Option<RawAction> {
        let mut acts = self.legal(seat).into_iter();
        acts.next().filter(|_| acts.next().is_none()).map(|act| RawAction::of(&act))
    }

    fn any_act(&self, seat: Seat) -> Option<RawAction> {
        self.legal(seat).into_iter().next().map(|act| RawAction::of(&act))
    }

    fn thinking(&self, seat: Seat) -> Thinking {
        let view: View<G> = self.view(Viewer::Seat(seat));
        Box::new(move |level, seed, budget| {
            let act = G::choose(&view, seat, level, &mut Chance::new(seed), budget);
            act.map(|act| RawAction::of(&act))
        })
    }

    fn judging(&self, seat: Seat, played: Option<&RawAction>) -> Judging {
        let view: View<G> = self.view(Viewer::Seat(seat));
        let played: Option<G::Action> = played.and_then(|played| played.read().ok());
        Box::new(move |seed, budget| {
            let chance = &mut Chance::new(seed);
            let judged = match &played {
                Some(played) => G::judge_with(&view, seat, played, chance, budget),
                None => G::judge(&view, seat, chance, budget),
            };
            let raw = |Judged { action, chance }| Judged { action: RawAction::of(&action), chance };
            judged.into_iter().map(raw).collect()
        })
    }
}

fn malformed(error: serde_json::Error) -> ActRefusal {
    ActRefusal::Malformed(error.to_string())
}

fn forbidden(refusal: impl game::IllegalAction) -> ActRefusal {
    ActRefusal::Forbidden { code: refusal.code(), detail: refusal.to_string() }
}

/// Parses an incoming action strictly in the protocol's format. Serde accepts more: an object's fields as a list, or a
/// name as a number. Stored actions are parsed without this check, because they had the format of their time: journals
/// and records from before an action got another field stay valid.
fn said<G: Game>(action: &RawAction) -> Result<(G::Action, RawAction), ActRefusal> {
    let read: G::Action = action.read().map_err(malformed)?;
    let written = RawAction::of(&read);
    // Actions of our own page are identical to the canonical form.
    if written != *action && !is_in_the_form_of(&action.value(), &written.value()) {
        return Err(ActRefusal::Malformed("not in the canonical format".to_owned()));
    }
    Ok((read, written))
}

/// Returns whether an incoming action matches its canonical form. Optional fields may be missing, because pages can be
/// older than servers. A list may be longer than what the game reads, so that the rules can refuse it.
fn is_in_the_form_of(said: &Value, written: &Value) -> bool {
    match (said, written) {
        (Value::Object(said), Value::Object(written)) => {
            said.iter().all(|(key, said)| written.get(key).is_some_and(|written| is_in_the_form_of(said, written)))
        }
        (Value::Array(said), Value::Array(written)) => {
            said.len() >= written.len()
                && said.iter().zip(written).all(|(said, written)| is_in_the_form_of(said, written))
        }
        _ => said == written,
    }
}

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> Result<T, String> {
    if !value.is_object() {
        return Err("expected an object".to_owned());
    }
    T::deserialize(value).map_err(|error| error.to_string())
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("game types have string keys only")
}

fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("game types have string keys only")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;
    use std::ops::RangeInclusive;

    /// A game whose players wave. In this version they may say to whom.
    #[derive(Clone)]
    struct Waving;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
    enum Wave {
        Wave {
            times: u8,
            #[serde(default)]
            to: Option<Seat>,
        },
    }

    #[derive(Debug, thiserror::Error)]
    #[error("never")]
    struct Never;

    impl game::IllegalAction for Never {
        const ALL: &'static [Never] = &[Never];

        fn code(&self) -> &'static str {
            "never"
        }
    }

    impl Game for Waving {
        const ID: &'static str = "waving";
        const RULES_VERSION: u32 = 1;
        const PLAYERS: RangeInclusive<usize> = 1..=1;
        const OPTIONS: &'static [RuleOption] = &[];
        type Rules = ();
        type Action = Wave;
        type Event = Wave;
        type Table = ();
        type Mine = ();
        type IllegalAction = Never;
        type Actions = Vec<Wave>;
        type Events = Vec<Wave>;

        fn begin(_: &(), _: usize, _: Seed, _: Option<Seat>) -> (Waving, Vec<Wave>) {
            (Waving, Vec::new())
        }
        fn reseed(&mut self, _: Seed) {}
        fn feats(&self, _: Seat) -> Vec<(&'static str, u32)> {
            Vec::new()
        }
        fn legal(&self, _: Seat) -> Vec<Wave> {
            Vec::new()
        }
        fn asked(&self) -> arrayvec::ArrayVec<Seat, { game::MAX_PLAYERS }> {
            Default::default()
        }
        fn check(&self, _: Seat, _: &Wave) -> Result<(), Never> {
            Ok(())
        }
        fn apply(&mut self, _: Seat, wave: &Wave) -> Result<Vec<Wave>, Never> {
            Ok(vec![wave.clone()])
        }
        fn table(&self) {}
        fn mine(&self, _: Seat) {}
        fn outcome(&self) -> Option<Outcome> {
            None
        }
    }

    impl Bot for Waving {
        fn judge(_: &View<Waving>, _: Seat, _: &mut Chance, _: Budget<'_>) -> Vec<game::Judged<Wave>> {
            Vec::new()
        }
        fn greedy(_: &View<Waving>, _: Seat) -> Option<Wave> {
            None
        }
        fn choose(_: &View<Waving>, _: Seat, _: Level, _: &mut Chance, _: Budget<'_>) -> Option<Wave> {
            None
        }
    }

    #[test]
    fn reads_actions_written_before_a_field_was_added() {
        let mut game: Box<dyn AnyGame> = Box::new(Waving);
        let raw = |action: Value| RawAction::from(action);
        let before = raw(json!({"type": "wave", "times": 3}));
        assert!(game.check(Seat(0), &before).is_ok());
        assert!(game.apply(Seat(0), &before).is_ok());
        assert!(game.check(Seat(0), &raw(json!({"type": "wave", "times": 3, "to": 1}))).is_ok());
        for nonsense in [json!({"type": "wave"}), json!({"type": "wave", "times": 3, "at": 1})] {
            let checked = game.check(Seat(0), &raw(nonsense.clone()));
            assert!(matches!(checked, Err(ActRefusal::Malformed(_))), "{nonsense}");
        }
    }
}
