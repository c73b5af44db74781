//! Invariants of every position, checked in random whole games.

use crate::oracle;
use game::{Game, IllegalAction as _, Luck, Seat, Seed};
use proptest::prelude::*;
use qwantum::{Action, DICE, Phase, Qwantum, Row, Rules};

/// Parameters of a random game: number of players, seed and choices.
fn games() -> impl Strategy<Value = (usize, [u8; 32], u64)> {
    (2..=4_usize, any::<[u8; 32]>(), any::<u64>())
}

/// Returns a random nonempty subset of the dice.
fn some_dice(luck: &mut Luck) -> Vec<u64> {
    let mut dice: Vec<u64> = (0..DICE as u64).collect();
    let some = 1 + luck.below(DICE);
    while dice.len() > some {
        dice.swap_remove(luck.below(dice.len()));
    }
    dice
}

/// Plays a whole game of random actions, and calls `visit` for every position with the next action.
fn play(
    (players, seed, choices): (usize, [u8; 32], u64),
    mut visit: impl FnMut(&Qwantum, Option<(Seat, Action)>, &mut Luck),
) {
    let mut luck = gametest::luck(choices);
    let (mut game, _) = Qwantum::new(&Rules {}, players, Seed(seed));
    // Players differ in how often they enter numbers, so that games end in every way.
    let idle = luck.below(4);
    let mut acts = 0;
    loop {
        let asked = game.asked();
        if asked.is_empty() {
            break;
        }
        // Sometimes a seat that has already chosen changes its choice.
        let seat = match luck.below(8) {
            0 if game.phase() == Phase::Share => Seat::from(luck.below(players)),
            _ => asked[luck.below(asked.len())],
        };
        let mut listed = game.legal(seat);
        assert!(!listed.is_empty(), "no legal action: {game:?}");
        if listed.len() > 1 && luck.below(4) >= idle {
            listed.retain(|action| *action != Action::Skip {});
        }
        let mut action = listed.swap_remove(luck.below(listed.len()));
        if let Action::Reroll { dice } = &mut action {
            *dice = some_dice(&mut luck);
        }
        visit(&game, Some((seat, action.clone())), &mut luck);
        game.apply(seat, &action).expect("listed actions are legal");
        acts += 1;
        assert!(acts < 5000, "the game does not end");
    }
    visit(&game, None, &mut luck);
    assert!(game.outcome().is_some());
}

/// Returns actions of every kind, legal or not.
fn conceivable(luck: &mut Luck) -> Vec<Action> {
    let mut acts = vec![Action::Roll {}, Action::Keep {}, Action::Skip {}];
    acts.extend(Row::ALL.map(|row| Action::Enter { row }));
    for _ in 0..20 {
        let dice = (0..luck.below(10)).map(|_| luck.below(8) as u64);
        acts.push(Action::Reroll { dice: dice.collect() });
    }
    acts
}

fn well_formed(dice: &[u64]) -> bool {
    let mut sorted = dice.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    !dice.is_empty() && sorted.len() == dice.len() && dice.iter().all(|die| *die < 7)
}

