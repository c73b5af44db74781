//! Invariants of every position, checked in random whole games.

use crate::oracle::{self, Oracle};
use game::{Game, Luck, Seat, Seed};
use proptest::prelude::*;
use towers::{Action, Card, Mistakes, Phase, Rules, Table, Tower, Towers};

/// Parameters of a random game.
#[derive(Debug, Clone)]
struct RandomGame {
    players: usize,
    rules: Rules,
    version: u32,
    seed: [u8; 32],
    choices: u64,
}

fn games() -> impl Strategy<Value = RandomGame> {
    let mistakes = prop_oneof![Just(Mistakes::Prevented), Just(Mistakes::Allowed)];
    let rules = mistakes.prop_map(|mistakes| Rules { mistakes });
    let parts = (2..=5_usize, rules, 1..=Towers::RULES_VERSION, any::<[u8; 32]>(), any::<u64>());
    parts.prop_map(|(players, rules, version, seed, choices)| RandomGame { players, rules, version, seed, choices })
}

/// Plays a whole game of random actions, and calls `visit` for every position with the acting seat and its action.
fn play(
    RandomGame { players, rules, version, seed, choices }: RandomGame,
    mut visit: impl FnMut(&Towers, Option<(Seat, Action)>, &mut Luck),
) {
    let mut luck = gametest::luck(choices);
    let (mut game, _) = Towers::new(&rules, players, Seed(seed));
    game.set_rules_version(version);
    let mut acts = 0;
    while let Some(seat) = game.turn() {
        let listed = game.legal(seat);
        assert!(!listed.is_empty(), "no legal action: {game:?}");
        let action = listed[luck.below(listed.len())];
        visit(&game, Some((seat, action)), &mut luck);
        game.apply(seat, &action).expect("listed actions are legal");
        acts += 1;
        assert!(acts < 200_000, "the game does not end");
    }
    visit(&game, None, &mut luck);
    assert!(game.outcome().is_some());
}

/// Returns actions of every kind, legal or not.
fn conceivable(table: &Table, luck: &mut Luck) -> Vec<Action> {
    let mut acts = vec![Action::Pass {}, Action::Undo {}, Action::Retract {}, Action::Finish {}];
    acts.extend((0..=6).chain([255]).map(|count| Action::Bid { count }));
    acts.extend(Tower::ALL.map(|tower| Action::Demolish { tower }));
    acts.extend(Card::all().map(|card| Action::Build { card }));
    for _ in 0..20 {
        let size = luck.below(6);
        let mut pool: Vec<Card> = table.row.iter().chain(&table.hand).copied().collect();
        // Sometimes a card from elsewhere, or the same card twice.
        pool.extend(Card::all().nth(luck.below(80)));
        let cards = (0..size)
            .map(|_| {
                let place = luck.below(pool.len());
                if luck.below(8) == 0 || pool.len() == 1 { pool[place] } else { pool.swap_remove(place) }
            })
            .collect();
        acts.push(Action::Take { cards });
    }
    acts
}

/// Returns the action with its cards sorted, because their order does not matter.
pub fn sorted(action: Action) -> Action {
    match action {
        Action::Take { cards } => {
            let mut cards = cards.to_vec();
            cards.sort();
            Action::Take { cards: cards.into_iter().collect() }
        }
        other => other,
    }
}

