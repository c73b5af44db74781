//! Bots at whole tables: what they do is always legal, games end, and what they cannot see makes no difference.

use crate::script::{Luck, ROLL, play};
use game::{Bot, Budget, Chance, Game, Level, Seat, Seed, View, Viewer};
use proptest::prelude::*;
use qwantum::{Action, Phase, Qwantum, Rules, lay};
use std::cell::Cell;

const LEVELS: [Level; 3] = [Level::Easy, Level::Normal, Level::Hard];

/// Enough for a comparison of all choices on some tries.
const TRIES: u32 = 60;

fn chance(number: u64) -> Chance {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    Chance::new(Seed(seed))
}

/// What a bot does. It is listed, or a re-roll of some of the dice of the one that is.
fn choose(game: &Qwantum, seat: Seat, level: Level, chance: &mut Chance) -> Action {
    let view: View<Qwantum> = game.view(Viewer::Seat(seat));
    let action =
        Qwantum::choose(&view, seat, level, chance, Budget::tries(TRIES)).expect("a bot acts when asked");
    let listed = view.actions.iter().any(|listed| match (listed, &action) {
        (Action::Reroll { .. }, Action::Reroll { .. }) => true,
        (listed, action) => listed == action,
    });
    assert!(listed, "{level:?} wants {action:?} on {game:?}");
    assert_eq!(game.check(seat, &action), Ok(()), "{level:?} wants {action:?} on {game:?}");
    action
}

/// Plays a game to its end; seats are the levels in turn.
fn play_on(game: &mut Qwantum, levels: &[Level], chance: &mut Chance) {
    let mut acts = 0;
    while let Some(seat) = game.asked().first().copied() {
        let action = choose(game, seat, levels[seat.index() % levels.len()], chance);
        game.apply(seat, &action).unwrap();
        acts += 1;
        assert!(acts < 1000, "every game of bots ends");
    }
    assert!(game.outcome().is_some());
}

/// The bot's winning games, out of those with one winner, against two of another level.
fn match_of_three(level: Level, others: Level, deals: u64) -> (usize, usize) {
    let (mut wins, mut decided) = (0, 0);
    for deal in 0..deals {
        for place in 0..3 {
            let mut levels = [others; 3];
            levels[place] = level;
            let mut seed = [3; 32];
            seed[..8].copy_from_slice(&deal.to_le_bytes());
            let (mut game, _) = Qwantum::new(&Rules {}, 3, Seed(seed));
            play_on(&mut game, &levels, &mut chance(deal));
            let winners = game.outcome().unwrap().winners;
            decided += usize::from(winners.len() == 1);
            wins += usize::from(winners.as_slice() == [Seat::from(place)]);
        }
    }
    (wins, decided)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn games_of_bots_end_and_every_act_is_legal(
        players in 2..=4_usize, seed: [u8; 32], first in 0..3_usize, luck: u64,
    ) {
        let (mut game, _) = Qwantum::new(&Rules {}, players, Seed(seed));
        let levels = [LEVELS[first], LEVELS[(first + 1) % 3], LEVELS[(first + 2) % 3]];
        play_on(&mut game, &levels, &mut chance(luck));
    }

    // Somebody who clicks around leaves their seat: a bot goes on from whatever they left.
    #[test]
    fn bots_go_on_from_any_position(players in 2..=4_usize, seed: [u8; 32], luck: u64) {
        let (mut game, _) = Qwantum::new(&Rules {}, players, Seed(seed));
        let mut dice = Luck::new(luck);
        let mut chance = chance(luck);
        while let Some(seat) = game.asked().first().copied() {
            if dice.below(6) == 0 {
                for level in LEVELS {
                    choose(&game, seat, level, &mut chance);
                }
            }
            let listed = game.legal(seat);
            game.apply(seat, &listed[dice.below(listed.len())]).unwrap();
        }
    }
}

