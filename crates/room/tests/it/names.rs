//! Players change their names in the lobby, in a game, and after it.

use crate::test_room::{TestRoom, everything};
use game::{Level, Salt};
use room::{Entry, Input, Name, PlayerId, TokenHash, What, Which, book_of, games_played, verify};
use serde_json::json;

impl TestRoom {
    /// Requests a new name, and returns the name that the player gets.
    fn is_called(&mut self, name: &str, new: &str) -> Result<String, &'static str> {
        let player = self.id(name);
        self.ask(Input::Rename { player, name: Name::new(new).expect("a good name") })?;
        Ok(self.room.seats().get(player).expect("they sit").name.to_string())
    }
}

#[test]
fn whoever_sits_may_change_their_name_at_any_time() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    assert_eq!(table.is_called("Ana", "Zoë 🎲").as_deref(), Ok("Zoë 🎲"));
    table.starts("Zoë 🎲").unwrap();
    let (seat, turn) = (table.asked().0, table.room.version());
    assert_eq!(table.is_called("Bea", "Mia").as_deref(), Ok("Mia"));
    assert_eq!((table.asked().0, table.room.version()), (seat, turn), "the game does not notice");
    table.plays_quietly();
    assert_eq!(table.is_called("Mia", "Bea").as_deref(), Ok("Bea"));
    assert_eq!(table.names(), ["Zoë 🎲", "Bea"]);
    assert_eq!(table.host().as_deref(), Some("Zoë 🎲"));
    assert!(everything(&table.rebuilt(), table.now) == everything(&table.room, table.now));
    table.asks_for_a_rematch("Bea").unwrap();
    let checkpoint = table.rebuilt_from_checkpoint();
    assert!(everything(&checkpoint, table.now) == everything(&table.room, table.now));
}

#[test]
fn a_name_that_another_has_gets_a_number_as_at_joining_and_ones_own_does_not() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    assert_eq!(table.is_called("Bea", "ANA").as_deref(), Ok("ANA 2"));
    let written = table.journal.len();
    assert_eq!(table.is_called("ANA 2", "ANA").as_deref(), Ok("ANA 2"));
    assert_eq!(table.is_called("Ana", "Ana").as_deref(), Ok("Ana"));
    assert_eq!(table.journal.len(), written, "what changes nothing writes nothing");
    assert_eq!(table.is_called("Ana", "ana").as_deref(), Ok("ana"), "another way to write it is a change");
}

#[test]
fn neither_bots_nor_watchers_nor_those_who_left_have_a_name_to_change() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    let bot = table.seats_bot("Ana", Level::Easy);
    assert_eq!(table.is_called(&bot, "Rook"), Err("not_seated"));
    let name = Name::new("Wil").unwrap();
    assert_eq!(table.ask(Input::Rename { player: PlayerId(77), name }), Err("not_seated"));
    table.starts("Ana").unwrap();
    table.leaves("Cid").unwrap();
    assert_eq!(table.is_called("Cid", "Dan"), Err("not_seated"), "a bot has the seat, and keeps the name");
    table.plays_on_for_bots();
    table.leaves("Bea").unwrap();
    assert_eq!(table.is_called("Bea", "Mia"), Err("not_seated"));
    assert_eq!(table.is_called("Ana", "Bea").as_deref(), Ok("Bea 2"), "their name is still on the table");
}

impl TestRoom {
    /// Plays to the end with the bots at the table.
    fn plays_on_for_bots(&mut self) {
        while self.phase() == "playing" {
            self.now += 10_000;
            if self.somebody_plays_for_others().is_empty() {
                let (seat, actions) = self.asked();
                self.plays(seat, actions[0].clone());
            }
        }
    }
}

#[test]
fn a_record_has_the_names_of_the_games_end_and_keeps_them() {
    let mut table = TestRoom::of(&["Clever Fox", "Bea"]);
    table.starts("Clever Fox").unwrap();
    table.is_called("Clever Fox", "Ana").unwrap();
    assert_eq!(games_played(&table.journal).unwrap()[0].players, ["Ana", "Bea"], "while it is on, too");
    table.plays_quietly();
    let at_the_end = room::last_record(&table.journal).unwrap().expect("a finished game");
    table.is_called("Ana", "Zoe").unwrap();
    table.asks_for_a_rematch("Bea").unwrap();
    table.starts("Zoe").unwrap();
    table.is_called("Bea", "Mia").unwrap();
    table.plays_for("Zoe");
    table.asks_for_a_rematch("Mia").unwrap();

    let first = room::record_of(&table.journal, Which::Number(1)).unwrap().unwrap();
    assert_eq!(first.players, ["Ana", "Bea"]);
    assert_eq!(first, at_the_end, "a record that could be had does not change");
    let second = room::record_of(&table.journal, Which::Last).unwrap().unwrap();
    assert_eq!(second.players, ["Zoe", "Mia"]);
    assert_eq!((verify(&first), verify(&second)), (Ok(()), Ok(())));
    let all: Vec<_> = room::records_of(table.journal.clone()).unwrap().map(Result::unwrap).collect();
    assert_eq!(all, [first, second], "whichever way they are asked for");
    let listed = games_played(&table.journal).unwrap();
    assert_eq!([&listed[0].players[..], &listed[1].players[..]], [["Ana", "Bea"], ["Zoe", "Mia"]]);
    let book = serde_json::to_value(book_of(&table.journal).unwrap()).unwrap();
    assert_eq!(book["games"][0]["players"], json!(["Ana", "Bea"]));
}

#[test]
fn who_lost_their_welcome_is_known_by_the_name_they_first_asked_for() {
    let mut table = TestRoom::of(&["Ana"]);
    let salt = Salt([7; 16]);
    let joins = |table: &mut TestRoom, name: &str, token: &str| {
        let (name, token) = (Name::new(name).unwrap(), TokenHash::of(token));
        table.ask(Input::Join { name, token, salt, program: false }).unwrap()
    };
    joins(&mut table, "Bea", "a");
    table.is_called("Bea", "Mia").unwrap();
    let again = joins(&mut table, "Bea", "b");
    assert!(matches!(again[..], [What::Rejoined { .. }]), "{again:?}");
    assert_eq!(table.names(), ["Ana", "Mia"]);
}

#[test]
fn a_rookery_that_does_not_know_of_names_that_change_is_told_that_it_is_older() {
    let mut table = TestRoom::of(&["Ana"]);
    table.is_called("Ana", "Zoe").unwrap();
    let line = table.journal.last().unwrap();
    // Version 0.1 reads entries of the first form, and reports all others as written by a newer Rookery.
    assert!(line.starts_with(r#"{"v":2,"#), "{line}");
    assert!(matches!(Entry::read(line).unwrap().what, What::Renamed { .. }));
}