proptest! {
    #![proptest_config(gametest::cases(64))]

    #[test]
    fn accepts_exactly_the_listed_actions(game in games()) {
        play(game, |game, next, luck| {
            let table = game.table();
            let turn = next.map(|(seat, _)| seat);
            // All of them are tried in one of four positions.
            let pool = if luck.below(4) == 0 { conceivable(&table, luck) } else { Vec::new() };
            for seat in Seat::all(game.players()) {
                let listed = game.legal(seat);
                assert_eq!(listed.is_empty(), Some(seat) != turn, "only the seat to move has actions");
                for action in &listed {
                    assert_eq!(game.check(seat, action), Ok(()));
                    let mut after = *game;
                    assert!(after.apply(seat, action).is_ok());
                    assert!(after != *game, "{action:?} changes nothing");
                }
                let listed: Vec<Action> = listed.into_iter().map(sorted).collect();
                for (i, action) in listed.iter().enumerate() {
                    assert!(!listed[..i].contains(action), "{action:?} is listed twice");
                }
                for action in &pool {
                    let mut after = *game;
                    let applied = after.apply(seat, action);
                    assert_eq!(applied.is_ok(), listed.contains(&sorted(*action)), "{action:?} by {seat} on {game:?}");
                    assert_eq!(game.check(seat, action), applied.clone().map(|_| ()));
                    assert!(applied.is_ok() || after == *game, "a refused {action:?} changed something");
                }
            }
        });
    }

    #[test]
    fn a_new_game_follows_the_newest_rulings(game in games()) {
        let version = Towers::version_for(&game.rules);
        play(RandomGame { version, ..game }, |game, next, _| {
            let Some((seat, _)) = next else { return };
            let mut newest = *game;
            newest.set_rules_version(Towers::RULES_VERSION);
            assert_eq!(newest.legal(seat).to_vec(), game.legal(seat).to_vec(), "{game:?}");
        });
    }

    #[test]
    fn the_list_matches_the_oracle(game in games()) {
        let mut oracle = Oracle::new(game.rules.mistakes, game.version);
        play(game, |game, next, _| {
            let table = game.table();
            let Some((seat, action)) = next else { return };
            let mut expected: Vec<Action> = oracle.legal(&table).into_iter().map(sorted).collect();
            let mut listed: Vec<Action> = game.legal(seat).into_iter().map(sorted).collect();
            expected.sort_by_key(|action| format!("{action:?}"));
            listed.sort_by_key(|action| format!("{action:?}"));
            assert_eq!(listed, expected, "{table:?}");
            if table.phase == Phase::Auction && table.calls.is_empty() {
                for seat in Seat::all(game.players()) {
                    let mine = game.mine(seat);
                    assert_eq!(usize::from(mine.highest_bid), oracle::highest_bid(&table, seat));
                    assert!(mine.means.is_none_or(|means| means.bids.len() == usize::from(mine.highest_bid)));
                }
            }
            let mut after = *game;
            after.apply(seat, &action).unwrap();
            oracle.remember(&table, &action, &after.table());
        });
    }

    #[test]
    fn a_builder_is_never_stuck_when_mistakes_are_prevented(mut game in games()) {
        game.rules.mistakes = Mistakes::Prevented;
        play(game, |game, next, _| {
            let Some((seat, _)) = next else { return };
            assert!(game.legal(seat).iter().any(|action| *action != Action::Undo {}), "{game:?}");
        });
    }

    #[test]
    fn with_mistakes_allowed_every_build_ends(mut game in games()) {
        (game.rules.mistakes, game.version) = (Mistakes::Allowed, Towers::RULES_VERSION);
        play(game, |game, next, luck| {
            // From any step of a build with all undos used, the build only moves forward, and it ends.
            let Some((seat, _)) = next.filter(|_| game.phase() == Phase::Build) else { return };
            let mut used = *game;
            while used.check(seat, &Action::Undo {}).is_ok() {
                used.apply(seat, &Action::Undo {}).unwrap();
                if used.phase() == Phase::Take {
                    used.apply(seat, &used.legal(seat)[0]).unwrap();
                }
            }
            let mut steps = 0;
            while used.phase() == Phase::Build && used.turn() == Some(seat) {
                let listed = used.legal(seat);
                used.apply(seat, &listed[luck.below(listed.len())]).unwrap();
                steps += 1;
                assert!(steps <= 7, "more than a demolition, five cards and a finish: {game:?}");
            }
        });
    }

    #[test]
    fn every_step_of_a_build_can_be_undone(game in games()) {
        play(game, |game, next, _| {
            let Some((seat, action)) = next else { return };
            let step = matches!(action, Action::Take { .. } | Action::Demolish { .. } | Action::Build { .. });
            let mut after = *game;
            after.apply(seat, &action).unwrap();
            if step && after.legal(seat).contains(&Action::Undo {}) {
                after.apply(seat, &Action::Undo {}).unwrap();
                assert_eq!(after.table(), game.table());
                assert_eq!(after.mine(seat), game.mine(seat));
            }
        });
    }

    #[test]
    fn actions_survive_serialisation(game in games()) {
        play(game, |game, next, luck| {
            let Some((seat, _)) = next.filter(|_| luck.below(4) == 0) else { return };
            for action in game.legal(seat) {
                let json = serde_json::to_string(&action).unwrap();
                assert_eq!(serde_json::from_str::<Action>(&json).unwrap(), action, "{json}");
            }
        });
    }
}
