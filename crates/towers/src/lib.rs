#![doc = include_str!("../README.md")]

mod action;
mod auction;
mod bot;
mod build;
mod card;
pub mod lay;
mod list;
mod means;
mod piles;
mod refusal;
mod round;
mod row;
mod score;
mod side;
mod tower;
mod view;

pub use action::{Action, Event, Mistakes, Rules};
pub use build::MAX_UNDOS;
pub use card::{Card, Cards, EXTRA, HIGHEST, MAX_DECK, NoSuchCard, ROOF, Tower, deck};
pub use lay::Lay;
pub use list::{Item, List};
pub use means::{Carried, Means};
pub use refusal::IllegalAction;
pub use round::Phase;
pub use score::Score;
pub use side::{MAX_PLAYERS, Pile};
pub use tower::Stack;
pub use view::{Call, Mine, PlayerView, Skyline, Standing, Table};

use arrayvec::ArrayVec;
use auction::Auction;
use build::Build;
use game::{Chance, Game, Outcome, RuleOption, Seat, Seed, Sight};
use piles::Piles;
use row::Row;
use side::Side;
use std::fmt;
use std::ops::RangeInclusive;

/// Legal actions of one seat. The longest lists are a take of two or three of five cards with a retraction, and the
/// start of a build: five demolitions, five cards, undo and retract.
pub type Actions = ArrayVec<Action, 16>;

/// First version of the rules in which a bid may be retracted only if it cannot be kept.
const RETRACTION_BY_NEED: u32 = 2;

/// Events of one action: at most the action itself, a discard, a reshuffle and a new round.
pub type Events = ArrayVec<Event, 4>;

/// A game of Five Towers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Towers {
    seed: Seed,
    /// Number of keystream words used by the first deal. The reshuffle continues from there.
    words: u32,
    mistakes: Mistakes,
    /// Whether any bid may be retracted, as in the first version of the rules.
    retracts_freely: bool,
    players: u8,
    phase: Phase,
    round: u8,
    deal: u8,
    starter: Seat,
    turn: Seat,
    /// Largest number of cards of this row each seat could build when the round began.
    highest: [u8; MAX_PLAYERS],
    row: Row,
    auction: Auction,
    build: Build,
    piles: Piles,
    sides: [Side; MAX_PLAYERS],
}

impl Towers {
    /// Returns the number of players.
    pub fn players(&self) -> usize {
        usize::from(self.players)
    }

    /// Returns the part of the round.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns the seat to move, or `None` once the game is over.
    pub fn turn(&self) -> Option<Seat> {
        (self.phase != Phase::Finished).then_some(self.turn)
    }

    fn sides(&self) -> &[Side] {
        &self.sides[..self.players()]
    }
}

impl Game for Towers {
    const ID: &'static str = "towers";
    /// Since version 2, a bid may be retracted only if it cannot be kept.
    const RULES_VERSION: u32 = 2;
    const PLAYERS: RangeInclusive<usize> = 2..=MAX_PLAYERS;
    const OPTIONS: &'static [RuleOption] =
        &[RuleOption { name: "mistakes", values: &["prevented", "allowed"], default: "prevented" }];

    type Rules = Rules;
    type Action = Action;
    type Event = Event;
    type Table = Table;
    type Mine = Mine;
    type IllegalAction = IllegalAction;
    type Actions = Actions;
    type Events = Events;

    /// # Panics
    /// If `players` is not in [`Game::PLAYERS`].
    fn begin(rules: &Rules, players: usize, seed: Seed, starter: Option<Seat>) -> (Towers, Events) {
        assert!(Towers::PLAYERS.contains(&players), "Five Towers does not support {players} players");
        let mut events = Events::new();
        let mut towers = Towers::deal(rules, players, seed);
        towers.start_round(starter.unwrap_or(towers.starter), &mut events);
        (towers, events)
    }

