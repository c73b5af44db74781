//! The players' salts in the deal.

use crate::test_room::TestRoom;
use game::{Salt, Seed, Viewer};
use room::Input;
use serde_json::{Value, json};

/// The table of a game started from one seed with these salts in seat order.
fn dealt(salts: &[Option<Salt>]) -> Value {
    let mut table = TestRoom::open_with(Seed([9; 32]));
    for (salt, name) in salts.iter().zip(["Ana", "Bea", "Cid"]) {
        table.sits_with(name, *salt);
    }
    table.starts("Ana").unwrap();
    table.table()
}

const ONE: Option<Salt> = Some(Salt([0x11; 16]));
const TWO: Option<Salt> = Some(Salt([0x22; 16]));

#[test]
fn the_deal_depends_on_the_seed_and_salts_in_seat_order() {
    assert_eq!(dealt(&[ONE, TWO]), dealt(&[ONE, TWO]));
    assert_ne!(dealt(&[ONE, TWO]), dealt(&[TWO, ONE]), "the order matters");
    assert_ne!(dealt(&[ONE, TWO]), dealt(&[ONE, ONE]), "each salt matters");
    assert_ne!(dealt(&[ONE, TWO]), dealt(&[ONE, None]));
    assert_ne!(dealt(&[None, None]), dealt(&[ONE, None]));
}

#[test]
fn the_deal_matches_the_specification() {
    use game::Game;
    let seed = Seed([9; 32]).salted([Salt([0x11; 16]), Salt([0x22; 16])]);
    let (game, _) = towers::Towers::new(&towers::Rules::default(), 2, seed);
    assert_eq!(dealt(&[ONE, TWO]), serde_json::to_value(game.table()).unwrap());
}

#[test]
fn a_salt_is_secret_before_the_start_and_public_after() {
    let mut table = TestRoom::open();
    table.sits_with("Ana", ONE);
    table.sits_with("Bea", None);
    let salt = "11".repeat(16);
    assert!(!table.view().to_string().contains(&salt));
    assert_eq!(table.view()["fair"].as_object().unwrap().len(), 1, "only the commitment");
    table.starts("Ana").unwrap();
    assert_eq!(table.view()["fair"]["salts"], json!([salt, null]));
    table.plays_quietly();
    assert_eq!(table.view()["fair"]["salts"], json!([salt, null]), "still shown, to verify the deal");
    table.asks_for_a_rematch("Ana").unwrap();
    assert!(table.view()["fair"].get("salts").is_none());
}

#[test]
fn the_seed_is_never_shown() {
    let mut table = TestRoom::open_with(Seed([0xab; 32]));
    table.sits("Ana");
    table.sits("Bea");
    table.starts("Ana").unwrap();
    let secret = "ab".repeat(32);
    for viewer in [Viewer::Watcher, Viewer::Seat(game::Seat(0)), Viewer::Seat(game::Seat(1))] {
        let state = serde_json::to_string(&table.room.state(viewer, 0)).unwrap();
        assert!(!state.contains(&secret) && !table.view().to_string().contains(&secret));
    }
}

#[test]
fn a_player_can_change_their_salt_until_the_start() {
    let salts = |table: &TestRoom| table.view()["fair"]["salts"].clone();
    let mut table = TestRoom::open();
    table.sits_with("Ana", ONE);
    table.sits_with("Bea", None);
    let bring = |table: &mut TestRoom, name: &str, salt: Salt| table.does(name, |player| Input::Salt { player, salt });
    assert_eq!(bring(&mut table, "Ana", Salt([0x11; 16])), Ok(vec![]), "the same salt changes nothing");
    assert_eq!(bring(&mut table, "Ana", Salt([0x22; 16])).unwrap().len(), 1);
    table.starts("Ana").unwrap();
    assert_eq!(salts(&table), json!(["22".repeat(16), null]));
    assert_eq!(bring(&mut table, "Bea", Salt([0x33; 16])), Ok(vec![]), "too late for this game");
    assert_eq!(salts(&table), json!(["22".repeat(16), null]));
    assert_eq!(table.ask(Input::Salt { player: room::PlayerId(77), salt: Salt([0; 16]) }), Err("not_seated"));
}