/// Both tables look alike from this seat, so a bot in it must do alike.
fn acts_alike(one: &Qwantum, two: &Qwantum, seat: Seat) {
    assert!(one != two, "the tables differ");
    let shown = |game: &Qwantum| serde_json::to_string(&game.view(Viewer::Seat(seat))).unwrap();
    assert_eq!(shown(one), shown(two), "but not from here");
    for level in LEVELS {
        for luck in 0..3 {
            let act = |game: &Qwantum| choose(game, seat, level, &mut chance(luck));
            assert_eq!(act(one), act(two), "{level:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(8))]

    // Two games differ in how dice will fall, and in step C in what another has chosen.
    #[test]
    fn what_a_bot_cannot_see_makes_no_difference(players in 2..=4_usize, seed: [u8; 32], luck: u64) {
        let mut dice = Luck::new(luck);
        let (mut game, _) = Qwantum::new(&Rules {}, players, Seed(seed));
        while let Some(seat) = game.asked().first().copied() {
            let asked = game.asked();
            if game.phase() == Phase::Share && asked.len() == players && dice.below(3) == 0 {
                let listed = game.legal(seat);
                let (mut one, mut two) = (game, game);
                one.apply(seat, &listed[0]).unwrap();
                two.apply(seat, &listed[listed.len() - 1]).unwrap();
                if one != two {
                    acts_alike(&one, &two, asked[1]);
                }
            }
            let listed = game.legal(seat);
            game.apply(seat, &listed[dice.below(listed.len())]).unwrap();
        }
    }
}

#[test]
fn a_bot_does_not_know_how_the_dice_will_fall() {
    let laid = |seed: u8| {
        let rows = "violet 3 8, red 5";
        lay::table(3).seed(Seed([seed; 32])).rows(0, rows).rows(1, "blue 4 9 12").dice(ROLL).game().unwrap()
    };
    let (mut one, mut two) = (laid(1), laid(2));
    acts_alike(&one, &two, Seat(0));
    for act in ["0 keep", "0 enter blue", "0 skip"] {
        play(&mut one, act);
        play(&mut two, act);
        acts_alike(&one, &two, one.asked()[0]);
    }
}

#[test]
fn odd_tables_confuse_nobody() {
    let stuck = "violet 33, blue 33, red 33, yellow 33";
    let nearly = "violet 1 2 3 4 3 2, blue 1 2 3 4 3 2, red 1 2 3 4 3 2, yellow 1 2 3 4 3";
    let tables = [
        lay::table(2),
        lay::table(4).active(3).round(9).dice("6 V6 V4 V3 V3 V5 V6"),
        lay::table(2).rows(0, stuck).rows(1, stuck).misses(0, 4).misses(1, 4),
        lay::table(3).rows(0, nearly).rows(1, nearly).rows(2, nearly),
        lay::table(3).rows(0, nearly).misses(0, 4).dice("1 R1 R2 R1 R5 R3 R6"),
        lay::table(3).rows(1, "violet 1 2 3 4 1, blue 1 2 3 4 1, red 1 2 3 4 1, yellow 1 2 3 4 1").dice(ROLL),
    ];
    for lay in tables {
        for level in LEVELS {
            let mut game = lay.game().unwrap();
            play_on(&mut game, &[level], &mut chance(5));
        }
    }
}

#[test]
fn nobody_acts_who_is_not_asked() {
    let mut game = lay::table(3).dice(ROLL).game().unwrap();
    let choose = |game: &Qwantum, viewer, seat, level| {
        Qwantum::choose(&game.view(viewer), seat, level, &mut chance(1), Budget::tries(TRIES))
    };
    for level in LEVELS {
        assert_eq!(choose(&game, Viewer::Seat(Seat(1)), Seat(1), level), None);
        assert_eq!(choose(&game, Viewer::Watcher, Seat(0), level), None);
        assert!(choose(&game, Viewer::Seat(Seat(0)), Seat(0), level).is_some());
    }
    play(&mut game, "0 keep, 0 enter red, 1 skip");
    for level in LEVELS {
        assert_eq!(choose(&game, Viewer::Seat(Seat(1)), Seat(1), level), None, "who has chosen lets it be");
        assert!(choose(&game, Viewer::Seat(Seat(2)), Seat(2), level).is_some());
    }
}

#[test]
fn nobody_marks_a_miss_for_nothing() {
    // Every number fits somewhere, and the fifth miss would end the game.
    let game = |dice| {
        let mut game = lay::table(3).misses(0, 4).dice(dice).game().unwrap();
        play(&mut game, "0 keep, 0 skip");
        game
    };
    for dice in [ROLL, "3 B5 B5 B4 B2 Y4 Y1", "1 R1 R2 R1 R5 R3 R6"] {
        for level in [Level::Normal, Level::Hard] {
            assert_ne!(choose(&game(dice), Seat(0), level, &mut chance(1)), Action::Skip {}, "{level:?}");
        }
    }
}

#[test]
fn a_bot_without_time_plays_as_a_normal_one() {
    let (mut game, _) = Qwantum::new(&Rules {}, 3, Seed([8; 32]));
    let mut asked = 0;
    while let Some(seat) = game.asked().first().copied() {
        let view = game.view(Viewer::Seat(seat));
        let act = |level, budget| Qwantum::choose(&view, seat, level, &mut chance(1), budget).unwrap();
        let normal = act(Level::Normal, Budget::tries(0));
        assert_eq!(act(Level::Hard, Budget::tries(0)), normal);
        assert_eq!(act(Level::Hard, Budget::until(1000, &|| true)), normal);
        asked += usize::from(view.actions.len() > 1);
        game.apply(seat, &normal).unwrap();
    }
    assert!(asked > 40, "{asked} decisions");
}

#[test]
fn time_is_asked_for_and_obeyed() {
    let mut game = lay::table(3).dice(ROLL).game().unwrap();
    for act in ["0 keep", "0 enter violet"] {
        let asked = Cell::new(0);
        let over = || {
            asked.set(asked.get() + 1);
            asked.get() > 20
        };
        let view = game.view(Viewer::Seat(Seat(0)));
        let chosen =
            Qwantum::choose(&view, Seat(0), Level::Hard, &mut chance(1), Budget::until(u32::MAX, &over));
        assert!(chosen.is_some());
        assert_eq!(asked.get(), 21, "nothing was begun after the answer");
        play(&mut game, act);
    }
}

#[test]
fn normal_beats_easy() {
    let (wins, decided) = match_of_three(Level::Normal, Level::Easy, 20);
    assert!(wins * 2 > decided, "{wins} of {decided}");
}

#[test]
fn hard_beats_normal() {
    let (wins, decided) = match_of_three(Level::Hard, Level::Normal, 16);
    assert!(wins * 5 > decided * 2, "{wins} of {decided}");
}
