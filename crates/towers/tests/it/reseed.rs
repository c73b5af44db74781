//! A game continued with another seed: what everyone has seen stays, and unseen cards differ.

use game::{Game, Seat, Seed};
use gametest::{shown, viewers};
use proptest::prelude::*;
use towers::{Event, Rules, Towers};

/// Plays on with random actions, and returns the rows that were revealed.
fn rows(mut game: Towers, luck: u64) -> Vec<String> {
    let mut luck = gametest::luck(luck);
    let mut rows = Vec::new();
    while let Some(seat) = game.turn() {
        let acts = game.legal(seat);
        for event in game.apply(seat, &acts[luck.below(acts.len())]).unwrap() {
            if let Event::Round { row, .. } = event {
                rows.push(serde_json::to_string(&row).unwrap());
            }
        }
    }
    rows
}

/// Returns the remaining cards of this deal, sorted.
fn to_come(mut game: Towers) -> Vec<String> {
    let mut cards = Vec::new();
    while let Some(seat) = game.turn() {
        let deal = game.table().deal;
        // Nobody builds, so every row is discarded.
        let acts = game.legal(seat);
        let quiet = acts.iter().find(|act| serde_json::to_string(act).unwrap().contains("pass")).unwrap_or(&acts[0]);
        for event in game.apply(seat, quiet).unwrap() {
            if let Event::Round { row, .. } = event
                && game.table().deal == deal
            {
                cards.extend(row.iter().map(ToString::to_string));
            }
        }
        if game.table().deal != deal {
            break;
        }
    }
    cards.sort();
    cards
}

proptest! {
    #![proptest_config(gametest::cases(64))]

    #[test]
    fn keeps_what_was_seen_and_reorders_the_unseen_cards(
        players in 2..=5_usize, seed: [u8; 32], other: [u8; 32], luck: u64, acts in 0..200_usize,
    ) {
        let (mut game, _) = Towers::new(&Rules::default(), players, Seed(seed));
        let mut choices = gametest::luck(luck);
        for _ in 0..acts {
            let Some(seat) = game.turn() else { break };
            let listed = game.legal(seat);
            game.apply(seat, &listed[choices.below(listed.len())]).unwrap();
        }
        prop_assume!(game.turn().is_some());
        let mut reseeded = game;
        reseeded.reseed(Seed(other));
        for viewer in viewers(players) {
            prop_assert_eq!(shown(&game, viewer), shown(&reseeded, viewer));
        }
        prop_assert_eq!(to_come(game), to_come(reseeded));
        let mut same = game;
        same.reseed(Seed(other));
        prop_assert!(same == reseeded, "the same seed gives the same order");
        if game.table().draw >= 20 {
            prop_assert_ne!(rows(game, luck), rows(reseeded, luck));
        }
    }
}

#[test]
fn feats_match_the_table() {
    let laid =
        towers::lay::table(2).towers(0, "sand 6 4 2, tree 9 3").demolished(0, "candy5 candy6").towers(1, "scrap 4");
    let game = laid.row("sand7 candy1 spooky1 tree1 scrap1").game().unwrap();
    assert_eq!(game.feats(Seat(0)), [("tallest", 3), ("demolished", 2)]);
    assert_eq!(game.feats(Seat(1)), [("tallest", 1), ("demolished", 0)]);
}
