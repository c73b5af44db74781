//! Property tests: what a bot computes agrees with the rules in every position of random games.

use super::reroll::{Ways, rerolled, roll};
use super::world::{World, best_pair, best_shared};
use super::worth::{WEIGHTS, Worth};
use crate::dice::{Chosen, totals};
use crate::{Action, MAX_PLAYERS, Phase, Qwantum, Row, Rules};
use game::{Chance, Game, Luck, Seat, Seed};
use proptest::prelude::*;

fn row(action: &Action) -> Option<Row> {
    match action {
        Action::Enter { row } => Some(*row),
        _ => None,
    }
}

/// Plays a game of random actions and visits every position with the next action.
fn play(players: usize, seed: [u8; 32], mut visit: impl FnMut(&Qwantum, Option<(Seat, Action)>, &mut Luck)) {
    let mut luck = Luck::new(&mut Chance::new(Seed(seed)));
    let (mut game, _) = Qwantum::new(&Rules {}, players, Seed(seed));
    while let Some(seat) = game.asked().first().copied() {
        let mut listed = game.legal(seat);
        let action = listed.swap_remove(luck.below(listed.len()));
        visit(&game, Some((seat, action.clone())), &mut luck);
        game.apply(seat, &action).unwrap();
    }
    visit(&game, None, &mut luck);
}

proptest! {
    #![proptest_config(gametest::cases(24))]

    // Makes the same entries in the game and in the world that was created when the turn began.
    #[test]
    fn a_simulated_turn_ends_like_a_real_one(players in 2..=4_usize, seed: [u8; 32]) {
        let mut imagined: Option<World> = None;
        let mut used = None;
        let mut choices = [None; MAX_PLAYERS];
        play(players, seed, |game, next, _| {
            let table = game.table();
            let real = World::new(&table);
            if let (true, Some(imagined)) = (table.rolls == 0 || next.is_none(), imagined) {
                assert_eq!(imagined.sheets, real.sheets);
                assert_eq!(imagined.over, real.over);
                assert!(real.over || imagined.active == real.active);
            }
            let Some((seat, action)) = next else { return };
            let Some(dice) = table.dice else { return imagined = Some(real) };
            let Some(world) = &mut imagined else { return };
            match table.phase {
                Phase::Choose => {
                    used = row(&action);
                    world.enter_alone(used, &totals(&dice));
                }
                Phase::Share => {
                    choices[seat.index()] = row(&action);
                    if game.asked().len() == 1 {
                        world.enter_shared(used, &choices, &totals(&dice));
                    }
                }
                _ => {}
            }
        });
    }

    #[test]
    fn a_gain_equals_the_value_an_entry_adds(players in 2..=4_usize, seed: [u8; 32]) {
        play(players, seed, |game, _, luck| {
            let world = World::new(&game.table());
            let worth = world.worth(&WEIGHTS);
            let totals = totals(&roll(luck));
            for sheet in &world.sheets[..players] {
                for row in Row::ALL {
                    let number = totals[row.index()];
                    let gain = worth.gain(sheet, row, number);
                    assert_eq!(gain.is_some(), sheet.row(row).check(number).is_ok());
                    if let Some(gain) = gain {
                        let mut after = *sheet;
                        after.enter(row, number);
                        let added = worth.sheet(&after) - worth.sheet(sheet);
                        assert!((gain - added).abs() < 0.01, "{gain} or {added}");
                    }
                }
                // Two entries are worth at least as much as the best single one.
                let pair = best_pair(&worth, sheet, &totals);
                assert!(pair.gain >= best_shared(&worth, sheet, None, true, &totals).1);
                assert!(pair.alone.is_none() || pair.alone != pair.shared);
            }
        });
    }
}

#[test]
fn a_re_roll_keeps_the_other_dice() {
    let mut luck = Luck::branch(7);
    let (dice, rolled) = (roll(&mut luck), roll(&mut luck));
    for chosen in Chosen::every() {
        let after = rerolled(&dice, chosen, &rolled);
        for die in 0..dice.len() {
            assert_eq!(after[die], if chosen.has(die) { rolled[die] } else { dice[die] });
        }
    }
    assert_eq!(Chosen::every().count(), 127);
}

#[test]
fn keeps_dice_that_cannot_improve() {
    // Every total fits, red is the highest possible, and the sheet needs a high red.
    let game = crate::lay::table(2)
        .rows(0, "violet 1 2 3 4 3 2, blue 1 2 3 4 3 2, red 10 20 30, yellow 1 2 3 4 3 2")
        .dice("6 R4 R6 R3 R5 R3 R6")
        .game()
        .unwrap();
    let table = game.table();
    let (world, dice) = (World::new(&table), table.dice.unwrap());
    let worth: Worth = world.worth(&WEIGHTS);
    let mut ways = Ways::every(&worth, &world.sheets[0], &dice);
    let mut luck = Luck::branch(3);
    for _ in 0..50 {
        ways.try_roll(&mut luck);
    }
    assert_eq!(ways.best(), Chosen::NONE);
}
