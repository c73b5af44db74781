//! Decides which dice to re-roll. All candidate choices are tried on the same sampled rolls (common random numbers) and
//! compared by what the player could make of the totals. The other players are not considered here.

use super::world::best_pair;
use super::worth::Worth;
use crate::dice::{Chosen, DICE, Die, FACES, totals};
use crate::sheet::{Row, Sheet};
use game::Luck;

/// Rolls seven dice.
pub fn roll(luck: &mut Luck) -> [Die; DICE] {
    std::array::from_fn(|die| FACES[die][luck.below(6)])
}

/// Returns the dice after the chosen ones were replaced by those of `rolled`.
pub fn rerolled(dice: &[Die; DICE], chosen: Chosen, rolled: &[Die; DICE]) -> [Die; DICE] {
    std::array::from_fn(|die| if chosen.has(die) { rolled[die] } else { dice[die] })
}

/// Chooses all dice except those of one colour and a white die above 3.
pub fn all_but(dice: &[Die; DICE], row: Row) -> Chosen {
    let gone = (0..DICE).filter(|die| match dice[*die].color.row() {
        Some(color) => color != row,
        None => dice[*die].value <= 3,
    });
    gone.fold(Chosen::NONE, Chosen::with)
}

/// Candidate re-rolls and the sum of their gains so far.
pub struct Ways<'a> {
    worth: &'a Worth,
    sheet: &'a Sheet,
    dice: &'a [Die; DICE],
    ways: Vec<(Chosen, f32)>,
    rolls: u32,
}

impl<'a> Ways<'a> {
    /// Creates one candidate for each row with room, which keeps the dice of its colour.
    pub fn by_color(worth: &'a Worth, sheet: &'a Sheet, dice: &'a [Die; DICE]) -> Ways<'a> {
        let rows = Row::ALL.into_iter().filter(|row| !sheet.row(*row).is_full());
        let ways = rows.map(|row| (all_but(dice, row), 0.0)).filter(|(chosen, _)| *chosen != Chosen::NONE);
        Ways { worth, sheet, dice, ways: ways.collect(), rolls: 0 }
    }

    /// Creates a candidate for every possible re-roll.
    pub fn every(worth: &'a Worth, sheet: &'a Sheet, dice: &'a [Die; DICE]) -> Ways<'a> {
        let ways = Chosen::every().map(|chosen| (chosen, 0.0));
        Ways { worth, sheet, dice, ways: ways.collect(), rolls: 0 }
    }

    /// Tries every candidate on one more roll.
    pub fn try_roll(&mut self, luck: &mut Luck) {
        let rolled = roll(luck);
        for (chosen, sum) in &mut self.ways {
            let totals = totals(&rerolled(self.dice, *chosen, &rolled));
            *sum += best_pair(self.worth, self.sheet, &totals).gain;
        }
        self.rolls += 1;
    }

    /// Returns the best re-roll. An empty choice means keeping all dice.
    pub fn best(&self) -> Chosen {
        let kept = best_pair(self.worth, self.sheet, &totals(self.dice)).gain * self.rolls as f32;
        let best = self.ways.iter().fold((Chosen::NONE, kept), |best, way| if way.1 > best.1 { *way } else { best });
        best.0
    }
}
