//! The rules of Qwantum, for two to four players. Designed by Anna Oppolzer, Stefan Kloß and Reinhard Staupe;
//! published by NSV.
//!
//! [`Qwantum`] is the whole state of a game: under 200 bytes, copied like a number and never on the heap. It knows no
//! clock, no sockets, no names of players, and no chance but that of its seed.

mod action;
mod bot;
mod dice;
pub mod lay;
mod refusal;
mod score;
mod sheet;
mod turn;
mod view;

pub use action::{Action, Choice, Event, Rules};
pub use dice::{Color, DICE, Die, FACES, HIGHEST};
pub use lay::Lay;
pub use refusal::Refusal;
pub use score::Score;
pub use sheet::{CELLS, MOST_MISSES, RISING, Row};
pub use turn::Phase;
pub use view::{Mine, PlayerView, Rows, Table, Totals};

use arrayvec::ArrayVec;
use dice::{Chosen, Dice};
use game::{Game, Outcome, RuleOption, Seat, Seed, Sight};
use sheet::Sheet;
use std::fmt;
use std::ops::RangeInclusive;

/// The most players at a table.
pub const MAX_PLAYERS: usize = 4;

/// Acts of one seat: at most an entry in each row, and none at all.
pub type Actions = ArrayVec<Action, 5>;

/// What one act brings about: at most a choice of everyone, a miss, and the next turn or the end.
pub type Events = ArrayVec<Event, 6>;

/// A game of Qwantum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Qwantum {
    seed: Seed,
    /// How many words of the seed's keystream were drawn; the next roll reads on from there.
    words: u32,
    players: u8,
    phase: Phase,
    /// Who was active in the first turn: rounds are counted from there.
    first: Seat,
    active: Seat,
    round: u8,
    rolls: u8,
    dice: Dice,
    /// The row in which the active player entered a total in step B.
    used: Option<Row>,
    /// What is chosen in step C, a secret until all have chosen; nothing in any other step.
    choices: [Option<Choice>; MAX_PLAYERS],
    sheets: [Sheet; MAX_PLAYERS],
}

impl Qwantum {
    /// How many people play.
    pub fn players(&self) -> usize {
        usize::from(self.players)
    }

    /// The step of the turn.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The active player; nobody once the game is over.
    pub fn turn(&self) -> Option<Seat> {
        (self.phase != Phase::Finished).then_some(self.active)
    }

    fn sheets(&self) -> &[Sheet] {
        &self.sheets[..self.players()]
    }

    fn choices(&self) -> &[Option<Choice>] {
        &self.choices[..self.players()]
    }
}

impl Game for Qwantum {
    const ID: &'static str = "qwantum";
    const RULES_VERSION: u32 = 1;
    const PLAYERS: RangeInclusive<usize> = 2..=MAX_PLAYERS;
    const OPTIONS: &'static [RuleOption] = &[];

    type Rules = Rules;
    type Action = Action;
    type Event = Event;
    type Table = Table;
    type Mine = Mine;
    type Refusal = Refusal;
    type Actions = Actions;
    type Events = Events;

    /// # Panics
    /// For a number of players that is not in [`Game::PLAYERS`].
    fn begin(_: &Rules, players: usize, seed: Seed, starter: Option<Seat>) -> (Qwantum, Events) {
        assert!(Qwantum::PLAYERS.contains(&players), "{players} cannot play Qwantum");
        let mut qwantum = Qwantum::bare(players, seed);
        if let Some(starter) = starter {
            (qwantum.first, qwantum.active) = (starter, starter);
        }
        let mut events = Events::new();
        events.push(Event::Turn { seat: qwantum.active });
        (qwantum, events)
    }

    /// Rolls to come, and what some have chosen in step C while others have not: they choose anew.
    fn reseed(&mut self, seed: Seed) {
        (self.seed, self.words, self.choices) = (seed, 0, [None; MAX_PLAYERS]);
    }

    fn feats(&self, seat: Seat) -> Vec<(&'static str, u32)> {
        let sheet = &self.sheets[seat.index()];
        let columns = Score::of(sheet).columns.iter().flatten().count();
        vec![("columns", columns as u32), ("misses", u32::from(sheet.misses))]
    }

    /// A re-roll is listed once, with all dice; any of them may be re-rolled. Who has chosen in step C may choose
    /// otherwise until all have.
    fn legal(&self, seat: Seat) -> Actions {
        let mut actions = Actions::new();
        match self.phase {
            Phase::Roll if seat == self.active => self.list_rolls(&mut actions),
            Phase::Choose if seat == self.active => self.list_entries(seat, &mut actions),
            Phase::Share if seat.index() < self.players() => self.list_entries(seat, &mut actions),
            _ => {}
        }
        actions
    }

    fn asked(&self) -> ArrayVec<Seat, { game::MAX_PLAYERS }> {
        match self.phase {
            Phase::Roll | Phase::Choose => [self.active].into_iter().collect(),
            Phase::Share => {
                Seat::all(self.players()).filter(|seat| self.choices[seat.index()].is_none()).collect()
            }
            Phase::Finished => ArrayVec::new(),
        }
    }

    /// How many turns are over: with each of them the choices of its step C are counted.
    fn epoch(&self) -> u32 {
        let players = u32::from(self.players);
        let since_first = (players + u32::from(self.active.0) - u32::from(self.first.0)) % players;
        (u32::from(self.round) - 1) * players + since_first + u32::from(self.phase == Phase::Finished)
    }

    fn check(&self, seat: Seat, action: &Action) -> Result<(), Refusal> {
        if self.phase == Phase::Finished {
            return Err(Refusal::GameOver);
        }
        match action {
            Action::Enter { row } => {
                self.check_choice(seat)?;
                self.check_entry(seat, *row)
            }
            Action::Skip {} => self.check_choice(seat),
            _ if seat != self.active => Err(Refusal::NotYourTurn),
            Action::Roll {} => self.check_roll(),
            Action::Reroll { dice } => self.check_reroll(dice),
            Action::Keep {} => self.check_keep(),
        }
    }

    fn apply(&mut self, seat: Seat, action: &Action) -> Result<Events, Refusal> {
        self.check(seat, action)?;
        let mut events = Events::new();
        match action {
            Action::Roll {} => self.roll(Chosen::ALL, &mut events),
            Action::Reroll { dice } => self.reroll(dice, &mut events),
            Action::Keep {} => self.keep(&mut events),
            Action::Enter { row } => self.choose(seat, Choice::Enter { row: *row }, &mut events),
            Action::Skip {} => self.choose(seat, Choice::Skip {}, &mut events),
        }
        Ok(events)
    }

    fn sight(&self, event: &Event) -> Sight {
        match event {
            Event::Keep { .. } => Sight::Step,
            Event::Enter { .. } | Event::Skip { .. } => Sight::Little,
            Event::Roll { .. } | Event::End { .. } => Sight::Plain,
            // Everyone's entries of the turn are shown at once, and the dice they were made from go with the next roll.
            Event::Miss { .. } | Event::Turn { .. } => Sight::Striking,
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

// What people have chosen, or the seed, in a log would give a game away, so only what everyone sees is printed.
impl fmt::Debug for Qwantum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Qwantum").field(&self.show_table()).finish()
    }
}