proptest! {
    #![proptest_config(gametest::cases(64))]

    #[test]
    fn accepts_exactly_the_listed_actions(game in games()) {
        play(game, |game, _, luck| {
            // All of them are tried in one of four positions.
            let pool = if luck.below(4) == 0 { conceivable(luck) } else { Vec::new() };
            for seat in Seat::all(4) {
                let listed = game.legal(seat);
                for action in &listed {
                    assert_eq!(game.check(seat, action), Ok(()));
                    assert!(game.clone().apply(seat, action).is_ok());
                }
                let rerolls = listed.iter().any(|action| matches!(action, Action::Reroll { .. }));
                for action in &pool {
                    let legal = match action {
                        Action::Reroll { dice } => rerolls && well_formed(dice),
                        other => listed.contains(other),
                    };
                    let mut after = *game;
                    let applied = after.apply(seat, action);
                    assert_eq!(applied.is_ok(), legal, "{action:?} by {seat} on {game:?}");
                    assert_eq!(game.check(seat, action), applied.clone().map(|_| ()));
                    assert!(legal || after == *game, "a refused {action:?} changed something");
                    if let (Action::Reroll { dice }, true, Err(refusal)) = (action, rerolls, &applied) {
                        let codes = ["no_dice", "die_twice", "no_such_die"];
                        assert!(codes.contains(&refusal.code()), "{dice:?}: {refusal}");
                    }
                }
            }
        });
    }

    #[test]
    fn the_list_matches_the_oracle(game in games()) {
        play(game, |game, _, _| {
            let table = game.table();
            for seat in Seat::all(game.players()) {
                assert_eq!(game.legal(seat).to_vec(), oracle::legal(&table, seat), "{seat} on {table:?}");
            }
        });
    }

    #[test]
    fn a_seat_is_asked_until_the_end(game in games()) {
        play(game, |game, next, _| {
            let (table, asked) = (game.table(), game.asked());
            assert_eq!(asked.is_empty(), next.is_none());
            assert_eq!(table.outcome.is_some(), next.is_none());
            assert_eq!(table.phase == Phase::Finished, oracle::is_over(&table), "{table:?}");
            for seat in Seat::all(game.players()) {
                let chosen = table.decided[seat.index()];
                assert_eq!(chosen, game.mine(seat).choice.is_some());
                let expected = match table.phase {
                    Phase::Share => !chosen,
                    _ => table.turn == Some(seat),
                };
                assert_eq!(asked.contains(&seat), expected, "{seat} on {table:?}");
                assert!(table.phase == Phase::Share || !chosen, "choices exist only in step C");
                let skip = game.legal(seat).contains(&Action::Skip {});
                assert!(skip || table.phase != Phase::Share, "skipping is always legal in step C");
            }
        });
    }

    #[test]
    fn sheets_are_legal_and_scores_correct(game in games()) {
        play(game, |game, _, _| {
            let table = game.table();
            for player in &table.players {
                assert!(oracle::rows_are_legal(player), "{player:?}");
                assert_eq!(player.score.total, oracle::score(player), "{player:?}");
            }
            if let Some(outcome) = &table.outcome {
                let best = table.players.iter().map(oracle::score).max();
                for player in &table.players {
                    let won = outcome.winners.contains(&player.seat);
                    assert_eq!(won, Some(oracle::score(player)) == best);
                }
            }
        });
    }

    // A turn adds at most two numbers to the active player's sheet and one to any other's. Only the active player can
    // get a miss, and only instead of a number.
    #[test]
    fn a_turn_changes_sheets_only_as_the_rules_allow(game in games()) {
        let numbers = |game: &Qwantum, seat: Seat| -> usize {
            let rows = &game.table().players[seat.index()].rows;
            Row::ALL.iter().map(|row| rows.of(*row).len()).sum()
        };
        let mut before: Option<Qwantum> = None;
        play(game, |game, next, _| {
            let begins = game.table().rolls == 0 || next.is_none();
            if !begins {
                return;
            }
            if let Some(before) = before.replace(*game) {
                for seat in Seat::all(game.players()) {
                    let active = before.turn() == Some(seat);
                    let entered = numbers(game, seat) - numbers(&before, seat);
                    let misses = |game: &Qwantum| game.table().players[seat.index()].misses;
                    assert!(entered <= 1 + usize::from(active));
                    assert_eq!(misses(game) - misses(&before), u8::from(active && entered == 0));
                }
            }
        });
    }

    #[test]
    fn actions_survive_serialisation(game in games()) {
        play(game, |game, next, _| {
            let Some((seat, action)) = next else { return };
            for action in game.legal(seat).into_iter().chain([action]) {
                let json = serde_json::to_string(&action).unwrap();
                assert_eq!(serde_json::from_str::<Action>(&json).unwrap(), action, "{json}");
            }
        });
    }
}

#[test]
fn the_state_is_small() {
    assert!(size_of::<Qwantum>() <= 200, "{}", size_of::<Qwantum>());
}
