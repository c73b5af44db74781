//! Bots at whole tables: what they do is always listed, games end, and what they cannot see makes no difference.

use crate::script::{ALLOWED, Dice, play};
use game::{Bot, Budget, Chance, Game, Level, Seat, Seed, View, Viewer};
use proptest::prelude::*;
use std::cell::Cell;
use towers::{Action, Lay, Mistakes, Phase, Rules, Towers, lay};

const LEVELS: [Level; 3] = [Level::Easy, Level::Normal, Level::Hard];

/// Enough for a comparison of all choices on a few guesses.
const TRIES: u32 = 80;

fn chance(number: u64) -> Chance {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    Chance::new(Seed(seed))
}

/// What a bot does, asked in every way a server could ask it.
fn choose(game: &Towers, seat: Seat, level: Level, chance: &mut Chance) -> Action {
    let view: View<Towers> = game.view(Viewer::Seat(seat));
    let action =
        Towers::choose(&view, seat, level, chance, Budget::tries(TRIES)).expect("a bot acts when asked");
    assert!(view.actions.contains(&action), "{level:?} wants {action:?} on {game:?}");
    action
}

/// Plays a game to its end; seats are the levels in turn. Says how many acts it took.
fn play_on(game: &mut Towers, levels: &[Level], chance: &mut Chance) -> usize {
    let mut acts = 0;
    while let Some(seat) = game.turn() {
        let action = choose(game, seat, levels[seat.index() % levels.len()], chance);
        assert!(!matches!(action, Action::Undo {} | Action::Retract {}), "a bot keeps to its plan: {game:?}");
        game.apply(seat, &action).unwrap();
        acts += 1;
        assert!(acts < 1000, "every game of bots ends");
    }
    acts
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
            let (mut game, _) = Towers::new(&Rules::default(), 3, Seed(seed));
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
    fn games_of_bots_end_and_every_act_is_listed(
        players in 2..=5_usize, allowed: bool, seed: [u8; 32], first in 0..3_usize, luck: u64,
    ) {
        let mistakes = if allowed { Mistakes::Allowed } else { Mistakes::Prevented };
        let (mut game, _) = Towers::new(&Rules { mistakes }, players, Seed(seed));
        let levels = [LEVELS[first], LEVELS[(first + 1) % 3], LEVELS[(first + 2) % 3]];
        play_on(&mut game, &levels, &mut chance(luck));
        assert!(game.outcome().is_some());
    }

    // Somebody who clicks around leaves their seat: a bot finds its way out of whatever they left.
    #[test]
    fn bots_go_on_from_any_position(players in 2..=5_usize, allowed: bool, seed: [u8; 32], luck in 1_u64..) {
        let mistakes = if allowed { Mistakes::Allowed } else { Mistakes::Prevented };
        let (mut game, _) = Towers::new(&Rules { mistakes }, players, Seed(seed));
        let mut dice = Dice::new(luck);
        let mut chance = chance(luck);
        while let Some(seat) = game.turn() {
            if dice.below(8) == 0 {
                for level in LEVELS {
                    choose(&game, seat, level, &mut chance);
                }
                // A bot takes over for the rest of this round.
                let level = LEVELS[dice.below(3)];
                let (round, mut acts) = (game.table().round, 0);
                while let Some(seat) = game.turn().filter(|_| game.table().round == round) {
                    let action = choose(&game, seat, level, &mut chance);
                    game.apply(seat, &action).unwrap();
                    acts += 1;
                    assert!(acts < 100, "a round ends: {game:?}");
                }
                continue;
            }
            let listed = game.legal(seat);
            game.apply(seat, &listed[dice.below(listed.len())]).unwrap();
        }
    }
}

