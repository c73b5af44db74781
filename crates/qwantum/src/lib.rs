#![doc = include_str!("../README.md")]

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
pub use refusal::IllegalAction;
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

/// The largest number of players.
pub const MAX_PLAYERS: usize = 4;

/// Legal actions of one seat: at most an entry in each row and a skip.
pub type Actions = ArrayVec<Action, 5>;

/// Events of one action: at most a choice of everyone, a miss, and the next turn or the end.
pub type Events = ArrayVec<Event, 6>;

/// A game of Qwantum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Qwantum {
    seed: Seed,
    /// Number of keystream words drawn so far. The next roll continues from there.
    words: u32,
    players: u8,
    phase: Phase,
    /// The player who was active in the first turn. Rounds are counted from there.
    first: Seat,
    active: Seat,
    round: u8,
    rolls: u8,
    dice: Dice,
    /// The row in which the active player entered a total in step B.
    used: Option<Row>,
    /// The choices in step C, which are secret until all have chosen. `None` in every other step.
    choices: [Option<Choice>; MAX_PLAYERS],
    sheets: [Sheet; MAX_PLAYERS],
}

impl Qwantum {
    /// Returns the number of players.
    pub fn players(&self) -> usize {
        usize::from(self.players)
    }

    /// Returns the step of the turn.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns the active player, or `None` once the game is over.
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
    type IllegalAction = IllegalAction;
    type Actions = Actions;
    type Events = Events;

    /// # Panics
    /// If `players` is not in [`Game::PLAYERS`].
    fn begin(_: &Rules, players: usize, seed: Seed, starter: Option<Seat>) -> (Qwantum, Events) {
        assert!(Qwantum::PLAYERS.contains(&players), "Qwantum does not support {players} players");
        let mut qwantum = Qwantum::bare(players, seed);
        if let Some(starter) = starter {
            (qwantum.first, qwantum.active) = (starter, starter);
        }
        let mut events = Events::new();
        events.push(Event::Turn { seat: qwantum.active });
        (qwantum, events)
    }

    /// Changes all future rolls and withdraws the choices of an unfinished step C.
    fn reseed(&mut self, seed: Seed) {
        (self.seed, self.words, self.choices) = (seed, 0, [None; MAX_PLAYERS]);
    }

    fn feats(&self, seat: Seat) -> Vec<(&'static str, u32)> {
        let sheet = &self.sheets[seat.index()];
        let columns = Score::of(sheet).columns.iter().flatten().count();
        vec![("columns", columns as u32), ("misses", u32::from(sheet.misses))]
    }

    /// A re-roll is listed once, with all dice, and stands for a re-roll of any of them. Players who have chosen in
    /// step C may change their choice until all have chosen.
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
            Phase::Share => Seat::all(self.players()).filter(|seat| self.choices[seat.index()].is_none()).collect(),
            Phase::Finished => ArrayVec::new(),
        }
    }

    /// Returns the number of finished turns, because the choices of step C are evaluated once per turn.
    fn epoch(&self) -> u32 {
        let players = u32::from(self.players);
        let since_first = (players + u32::from(self.active.0) - u32::from(self.first.0)) % players;
        (u32::from(self.round) - 1) * players + since_first + u32::from(self.phase == Phase::Finished)
    }

    fn check(&self, seat: Seat, action: &Action) -> Result<(), IllegalAction> {
        if self.phase == Phase::Finished {
            return Err(IllegalAction::GameOver);
        }
        match action {
            Action::Enter { row } => {
                self.check_choice(seat)?;
                self.check_entry(seat, *row)
            }
            Action::Skip {} => self.check_choice(seat),
            _ if seat != self.active => Err(IllegalAction::NotYourTurn),
            Action::Roll {} => self.check_roll(),
            Action::Reroll { dice } => self.check_reroll(dice),
            Action::Keep {} => self.check_keep(),
        }
    }

    fn apply(&mut self, seat: Seat, action: &Action) -> Result<Events, IllegalAction> {
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
            // All entries of the turn are shown at once, and the next roll replaces the dice they were made from.
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

// Prints only the public state, because the seed or hidden choices in a log would reveal secrets.
impl fmt::Debug for Qwantum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Qwantum").field(&self.show_table()).finish()
    }
}
