//! Evaluates re-rolls over all possible rolls instead of sampled ones. Near the end of a game few totals can still be
//! entered by anybody, and all others are equivalent.

use super::foresight::Foresight;
use super::world::World;
use crate::dice::{Chosen, DICE, Die, FACES, HIGHEST, totals};
use crate::sheet::Row;
use game::Budget;

/// Largest number of distinct combinations of totals. More would exceed a bot's thinking time.
const MOST: usize = 4096;

/// Number of possible rolls of seven dice.
const ROLLS: usize = 6_usize.pow(DICE as u32);

/// Returns the active player's winning chance with every re-roll, including keeping all dice. `None` if too many totals
/// matter or time ran out.
pub fn rerolls(
    foresight: &mut Foresight<'_>,
    world: &World,
    dice: &[Die; DICE],
    budget: Budget<'_>,
) -> Option<Vec<(Chosen, f32)>> {
    let classes = Some(Classes::new(world)).filter(|classes| classes.count <= MOST)?;
    let mut rolls =
        Rolls { foresight, budget, known: vec![None; classes.count], classes, chances: Vec::with_capacity(ROLLS) };
    rolls.add(&mut dice.clone(), 0)?;
    let mut ways = Vec::with_capacity(1 << DICE);
    let faces = std::array::from_fn(|die| FACES[die].iter().position(|face| *face == dice[die]).unwrap_or(0));
    expect(&rolls.chances, DICE, &faces, Chosen::NONE, &mut ways);
    Some(ways)
}

/// Equivalence classes of totals: for each colour, all totals that nobody can enter are in one class.
struct Classes {
    of: [[usize; HIGHEST as usize + 1]; 4],
    count: usize,
}

impl Classes {
    fn new(world: &World) -> Classes {
        let mut classes = Classes { of: [[0; HIGHEST as usize + 1]; 4], count: 1 };
        for row in Row::ALL {
            let mut different = 1;
            for (total, class) in (0..).zip(&mut classes.of[row.index()]) {
                let sheets = &world.sheets[..world.players];
                if sheets.iter().any(|sheet| sheet.row(row).check(total).is_ok()) {
                    *class = different * classes.count;
                    different += 1;
                }
            }
            classes.count *= different;
        }
        classes
    }

    fn of(&self, totals: &[u8; 4]) -> usize {
        let each = self.of.iter().zip(totals);
        each.map(|(classes, total)| classes[usize::from(*total)]).sum()
    }
}

struct Rolls<'a, 'n> {
    foresight: &'a mut Foresight<'n>,
    budget: Budget<'a>,
    classes: Classes,
    known: Vec<Option<f32>>,
    /// The active player's winning chance with every roll, in the order in which the last die varies fastest.
    chances: Vec<f32>,
}

impl Rolls<'_, '_> {
    /// Adds every roll of the dice from index `die` on. `None` once time is over.
    fn add(&mut self, dice: &mut [Die; DICE], die: usize) -> Option<()> {
        let Some(faces) = FACES.get(die) else {
            let totals = totals(dice);
            let class = self.classes.of(&totals);
            let chance = match self.known[class] {
                Some(chance) => chance,
                None => {
                    self.budget.allows(0).then_some(())?;
                    self.foresight.best_alone(&totals).1
                }
            };
            self.known[class] = Some(chance);
            self.chances.push(chance);
            return Some(());
        };
        for face in faces {
            dice[die] = *face;
            self.add(dice, die + 1)?;
        }
        Some(())
    }
}

/// Adds the mean over all rolls of the chosen dice, for every choice. The first `dice` dice are not decided yet.
fn expect(chances: &[f32], dice: usize, faces: &[usize; DICE], chosen: Chosen, ways: &mut Vec<(Chosen, f32)>) {
    let Some(die) = dice.checked_sub(1) else {
        ways.extend(chances.iter().map(|chance| (chosen, *chance)));
        return;
    };
    let of_die = || chances.chunks_exact(6);
    let kept: Vec<f32> = of_die().map(|chances| chances[faces[die]]).collect();
    expect(&kept, die, faces, chosen, ways);
    let rolled: Vec<f32> = of_die().map(|chances| chances.iter().sum::<f32>() / 6.0).collect();
    expect(&rolled, die, faces, chosen.with(die), ways);
}

#[cfg(test)]
mod tests {
    use super::super::value::net;
    use super::*;
    use crate::{Table, lay};
    use game::Game;

    /// Seat 0 has one cell left, the last one of a row, and the next miss ends the game.
    fn world(last: u8) -> (World, [Die; DICE]) {
        let full = "blue 1 2 3 4 3 2, red 1 2 3 4 3 2, yellow 1 2 3 4 3 2";
        let lay = lay::table(2).rows(0, &format!("{full}, violet 1 2 3 9 {last}")).misses(0, 4);
        let game = lay.rows(1, full).dice("6 R1 R2 R1 R5 R3 V6").game().unwrap();
        let table: Table = game.table();
        (World::new(&table), table.dice.unwrap())
    }

    #[test]
    fn re_rolls_the_high_dice_to_get_a_low_total() {
        let (world, dice) = world(8);
        let mut foresight = Foresight::new(&world, false, net());
        let mut ways = rerolls(&mut foresight, &world, &dice, Budget::tries(1)).unwrap();
        assert_eq!(ways.len(), 128);
        ways.sort_by(|a, b| b.1.total_cmp(&a.1));
        let best: Vec<usize> = ways[0].0.dice().collect();
        // The total is 12. Re-rolling the violet 6 and the white 6 lowers it unless both show 6 again.
        assert_eq!(best, [0, 6], "{:?}", &ways[..3]);
    }

    #[test]
    fn exact_chances_match_sampled_ones() {
        let (world, dice) = world(5);
        let mut foresight = Foresight::new(&world, false, net());
        let ways = rerolls(&mut foresight, &world, &dice, Budget::tries(1)).unwrap();
        let mut luck = gametest::luck(1);
        for (chosen, chance) in ways.into_iter().step_by(9) {
            let mut sum = 0.0;
            for _ in 0..4000 {
                let rolled = super::super::reroll::roll(&mut luck);
                let totals = totals(&super::super::reroll::rerolled(&dice, chosen, &rolled));
                sum += foresight.best_alone(&totals).1;
            }
            assert!((sum / 4000.0 - chance).abs() < 0.03, "{chosen:?}: {chance} and {}", sum / 4000.0);
        }
    }

    #[test]
    fn gives_up_when_too_many_totals_can_be_entered() {
        let world = World::new(&lay::table(2).game().unwrap().table());
        let mut foresight = Foresight::new(&world, false, net());
        let dice = FACES.map(|faces| faces[0]);
        assert_eq!(rerolls(&mut foresight, &world, &dice, Budget::tries(1)), None);
    }
}
