//! What every game is: seats, viewers, seeded chance, the [`Game`] trait, refusals and outcomes; and what bots share:
//! [`Luck`], [`race`], [`Stages`] and small networks ([`net`]).
//!
//! Nothing here knows a clock, a socket, a disk, a logger or the operating system's randomness.

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
pub use refusal::Refusal;
pub use seat::{Seat, Viewer};
pub use sight::Sight;
pub use stages::Stages;

use arrayvec::ArrayVec;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// The most players any game seats; outcomes are sized by it.
pub const MAX_PLAYERS: usize = 8;

/// One table game: pure rules over a state that is cheap to copy.
///
/// The state changes only through [`Game::apply`]. What people see is built up by [`Game::table`] and
/// [`Game::mine`], whose types have no field for a secret.
///
/// ```
#[doc = include_str!("../doc/stones.rs")]
///
/// let (mut game, _) = Stones::new(&(), 2, Seed([0; 32]));
/// let first = game.turn;
/// while let Some(seat) = game.asked().first().copied() {
///     let view = game.view(Viewer::Seat(seat));
///     game.apply(seat, &view.actions[0]).expect("what is listed is legal");
/// }
/// // In seven turns of one stone each, whoever is first is last, too.
/// assert_eq!(game.outcome().unwrap().winners.as_slice(), [first]);
/// ```
pub trait Game: Clone + Send + Sized + 'static {
    /// The name on the wire.
    const ID: &'static str;
    /// The newest version of the rules. Raised when the same acts from the same seed would be judged
    /// otherwise. All versions from 1 on stay playable: [`Game::set_rules_version`].
    const RULES_VERSION: u32;
    /// How many people can play.
    const PLAYERS: RangeInclusive<usize>;
    /// What a host may choose before the start, the default first.
    const OPTIONS: &'static [RuleOption];

    /// The chosen options.
    type Rules: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + Send;
    /// Something a player asks for.
    type Action: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// Something that happened; every viewer may see every event.
    type Event: Clone + Debug + Serialize;
    /// What everyone at the table may see.
    type Table: Serialize + Send;
    /// What one seat alone may see.
    type Mine: Serialize + Send;
    /// Why an act is refused.
    type Refusal: Refusal;
    /// A list of acts; a game may keep it off the heap.
    type Actions: IntoIterator<Item = Self::Action>;
    /// A list of events; a game may keep it off the heap.
    type Events: IntoIterator<Item = Self::Event>;

    /// Lays the table for `players` people and says what happened in doing so. Chance says who begins.
    fn new(rules: &Self::Rules, players: usize, seed: Seed) -> (Self, Self::Events) {
        Self::begin(rules, players, seed, None)
    }

    /// Lays the table as [`Game::new`] does, with this seat to begin. Who would have begun is drawn all the same, so the same
    /// seed deals the same cards or dice for every starter.
    fn begin(rules: &Self::Rules, players: usize, seed: Seed, starter: Option<Seat>) -> (Self, Self::Events);

    /// The version that a new game with these options is played by: the earliest with the same rulings, so that servers of
    /// an earlier release can play it too.
    fn version_for(_rules: &Self::Rules) -> u32 {
        Self::RULES_VERSION
    }

    /// Plays on by this version of the rules, from 1 to [`Game::RULES_VERSION`]. A journal or a record of an earlier version
    /// is replayed by that one.
    fn set_rules_version(&mut self, _version: u32) {}

    /// Lays anew, from another seed, whatever nobody has been shown: what is still to come is shuffled or rolled from there,
    /// and choices that are still hidden are taken back. What everyone has seen stays as it lies. So a table whose end is known
    /// can be played on from any moment of it.
    fn reseed(&mut self, seed: Seed);

    /// What a table's book keeps of this table for `seat`, such as the height of its tallest tower, each under a name of the
    /// game's own.
    fn feats(&self, seat: Seat) -> Vec<(&'static str, u32)>;

    /// Every act `seat` may play now, each once; empty when it is not asked.
    fn legal(&self, seat: Seat) -> Self::Actions;

    /// Who must act before the game goes on. Others may still have acts, such as changing what they chose.
    fn asked(&self) -> ArrayVec<Seat, MAX_PLAYERS>;

    /// The epoch of the decisions made together, for optimistic concurrency: it rises when they are counted, so that a
    /// choice that was sent before and arrives after is refused. Whoever has chosen may choose otherwise while others
    /// think, and it is another's act that ends the time for it, which a count of one's own acts would not show. A game
    /// in which only the one whose turn it is has acts needs no epochs: there a decision ends with an act of the seat
    /// that was asked.
    fn epoch(&self) -> u32 {
        0
    }

    /// Whether `apply` would accept this act, and if not, why. Changes nothing.
    fn check(&self, seat: Seat, action: &Self::Action) -> Result<(), Self::Refusal>;

    /// Plays the act. On `Err` nothing has changed.
    fn apply(&mut self, seat: Seat, action: &Self::Action) -> Result<Self::Events, Self::Refusal>;

    /// How much there is to see in an event that has just happened here.
    fn sight(&self, _event: &Self::Event) -> Sight {
        Sight::default()
    }

    /// What everyone may see.
    fn table(&self) -> Self::Table;

    /// What only `seat` may see.
    fn mine(&self, seat: Seat) -> Self::Mine;

    /// Who won, once the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// All that `viewer` may see and do.
    fn view(&self, viewer: Viewer) -> View<Self> {
        let seat = viewer.seat();
        View {
            table: self.table(),
            mine: seat.map(|seat| self.mine(seat)),
            actions: seat.map_or_else(Vec::new, |seat| self.legal(seat).into_iter().collect()),
        }
    }
}

/// What one viewer sees of a game.
#[derive(Serialize)]
pub struct View<G: Game> {
    /// What everyone sees.
    pub table: G::Table,
    /// What this seat alone sees; none for a watcher.
    pub mine: Option<G::Mine>,
    /// What this seat may do now.
    pub actions: Vec<G::Action>,
}

/// One choice a host has, as `GET /api/games` lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleOption {
    /// The field of the rules object.
    pub name: &'static str,
    /// What it may be.
    pub values: &'static [&'static str],
    /// What it is unless the host says otherwise.
    pub default: &'static str,
}
