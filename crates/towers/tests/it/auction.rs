//! The auction: which seat must act, which bids are legal, and what a retraction removes.

use crate::script::{ALLOWED, legal, play, refused};
use game::{Game, Seat};
use towers::{Event, MAX_UNDOS, Phase, Towers, lay};

const ONE_OF_EACH: &str = "sand7 candy1 spooky1 tree1 scrap1";

fn fresh(players: usize) -> Towers {
    lay::table(players).row(ONE_OF_EACH).game().unwrap()
}

fn fresh_allowed(players: usize) -> Towers {
    lay::table(players).rules(ALLOWED).row(ONE_OF_EACH).game().unwrap()
}

#[test]
fn a_bid_of_the_whole_row_ends_the_auction_at_once() {
    let mut game = fresh(4);
    play(&mut game, "0 bid 3, 1 pass, 2 bid 5");
    assert_eq!(game.phase(), Phase::Take);
    assert_eq!(legal(&game, 3), "", "the fourth player is not asked");
    assert_eq!(legal(&game, 2), format!("take {ONE_OF_EACH}"));
    play(
        &mut game,
        "2 take sand7 candy1 spooky1 tree1 scrap1, 2 build sand7, 2 build candy1, 2 build spooky1, 2 build tree1, 2 build scrap1",
    );
    let events = play(&mut game, "2 finish");
    assert!(matches!(events[1], Event::Round { round: 2, starter: Seat(3), .. }), "nothing to discard: {events:?}");
    assert_eq!(game.turn(), Some(Seat(3)));
}

#[test]
fn a_single_tower_with_top_6_allows_a_bid_of_five() {
    let mut game = lay::table(4).towers(0, "sand 6").row(ONE_OF_EACH).game().unwrap();
    assert_eq!(game.mine(Seat(0)).highest_bid, 5);
    play(&mut game, "0 bid 5, 0 take sand7 candy1 spooky1 tree1 scrap1");
    assert_eq!(legal(&game, 0), "demolish sand, undo", "the 7 fits only after a demolition");
    play(&mut game, "0 demolish sand, 0 build sand7, 0 build candy1, 0 build scrap1, 0 build tree1, 0 build spooky1");
    assert_eq!(legal(&game, 0), "finish, undo");
    assert_eq!(game.mine(Seat(0)).highest_bid, 5, "the value does not change during the build");
}

/// Returns what each bid would mean, in short: `fits 1, after 0, 1: 1, 2: 0 1 after sand`.
fn means(game: &towers::Towers, seat: u8) -> String {
    let Some(means) = game.mine(Seat(seat)).means else { return "nothing".to_owned() };
    let places = |list: &[u8]| list.iter().map(|place| format!(" {place}")).collect::<String>();
    let bids = means.bids.iter().enumerate().map(|(at, bid)| {
        let after = bid.demolish.map(|tower| format!(" after {tower:?}").to_lowercase()).unwrap_or_default();
        format!(", {}:{}{after}", at + 1, places(&bid.cards))
    });
    format!("fits{}, after{}{}", places(&means.fits), places(&means.after), bids.collect::<String>())
}

#[test]
fn shows_which_cards_each_bid_relies_on() {
    let game = lay::table(4).towers(0, "sand 6").row(ONE_OF_EACH).game().unwrap();
    assert_eq!(means(&game, 0), "fits 1 2 3 4, after 0, 1: 1, 2: 1 2, 3: 1 2 3, 4: 1 2 3 4, 5: 0 1 2 3 4 after sand");
    let mut game = lay::table(4).towers(0, "sand 6 4").row(ONE_OF_EACH).game().unwrap();
    assert_eq!(means(&game, 0), "fits 1 2 3 4, after, 1: 1, 2: 1 2, 3: 1 2 3, 4: 1 2 3 4", "the 7 fits nowhere");
    assert_eq!(
        means(&game, 1),
        "fits 0 1 2 3 4, after, 1: 0, 2: 0 1, 3: 0 1 2, 4: 0 1 2 3, 5: 0 1 2 3 4",
        "highest cards first"
    );
    play(&mut game, "0 bid 4, 1 pass, 2 pass, 3 pass");
    assert_eq!(means(&game, 0), "nothing", "omitted after the auction");
}

