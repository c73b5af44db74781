//! The steps of a turn. The active player rolls (A) and may enter one total (B). Then all players choose at the same
//! time (C), and the choices are evaluated once the last player has chosen.

use crate::action::{Action, Choice, Event};
use crate::dice::{Chosen, DICE, Dice};
use crate::refusal::IllegalAction;
use crate::score::Score;
use crate::sheet::{MOST_MISSES, Row, Sheet};
use crate::{Actions, Events, MAX_PLAYERS, Qwantum};
use game::{Chance, Outcome, Seat, Seed};
use serde::Serialize;

/// Step of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Step A: the active player rolls, and re-rolls or keeps.
    Roll,
    /// Step B: the active player enters a total or nothing.
    Choose,
    /// Step C: all players enter a total or nothing, at the same time.
    Share,
    /// The game is over.
    Finished,
}

/// Parses the dice of a re-roll: at least one, each named once.
fn chosen(dice: &[u64]) -> Result<Chosen, IllegalAction> {
    let mut chosen = Chosen::NONE;
    if dice.is_empty() {
        return Err(IllegalAction::NoDice);
    }
    for die in dice {
        let die = usize::try_from(*die).ok().filter(|die| *die < DICE).ok_or(IllegalAction::NoSuchDie)?;
        if chosen.has(die) {
            return Err(IllegalAction::DieTwice);
        }
        chosen = chosen.with(die);
    }
    Ok(chosen)
}

impl Qwantum {
    /// Returns the table before its first turn.
    pub(crate) fn bare(players: usize, seed: Seed) -> Qwantum {
        let mut chance = Chance::new(seed);
        let first = Seat::from(chance.below(players as u32) as usize);
        Qwantum {
            seed,
            words: chance.drawn(),
            players: players as u8,
            phase: Phase::Roll,
            first,
            active: first,
            round: 1,
            rolls: 0,
            dice: Dice::UNROLLED,
            used: None,
            choices: [None; MAX_PLAYERS],
            sheets: [Sheet::EMPTY; MAX_PLAYERS],
        }
    }

    pub(crate) fn list_rolls(&self, actions: &mut Actions) {
        if self.rolls == 0 {
            actions.push(Action::Roll {});
        } else {
            actions.push(Action::Reroll { dice: (0..DICE as u64).collect() });
            actions.push(Action::Keep {});
        }
    }

    pub(crate) fn list_entries(&self, seat: Seat, actions: &mut Actions) {
        let open = Row::ALL.into_iter().filter(|row| self.check_entry(seat, *row).is_ok());
        actions.extend(open.map(|row| Action::Enter { row }));
        actions.push(Action::Skip {});
    }

    pub(crate) fn check_roll(&self) -> Result<(), IllegalAction> {
        match (self.phase, self.rolls) {
            (Phase::Roll, 0) => Ok(()),
            // The dice must be re-rolled or kept first.
            (Phase::Roll, _) => Err(IllegalAction::WrongPhase),
            _ => Err(IllegalAction::NoRerollLeft),
        }
    }

    pub(crate) fn check_reroll(&self, dice: &[u64]) -> Result<(), IllegalAction> {
        match (self.phase, self.rolls) {
            (Phase::Roll, 0) => Err(IllegalAction::WrongPhase),
            (Phase::Roll, _) => chosen(dice).map(|_| ()),
            _ => Err(IllegalAction::NoRerollLeft),
        }
    }

    pub(crate) fn check_keep(&self) -> Result<(), IllegalAction> {
        if self.phase == Phase::Roll && self.rolls > 0 { Ok(()) } else { Err(IllegalAction::WrongPhase) }
    }

    /// Checks whether this seat may now enter a total or skip.
    pub(crate) fn check_choice(&self, seat: Seat) -> Result<(), IllegalAction> {
        let begun = self.rolls > 0 || (self.round == 1 && self.active == self.first);
        match self.phase {
            Phase::Share if seat.index() < self.players() => Ok(()),
            Phase::Choose if seat == self.active => Ok(()),
            // This change of a choice arrived after the last player had chosen.
            Phase::Roll if !begun => Err(IllegalAction::AlreadyCounted),
            Phase::Roll if seat == self.active => Err(IllegalAction::WrongPhase),
            _ => Err(IllegalAction::NotYourTurn),
        }
    }

