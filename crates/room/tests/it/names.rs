//! Players change their names in the lobby, in a game, and after it.

use crate::test_room::{TestRoom, everything};
use game::{Level, Salt};
use room::{Entry, Input, Name, PlayerId, RoomEvent, TokenHash, Which, book_of, games_played, verify};
use serde_json::json;

impl TestRoom {
    /// Requests a new name, and returns the name that the player gets.
    fn renames(&mut self, name: &str, new: &str) -> Result<String, &'static str> {
        let player = self.id(name);
        self.ask(Input::Rename { player, name: Name::new(new).expect("a valid name") })?;
        Ok(self.room.seats().get(player).expect("a seated player").name.to_string())
    }
}

#[test]
fn seated_players_may_change_their_name_at_any_time() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    assert_eq!(table.renames("Ana", "Zoë 🎲").as_deref(), Ok("Zoë 🎲"));
    table.starts("Zoë 🎲").unwrap();
    let (seat, turn) = (table.asked().0, table.room.version());
    assert_eq!(table.renames("Bea", "Mia").as_deref(), Ok("Mia"));
    assert_eq!((table.asked().0, table.room.version()), (seat, turn), "the game is not affected");
    table.plays_quietly();
    assert_eq!(table.renames("Mia", "Bea").as_deref(), Ok("Bea"));
    assert_eq!(table.names(), ["Zoë 🎲", "Bea"]);
    assert_eq!(table.host().as_deref(), Some("Zoë 🎲"));
    assert!(everything(&table.rebuilt(), table.now) == everything(&table.room, table.now));
    table.asks_for_a_rematch("Bea").unwrap();
    let checkpoint = table.rebuilt_from_checkpoint();
    assert!(everything(&checkpoint, table.now) == everything(&table.room, table.now));
}

#[test]
fn numbers_a_name_that_another_player_has_but_not_ones_own() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    assert_eq!(table.renames("Bea", "ANA").as_deref(), Ok("ANA 2"));
    let written = table.journal.len();
    assert_eq!(table.renames("ANA 2", "ANA").as_deref(), Ok("ANA 2"));
    assert_eq!(table.renames("Ana", "Ana").as_deref(), Ok("Ana"));
    assert_eq!(table.journal.len(), written, "no change writes no entry");
    assert_eq!(table.renames("Ana", "ana").as_deref(), Ok("ana"), "a different spelling is a change");
}

#[test]
fn bots_watchers_and_players_who_left_cannot_change_names() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    let bot = table.seats_bot("Ana", Level::Easy);
    assert_eq!(table.renames(&bot, "Rook"), Err("not_seated"));
    let name = Name::new("Wil").unwrap();
    assert_eq!(table.ask(Input::Rename { player: PlayerId(77), name }), Err("not_seated"));
    table.starts("Ana").unwrap();
    table.leaves("Cid").unwrap();
    assert_eq!(table.renames("Cid", "Dan"), Err("not_seated"), "a bot has the seat and keeps the name");
    table.plays_to_the_end();
    table.leaves("Bea").unwrap();
    assert_eq!(table.renames("Bea", "Mia"), Err("not_seated"));
    assert_eq!(table.renames("Ana", "Bea").as_deref(), Ok("Bea 2"), "Bea's name is still on the table");
}

impl TestRoom {
    /// Plays to the end with the bots at the table.
    fn plays_to_the_end(&mut self) {
        while self.phase() == "playing" {
            self.now += 10_000;
            if self.plays_due_actions().is_empty() {
                let (seat, actions) = self.asked();
                self.plays(seat, actions[0].clone());
            }
        }
    }
}

#[test]
fn a_record_keeps_the_names_from_the_end_of_its_game() {
    let mut table = TestRoom::of(&["Clever Fox", "Bea"]);
    table.starts("Clever Fox").unwrap();
    table.renames("Clever Fox", "Ana").unwrap();
    assert_eq!(games_played(&table.journal).unwrap()[0].players, ["Ana", "Bea"], "also during the game");
    table.plays_quietly();
    let at_the_end = room::last_record(&table.journal).unwrap().expect("a finished game");
    table.renames("Ana", "Zoe").unwrap();
    table.asks_for_a_rematch("Bea").unwrap();
    table.starts("Zoe").unwrap();
    table.renames("Bea", "Mia").unwrap();
    table.plays_for("Zoe");
    table.asks_for_a_rematch("Mia").unwrap();

    let first = room::record_of(&table.journal, Which::Number(1)).unwrap().unwrap();
    assert_eq!(first.players, ["Ana", "Bea"]);
    assert_eq!(first, at_the_end, "a published record does not change");
    let second = room::record_of(&table.journal, Which::Last).unwrap().unwrap();
    assert_eq!(second.players, ["Zoe", "Mia"]);
    assert_eq!((verify(&first), verify(&second)), (Ok(()), Ok(())));
    let all: Vec<_> = room::records_of(table.journal.clone()).unwrap().map(Result::unwrap).collect();
    assert_eq!(all, [first, second], "the list has the same records");
    let listed = games_played(&table.journal).unwrap();
    assert_eq!([&listed[0].players[..], &listed[1].players[..]], [["Ana", "Bea"], ["Zoe", "Mia"]]);
    let book = serde_json::to_value(book_of(&table.journal).unwrap()).unwrap();
    assert_eq!(book["games"][0]["players"], json!(["Ana", "Bea"]));
}

#[test]
fn a_repeated_join_is_recognised_by_the_first_requested_name() {
    let mut table = TestRoom::of(&["Ana"]);
    let salt = Salt([7; 16]);
    let joins = |table: &mut TestRoom, name: &str, token: &str| {
        let (name, token) = (Name::new(name).unwrap(), TokenHash::of(token));
        table.ask(Input::Join { name, token, salt, program: false }).unwrap()
    };
    joins(&mut table, "Bea", "a");
    table.renames("Bea", "Mia").unwrap();
    let again = joins(&mut table, "Bea", "b");
    assert!(matches!(again[..], [RoomEvent::Rejoined { .. }]), "{again:?}");
    assert_eq!(table.names(), ["Ana", "Mia"]);
}

#[test]
fn a_rename_is_written_in_a_format_that_old_servers_refuse() {
    let mut table = TestRoom::of(&["Ana"]);
    table.renames("Ana", "Zoe").unwrap();
    let line = table.journal.last().unwrap();
    // Version 0.1 reads entries of the first form, and reports all others as written by a newer Rookery.
    assert!(line.starts_with(r#"{"v":2,"#), "{line}");
    assert!(matches!(Entry::read(line).unwrap().what, RoomEvent::Renamed { .. }));
}
