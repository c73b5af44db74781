//! A client that declares itself a program is shown as one while it keeps its seat.

use crate::test_room::{TestRoom, everything};
use game::Salt;
use room::{Entry, Input, Name, TokenHash, What};
use serde_json::json;

const SALT: Salt = Salt([7; 16]);

impl TestRoom {
    fn a_program_joins(&mut self, name: &str, token: &str, program: bool) -> Vec<What> {
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
fn it_is_seen_and_stays_seen_over_joins_games_and_restarts() {
    let mut table = TestRoom::of(&["Ana"]);
    table.a_program_joins("Python", "one", true);
    assert_eq!(table.programs(), [false, true]);
    assert!(table.view()["seats"][0].get("program").is_none(), "people have no such field");
    let again = table.a_program_joins("Python", "two", false);
    assert!(matches!(again[..], [What::Rejoined { .. }]), "it came again after a broken line");
    assert_eq!(table.programs(), [false, true], "what was said first stays");
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
    assert_eq!(table.programs(), [false, true], "and a checkpoint holds it");
}

#[test]
fn whoever_leaves_a_game_to_a_bot_leaves_no_program_behind() {
    let mut table = TestRoom::of(&["Ana"]);
    table.a_program_joins("Python", "one", true);
    table.starts("Ana").unwrap();
    table.leaves("Python").unwrap();
    assert_eq!(
        (table.programs(), table.view()["seats"][1]["kind"].clone()),
        (vec![false, false], json!("bot"))
    );
}

#[test]
fn the_journal_says_it_of_programs_alone() {
    let mut table = TestRoom::of(&["Ana"]);
    let [sat] = &table.a_program_joins("Python", "one", true)[..] else { panic!("one entry") };
    let written = Entry::new(room::WallTime(0), sat.clone()).to_json();
    assert!(written.contains(r#""program":true"#), "{written}");
    let before = written.replace(r#","program":true"#, "");
    let read = Entry::read(&before).expect("an entry of before");
    assert_eq!(read.to_json(), before, "whoever did not say it is written as ever");
}
