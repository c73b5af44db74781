//! The interface shared by all games: seats, viewers, seeded randomness, the [`Game`] trait, refusals and outcomes.
//! Also what bots share: [`Luck`], [`race`], [`Stages`] and small networks ([`net`]).
//!
//! This crate uses no clock, sockets, disk, logger or operating-system randomness.

mod bot;
mod chance;
mod luck;
pub mod net;
mod outcome;
mod race;
mod refusal;
mod seat;
mod sight;
mod stages;

pub use bot::{Bot, Budget, Judged, Level};
pub use chance::{Chance, Commitment, Salt, Seed};
pub use luck::Luck;
pub use outcome::Outcome;
pub use race::race;
pub use refusal::IllegalAction;
pub use seat::{Seat, Viewer};
pub use sight::Sight;
pub use stages::Stages;

use arrayvec::ArrayVec;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// The largest number of players in any game. Sizes fixed-capacity lists such as those of [`Outcome`].
pub const MAX_PLAYERS: usize = 8;

/// A tabletop game: pure rules over a state that is cheap to copy.
///
/// The state changes only through [`Game::apply`]. Views are built by [`Game::table`] and [`Game::mine`], whose types
/// have no field for a secret.
///
/// ```
#[doc = include_str!("../doc/stones.rs")]
///
/// let (mut game, _) = Stones::new(&(), 2, Seed([0; 32]));
/// let first = game.turn;
/// while let Some(seat) = game.asked().first().copied() {
///     let view = game.view(Viewer::Seat(seat));
///     game.apply(seat, &view.actions[0]).expect("listed actions are legal");
/// }
/// // In seven turns of one stone each, the first player also takes the last stone.
/// assert_eq!(game.outcome().unwrap().winners.as_slice(), [first]);
/// ```
pub trait Game: Clone + Send + Sized + 'static {
    /// The game's name on the wire.
    const ID: &'static str;
    /// The newest version of the rules. Raised when a replay of the same actions from the same seed would be judged
    /// differently. All versions from 1 on stay playable, see [`Game::set_rules_version`].
    const RULES_VERSION: u32;
    /// The supported numbers of players.
    const PLAYERS: RangeInclusive<usize>;
    /// The options a host may choose before the start.
    const OPTIONS: &'static [RuleOption];

    /// The chosen options.
    type Rules: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + Send;
    /// A player's move.
    type Action: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// Something that happened. Every event is public.
    type Event: Clone + Debug + Serialize;
    /// The public state.
    type Table: Serialize + Send;
    /// The private state of one seat.
    type Mine: Serialize + Send;
    /// Why an action is refused.
    type IllegalAction: IllegalAction;
    /// A list of actions, which a game may keep off the heap.
    type Actions: IntoIterator<Item = Self::Action>;
    /// A list of events, which a game may keep off the heap.
    type Events: IntoIterator<Item = Self::Event>;

    /// Sets up a game for `players` players, with a random starter. Returns it with the events of the setup.
    fn new(rules: &Self::Rules, players: usize, seed: Seed) -> (Self, Self::Events) {
        Self::begin(rules, players, seed, None)
    }

    /// Sets up a game like [`Game::new`], with this seat as starter if one is given. A random starter is drawn in
    /// either case, so that a seed deals the same cards or dice for every starter.
    fn begin(rules: &Self::Rules, players: usize, seed: Seed, starter: Option<Seat>) -> (Self, Self::Events);

    /// Returns the rules version for a new game with these options: the earliest one with the same rulings, so that
    /// servers of an earlier release can play it too.
    fn version_for(_rules: &Self::Rules) -> u32 {
        Self::RULES_VERSION
    }

    /// Continues by this version of the rules, from 1 to [`Game::RULES_VERSION`]. Journals and records of an earlier
    /// version are replayed by that version.
    fn set_rules_version(&mut self, _version: u32) {}

    /// Randomises everything that nobody has seen, from a new seed: future cards or dice come from that seed, and
    /// choices that are still hidden are withdrawn. Everything that was public stays as it is. A game whose end
    /// is known can therefore be continued from any of its moments.
    fn reseed(&mut self, seed: Seed);

    /// Returns the statistics that a room's book keeps for `seat`, such as the height of its tallest tower, each under
    /// a name the game defines.
    fn feats(&self, seat: Seat) -> Vec<(&'static str, u32)>;

    /// Returns every legal action of `seat`, each once. Empty if it may not act.
    fn legal(&self, seat: Seat) -> Self::Actions;

    /// Returns the seats that must act before the game goes on. Other seats may still have legal actions, such as
    /// changing a choice.
    fn asked(&self) -> ArrayVec<Seat, MAX_PLAYERS>;

    /// Returns the epoch of simultaneous decisions, used for optimistic concurrency. It rises when the choices are
    /// evaluated, so that a choice sent before that and received after it is refused.
    ///
    /// Players may change their choice while others think. Another seat's action ends that time, and a count of the
    /// player's own actions would not show it. A game in which only the seat to move has legal actions needs no epochs,
    /// because each decision ends with an action of that seat.
    fn epoch(&self) -> u32 {
        0
    }

    /// Returns whether `apply` would accept this action, and if not, why.
    fn check(&self, seat: Seat, action: &Self::Action) -> Result<(), Self::IllegalAction>;

    /// Plays the action. On `Err` nothing has changed.
    fn apply(&mut self, seat: Seat, action: &Self::Action) -> Result<Self::Events, Self::IllegalAction>;

    /// Returns how much an event that has just happened gives players to look at.
    fn sight(&self, _event: &Self::Event) -> Sight {
        Sight::default()
    }

    /// Returns the public state.
    fn table(&self) -> Self::Table;

    /// Returns the private state of `seat`.
    fn mine(&self, seat: Seat) -> Self::Mine;

    /// Returns the result once the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// Returns all that `viewer` may see and do.
    fn view(&self, viewer: Viewer) -> View<Self> {
        let seat = viewer.seat();
        View {
            table: self.table(),
            mine: seat.map(|seat| self.mine(seat)),
            actions: seat.map_or_else(Vec::new, |seat| self.legal(seat).into_iter().collect()),
        }
    }
}

/// The view of one viewer.
#[derive(Serialize)]
pub struct View<G: Game> {
    /// The public state.
    pub table: G::Table,
    /// The seat's private state, or `None` for a spectator.
    pub mine: Option<G::Mine>,
    /// The seat's legal actions.
    pub actions: Vec<G::Action>,
}

/// One of the host's options, as listed by `GET /api/games`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleOption {
    /// The field's name in the rules object.
    pub name: &'static str,
    /// The allowed values.
    pub values: &'static [&'static str],
    /// The value used unless the host chooses another.
    pub default: &'static str,
}

// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
