//! Translates a view into the decision it asks for, in the bots' terms, and a bot's `Wish` back into a legal action.

use super::Wish;
use super::world::World;
use crate::dice::{DICE, Die, totals};
use crate::sheet::Sheet;
use crate::{Action, Phase, Qwantum, Row};
use game::{Seat, View};

/// The decision a seat has to make.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Question {
    /// Roll the dice, which needs no decision.
    Roll,
    /// Which of these dice to re-roll.
    Reroll([Die; DICE]),
    /// Which of these totals to enter in step B.
    Alone([u8; 4]),
    /// Which of these totals to enter in step C.
    Shared([u8; 4]),
}

/// A seat's decision and everything it knows.
pub struct Scene<'a> {
    pub seat: usize,
    pub world: World,
    pub question: Question,
    /// The row the active player used in step B.
    pub used: Option<Row>,
    actions: &'a [Action],
}

impl<'a> Scene<'a> {
    /// Returns `None` if the seat has no decision to make.
    pub fn new(view: &'a View<Qwantum>, seat: Seat) -> Option<Scene<'a>> {
        let table = &view.table;
        let mine = view.mine.as_ref()?;
        // A player who has chosen may still change the choice, but a bot has no reason to.
        if view.actions.is_empty() || mine.choice.is_some() || seat.index() >= table.players.len() {
            return None;
        }
        let question = match (table.phase, table.dice) {
            (Phase::Roll, None) => Question::Roll,
            (Phase::Roll, Some(dice)) => Question::Reroll(dice),
            (Phase::Choose, Some(dice)) => Question::Alone(totals(&dice)),
            (Phase::Share, Some(dice)) => Question::Shared(totals(&dice)),
            _ => return None,
        };
        let world = World::new(table);
        Some(Scene { seat: seat.index(), world, question, used: table.used, actions: &view.actions })
    }

    pub fn sheet(&self) -> &Sheet {
        &self.world.sheets[self.seat]
    }

    /// Returns the possible entries, including none.
    pub fn entries(&self) -> impl Iterator<Item = Option<Row>> {
        self.actions.iter().filter_map(|action| match action {
            Action::Enter { row } => Some(Some(*row)),
            Action::Skip {} => Some(None),
            _ => None,
        })
    }

    /// Returns whether entering nothing now would be a miss.
    pub fn missing(&self) -> bool {
        self.seat == self.world.active && self.used.is_none()
    }

    /// Returns the action for a bot's decision, or another legal one if it does not fit the question.
    pub fn act(&self, wish: Wish) -> Option<Action> {
        let wanted = match wish {
            Wish::Roll => Action::Roll {},
            Wish::Reroll(chosen) => {
                let dice: Vec<u64> = chosen.dice().map(|die| die as u64).collect();
                let listed = |action: &Action| matches!(action, Action::Reroll { .. });
                if !dice.is_empty() && self.actions.iter().any(listed) {
                    // A re-roll is listed only once, with all dice.
                    return Some(Action::Reroll { dice });
                }
                Action::Keep {}
            }
            Wish::Enter(Some(row)) => Action::Enter { row },
            Wish::Enter(None) => Action::Skip {},
        };
        self.actions.iter().find(|action| **action == wanted).or(self.actions.last()).cloned()
    }
}
