//! Property tests: what a bot computes agrees with the rules in every position of random games.

use super::Wish;
use super::plan::{Plans, every_plan};
use super::scene::Scene;
use super::world::{Knowledge, Playout};
use super::worth::WEIGHTS;
use crate::card::ROOF;
use crate::{Action, Mistakes, Phase, Rules, Towers};
use game::{Chance, Game, Luck, Seat, Seed, Viewer};
use proptest::prelude::*;

fn luck(seed: [u8; 32]) -> Luck {
    Luck::new(&mut Chance::new(Seed(seed)))
}

/// Plays a game of random actions that undo nothing, and visits every position.
fn play(players: usize, mistakes: Mistakes, seed: [u8; 32], mut visit: impl FnMut(&Towers, Seat, &mut Luck)) {
    let mut luck = luck(seed);
    let (mut game, _) = Towers::new(&Rules { mistakes }, players, Seed(seed));
    while let Some(seat) = game.turn() {
        visit(&game, seat, &mut luck);
        let listed = game.legal(seat).into_iter();
        let listed: Vec<Action> = listed.filter(|act| !matches!(act, Action::Undo {} | Action::Retract {})).collect();
        game.apply(seat, &listed[luck.below(listed.len())]).unwrap();
    }
}

proptest! {
    #![proptest_config(gametest::cases(12))]

    #[test]
    fn a_guess_agrees_with_what_is_visible(players in 2..=5_usize, seed: [u8; 32]) {
        play(players, Mistakes::Prevented, seed, |game, _, luck| {
            let table = game.table();
            for seat in Seat::all(players) {
                let mine = game.mine(seat);
                let known = Knowledge::new(&table, &mine);
                for player in &table.players {
                    assert_eq!(known.world.sides[player.seat.index()].score(), player.score.total);
                }
                let others = table.players.iter().filter(|player| player.seat != seat);
                let hidden: usize = others.map(|player| usize::from(player.demolished)).sum();
                assert_eq!(known.unseen.len(), usize::from(table.draw) + hidden);
                let (world, guess) = known.guess(luck);
                assert_eq!(world.draw, usize::from(table.draw));
                // All roofs that have not been seen are in the draw pile.
                let roofs = |cards: &[crate::Card]| cards.iter().filter(|card| card.value() == ROOF).count();
                assert_eq!(roofs(guess.draw_pile()), roofs(&known.unseen));
                if table.phase == Phase::Auction {
                    let plans = Plans::new(&known.world.sides[seat.index()], &known.row, &world.worth(&WEIGHTS));
                    let highest = (0..=5).rev().find(|count| plans.of(*count).is_some());
                    assert_eq!(highest, Some(mine.highest_bid), "{table:?}");
                }
            }
        });
    }

    // In the auction, in the take step and in the middle of a build, every plan begins with a legal action, and the
    // best plan can be carried out to its end.
    #[test]
    fn every_plan_begins_with_a_listed_action(players in 2..=5_usize, seed: [u8; 32]) {
        play(players, Mistakes::Prevented, seed, |game, seat, _| {
            let view = game.view(Viewer::Seat(seat));
            let scene = Scene::new(&view, seat).unwrap();
            if scene.in_auction() {
                assert!(scene.calls().into_iter().all(|call| scene.act(&Wish::Call(call)).is_some()));
                return;
            }
            let plans = scene.plans(&scene.known.world.worth(&WEIGHTS));
            assert!(!plans.is_empty(), "{game:?}");
            for plan in plans {
                assert!(scene.act(&Wish::Build(plan)).is_some(), "{plan:?} on {game:?}");
            }
        });
    }

    #[test]
    fn a_playout_ends_like_a_real_game(players in 2..=5_usize, seed: [u8; 32]) {
        let mut luck = luck(seed);
        let known = Knowledge::fresh(players);
        let (world, guess) = known.guess(&mut luck);
        let mut playout = Playout::new(&known, world, &guess);
        let mut rows = 0;
        while !playout.over() {
            playout.play(&WEIGHTS, &super::bidding::Bidding { envy: 0.3, stray: 2.0 }, 1, &mut luck);
            rows += 1;
        }
        let deck = known.unseen.len();
        assert!((deck / 5..=2 * deck / 5).contains(&rows), "{rows} rows");
        assert!(playout.turn_up().is_none());
        let built: usize =
            playout.world.sides.iter().flat_map(|side| side.spires).map(|spire| usize::from(spire.height())).sum();
        let demolished: usize = playout.world.sides.iter().map(|side| usize::from(side.demolished)).sum();
        assert_eq!(built + demolished + playout.world.discarded, deck, "no card is lost or duplicated");
    }
}

#[test]
fn the_best_plan_uses_the_special_rules_of_8_and_9() {
    let mut luck = luck([1; 32]);
    let game = crate::lay::table(2).towers(0, "sand 15 3").row("sand9 sand8 sand12 tree5 candy5").game().unwrap();
    let known = Knowledge::new(&game.table(), &game.mine(Seat(0)));
    let (world, _) = known.guess(&mut luck);
    let worth = world.worth(&WEIGHTS);
    // 9 on 3, 8 on 9 and 12 on 8 is legal, and so is 8 last, on which anything goes. 8 or 12 first never is.
    let plans = every_plan(&world.sides[0], &known.row, std::iter::once(0b111), false, &worth);
    assert_eq!(plans.len(), 1);
    let side = super::plan::carry_out(&world.sides[0], &known.row, &plans[0], &worth).unwrap();
    assert_eq!(side.spires[4].height(), 5);
    assert_eq!(super::plan::first_card(&world.sides[0], &known.row, 0b111, &worth), Some(known.row[0]));
}