#[test]
fn a_tower_of_6_and_4_allows_only_a_bid_of_four() {
    let game = lay::table(4).towers(0, "sand 6 4").row(ONE_OF_EACH).game().unwrap();
    assert_eq!(game.mine(Seat(0)).highest_bid, 4);
    assert_eq!(legal(&game, 0), "bid 0, bid 1, bid 2, bid 3, bid 4");
    refused(&game, "0 bid 5", "bid_unbuildable");
    refused(&game, "0 bid 6", "bid_too_high");
}

#[test]
fn after_a_5_is_retracted_the_next_player_may_bid_5() {
    let table = lay::table(4).rules(ALLOWED).towers(2, "sand 6 4").row(ONE_OF_EACH);
    let mut game = table.game().unwrap();
    play(&mut game, "0 bid 1, 1 bid 2, 2 bid 5, 2 take sand7 candy1 spooky1 tree1 scrap1, 2 demolish sand");
    refused(&game, "2 build sand7", "too_high_for_top");
    let events = play(&mut game, "2 build candy1, 2 retract");
    assert_eq!(events.last(), Some(&Event::Retract { seat: Seat(2) }));
    assert_eq!(legal(&game, 2), "bid 3, bid 4, pass");
    refused(&game, "2 bid 5", "bid_too_high");
    refused(&game, "2 bid 2", "bid_too_low");

    let mut before = table.game().unwrap();
    play(&mut before, "0 bid 1, 1 bid 2");
    assert_eq!(game.table(), before.table(), "the call is struck from the table");
    assert_eq!(game.mine(Seat(2)), before.mine(Seat(2)));

    let mut passed = game;
    play(&mut passed, "2 pass");
    assert_eq!(legal(&passed, 3), "bid 3, bid 4, bid 5, pass");
    play(&mut game, "2 bid 4");
    assert_eq!(legal(&game, 3), "bid 5, pass");
}

#[test]
fn the_starter_must_bid() {
    let game = fresh(3);
    refused(&game, "0 pass", "starter_must_bid");
    refused(&game, "1 bid 1", "not_your_turn");
    refused(&game, "7 bid 1", "not_your_turn");
}

#[test]
fn each_other_player_bids_higher_or_passes_once() {
    let mut game = fresh(3);
    play(&mut game, "0 bid 2");
    assert_eq!(legal(&game, 1), "bid 3, bid 4, bid 5, pass");
    refused(&game, "1 bid 2", "bid_too_low");
    play(&mut game, "1 bid 3, 2 pass");
    assert_eq!(game.phase(), Phase::Take, "the starter is not asked again");
    assert_eq!(game.turn(), Some(Seat(1)));
}

#[test]
fn discards_the_row_when_the_starter_bids_0_and_all_pass() {
    let mut game = lay::table(3)
        .starter(1)
        .towers(1, "tree 5")
        .row(ONE_OF_EACH)
        .draw("sand1 sand2 sand3 sand4 sand5")
        .game()
        .unwrap();
    let events = play(&mut game, "1 bid 0, 2 pass, 0 pass");
    assert!(matches!(events[3], Event::Discard { cards } if cards.len() == 5), "{events:?}");
    assert!(matches!(events[4], Event::Round { starter: Seat(1), .. }), "{events:?}");
    let table = game.table();
    assert_eq!(table.turn, Some(Seat(1)), "the same player starts");
    let discard: Vec<String> = table.discard.iter().map(ToString::to_string).collect();
    assert!(discard.join(" ").ends_with(ONE_OF_EACH), "{discard:?}");
    assert!(table.players.iter().all(|player| player.demolished == 0), "no demolition");
}

#[test]
fn a_0_can_be_outbid() {
    let mut game = fresh(2);
    play(&mut game, "0 bid 0, 1 bid 1");
    assert_eq!(game.turn(), Some(Seat(1)));
    assert_eq!(game.phase(), Phase::Take);
}

#[test]
fn a_player_who_can_build_nothing_may_only_pass_or_bid_0() {
    // Every tower has its roof, so not even a demolition helps.
    let roofs = "sand 0, candy 0, spooky 0, tree 0, scrap 0";
    let mut game = lay::table(2).towers(0, roofs).row(ONE_OF_EACH).game().unwrap();
    assert_eq!(legal(&game, 0), "bid 0");
    assert_eq!(game.mine(Seat(0)).highest_bid, 0);
    play(&mut game, "0 bid 0, 1 pass");
    let mut game = lay::table(2).starter(1).towers(0, roofs).row(ONE_OF_EACH).game().unwrap();
    play(&mut game, "1 bid 0");
    assert_eq!(legal(&game, 0), "pass");
}

