//! The JSON forms of the wire contract.

use crate::script::{ALLOWED, play};
use game::{Game, IllegalAction, Seat};
use serde_json::{Value, json};
use towers::{Action, Mistakes, Rules, Towers, lay};

fn table(game: &Towers) -> Value {
    serde_json::to_value(game.table()).unwrap()
}

#[test]
fn rules_have_their_documented_json() {
    let read = |text: &str| serde_json::from_str::<Rules>(text);
    assert_eq!(read("{}").unwrap().mistakes, Mistakes::Prevented);
    assert_eq!(read(r#"{"mistakes":"prevented"}"#).unwrap(), Rules::default());
    assert_eq!(read(r#"{"mistakes":"allowed"}"#).unwrap(), ALLOWED);
    for wrong in [r#"{"mistakes":"some"}"#, r#"{"mistakes":null}"#, r#"{"clock":3}"#] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    assert_eq!(serde_json::to_string(&ALLOWED).unwrap(), r#"{"mistakes":"allowed"}"#);
    let option = Towers::OPTIONS[0];
    assert_eq!(serde_json::to_value(Rules::default()).unwrap()[option.name], option.default);
    assert!(option.values.iter().all(|value| read(&json!({option.name: value}).to_string()).is_ok()));
}

#[test]
fn actions_keep_their_json_format() {
    for text in [
        r#"{"type":"bid","count":3}"#,
        r#"{"type":"pass"}"#,
        r#"{"type":"take","cards":[{"tower":"sand","value":7},{"tower":"tree","value":0}]}"#,
        r#"{"type":"take","cards":[]}"#,
        r#"{"type":"demolish","tower":"sand"}"#,
        r#"{"type":"build","card":{"tower":"spooky","value":15}}"#,
        r#"{"type":"undo"}"#,
        r#"{"type":"retract"}"#,
        r#"{"type":"finish"}"#,
    ] {
        let action: Action = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&action).unwrap(), text);
    }
}

#[test]
fn refuses_malformed_actions() {
    let take = |cards: &[&str]| format!(r#"{{"type":"take","cards":[{}]}}"#, cards.join(","));
    for text in [
        r#"{"type":"pass","count":3}"#.to_owned(),
        r#"{"type":"bid"}"#.into(),
        r#"{"type":"bid","count":-1}"#.into(),
        r#"{"type":"bid","count":256}"#.into(),
        r#"{"type":"bid","count":1,"seat":0}"#.into(),
        r#"{"type":"cheat"}"#.into(),
        r#"{"count":3}"#.into(),
        r#"{"type":"demolish","tower":"mud"}"#.into(),
        r#"{"type":"build","card":{"tower":"sand","value":16}}"#.into(),
        r#"{"type":"build","card":{"tower":"sand","value":7,"back":"blue"}}"#.into(),
        r#"{"type":"build","card":"sand7"}"#.into(),
        take(&[r#"{"tower":"sand","value":7}"#; 20]).replacen("sand", "mud", 1),
        take(&[r#"{"tower":"sand","value":7}"#; 20]).replace("7}]", "77}]"),
    ] {
        assert!(serde_json::from_str::<Action>(&text).is_err(), "{text}");
    }
}

#[test]
fn the_rules_refuse_a_take_of_too_many_cards() {
    let mut game = lay::table(2).row("sand7 candy1 spooky1 tree1 scrap1").game().unwrap();
    play(&mut game, "0 bid 5");
    for cards in [6, 8, 9, 150] {
        let cards = vec![json!({"tower": "sand", "value": 7}); cards];
        let action: Action = serde_json::from_value(json!({"type": "take", "cards": cards})).unwrap();
        assert_eq!(game.check(Seat(0), &action).unwrap_err().code(), "wrong_number_of_cards");
    }
}

#[test]
fn the_table_has_the_documented_fields_in_order() {
    let mut game = lay::table(2)
        .row("sand7 candy1 spooky1 tree1 scrap1")
        .towers(0, "candy 15 8 12")
        .demolished(0, "sand6")
        .rest_discarded()
        .game()
        .unwrap();
    let text = serde_json::to_string(&game.table()).unwrap();
    let head = r#"{"phase":"auction","round":16,"deal":1,"starter":0,"turn":0,"row":[{"tower":"sand","value":7},"#;
    assert!(text.starts_with(head), "{text}");
    let places = ["\"draw\":0", "\"discard\":[", "\"calls\":[]", "\"standing\":null", "\"hand\":[]"]
        .iter()
        .chain(&["\"demolished_now\":null", "\"players\":[", "\"outcome\":null}"])
        .map(|field| text.find(field).unwrap_or_else(|| panic!("{field} is missing in {text}")))
        .collect::<Vec<_>>();
    assert!(places.is_sorted());
    let player = r#"{"seat":0,"towers":{"candy":[15,8,12],"spooky":[],"tree":[],"scrap":[],"sand":[]},"demolished":1,"score":{"towers":3,"tallest":3,"demolition":-1,"total":5}}"#;
    assert!(text.contains(player), "{text}");
    assert_eq!(
        serde_json::to_string(&game.mine(Seat(0))).unwrap(),
        r#"{"demolished":[{"tower":"sand","value":6}],"highest_bid":5,"means":{"fits":[0,1,2,3,4],"after":[],"bids":[{"cards":[0]},{"cards":[0,1]},{"cards":[0,1,2]},{"cards":[0,1,2,3]},{"cards":[0,1,2,3,4]}]}}"#
    );
    play(&mut game, "0 bid 3, 1 pass");
    assert_eq!(table(&game)["calls"], json!([{"seat":0,"count":3},{"seat":1,"count":null}]));
    assert_eq!(table(&game)["standing"], json!({"seat":0,"count":3}));
    assert_eq!(table(&game)["phase"], "take");
    play(&mut game, "0 take sand7 candy1 tree1, 0 demolish candy, 0 build tree1");
    assert_eq!(table(&game)["phase"], "build");
    assert_eq!(table(&game)["demolished_now"], "candy");
    assert_eq!(table(&game)["hand"], json!([{"tower":"sand","value":7},{"tower":"candy","value":1}]));
    assert_eq!(table(&game)["row"], json!([{"tower":"spooky","value":1},{"tower":"scrap","value":1}]));
}

#[test]
fn events_have_their_documented_json() {
    let laid = lay::table(2).deal(2).rules(ALLOWED).towers(0, "sand 3").row("sand1 tree2").rest_discarded();
    let mut game = laid.game().unwrap();
    // In version 1 of the rules every bid may be retracted.
    game.set_rules_version(1);
    let events = play(
        &mut game,
        "0 bid 1, 1 pass, 0 take sand1, 0 demolish sand, 0 undo, 0 retract, 0 bid 0, 1 bid 1, 1 take tree2, 1 build tree2, 1 finish",
    );
    let sand = json!({"tower":"sand","value":1});
    let tree = json!({"tower":"tree","value":2});
    let expected = json!([
        {"type":"bid","seat":0,"count":1},
        {"type":"pass","seat":1},
        {"type":"take","seat":0,"cards":[sand]},
        {"type":"demolish","seat":0,"tower":"sand"},
        {"type":"undo","seat":0},
        {"type":"retract","seat":0},
        {"type":"bid","seat":0,"count":0},
        {"type":"bid","seat":1,"count":1},
        {"type":"take","seat":1,"cards":[tree]},
        {"type":"build","seat":1,"card":tree},
        {"type":"finish","seat":1},
        {"type":"discard","cards":[sand]},
        {"type":"end","winners":[0,1],"scores":[2,2]},
    ]);
    assert_eq!(serde_json::to_value(&events).unwrap(), expected);

    let row = "sand1 tree2 candy3 scrap4 spooky5";
    let mut game = lay::table(2).towers(0, "sand 3").row(row).rest_discarded().game().unwrap();
    let events = serde_json::to_value(play(&mut game, "0 bid 0, 1 pass")).unwrap();
    assert_eq!(events[3], json!({"type":"reshuffle","cards":79}));
    assert_eq!(
        (&events[4]["type"], &events[4]["round"], &events[4]["starter"]),
        (&json!("round"), &json!(17), &json!(0))
    );
    assert_eq!(events[4]["row"].as_array().unwrap().len(), 5);
}
