//! Bots in whole games: their actions are legal, games end, and hidden information makes no difference.

use crate::script::{ROLL, play};
use game::{Game, Level, Seat, Seed, Viewer};
use gametest::{BotTrial, LEVELS, chance, luck};
use proptest::prelude::*;
use qwantum::{Action, Phase, Qwantum, Rules, lay};

/// A re-roll is listed once, with all dice. It represents re-rolls of any of them.
const BOTS: BotTrial<Qwantum> =
    BotTrial::new(60, |listed, act| matches!((listed, act), (Action::Reroll { .. }, Action::Reroll { .. })));

fn play_on(game: &mut Qwantum, levels: &[Level], luck: u64) {
    BOTS.play_on(game, levels, &mut chance(luck), |_, _| ());
}

proptest! {
    #![proptest_config(gametest::cases(12))]

    #[test]
    fn bot_games_end_and_every_action_is_legal(
        players in 2..=4_usize, seed: [u8; 32], first in 0..4_usize, luck: u64,
    ) {
        let (mut game, _) = Qwantum::new(&Rules {}, players, Seed(seed));
        let levels: [Level; 4] = std::array::from_fn(|seat| LEVELS[(first + seat) % 4]);
        play_on(&mut game, &levels, luck);
    }

    // A bot can take over from any position, even after random actions of a player who left.
    #[test]
    fn bots_take_over_from_any_position(players in 2..=4_usize, seed: [u8; 32], number: u64) {
        let (mut game, _) = Qwantum::new(&Rules {}, players, Seed(seed));
        let (mut luck, mut chance) = (luck(number), chance(number));
        while let Some(seat) = game.asked().first().copied() {
            if luck.below(6) == 0 {
                for level in LEVELS {
                    BOTS.choose(&game, seat, level, &mut chance);
                }
            }
            let listed = game.legal(seat);
            game.apply(seat, &listed[luck.below(listed.len())]).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(gametest::cases(8))]

    // Two games differ in future dice and, in step C, in another player's choice.
    #[test]
    fn hidden_information_does_not_affect_a_bot(players in 2..=4_usize, seed: [u8; 32], number: u64) {
        let mut luck = luck(number);
        let (mut game, _) = Qwantum::new(&Rules {}, players, Seed(seed));
        while let Some(seat) = game.asked().first().copied() {
            let asked = game.asked();
            if game.phase() == Phase::Share && asked.len() == players && luck.below(3) == 0 {
                let listed = game.legal(seat);
                let (mut one, mut two) = (game, game);
                one.apply(seat, &listed[0]).unwrap();
                two.apply(seat, &listed[listed.len() - 1]).unwrap();
                if one != two {
                    BOTS.acts_alike(&one, &two, asked[1]);
                }
            }
            let listed = game.legal(seat);
            game.apply(seat, &listed[luck.below(listed.len())]).unwrap();
        }
    }
}

#[test]
fn a_bot_does_not_know_future_dice() {
    let laid = |seed: u8| {
        let rows = "violet 3 8, red 5";
        lay::table(3).seed(Seed([seed; 32])).rows(0, rows).rows(1, "blue 4 9 12").dice(ROLL).game().unwrap()
    };
    let (mut one, mut two) = (laid(1), laid(2));
    BOTS.acts_alike(&one, &two, Seat(0));
    for act in ["0 keep", "0 enter blue", "0 skip"] {
        play(&mut one, act);
        play(&mut two, act);
        BOTS.acts_alike(&one, &two, one.asked()[0]);
    }
}

#[test]
fn bots_finish_unusual_tables() {
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
            play_on(&mut game, &[level], 5);
        }
    }
}

#[test]
fn bots_act_only_when_asked() {
    let mut game = lay::table(3).dice(ROLL).game().unwrap();
    for level in LEVELS {
        assert_eq!(BOTS.ask(&game, Viewer::Seat(Seat(1)), Seat(1), level), None);
        assert_eq!(BOTS.ask(&game, Viewer::Watcher, Seat(0), level), None);
        assert!(BOTS.ask(&game, Viewer::Seat(Seat(0)), Seat(0), level).is_some());
    }
    play(&mut game, "0 keep, 0 enter red, 1 skip");
    for level in LEVELS {
        assert_eq!(BOTS.ask(&game, Viewer::Seat(Seat(1)), Seat(1), level), None, "a bot does not change its choice");
        assert!(BOTS.ask(&game, Viewer::Seat(Seat(2)), Seat(2), level).is_some());
    }
}

#[test]
fn bots_avoid_needless_misses() {
    // Every number fits somewhere, and the fifth miss would end the game.
    let game = |dice| {
        let mut game = lay::table(3).misses(0, 4).dice(dice).game().unwrap();
        play(&mut game, "0 keep, 0 skip");
        game
    };
    for dice in [ROLL, "3 B5 B5 B4 B2 Y4 Y1", "1 R1 R2 R1 R5 R3 R6"] {
        for level in [Level::Normal, Level::Hard] {
            let act = BOTS.choose(&game(dice), Seat(0), level, &mut chance(1));
            assert_ne!(act, Action::Skip {}, "{level:?}");
        }
    }
}

#[test]
fn a_bot_without_time_plays_like_the_normal_level() {
    let (mut game, _) = Qwantum::new(&Rules {}, 3, Seed([8; 32]));
    let decisions = BOTS.plays_as_normal_without_time(&mut game);
    assert!(decisions > 40, "{decisions} decisions");
}

#[test]
fn respects_the_time_limit() {
    let mut game = lay::table(3).dice(ROLL).game().unwrap();
    BOTS.obeys_time(&game, 20);
    // There are at most five entries to compare.
    for act in ["0 keep", "0 enter violet"] {
        play(&mut game, act);
        BOTS.obeys_time(&game, 3);
    }
}

#[test]
fn judges_every_listed_action() {
    let mut game = lay::table(3).dice(ROLL).game().unwrap();
    for (act, asked) in [("0 keep", 0), ("0 enter violet", 0), ("0 skip", 0), ("1 skip", 1)] {
        BOTS.judges_what_is_listed(&game, Seat(asked), |_| false);
        play(&mut game, act);
    }
}

#[test]
fn normal_beats_easy() {
    let (wins, decided) = BOTS.match_of_three(Level::Normal, Level::Easy, 20);
    assert!(wins * 2 > decided, "{wins} of {decided}");
}

#[test]
fn hard_beats_normal() {
    let (wins, decided) = BOTS.match_of_three(Level::Hard, Level::Normal, 16);
    assert!(wins * 5 > decided * 2, "{wins} of {decided}");
}