#[test]
fn with_mistakes_allowed_any_bid_up_to_the_row_is_legal() {
    let roofs = "sand 0, candy 0, spooky 0, tree 0, scrap 0";
    let game = lay::table(2).rules(ALLOWED).towers(0, roofs).row(ONE_OF_EACH).game().unwrap();
    assert_eq!(legal(&game, 0), "bid 0, bid 1, bid 2, bid 3, bid 4, bid 5");
    refused(&game, "0 bid 6", "bid_too_high");
    assert_eq!(game.mine(Seat(0)).highest_bid, 0, "the value counts what can be built");
}

/// Every tower has its roof: nothing can be built, so every bid above 0 has to be retracted.
const ROOFS: &str = "sand 0, candy 0, spooky 0, tree 0, scrap 0";

#[test]
fn a_starter_who_retracts_repeatedly_ends_at_0() {
    let table = lay::table(2).rules(ALLOWED).towers(0, ROOFS).row(ONE_OF_EACH);
    let mut game = table.game().unwrap();
    play(&mut game, "0 bid 2, 1 pass, 0 retract");
    assert_eq!(legal(&game, 0), "bid 0, bid 1", "the starter cannot pass");
    refused(&game, "0 pass", "starter_must_bid");
    play(&mut game, "0 bid 1, 1 pass, 0 take candy1, 0 retract");
    assert_eq!(legal(&game, 0), "bid 0");
    play(&mut game, "0 bid 0");
    assert_eq!(legal(&game, 1), "bid 1, bid 2, bid 3, bid 4, bid 5, pass");
    let events = play(&mut game, "1 pass");
    assert!(matches!(events[..], [_, Event::Discard { .. }, Event::Round { starter: Seat(0), .. }]));
}

#[test]
fn only_a_pass_is_left_if_no_number_lies_between_the_bids() {
    let table = lay::table(3).rules(ALLOWED).towers(1, ROOFS).row(ONE_OF_EACH);
    let mut game = table.game().unwrap();
    play(&mut game, "0 bid 3, 1 bid 4, 2 pass, 1 retract");
    assert_eq!(legal(&game, 1), "pass");
    play(&mut game, "1 pass");
    assert_eq!(legal(&game, 2), "bid 4, bid 5, pass", "the pass was struck too");
    play(&mut game, "2 pass");
    assert_eq!(game.turn(), Some(Seat(0)), "the previous standing bid wins");
}

#[test]
fn several_players_can_retract_in_one_auction() {
    // In version 1 of the rules every bid may be retracted, so all players can.
    let mut game = fresh_allowed(4);
    game.set_rules_version(1);
    play(&mut game, "0 bid 1, 1 bid 3, 2 bid 5, 2 retract, 2 bid 4, 3 bid 5, 3 retract, 3 pass");
    assert_eq!(game.turn(), Some(Seat(2)), "the bid of 4 wins");
    play(&mut game, "2 retract");
    assert_eq!(legal(&game, 2), "pass", "there is no number between 3 and 4");
    play(&mut game, "2 pass, 3 pass");
    assert_eq!(game.turn(), Some(Seat(1)), "the bid of 3 wins");
    play(&mut game, "1 take candy1 tree1 sand7, 1 retract");
    assert_eq!(legal(&game, 1), "bid 2, pass");
    play(&mut game, "1 bid 2");
    assert_eq!(legal(&game, 2), "bid 3, bid 4, bid 5, pass", "struck calls have no effect");
    play(&mut game, "2 bid 5");
    assert_eq!(game.phase(), Phase::Take);
    play(&mut game, "2 retract, 2 pass, 3 pass, 1 retract, 1 pass, 2 pass, 3 pass, 0 retract, 0 bid 0");
    assert_eq!(legal(&game, 1), "bid 1, bid 2, bid 3, bid 4, bid 5, pass");
}

#[test]
fn refuses_to_retract_a_bid_that_can_be_fulfilled() {
    let table = lay::table(2).rules(ALLOWED).towers(0, "sand 6 4").row(ONE_OF_EACH);
    let mut game = table.game().unwrap();
    play(&mut game, "0 bid 4, 1 pass");
    refused(&game, "0 retract", "no_retraction");
    assert!(!legal(&game, 0).contains("retract"), "four of the five fit: {}", legal(&game, 0));
    play(&mut game, "0 take candy1 spooky1 tree1 scrap1");
    refused(&game, "0 retract", "no_retraction");
    play(&mut game, "0 demolish sand, 0 build candy1");
    refused(&game, "0 retract", "no_retraction");
    assert_eq!(legal(&game, 0), "build spooky1, build tree1, build scrap1, undo");
}

