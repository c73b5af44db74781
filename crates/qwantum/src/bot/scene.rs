//! The decision a view asks for, in the terms in which bots think. From a wish it finds the very act that is listed.

use super::Wish;
use super::world::World;
use crate::dice::{DICE, Die, totals};
use crate::sheet::Sheet;
use crate::{Action, Phase, Qwantum, Row};
use game::{Seat, View};

/// What a seat is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Question {
    /// To roll; there is nothing to decide.
    Roll,
    /// Which of these dice to roll once more.
    Reroll([Die; DICE]),
    /// Which of these totals to enter alone, in step B.
    Alone([u8; 4]),
    /// Which of these totals to enter with all, in step C.
    Shared([u8; 4]),
}

/// What a seat is asked, and all it knows.
pub struct Scene<'a> {
    pub seat: usize,
    pub world: World,
    pub question: Question,
    /// The row the active player used in step B.
    pub used: Option<Row>,
    actions: &'a [Action],
}

impl<'a> Scene<'a> {
    /// None when the seat is not asked.
    pub fn new(view: &'a View<Qwantum>, seat: Seat) -> Option<Scene<'a>> {
        let table = &view.table;
        let mine = view.mine.as_ref()?;
        // Who has chosen may choose otherwise, and a bot has no reason to.
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

    /// What may be entered, nothing included.
    pub fn entries(&self) -> impl Iterator<Item = Option<Row>> {
        self.actions.iter().filter_map(|action| match action {
            Action::Enter { row } => Some(Some(*row)),
            Action::Skip {} => Some(None),
            _ => None,
        })
    }

    /// Whether entering nothing now is a miss.
    pub fn missing(&self) -> bool {
        self.seat == self.world.active && self.used.is_none()
    }

    /// The act that carries out a wish; any other that is listed, should the wish not fit the question.
    pub fn act(&self, wish: Wish) -> Option<Action> {
        let wanted = match wish {
            Wish::Roll => Action::Roll {},
            Wish::Reroll(chosen) => {
                let dice: Vec<u64> = chosen.dice().map(|die| die as u64).collect();
                let listed = |action: &Action| matches!(action, Action::Reroll { .. });
                if !dice.is_empty() && self.actions.iter().any(listed) {
                    // It is listed once, with all dice.
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
