//! Bots in whole games: their actions are listed, games end, and hidden information makes no difference.

use crate::script::{ALLOWED, legal, play};
use game::{Game, Level, Seat, Seed, Viewer};
use gametest::{BotTrial, LEVELS, chance, luck};
use proptest::prelude::*;
use towers::{Action, Lay, MAX_UNDOS, Mistakes, Phase, Rules, Towers, lay};

const BOTS: BotTrial<Towers> = BotTrial::new(80, |_, _| false);

/// Plays a game to its end. The seats have the given levels in rotation.
fn play_on(game: &mut Towers, levels: &[Level], luck: u64) {
    BOTS.play_on(game, levels, &mut chance(luck), |game, action| {
        assert!(!matches!(action, Action::Undo {} | Action::Retract {}), "a bot took back an action: {game:?}");
    });
}

proptest! {
    #![proptest_config(gametest::cases(12))]

    #[test]
    fn bot_games_end_and_every_action_is_listed(
        players in 2..=5_usize, allowed: bool, seed: [u8; 32], first in 0..4_usize, luck: u64,
    ) {
        let mistakes = if allowed { Mistakes::Allowed } else { Mistakes::Prevented };
        let (mut game, _) = Towers::new(&Rules { mistakes }, players, Seed(seed));
        let levels: [Level; 4] = std::array::from_fn(|seat| LEVELS[(first + seat) % 4]);
        play_on(&mut game, &levels, luck);
    }

    // A bot can take over from any position, even after random actions of a player who left.
    #[test]
    fn bots_take_over_from_any_position(players in 2..=5_usize, allowed: bool, seed: [u8; 32], number: u64) {
        let mistakes = if allowed { Mistakes::Allowed } else { Mistakes::Prevented };
        let (mut game, _) = Towers::new(&Rules { mistakes }, players, Seed(seed));
        let (mut luck, mut chance) = (luck(number), chance(number));
        while let Some(seat) = game.turn() {
            if luck.below(8) == 0 {
                for level in LEVELS {
                    BOTS.choose(&game, seat, level, &mut chance);
                }
                // A bot takes over for the rest of this round.
                let level = LEVELS[luck.below(3)];
                let (round, mut acts) = (game.table().round, 0);
                while let Some(seat) = game.turn().filter(|_| game.table().round == round) {
                    let action = BOTS.choose(&game, seat, level, &mut chance);
                    game.apply(seat, &action).unwrap();
                    acts += 1;
                    assert!(acts < 100, "the round does not end: {game:?}");
                }
                continue;
            }
            let listed = game.legal(seat);
            game.apply(seat, &listed[luck.below(listed.len())]).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(gametest::cases(24))]

    // The cards of a random table that seat 0 cannot see are distributed in two ways over the draw pile and the others'
    // demolition piles.
    #[test]
    fn hidden_information_does_not_affect_a_bot(
        number: u64, allowed: bool, second: bool, piles in (0..4_usize, 0..4_usize), acts in 0..6_usize,
    ) {
        let mut luck = luck(number);
        let mut deck: Vec<String> =
            towers::deck(3).filter(|card| card.value() != 0).map(|card| card.to_string()).collect();
        luck.shuffle(&mut deck);
        let row = deck.split_off(deck.len() - 5).join(" ");
        let discard = deck.split_off(deck.len() - 20).join(" ");
        let own = deck.pop().unwrap();
        let standing = tower(&mut deck);
        let lay = |hidden: &[String]| -> Lay {
            let (one, rest) = hidden.split_at(piles.0);
            let (two, draw) = rest.split_at(piles.1);
            let rules = if allowed { ALLOWED } else { Rules::default() };
            lay::table(3).rules(rules).deal(1 + u8::from(second)).row(&row).discard(&discard)
                .demolished(0, &own).towers(0, &standing).towers(1, "spooky 0")
                .demolished(1, &one.join(" ")).demolished(2, &two.join(" ")).draw(&draw.join(" "))
        };
        let mut shuffled = deck.clone();
        luck.shuffle(&mut shuffled);
        let (mut one, mut two) = (lay(&deck).game().unwrap(), lay(&shuffled).game().unwrap());
        let round = one.table().round;
        for _ in 0..acts {
            let seat = one.turn().unwrap();
            if seat == Seat(0) {
                BOTS.acts_alike(&one, &two, seat);
            }
            let action = BOTS.choose(&one, seat, Level::Normal, &mut chance(number));
            one.apply(seat, &action).unwrap();
            two.apply(seat, &action).unwrap();
            // The next row shows everybody the difference.
            if one.table().round > round {
                break;
            }
        }
    }
}

/// Removes a descending run of one type from the cards, as a tower.
fn tower(deck: &mut Vec<String>) -> String {
    let mut values: Vec<u8> = Vec::new();
    deck.retain(|card| match card.strip_prefix("sand").and_then(|value| value.parse().ok()) {
        Some(value) if values.len() < 3 && values.last().is_none_or(|last| value < *last) => {
            values.push(value);
            false
        }
        _ => true,
    });
    let values: Vec<String> = values.iter().map(u8::to_string).collect();
    format!("sand {}", values.join(" "))
}

#[test]
fn a_bot_ignores_the_draw_pile_and_others_demolished_cards() {
    let table = || lay::table(3).starter(1).towers(0, "sand 6 4, tree 9 3").row("sand7 candy1 spooky1 tree1 scrap1");
    let one = table().demolished(1, "candy5").demolished(2, "candy6").draw("scrap3 candy7 tree0 tree8 sand3");
    let two = table().demolished(1, "scrap3").demolished(2, "candy7").draw("tree0 candy6 candy5 sand3 tree8");
    let (mut one, mut two) = (one.game().unwrap(), two.game().unwrap());
    for act in ["1 bid 1", "2 pass"] {
        play(&mut one, act);
        play(&mut two, act);
    }
    BOTS.acts_alike(&one, &two, Seat(0));
    for act in ["0 bid 3", "0 take candy1 spooky1 tree1", "0 build tree1"] {
        // The starter has called, so the third call ends the auction.
        play(&mut one, act);
        play(&mut two, act);
        BOTS.acts_alike(&one, &two, Seat(0));
    }
}

#[test]
fn bots_finish_unusual_tables() {
    let row = "sand7 tree7 candy1 candy2 candy3";
    let tables = [
        lay::table(2).row(row),
        lay::table(2).deal(2).row("sand1").rest_discarded(),
        lay::table(5).deal(2).row("sand0 sand0").rest_discarded(),
        lay::table(5).row("sand5 sand5 tree2 tree2 tree12").towers(0, "sand 4"),
        lay::table(4).row("sand9 sand8 sand15 sand2 sand2").towers(0, "sand 5"),
        lay::table(3).row("sand1 sand2 sand3 sand4 sand5").towers(0, "sand 0").towers(1, "sand 15"),
        lay::table(3).row("sand6 candy15 spooky15 tree15 scrap15").towers(0, "candy 1, spooky 1, tree 1, scrap 1"),
        lay::table(3).deal(2).row(row).demolished(1, "sand1 sand2 sand3 sand4 sand5 sand6").rest_discarded(),
        lay::table(3).row(row).towers(2, "sand 15 14 13 12 11 10 8 9 6 5 4 3 2 1 0, tree 15 8 14 9 0"),
        lay::table(3).row("sand7 tree7 candy1 candy2 candy0").rest_discarded(),
    ];
    for lay in tables {
        for mistakes in [Mistakes::Prevented, Mistakes::Allowed] {
            for level in LEVELS {
                let mut game = lay.clone().rules(Rules { mistakes }).game().unwrap();
                play_on(&mut game, &[level], 5);
            }
        }
    }
}

#[test]
fn bots_do_not_act_out_of_turn() {
    let game = lay::table(3).row("sand7 tree7 candy1 candy2 candy3").game().unwrap();
    for level in LEVELS {
        let choose = |viewer, seat| BOTS.ask(&game, viewer, seat, level);
        assert_eq!(choose(Viewer::Seat(Seat(1)), Seat(1)), None);
        assert_eq!(choose(Viewer::Watcher, Seat(0)), None);
        assert!(choose(Viewer::Seat(Seat(0)), Seat(0)).is_some());
    }
}

#[test]
fn a_bot_undoes_a_mistake_it_inherits() {
    let table = lay::table(2).rules(ALLOWED).towers(0, "sand 6 4").row("sand7 candy1 spooky1 tree1 scrap1");
    let mut game = table.game().unwrap();
    play(&mut game, "0 bid 5, 0 take sand7 candy1 spooky1 tree1 scrap1, 0 build candy1");
    for level in LEVELS {
        assert_eq!(BOTS.choose(&game, Seat(0), level, &mut chance(1)), Action::Retract {}, "five cannot be built");
    }
    let mut game = table.game().unwrap();
    play(&mut game, "0 bid 2, 1 pass, 0 take sand7 candy1, 0 build candy1");
    for level in LEVELS {
        assert_eq!(
            BOTS.choose(&game, Seat(0), level, &mut chance(1)),
            Action::Undo {},
            "another choice of two can be built"
        );
    }
}

#[test]
fn a_bot_retracts_when_stuck_without_undos() {
    // A 0 before the 9 on the same tower: the bid could be fulfilled, but not from here, and all undos are used.
    let table = lay::table(2).rules(ALLOWED).towers(0, "tree 4").row("sand0 sand9 tree1 candy1 scrap1");
    let mut inherited = table.game().unwrap();
    play(&mut inherited, "0 bid 3, 1 pass, 0 take sand0 sand9 tree1");
    for _ in 0..MAX_UNDOS {
        play(&mut inherited, "0 build sand0, 0 undo");
    }
    play(&mut inherited, "0 build sand0");
    assert_eq!(legal(&inherited, 0), "build tree1", "no undo, and nothing to retract yet");
    for level in LEVELS {
        let mut game = inherited;
        for expected in [Action::Build { card: "tree1".parse().unwrap() }, Action::Retract {}] {
            let act = BOTS.choose(&game, Seat(0), level, &mut chance(1));
            assert_eq!(act, expected, "{level:?}");
            game.apply(Seat(0), &act).unwrap();
        }
        assert_eq!(game.phase(), Phase::Auction, "{level:?}");
        let act = BOTS.choose(&game, Seat(0), level, &mut chance(1));
        game.apply(Seat(0), &act).expect("a legal call below the retracted bid");
    }
}

#[test]
fn a_bot_without_time_plays_like_the_normal_level() {
    let (mut game, _) = Towers::new(&Rules::default(), 3, Seed([8; 32]));
    let decisions = BOTS.plays_as_normal_without_time(&mut game);
    assert!(decisions > 16 * 2, "{decisions} decisions");
}

#[test]
fn respects_the_time_limit() {
    // After twelve samples this call may be decided. Before that, only time ends the search.
    BOTS.obeys_time(&Towers::new(&Rules::default(), 3, Seed([8; 32])).0, 10);
}

#[test]
fn judges_every_listed_action() {
    let (mut game, _) = Towers::new(&Rules::default(), 3, Seed([8; 32]));
    let takes_back = |act: &Action| matches!(act, Action::Undo {} | Action::Retract {});
    let mut judged = 0;
    for _ in 0..40 {
        let seat = game.turn().unwrap();
        judged += BOTS.judges_what_is_listed(&game, seat, takes_back);
        let act = BOTS.choose(&game, seat, Level::Normal, &mut chance(1));
        game.apply(seat, &act).unwrap();
    }
    assert!(judged > 80, "{judged} actions");
}

#[test]
fn normal_beats_easy() {
    let (wins, decided) = BOTS.match_of_three(Level::Normal, Level::Easy, 20);
    assert!(wins * 2 > decided, "{wins} of {decided}");
}

#[test]
fn hard_beats_normal() {
    let (wins, decided) = BOTS.match_of_three(Level::Hard, Level::Normal, 8);
    assert!(wins * 2 > decided, "{wins} of {decided}");
}
