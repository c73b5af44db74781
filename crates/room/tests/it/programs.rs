//! A client that declares itself a program is shown as one while it keeps its seat.

use crate::test_room::{TestRoom, everything};
use game::Salt;
use room::{Entry, Input, Name, RoomEvent, TokenHash};
use serde_json::json;

const SALT: Salt = Salt([7; 16]);

impl TestRoom {
    fn a_program_joins(&mut self, name: &str, token: &str, program: bool) -> Vec<RoomEvent> {
        let (name, token) = (Name::new(name).unwrap(), TokenHash::of(token));
        self.ask(Input::Join { name, token, salt: SALT, program }).expect("a seat")
    }

    /// For each seat, whether it is shown as a program. The field is omitted otherwise.
    fn programs(&self) -> Vec<bool> {
        let view = self.view();
        let seats = view["seats"].as_array().unwrap().iter();
        seats.map(|seat| seat.get("program").is_some_and(|program| *program == json!(true))).collect()
    }
}

#[test]
fn a_program_stays_marked_across_joins_games_and_restarts() {
    let mut table = TestRoom::of(&["Ana"]);
    table.a_program_joins("Python", "one", true);
    assert_eq!(table.programs(), [false, true]);
    assert!(table.view()["seats"][0].get("program").is_none(), "omitted for people");
    let again = table.a_program_joins("Python", "two", false);
    assert!(matches!(again[..], [RoomEvent::Rejoined { .. }]), "it joined again after a disconnection");
    assert_eq!(table.programs(), [false, true], "the first declaration stays");
    table.restarts();
    assert_eq!(table.programs(), [false, true]);
    table.starts("Ana").unwrap();
    table.plays_quietly();
    table.asks_for_a_rematch("Ana").unwrap();
    assert_eq!(
        everything(&table.rebuilt_from_checkpoint(), table.now),
        everything(&table.rebuilt_without_checkpoints(), table.now)
    );
    table.room = table.rebuilt_from_checkpoint();
    assert_eq!(table.programs(), [false, true], "the checkpoint contains it");
}

#[test]
fn a_bot_that_replaces_a_program_is_not_marked_as_one() {
    let mut table = TestRoom::of(&["Ana"]);
    table.a_program_joins("Python", "one", true);
    table.starts("Ana").unwrap();
    table.leaves("Python").unwrap();
    assert_eq!((table.programs(), table.view()["seats"][1]["kind"].clone()), (vec![false, false], json!("bot")));
}

#[test]
fn the_journal_marks_only_programs() {
    let mut table = TestRoom::of(&["Ana"]);
    let [sat] = &table.a_program_joins("Python", "one", true)[..] else { panic!("expected one entry") };
    let written = Entry::new(room::WallTime(0), sat.clone()).to_json();
    assert!(written.contains(r#""program":true"#), "{written}");
    let before = written.replace(r#","program":true"#, "");
    let read = Entry::read(&before).expect("an old entry");
    assert_eq!(read.to_json(), before, "entries of people are unchanged");
}