/// Both tables look alike from this seat, so a bot in it must do alike.
fn acts_alike(one: &Towers, two: &Towers, seat: Seat) {
    assert!(one != two, "the tables differ");
    let shown = |game: &Towers| serde_json::to_string(&game.view(Viewer::Seat(seat))).unwrap();
    assert_eq!(shown(one), shown(two), "but not from here");
    for level in LEVELS {
        for luck in 0..3 {
            let act = |game: &Towers| choose(game, seat, level, &mut chance(luck));
            assert_eq!(act(one), act(two), "{level:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(24))]

    // The cards of a random table that seat 0 cannot see are laid in two ways: as draw pile and as the others'
    // demolition piles.
    #[test]
    fn what_a_bot_cannot_see_makes_no_difference(
        luck in 1_u64.., allowed: bool, second: bool, piles in (0..4_usize, 0..4_usize), acts in 0..6_usize,
    ) {
        let mut dice = Dice::new(luck);
        let mut deck: Vec<String> =
            towers::deck(3).filter(|card| card.value() != 0).map(|card| card.to_string()).collect();
        for i in (1..deck.len()).rev() {
            deck.swap(i, dice.below(i + 1));
        }
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
        for i in (1..shuffled.len()).rev() {
            shuffled.swap(i, dice.below(i + 1));
        }
        let (mut one, mut two) = (lay(&deck).game().unwrap(), lay(&shuffled).game().unwrap());
        let round = one.table().round;
        for _ in 0..acts {
            let seat = one.turn().unwrap();
            if seat == Seat(0) {
                acts_alike(&one, &two, seat);
            }
            let action = choose(&one, seat, Level::Normal, &mut chance(luck));
            one.apply(seat, &action).unwrap();
            two.apply(seat, &action).unwrap();
            // In the next row everybody sees the difference.
            if one.table().round > round {
                break;
            }
        }
    }
}

/// Takes a falling run of one type out of the cards, as a tower.
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
fn a_bot_does_not_look_at_the_draw_pile_or_others_demolished_cards() {
    let table =
        || lay::table(3).starter(1).towers(0, "sand 6 4, tree 9 3").row("sand7 candy1 spooky1 tree1 scrap1");
    let one = table().demolished(1, "candy5").demolished(2, "candy6").draw("scrap3 candy7 tree0 tree8 sand3");
    let two = table().demolished(1, "scrap3").demolished(2, "candy7").draw("tree0 candy6 candy5 sand3 tree8");
    let (mut one, mut two) = (one.game().unwrap(), two.game().unwrap());
    for act in ["1 bid 1", "2 pass"] {
        play(&mut one, act);
        play(&mut two, act);
    }
    acts_alike(&one, &two, Seat(0));
    for act in ["0 bid 3", "0 take candy1 spooky1 tree1", "0 build tree1"] {
        // The starter has called, so the third call ends the auction.
        play(&mut one, act);
        play(&mut two, act);
        acts_alike(&one, &two, Seat(0));
    }
}

#[test]
fn odd_tables_confuse_nobody() {
    let row = "sand7 tree7 candy1 candy2 candy3";
    let tables = [
        lay::table(2).row(row),
        lay::table(2).deal(2).row("sand1").rest_discarded(),
        lay::table(5).deal(2).row("sand0 sand0").rest_discarded(),
        lay::table(5).row("sand5 sand5 tree2 tree2 tree12").towers(0, "sand 4"),
        lay::table(4).row("sand9 sand8 sand15 sand2 sand2").towers(0, "sand 5"),
        lay::table(3).row("sand1 sand2 sand3 sand4 sand5").towers(0, "sand 0").towers(1, "sand 15"),
        lay::table(3)
            .row("sand6 candy15 spooky15 tree15 scrap15")
            .towers(0, "candy 1, spooky 1, tree 1, scrap 1"),
        lay::table(3).deal(2).row(row).demolished(1, "sand1 sand2 sand3 sand4 sand5 sand6").rest_discarded(),
        lay::table(3).row(row).towers(2, "sand 15 14 13 12 11 10 8 9 6 5 4 3 2 1 0, tree 15 8 14 9 0"),
        lay::table(3).row("sand7 tree7 candy1 candy2 candy0").rest_discarded(),
    ];
    for lay in tables {
        for mistakes in [Mistakes::Prevented, Mistakes::Allowed] {
            for level in LEVELS {
                let mut game = lay.clone().rules(Rules { mistakes }).game().unwrap();
                play_on(&mut game, &[level], &mut chance(5));
            }
        }
    }
}

#[test]
fn nobody_acts_out_of_turn() {
    let game = lay::table(3).row("sand7 tree7 candy1 candy2 candy3").game().unwrap();
    for level in LEVELS {
        let choose = |viewer, seat| {
            Towers::choose(&game.view(viewer), seat, level, &mut chance(1), Budget::tries(TRIES))
        };
        assert_eq!(choose(Viewer::Seat(Seat(1)), Seat(1)), None);
        assert_eq!(choose(Viewer::Watcher, Seat(0)), None);
        assert!(choose(Viewer::Seat(Seat(0)), Seat(0)).is_some());
    }
}

#[test]
fn a_bot_goes_back_from_a_mistake_it_inherits() {
    let table = lay::table(2).rules(ALLOWED).towers(0, "sand 6 4").row("sand7 candy1 spooky1 tree1 scrap1");
    let mut game = table.game().unwrap();
    play(&mut game, "0 bid 5, 0 take sand7 candy1 spooky1 tree1 scrap1, 0 build candy1");
    for level in LEVELS {
        assert_eq!(choose(&game, Seat(0), level, &mut chance(1)), Action::Retract {}, "five cannot be built");
    }
    let mut game = table.game().unwrap();
    play(&mut game, "0 bid 2, 1 pass, 0 take sand7 candy1, 0 build candy1");
    for level in LEVELS {
        assert_eq!(choose(&game, Seat(0), level, &mut chance(1)), Action::Undo {}, "two others can");
    }
}

#[test]
fn a_bot_without_time_plays_as_a_normal_one() {
    let (mut game, _) = Towers::new(&Rules::default(), 3, Seed([8; 32]));
    let mut asked = 0;
    while let Some(seat) = game.turn() {
        let view = game.view(Viewer::Seat(seat));
        let act = |level, budget| Towers::choose(&view, seat, level, &mut chance(1), budget).unwrap();
        let normal = act(Level::Normal, Budget::tries(0));
        assert_eq!(act(Level::Hard, Budget::tries(0)), normal);
        assert_eq!(act(Level::Hard, Budget::until(1000, &|| true)), normal);
        asked += usize::from(view.table.phase == Phase::Auction);
        game.apply(seat, &normal).unwrap();
    }
    assert!(asked > 16 * 2, "{asked} calls");
}

#[test]
fn time_is_asked_for_and_obeyed() {
    let (game, _) = Towers::new(&Rules::default(), 3, Seed([8; 32]));
    let asked = Cell::new(0);
    let over = || {
        asked.set(asked.get() + 1);
        asked.get() > 20
    };
    let seat = game.turn().unwrap();
    let view = game.view(Viewer::Seat(seat));
    let act = Towers::choose(&view, seat, Level::Hard, &mut chance(1), Budget::until(u32::MAX, &over));
    assert!(act.is_some());
    assert_eq!(asked.get(), 21, "nothing was begun after the answer");
}

#[test]
fn normal_beats_easy() {
    let (wins, decided) = match_of_three(Level::Normal, Level::Easy, 20);
    assert!(wins * 2 > decided, "{wins} of {decided}");
}

#[test]
fn hard_beats_normal() {
    let (wins, decided) = match_of_three(Level::Hard, Level::Normal, 8);
    assert!(wins * 2 > decided, "{wins} of {decided}");
}