    /// Checks whether this seat may enter the total of this row's colour. Whether it may enter one at all is checked
    /// elsewhere.
    pub(crate) fn check_entry(&self, seat: Seat, row: Row) -> Result<(), IllegalAction> {
        if self.used == Some(row) {
            return Err(IllegalAction::ColorUsed);
        }
        self.sheets[seat.index()].row(row).check(self.total(row))
    }

    fn total(&self, row: Row) -> u8 {
        self.dice.totals()[row.index()]
    }

    pub(crate) fn roll(&mut self, chosen: Chosen, events: &mut Events) {
        // The stream is needed at most twice per turn, so the state does not contain the generator.
        let mut chance = Chance::resume(self.seed, self.words);
        self.dice.roll(chosen, &mut chance);
        self.words = chance.drawn();
        self.rolls += 1;
        events.push(Event::Roll { seat: self.active, dice: self.dice.shown() });
    }

    pub(crate) fn reroll(&mut self, dice: &[u64], events: &mut Events) {
        self.roll(chosen(dice).expect("the action was checked"), events);
        self.phase = Phase::Choose;
    }

    pub(crate) fn keep(&mut self, events: &mut Events) {
        events.push(Event::Keep { seat: self.active });
        self.phase = Phase::Choose;
    }

    pub(crate) fn choose(&mut self, seat: Seat, choice: Choice, events: &mut Events) {
        match self.phase {
            Phase::Choose => self.choose_alone(choice, events),
            _ => self.choose_with_all(seat, choice, events),
        }
    }

    fn choose_alone(&mut self, choice: Choice, events: &mut Events) {
        self.carry_out(self.active, choice, events);
        if let Choice::Enter { row } = choice {
            self.used = Some(row);
        }
        // Filling the last cell ends the game at once.
        if self.sheets[self.active.index()].is_full() {
            return self.end(events);
        }
        self.phase = Phase::Share;
    }

    /// Until the last player has chosen, only the fact that this seat has chosen becomes visible.
    fn choose_with_all(&mut self, seat: Seat, choice: Choice, events: &mut Events) {
        self.choices[seat.index()] = Some(choice);
        if self.choices().iter().all(Option::is_some) {
            self.count(events);
        }
    }

    fn count(&mut self, events: &mut Events) {
        let choices = std::mem::take(&mut self.choices);
        for (seat, choice) in Seat::all(self.players()).zip(choices) {
            if let Some(choice) = choice {
                self.carry_out(seat, choice, events);
            }
        }
        let entered = self.used.is_some() || matches!(choices[self.active.index()], Some(Choice::Enter { .. }));
        let misses = &mut self.sheets[self.active.index()].misses;
        if !entered {
            *misses += 1;
            events.push(Event::Miss { seat: self.active });
        }
        if *misses >= MOST_MISSES || self.sheets().iter().any(Sheet::is_full) {
            return self.end(events);
        }
        self.start_turn(self.active.next(self.players()), events);
    }

    fn carry_out(&mut self, seat: Seat, choice: Choice, events: &mut Events) {
        match choice {
            Choice::Enter { row } => {
                let value = self.total(row);
                self.sheets[seat.index()].enter(row, value);
                events.push(Event::Enter { seat, row, value });
            }
            Choice::Skip {} => events.push(Event::Skip { seat }),
        }
    }

    fn start_turn(&mut self, seat: Seat, events: &mut Events) {
        self.phase = Phase::Roll;
        self.active = seat;
        self.round += u8::from(seat == self.first);
        self.rolls = 0;
        // Reset what is left of the last turn, so that equal tables are equal states.
        self.dice = Dice::UNROLLED;
        self.used = None;
        events.push(Event::Turn { seat });
    }

    fn end(&mut self, events: &mut Events) {
        self.phase = Phase::Finished;
        let Outcome { winners, scores } = self.reckon();
        events.push(Event::End { winners, scores });
    }

    /// Returns the outcome if the game ended now.
    pub(crate) fn reckon(&self) -> Outcome {
        Outcome::most_points(self.sheets().iter().map(|sheet| Score::of(sheet).total))
    }
}