#[test]
fn unbuildable_cards_can_be_retracted_or_exchanged() {
    let table = lay::table(2).rules(ALLOWED).towers(0, "sand 6 4").row(ONE_OF_EACH);
    let mut game = table.game().unwrap();
    play(&mut game, "0 bid 2, 1 pass, 0 take sand7 candy1");
    assert_eq!(legal(&game, 0), "demolish sand, build candy1, undo, retract");
    play(&mut game, "0 demolish sand, 0 build candy1");
    assert_eq!(legal(&game, 0), "undo, retract");
    let mut exchanged = game;
    play(&mut exchanged, "0 undo, 0 undo, 0 undo");
    refused(&exchanged, "0 retract", "no_retraction");
    play(&mut exchanged, "0 take tree1 candy1");
    assert_eq!(legal(&exchanged, 0), "demolish sand, build candy1, build tree1, undo");
    play(&mut game, "0 retract");
    assert_eq!(legal(&game, 0), "bid 0, bid 1");
    assert_eq!(*game.table().players[0].towers.sand, [6, 4], "the demolished card is back");
}

#[test]
fn an_unbuildable_bid_can_be_retracted_before_the_take() {
    let table = lay::table(3).rules(ALLOWED).towers(0, "sand 6 4").row(ONE_OF_EACH);
    let mut game = table.game().unwrap();
    play(&mut game, "0 bid 5");
    assert_eq!(legal(&game, 0), format!("take {ONE_OF_EACH}, retract"));
}

#[test]
fn a_builder_stuck_without_undos_must_retract() {
    // Both cards could be built if the 9 comes first. Nothing fits on the roof.
    let table = lay::table(2).rules(ALLOWED).row("sand0 sand9 tree1 candy1 scrap1");
    let mut game = table.game().unwrap();
    play(&mut game, "0 bid 2, 1 pass, 0 take sand0 sand9");
    for _ in 0..MAX_UNDOS {
        play(&mut game, "0 build sand0");
        assert_eq!(legal(&game, 0), "undo", "undo is possible");
        refused(&game, "0 retract", "no_retraction");
        play(&mut game, "0 undo");
    }
    assert_eq!(legal(&game, 0), "build sand0, build sand9", "a buildable order exists");
    refused(&game, "0 retract", "no_retraction");
    play(&mut game, "0 build sand0");
    assert_eq!(legal(&game, 0), "retract");
    play(&mut game, "0 retract");
    assert_eq!(legal(&game, 0), "bid 0, bid 1");
}

#[test]
fn version_1_of_the_rules_allows_any_retraction() {
    let mut game = fresh_allowed(2);
    game.set_rules_version(1);
    play(&mut game, "0 bid 2, 1 pass");
    assert!(legal(&game, 0).ends_with("retract"), "{}", legal(&game, 0));
    play(&mut game, "0 take candy1 tree1, 0 build candy1, 0 build tree1");
    assert_eq!(legal(&game, 0), "finish, undo, retract");
    let mut newer = game;
    newer.set_rules_version(2);
    assert_eq!(legal(&newer, 0), "finish, undo", "the newer rules apply from here on");
    play(&mut game, "0 retract");
    assert_eq!(legal(&game, 0), "bid 0, bid 1");
}

#[test]
fn refuses_retractions_when_mistakes_are_prevented() {
    let mut game = fresh(2);
    refused(&game, "0 retract", "no_retraction");
    play(&mut game, "0 bid 2, 1 pass");
    refused(&game, "0 retract", "no_retraction");
    play(&mut game, "0 take candy1 tree1");
    refused(&game, "0 retract", "no_retraction");
}

#[test]
fn refuses_actions_of_another_phase() {
    let mut game = fresh_allowed(2);
    for act in ["0 take sand7", "0 demolish sand", "0 build sand7", "0 undo", "0 retract", "0 finish"] {
        refused(&game, act, "wrong_phase");
    }
    play(&mut game, "0 bid 1, 1 pass");
    for act in ["0 bid 2", "0 pass", "0 demolish sand", "0 build sand7", "0 finish"] {
        refused(&game, act, "wrong_phase");
    }
    refused(&game, "0 undo", "nothing_to_undo");
    play(&mut game, "0 take sand7");
    for act in ["0 bid 2", "0 pass", "0 take tree1"] {
        refused(&game, act, "wrong_phase");
    }
}
