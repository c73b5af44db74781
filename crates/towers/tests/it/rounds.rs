//! Rounds and deals, from the first row to the last, and scoring.

use crate::script::{ALLOWED, legal, play, refused};
use game::{Game, Outcome, Seat};
use towers::{Event, Lay, Phase, Towers, lay};

/// The last row of the first deal, with everything else discarded.
fn last_row_of_the_first_deal(players: usize) -> Lay {
    lay::table(players).row("sand0 candy0 spooky0 tree0 scrap0").rest_discarded()
}

/// The starter bids 0 and everyone else passes.
fn discards_the_row(game: &mut Towers) -> Vec<Event> {
    let mut events = play(game, &format!("{} bid 0", game.turn().unwrap()));
    for _ in 1..game.players() {
        events.extend(play(game, &format!("{} pass", game.turn().unwrap())));
    }
    events
}

#[test]
fn reshuffles_47_cards_after_33_of_80_were_used() {
    let towers = "sand 15 14 13 12 11 10 9 8 7 6 5, candy 15 14 13 12 11 10 9 8 7 6 5";
    let mut game = last_row_of_the_first_deal(2)
        .towers(0, towers)
        .towers(1, "tree 15 14 13 12 11 10 9 8")
        .demolished(1, "tree7 tree6 tree5")
        .game()
        .unwrap();
    assert_eq!(game.table().round, 16);
    let events = discards_the_row(&mut game);
    assert!(events.contains(&Event::Reshuffle { cards: 47 }), "{events:?}");
    assert_eq!((game.table().deal, game.table().round, game.table().draw), (2, 17, 42));
    assert!(game.table().discard.is_empty());
    for round in 17..26 {
        assert_eq!((game.table().round, game.table().row.len()), (round, 5));
        discards_the_row(&mut game);
    }
    let table = game.table();
    assert_eq!((table.round, table.row.len(), table.draw), (26, 2, 0), "the tenth row has two cards");
    let mut open = lay::table(2).rules(ALLOWED).deal(2).row("sand1 tree1").rest_discarded().game().unwrap();
    assert_eq!(legal(&open, 0), "bid 0, bid 1, bid 2");
    refused(&open, "0 bid 3", "bid_too_high");
    play(&mut open, "0 bid 2");
    assert_eq!(open.phase(), Phase::Take, "a bid of the whole row ends the auction");
    let events = discards_the_row(&mut game);
    assert!(matches!(events.last(), Some(Event::End { .. })), "{events:?}");
    assert_eq!(game.phase(), Phase::Finished);
}

#[test]
fn the_first_deal_has_16_or_22_rounds() {
    for (players, rounds) in [(2, 16), (3, 16), (4, 22), (5, 22)] {
        let (mut game, _) = Towers::new(&Default::default(), players, game::Seed([7; 32]));
        for round in 1..=2 * rounds {
            assert_eq!(game.table().round, round, "the second deal continues the count");
            assert_eq!(game.table().deal, if round <= rounds { 1 } else { 2 });
            discards_the_row(&mut game);
        }
        assert_eq!(game.phase(), Phase::Finished, "without builds, both deals have all cards");
        assert_eq!(game.outcome(), Some(Outcome::most_points(vec![0; players])), "all share the victory");
    }
}

#[test]
fn with_nothing_to_shuffle_the_game_ends_after_the_first_deal() {
    let all_but_roofs: Vec<String> = ["sand", "candy", "spooky", "tree", "scrap"]
        .iter()
        .map(|tower| format!("{tower} 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1"))
        .collect();
    let mut game = last_row_of_the_first_deal(2).towers(0, &all_but_roofs.join(",")).game().unwrap();
    play(&mut game, "0 bid 5, 0 take sand0 candy0 spooky0 tree0 scrap0");
    play(&mut game, "0 build sand0, 0 build candy0, 0 build spooky0, 0 build tree0, 0 build scrap0");
    let events = play(&mut game, "0 finish");
    assert_eq!(format!("{:?}", events[1]), "End { winners: [Seat(0)], scores: [176, 0] }", "{events:?}");
    assert_eq!(game.table().deal, 1);
}

#[test]
fn a_finished_game_shows_everything_and_has_no_turn() {
    let mut game = lay::table(2).deal(2).row("sand1").rest_discarded().demolished(1, "tree3 tree5").game().unwrap();
    assert!(game.outcome().is_none());
    play(&mut game, "0 bid 1, 0 take sand1, 0 build sand1, 0 finish");
    let table = game.table();
    assert_eq!(table.turn, None);
    assert_eq!(table.outcome, Some(Outcome::most_points([2, -3])));
    assert_eq!(format!("{:?}", table.players[1].demolished_cards), "Some([tree3, tree5])");
    assert!(table.row.is_empty() && table.calls.is_empty() && table.standing.is_none() && table.hand.is_empty());
    assert_eq!(game.mine(Seat(0)).highest_bid, 0);
    for seat in 0..3 {
        assert_eq!(legal(&game, seat), "");
        refused(&game, &format!("{seat} pass"), "game_over");
    }
}

#[test]
fn the_final_table_names_the_starter_of_the_last_round() {
    let last_row = || lay::table(3).deal(2).starter(1).row("sand1").rest_discarded();
    let mut built = last_row().game().unwrap();
    play(&mut built, "1 bid 0, 2 bid 1, 2 take sand1, 2 build sand1, 2 finish");
    let mut unbuilt = last_row().game().unwrap();
    play(&mut unbuilt, "1 bid 0, 2 pass, 0 pass");
    for game in [built, unbuilt] {
        assert_eq!(game.phase(), Phase::Finished);
        assert_eq!(game.table().starter, Seat(1), "the starter of the last auction");
    }
}

#[test]
fn a_tie_is_shared() {
    let mut game = lay::table(3)
        .deal(2)
        .row("sand1")
        .rest_discarded()
        .towers(1, "tree 5")
        .towers(2, "candy 0")
        .demolished(2, "candy1")
        .game()
        .unwrap();
    play(&mut game, "0 bid 1, 0 take sand1, 0 build sand1, 0 finish");
    assert_eq!(game.outcome(), Some(Outcome::most_points([2, 2, 2])));
    assert_eq!(game.outcome().unwrap().winners.len(), 3);
}

#[test]
fn scores_25_for_the_first_worked_example() {
    let game = lay::table(2)
        .row("spooky1 spooky2 spooky3 spooky4 spooky5")
        .towers(0, "sand 9 8 7 6, tree 3 2 0, candy 15 10 8 7 2 0")
        .demolished(0, "scrap3 scrap4")
        .draw("")
        .rest_discarded()
        .game()
        .unwrap();
    let score = game.table().players[0].score;
    assert_eq!((score.towers, score.tallest, score.demolition, score.total), (4 + 6 + 12, 6, -3, 25));
}

#[test]
fn scores_18_for_the_second_worked_example() {
    let row = "spooky1 spooky2 spooky3 spooky4 spooky5";
    let game = lay::table(2).row(row).towers(0, "sand 9 8 7 6 5 4 3, tree 3 0").rest_discarded().game().unwrap();
    let score = game.table().players[0].score;
    assert_eq!((score.towers, score.tallest, score.demolition, score.total), (7 + 4, 7, 0, 18));
}