    /// Nobody can retract a bid where mistakes are prevented, so both versions are equal there.
    fn version_for(rules: &Rules) -> u32 {
        match rules.mistakes {
            Mistakes::Prevented => 1,
            Mistakes::Allowed => RETRACTION_BY_NEED,
        }
    }

    fn set_rules_version(&mut self, version: u32) {
        self.retracts_freely = version < RETRACTION_BY_NEED;
    }

    /// Only the order of the draw pile is hidden. Demolished cards were visible to everyone before.
    fn reseed(&mut self, seed: Seed) {
        let mut chance = Chance::new(seed);
        self.piles.shuffle_draw_pile(&mut chance);
        (self.seed, self.words) = (seed, chance.drawn());
    }

    fn feats(&self, seat: Seat) -> Vec<(&'static str, u32)> {
        let side = &self.sides[seat.index()];
        let tallest = Tower::ALL.into_iter().map(|tower| side.stack(tower).len()).max().unwrap_or(0);
        vec![("tallest", tallest as u32), ("demolished", side.demolished.len() as u32)]
    }

    fn legal(&self, seat: Seat) -> Actions {
        let mut actions = Actions::new();
        if seat == self.turn {
            match self.phase {
                Phase::Auction => self.list_calls(&mut actions),
                Phase::Take => self.list_takes(&mut actions),
                Phase::Build => self.list_steps(&mut actions),
                Phase::Finished => {}
            }
        }
        actions
    }

    fn asked(&self) -> ArrayVec<Seat, { game::MAX_PLAYERS }> {
        self.turn().into_iter().collect()
    }

    fn check(&self, seat: Seat, action: &Action) -> Result<(), IllegalAction> {
        if self.phase == Phase::Finished {
            return Err(IllegalAction::GameOver);
        }
        if seat != self.turn {
            return Err(IllegalAction::NotYourTurn);
        }
        match action {
            Action::Bid { count } => self.check_bid(*count),
            Action::Pass {} => self.check_pass(),
            Action::Take { cards } => self.check_take(cards),
            Action::Demolish { tower } => self.check_demolish(*tower),
            Action::Build { card } => self.check_build(*card),
            Action::Undo {} => self.check_undo(),
            Action::Retract {} => self.check_retract(),
            Action::Finish {} => self.check_finish(),
        }
    }

    fn apply(&mut self, seat: Seat, action: &Action) -> Result<Events, IllegalAction> {
        self.check(seat, action)?;
        let mut events = Events::new();
        match action {
            Action::Bid { count } => self.bid(*count, &mut events),
            Action::Pass {} => self.pass(&mut events),
            Action::Take { cards } => self.take(cards, &mut events),
            Action::Demolish { tower } => self.demolish(*tower, &mut events),
            Action::Build { card } => self.place(*card, &mut events),
            Action::Undo {} => self.undo(&mut events),
            Action::Retract {} => self.retract(&mut events),
            Action::Finish {} => self.finish(&mut events),
        }
        Ok(events)
    }

    fn sight(&self, event: &Event) -> Sight {
        match event {
            Event::Bid { .. } if self.is_jump() => Sight::Striking,
            Event::Build { card, .. } if card.value() == ROOF => Sight::Striking,
            Event::Demolish { .. } => Sight::Striking,
            // The cards of one build and its end are shown together.
            Event::Build { .. } | Event::Finish { .. } => Sight::Step,
            Event::Pass { .. } | Event::Discard { .. } => Sight::Little,
            Event::Round { .. }
            | Event::Bid { .. }
            | Event::Take { .. }
            | Event::Undo { .. }
            | Event::Retract { .. }
            | Event::Reshuffle { .. }
            | Event::End { .. } => Sight::Plain,
        }
    }

    fn table(&self) -> Table {
        self.show_table()
    }

    fn mine(&self, seat: Seat) -> Mine {
        self.show_mine(seat)
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.phase == Phase::Finished).then(|| self.reckon())
    }
}

// Prints only the public state, because the draw pile in a log would reveal the rest of the game.
impl fmt::Debug for Towers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Towers").field(&self.show_table()).finish()
    }
}
