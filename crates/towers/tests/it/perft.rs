//! Counts of reachable positions, like chess perft: the tree of all legal actions is walked to a fixed depth. A change
//! of the rules that no example notices changes a count here.
//!
//! The numbers come from this code. The first actions of every tree are also found without `legal`, by trying every
//! conceivable action.

use crate::laws::sorted;
use crate::script::{ALLOWED, play};
use game::{Game, Seed};
use gametest::Perft;
use std::collections::HashSet;
use towers::{Action, Card, Cards, Lay, Rules, Tower, Towers, lay};

const PREVENTED: Rules = Rules { mistakes: towers::Mistakes::Prevented };

/// Depth to which every conceivable action is tried.
const TRIED: usize = 2;

/// Cards of a row with few types, so that many bids cannot be built.
const ROW: &str = "sand7 sand5 tree9 tree12 candy3";

/// Towers on which only some of `ROW` fits.
const TOWERS: [&str; 2] = ["sand 8 6, tree 10, scrap 4", "sand 4, tree 11 0, candy 5 2, spooky 14"];

/// Returns every action that could be legal in any position, and many that could not. Each is listed once.
fn conceivable(game: &Towers) -> Vec<Action> {
    let mut actions = vec![Action::Pass {}, Action::Undo {}, Action::Retract {}, Action::Finish {}];
    actions.extend((0..=u8::MAX).map(|count| Action::Bid { count }));
    actions.extend(Tower::ALL.map(|tower| Action::Demolish { tower }));
    actions.extend(Card::all().map(|card| Action::Build { card }));
    // Every choice from the row and the hand, alone and with any other card, which may be one of them again.
    let table = game.table();
    let pool: Vec<Card> = table.row.iter().chain(&table.hand).copied().collect();
    let mut takes = HashSet::new();
    for places in 0..1_u32 << pool.len() {
        let chosen = pool.iter().enumerate().filter(|(place, _)| places >> place & 1 == 1);
        let chosen: Vec<Card> = chosen.map(|(_, card)| *card).collect();
        for more in Card::all().map(Some).chain([None]) {
            let mut cards: Vec<Card> = chosen.iter().copied().chain(more).collect();
            cards.sort();
            takes.insert(cards);
        }
    }
    actions.extend(takes.into_iter().map(|cards| Action::Take { cards: Cards::from(&cards[..]) }));
    actions
}

#[track_caller]
fn check(game: &Towers, expected: &[[usize; 2]]) {
    let listed = |game: &Towers, seat| game.legal(seat).to_vec();
    let normal = sorted;
    Perft { players: Towers::players, listed, conceivable, normal, tried_depth: TRIED }.check(game, expected);
}

fn start(rules: Rules, players: usize) -> Towers {
    Towers::new(&rules, players, Seed([7; 32])).0
}

/// A table for two in the middle of a game, where only some of the row fits on anybody's towers.
fn midgame(rules: Rules) -> Lay {
    lay::table(2).rules(rules).row(ROW).towers(0, TOWERS[0]).towers(1, TOWERS[1])
}

fn after(lay: Lay, actions: &str) -> Towers {
    let mut game = lay.game().unwrap();
    play(&mut game, actions);
    game
}

#[test]
fn first_round_of_two_players() {
    check(&start(PREVENTED, 2), &[[6, 6], [21, 21], [120, 120], [388, 294], [1719, 684], [5215, 1205]]);
}

#[test]
fn first_round_of_two_players_with_mistakes_allowed() {
    // The same bids and takes are legal, but a low card may be placed before a high one of its type.
    check(&start(ALLOWED, 2), &[[6, 6], [21, 21], [122, 122], [470, 374], [2053, 920], [6921, 1659]]);
}

#[test]
fn first_round_of_five_players() {
    check(&start(PREVENTED, 5), &[[6, 6], [21, 21], [59, 59], [152, 149], [393, 358], [1607, 1375]]);
}

#[test]
fn bidding_with_mistakes_prevented() {
    check(&midgame(PREVENTED).game().unwrap(), &[[5, 5], [8, 8], [34, 34], [94, 73], [365, 169], [1187, 362]]);
}

#[test]
fn bidding_with_mistakes_allowed() {
    check(&midgame(ALLOWED).game().unwrap(), &[[6, 6], [22, 22], [141, 141], [675, 477], [2790, 799]]);
}

#[test]
fn taking_with_mistakes_prevented() {
    check(
        &after(midgame(PREVENTED), "0 bid 3, 1 pass"),
        &[[7, 7], [19, 13], [90, 36], [264, 61], [1058, 79], [3186, 74]],
    );
}

#[test]
fn taking_with_mistakes_allowed() {
    check(
        &after(midgame(ALLOWED), "0 bid 3, 1 pass"),
        &[[10, 10], [61, 50], [253, 98], [1174, 158], [4709, 259], [21676, 594]],
    );
}

#[test]
fn taking_for_a_bid_that_cannot_be_kept() {
    check(&after(midgame(ALLOWED), "0 bid 5"), &[[2, 2], [13, 13], [56, 44], [307, 195], [1421, 635], [6462, 1238]]);
}

#[test]
fn taking_with_mistakes_allowed_under_rules_version_1() {
    // Every bid may be retracted, even one that can be kept.
    let mut game = midgame(ALLOWED).game().unwrap();
    game.set_rules_version(1);
    play(&mut game, "0 bid 3, 1 pass");
    check(&game, &[[11, 11], [71, 53], [335, 113], [1700, 266], [8049, 579], [40661, 1018]]);
}

#[test]
fn demolition_with_mistakes_prevented() {
    check(
        &after(midgame(PREVENTED), "0 bid 2, 1 pass, 0 take sand7 candy3"),
        &[[2, 2], [12, 11], [36, 24], [158, 44], [500, 57], [2046, 88], [6700, 259]],
    );
}

#[test]
fn demolition_with_mistakes_allowed() {
    check(
        &after(midgame(ALLOWED), "0 bid 2, 1 pass, 0 take sand7 candy3"),
        &[[5, 5], [18, 14], [79, 46], [283, 64], [1220, 94], [4424, 203], [19155, 665]],
    );
}

#[test]
fn equal_cards_in_the_row() {
    let row = "sand7 sand7 tree2 candy5 tree2";
    let lay = lay::table(4).rules(ALLOWED).row(row).towers(0, "sand 8").towers(1, "tree 3");
    check(&after(lay, "0 bid 2, 1 pass, 2 pass, 3 pass"), &[[5, 5], [20, 15], [60, 22], [210, 37], [664, 92]]);
}

#[test]
fn last_round_of_the_game() {
    let lay = lay::table(2).deal(2).row("sand7 tree3").towers(0, "sand 6").rest_discarded();
    check(
        &lay.game().unwrap(),
        &[[3, 3], [6, 6], [8, 8], [19, 16], [36, 19], [78, 20], [134, 19], [296, 20], [500, 19], [1120, 20]],
    );
}
