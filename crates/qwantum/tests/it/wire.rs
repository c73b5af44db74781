//! The JSON forms of the wire contract.

use crate::script::{ROLL, play};
use game::{Game, Seat};
use qwantum::{Action, Qwantum, Rules, lay};
use serde_json::{Value, json};

fn table(game: &Qwantum) -> Value {
    serde_json::to_value(game.table()).unwrap()
}

#[test]
fn rules_have_their_documented_json() {
    let read = |text: &str| serde_json::from_str::<Rules>(text);
    assert_eq!(read("{}").unwrap(), Rules::default());
    assert!(read(r#"{"mistakes":"allowed"}"#).is_err());
    assert_eq!(serde_json::to_string(&Rules {}).unwrap(), "{}");
    assert!(Qwantum::OPTIONS.is_empty());
}

#[test]
fn actions_keep_their_json_format() {
    for text in [
        r#"{"type":"roll"}"#,
        r#"{"type":"reroll","dice":[0,3,5]}"#,
        r#"{"type":"reroll","dice":[]}"#,
        r#"{"type":"reroll","dice":[5,5,99,18446744073709551615,1,2,3,4,5]}"#,
        r#"{"type":"keep"}"#,
        r#"{"type":"enter","row":"red"}"#,
        r#"{"type":"skip"}"#,
    ] {
        let action: Action = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&action).unwrap(), text);
    }
}

#[test]
fn refuses_malformed_actions() {
    for text in [
        r#"{"type":"roll","dice":[1]}"#,
        r#"{"type":"reroll"}"#,
        r#"{"type":"reroll","dice":3}"#,
        r#"{"type":"reroll","dice":[-1]}"#,
        r#"{"type":"reroll","dice":[1.5]}"#,
        r#"{"type":"reroll","dice":["1"]}"#,
        r#"{"type":"enter"}"#,
        r#"{"type":"enter","row":"white"}"#,
        r#"{"type":"enter","row":"red","value":9}"#,
        r#"{"type":"skip","seat":0}"#,
        r#"{"type":"cheat"}"#,
        r#"{"row":"red"}"#,
    ] {
        assert!(serde_json::from_str::<Action>(text).is_err(), "{text}");
    }
}

#[test]
fn the_table_has_the_documented_fields_in_order() {
    let mut game = lay::table(2).rows(0, "violet 3 10").misses(1, 1).game().unwrap();
    assert_eq!(
        serde_json::to_string(&game.table()).unwrap(),
        concat!(
            r#"{"phase":"roll","turn":0,"round":1,"rolls":0,"dice":null,"totals":null,"used":null,"#,
            r#""decided":[false,false],"players":["#,
            r#"{"seat":0,"rows":{"violet":[3,10],"blue":[],"red":[],"yellow":[]},"misses":0,"#,
            r#""score":{"columns":[null,null,null,null,null,null],"misses":0,"total":0}},"#,
            r#"{"seat":1,"rows":{"violet":[],"blue":[],"red":[],"yellow":[]},"misses":1,"#,
            r#""score":{"columns":[null,null,null,null,null,null],"misses":-1,"total":-1}}],"#,
            r#""outcome":null}"#
        )
    );
    game = lay::table(2).dice(ROLL).game().unwrap();
    let shown = table(&game);
    assert_eq!(shown["dice"][0], json!({"color":"white","value":3}));
    assert_eq!(shown["dice"][1], json!({"color":"yellow","value":5}));
    assert_eq!(shown["dice"].as_array().unwrap().len(), 7);
    assert_eq!(serde_json::to_string(&game.table().totals).unwrap(), r#"{"violet":6,"blue":13,"red":6,"yellow":8}"#);
    play(&mut game, "0 keep");
    assert_eq!(table(&game)["phase"], "choose");
    play(&mut game, "0 enter violet, 1 enter red");
    let shown = table(&game);
    assert_eq!((&shown["phase"], &shown["used"]), (&json!("share"), &json!("violet")));
    assert_eq!(shown["decided"], json!([false, true]));
    let mine = |seat| serde_json::to_string(&game.mine(Seat(seat))).unwrap();
    assert_eq!(mine(1), r#"{"choice":{"type":"enter","row":"red"}}"#);
    assert_eq!(mine(0), r#"{"choice":null}"#);
    play(&mut game, "1 skip");
    assert_eq!(serde_json::to_string(&game.mine(Seat(1))).unwrap(), r#"{"choice":{"type":"skip"}}"#);
}

#[test]
fn the_final_table_shows_the_outcome() {
    let mut game = lay::table(2).misses(0, 4).dice(ROLL).game().unwrap();
    play(&mut game, "0 keep, 0 skip, 0 skip, 1 skip");
    let shown = table(&game);
    assert_eq!((&shown["phase"], &shown["turn"]), (&json!("finished"), &Value::Null));
    assert_eq!(shown["outcome"], json!({"winners":[1],"scores":[-15,0]}));
}

#[test]
fn events_have_their_documented_json() {
    let (_, first) = Qwantum::new(&Rules {}, 2, game::Seed([0; 32]));
    let first = serde_json::to_value(first.as_slice()).unwrap();
    assert_eq!(first[0]["type"], "turn");
    assert_eq!(first.as_array().unwrap().len(), 1);

    let mut game = lay::table(2).misses(0, 4).game().unwrap();
    let mut events = serde_json::to_value(play(&mut game, "0 roll, 0 keep, 0 skip, 0 skip, 1 enter red")).unwrap();
    let rolled = events[0].take();
    assert_eq!((&rolled["type"], &rolled["seat"]), (&json!("roll"), &json!(0)));
    assert_eq!(rolled["dice"], table(&game)["dice"]);
    let red = table(&game)["totals"]["red"].clone();
    let expected = json!([
        null,
        {"type":"keep","seat":0},
        {"type":"skip","seat":0},
        {"type":"skip","seat":0},
        {"type":"enter","seat":1,"row":"red","value":red},
        {"type":"miss","seat":0},
        {"type":"end","winners":[1],"scores":[-15,0]},
    ]);
    assert_eq!(events, expected);
}

#[test]
fn every_refusal_has_its_own_code() {
    use game::IllegalAction as _;
    use qwantum::IllegalAction::*;
    let all = [
        GameOver,
        NotYourTurn,
        WrongPhase,
        NoDice,
        DieTwice,
        NoSuchDie,
        NoRerollLeft,
        MustBeHigher,
        MustBeLower,
        RowFull,
        ColorUsed,
        AlreadyCounted,
    ];
    let mut codes = all.map(|refusal| refusal.code()).to_vec();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), all.len());
}
