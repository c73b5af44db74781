//! The list of games, and the one place where a game's own types turn into JSON. Everything else in the
//! room works on [`AnyGame`].

use game::{Bot, Budget, Chance, Game, Level, Outcome, RuleOption, Seat, Seed, View, Viewer};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// Types make no list, so the list of games is written once and read twice.
macro_rules! games {
    ($($game:ty),+ $(,)?) => {
        /// Every game on offer, the first being the one people meet first.
        pub const GAMES: &[Offer] = &[$(Offer::of::<$game>()),+];

        /// Shows every game on offer to whoever wants to play it in its own types.
        pub fn each_game(visitor: &mut impl Visitor) {
            $(visitor.meet::<$game>();)+
        }
    };
}

games![towers::Towers, qwantum::Qwantum];

/// Somebody who meets games one by one, by their types.
pub trait Visitor {
    /// The next of them.
    fn meet<G: Bot>(&mut self);
}

/// A game as a host chooses it.
pub struct Offer {
    /// Its name on the wire.
    pub id: &'static str,
    /// The fewest players.
    pub min: usize,
    /// The most players.
    pub max: usize,
    /// What each rule may be.
    pub options: &'static [RuleOption],
    /// Raised when the same acts from the same seed would lead somewhere else.
    pub rules_version: u32,
    rules: fn(&Value) -> Result<Value, String>,
    deal: fn(&Value, usize, Seed) -> Result<Dealt, String>,
}

/// A game just laid out, with what happened in doing so.
pub(crate) type Dealt = (Box<dyn AnyGame>, Vec<Box<RawValue>>);

impl Offer {
    const fn of<G: Bot>() -> Offer {
        Offer {
            id: G::ID,
            min: *G::PLAYERS.start(),
            max: *G::PLAYERS.end(),
            options: G::OPTIONS,
            rules_version: G::RULES_VERSION,
            rules: |rules| read::<G::Rules>(rules).map(|rules| json(&rules)),
            deal: |rules, players, seed| {
                let (game, events) = G::new(&read(rules)?, players, seed);
                Ok((Box::new(game), events.into_iter().map(|event| raw(&event)).collect()))
            },
        }
    }

    /// The offer of this name.
    pub fn find(id: &str) -> Option<&'static Offer> {
        GAMES.iter().find(|offer| offer.id == id)
    }

    /// The rules a room has unless its host says otherwise.
    pub fn default_rules(&self) -> Value {
        self.rules(&Value::Object(Default::default())).expect("rules have defaults")
    }

    /// These rules with every default filled in, or why they are not rules of this game.
    pub fn rules(&self, rules: &Value) -> Result<Value, String> {
        (self.rules)(rules)
    }

    pub(crate) fn deal(&self, rules: &Value, players: usize, seed: Seed) -> Result<Dealt, String> {
        (self.deal)(rules, players, seed)
    }
}

/// Why an act was refused.
#[derive(Debug)]
pub(crate) enum ActRefusal {
    /// It is not an act of this game at all.
    Malformed(String),
    /// The rules forbid it now.
    Forbidden { code: &'static str, detail: String },
}

/// A game of any kind, spoken to in JSON.
pub(crate) trait AnyGame: Send {
    fn check(&self, seat: Seat, action: &Value) -> Result<(), ActRefusal>;
    fn apply(&mut self, seat: Seat, action: &Value) -> Result<Vec<Box<RawValue>>, ActRefusal>;
    fn table(&self) -> Box<RawValue>;
    fn mine(&self, seat: Seat) -> Box<RawValue>;
    fn actions(&self, seat: Seat) -> Box<RawValue>;
    fn outcome(&self) -> Option<Outcome>;
    fn asked(&self) -> Vec<Seat>;
    fn epoch(&self) -> u32;
    fn only_act(&self, seat: Seat) -> Option<Value>;
    fn any_act(&self, seat: Seat) -> Option<Value>;
    fn thinking(&self, seat: Seat) -> Thinking;
}

/// A bot's thinking about one decision, with all it may see inside. It can be sent away and asked more than once:
/// for a quick answer, and then for a better one.
pub type Thinking = Box<dyn Fn(Level, Seed, Budget<'_>) -> Option<Value> + Send>;

impl<G: Bot> AnyGame for G {
    fn check(&self, seat: Seat, action: &Value) -> Result<(), ActRefusal> {
        Game::check(self, seat, &act::<G>(action)?).map_err(forbidden)
    }

    fn apply(&mut self, seat: Seat, action: &Value) -> Result<Vec<Box<RawValue>>, ActRefusal> {
        let events = Game::apply(self, seat, &act::<G>(action)?).map_err(forbidden)?;
        Ok(events.into_iter().map(|event| raw(&event)).collect())
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

    fn asked(&self) -> Vec<Seat> {
        Game::asked(self).into_iter().collect()
    }

    fn epoch(&self) -> u32 {
        Game::epoch(self)
    }

    fn only_act(&self, seat: Seat) -> Option<Value> {
        let mut acts = self.legal(seat).into_iter();
        acts.next().filter(|_| acts.next().is_none()).map(|act| json(&act))
    }

    fn any_act(&self, seat: Seat) -> Option<Value> {
        self.legal(seat).into_iter().next().map(|act| json(&act))
    }

    fn thinking(&self, seat: Seat) -> Thinking {
        let view: View<G> = self.view(Viewer::Seat(seat));
        Box::new(move |level, seed, budget| {
            let act = G::choose(&view, seat, level, &mut Chance::new(seed), budget);
            act.map(|act| json(&act))
        })
    }
}

fn forbidden(refusal: impl game::Refusal) -> ActRefusal {
    ActRefusal::Forbidden { code: refusal.code(), detail: refusal.to_string() }
}

/// Reads an act. Serde would also read an object's fields from a list; the contract knows objects only, so
/// an act must be exactly what it would be written as.
fn act<G: Game>(action: &Value) -> Result<G::Action, ActRefusal> {
    let read: G::Action = read(action).map_err(ActRefusal::Malformed)?;
    if json(&read) != *action {
        return Err(ActRefusal::Malformed("not in the form of the contract".to_owned()));
    }
    Ok(read)
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
