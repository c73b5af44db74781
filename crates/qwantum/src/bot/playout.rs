//! Whole simulated games in which everybody plays by a rule of thumb. The normal bot's weights are fitted to them, and
//! training uses them to end its turns. No bot uses playouts when it plays.

use super::reroll::{Ways, rerolled, roll};
use super::world::{EntryPair, World, best_pair, best_shared};
use super::worth::{Worth, Worths};
use crate::MAX_PLAYERS;
use crate::dice::totals;
use crate::score::Score;
use crate::sheet::{MOST_MISSES, Row};
use game::Luck;

/// Number of rolls on which each re-roll is tried in a simulated game.
const QUICK: usize = 3;

impl World {
    /// Returns what the others could gain in step C from each colour.
    fn wishes(&self, seat: usize, worth: &Worth, totals: &[u8; 4]) -> [[f32; 4]; MAX_PLAYERS] {
        let mut wishes = [[0.0; 4]; MAX_PLAYERS];
        for (other, wishes) in wishes.iter_mut().enumerate().take(self.players) {
            if other != seat {
                for row in Row::ALL {
                    let gain = worth.gain(&self.sheets[other], row, totals[row.index()]);
                    wishes[row.index()] = gain.unwrap_or(0.0).max(0.0);
                }
            }
        }
        wishes
    }

    /// Carries out step B of the active player.
    pub fn enter_alone(&mut self, row: Option<Row>, totals: &[u8; 4]) {
        let sheet = &mut self.sheets[self.active];
        if let Some(row) = row {
            sheet.enter(row, totals[row.index()]);
            self.over = sheet.is_full();
        }
    }

    /// Carries out step C with these choices and ends the turn.
    pub fn enter_shared(&mut self, used: Option<Row>, choices: &[Option<Row>; MAX_PLAYERS], totals: &[u8; 4]) {
        for (sheet, choice) in self.sheets.iter_mut().zip(choices).take(self.players) {
            if let Some(row) = choice {
                sheet.enter(*row, totals[row.index()]);
                self.over |= sheet.is_full();
            }
        }
        let sheet = &mut self.sheets[self.active];
        if used.is_none() && choices[self.active].is_none() {
            sheet.misses += 1;
            self.over |= sheet.misses >= MOST_MISSES;
        }
        self.active = (self.active + 1) % self.players;
    }

    /// Returns the choices of everybody except `seat` in step C, each maximising their own gain.
    pub fn others_choose(
        &self,
        seat: usize,
        used: Option<Row>,
        worth: &Worth,
        totals: &[u8; 4],
    ) -> [Option<Row>; MAX_PLAYERS] {
        let mut choices = [None; MAX_PLAYERS];
        for (other, choice) in choices.iter_mut().enumerate().take(self.players) {
            if other != seat {
                let missing = other == self.active && used.is_none();
                *choice = best_shared(worth, &self.sheets[other], used, missing, totals).0;
            }
        }
        choices
    }

    /// Plays one whole turn in which everybody maximises their own gain.
    pub fn play_turn(&mut self, worths: &Worths, luck: &mut Luck) {
        let worth = worths.with_left(self.cells());
        let dice = roll(luck);
        let sheet = &self.sheets[self.active];
        let mut ways = Ways::by_color(worth, sheet, &dice);
        for _ in 0..QUICK {
            ways.try_roll(luck);
        }
        let totals = totals(&rerolled(&dice, ways.best(), &roll(luck)));
        let pair = self.denying(worth, best_pair(worth, sheet, &totals), &totals);
        self.enter_alone(pair.alone, &totals);
        if !self.over {
            let mut choices = self.others_choose(self.active, pair.alone, worth, &totals);
            choices[self.active] = pair.shared;
            self.enter_shared(pair.alone, &choices, &totals);
        }
    }

    /// Orders two entries so that the one the others want more is made in step B, which denies it to them.
    fn denying(&self, worth: &Worth, pair: EntryPair, totals: &[u8; 4]) -> EntryPair {
        let (Some(alone), Some(shared)) = (pair.alone, pair.shared) else { return pair };
        let wishes = self.wishes(self.active, worth, totals);
        let loss = |row: Row| -> f32 {
            let lost = wishes.iter().map(|wishes| {
                let others = Row::ALL.into_iter().filter(|other| *other != row);
                let without = others.map(|other| wishes[other.index()]).fold(0.0, f32::max);
                (wishes[row.index()] - without).max(0.0)
            });
            lost.sum()
        };
        if loss(shared) > loss(alone) { EntryPair { alone: Some(shared), shared: Some(alone), ..pair } } else { pair }
    }

    pub fn score(&self, seat: usize) -> i16 {
        Score::of(&self.sheets[seat]).total
    }
}
