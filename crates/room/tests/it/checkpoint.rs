//! A checkpoint replaces all entries before it: a room rebuilt from its last checkpoint equals the original.

use crate::test_room::{Change, MINUTE, MORNING, TestRoom, everything};
use game::{Level, Salt, Seed};
use protocol::Forced;
use room::{Cause, Entry, Input, Misfit, Name, Room, RoomEvent, TokenHash, WallTime};
use serde_json::{Value, json};

impl TestRoom {
    /// Number of entries before the last checkpoint.
    pub fn before_checkpoint(&self) -> Option<usize> {
        self.journal.iter().rposition(|line| Entry::read(line).expect("a valid entry").is_checkpoint())
    }

    /// Rebuilds the room as a server does, reading nothing before the last checkpoint.
    pub fn rebuilt_from_checkpoint(&self) -> Room {
        let before = self.before_checkpoint().unwrap_or(0);
        let entries = Entry::read_all(before as u64, &self.journal[before..]).expect("valid entries");
        self.recalled(Room::rebuild(entries, self.now).expect("a valid journal"))
    }

    /// Rebuilds the room as if there had never been a checkpoint.
    pub fn rebuilt_without_checkpoints(&self) -> Room {
        let entries = self.journal.iter().map(|line| Entry::read(line).expect("a valid entry"));
        let entries = entries.filter(|entry| !entry.is_checkpoint());
        self.recalled(Room::rebuild(entries, self.now).expect("a valid journal"))
    }

    /// Restarts the server, which reads the journal from the last checkpoint on.
    fn restarts_from_checkpoint(&mut self) {
        assert!(self.before_checkpoint().is_some());
        self.room = self.rebuilt_from_checkpoint();
    }
}

/// Three games won by Bea, with a long chat. The players are in the lobby again.
fn an_evening() -> TestRoom {
    let mut table = TestRoom::open();
    table.sits_with("Ana", Some(Salt([3; 16])));
    table.sits("Bea");
    table.adds_chat_entry("Ana", "when lines were entries");
    for game in 1..=3 {
        table.starts("Ana").unwrap();
        table.plays_for("Bea");
        for line in 0..20 {
            table.says("Bea", &format!("{line} of game {game}")).unwrap();
        }
        table.asks_for_a_rematch("Bea").unwrap();
    }
    table
}

#[test]
fn a_rematch_writes_a_checkpoint_that_restores_the_room() {
    let mut table = an_evening();
    assert_eq!(table.before_checkpoint(), Some(table.journal.len() - 1));
    let shown = everything(&table.room, table.now);
    table.restarts_from_checkpoint();
    assert_eq!(everything(&table.room, table.now), shown);
    assert_eq!((table.wins(), table.host().as_deref()), (vec![0, 3], Some("Ana")));
    assert_eq!(table.room.chat().len(), 50);
    assert_eq!((&*table.room.chat()[0].text, &*table.room.chat()[49].text), ("10 of game 1", "19 of game 3"));
    assert_eq!(table.sits("Bea"), "Bea 2");
    table.starts("Ana").unwrap();
    table.plays_for("Bea");
    assert_eq!(table.wins(), [0, 4, 0]);
}

#[test]
fn tokens_from_before_the_checkpoint_stay_valid() {
    let mut table = TestRoom::open();
    let (first, second) = (TokenHash::of("first"), TokenHash::of("second"));
    let (name, salt) = (Name::new("Ana").unwrap(), Salt([7; 16]));
    for token in [first, second] {
        table.ask(Input::Join { name: name.clone(), token, salt, program: false }).unwrap();
    }
    table.sits("Bea");
    table.starts("Ana").unwrap();
    table.plays_quietly();
    table.asks_for_a_rematch("Bea").unwrap();
    table.restarts_from_checkpoint();
    let ana = table.find("Ana");
    for token in [first, second] {
        assert_eq!(table.room.seats().by_token(token).map(|player| player.id), ana);
    }
    // The salt is public, so it identifies nobody after the checkpoint either.
    for token in ["third", "fourth"] {
        table.ask(Input::Join { name: name.clone(), token: TokenHash::of(token), salt, program: false }).unwrap();
    }
    assert_eq!(table.names(), ["Ana", "Bea", "Ana 2", "Ana 3"]);
}

#[test]
fn restores_the_lobby_after_the_last_player_left() {
    for ending in ["playing", "finished"] {
        let mut table = TestRoom::playing(&["Ana", "Bea"]);
        table.says("Ana", "hello").unwrap();
        if ending == "finished" {
            table.plays_for("Ana");
        }
        table.leaves("Bea").unwrap();
        let what = table.leaves("Ana").unwrap();
        assert!(
            matches!(what[..], [RoomEvent::Rematched { .. }, RoomEvent::Left { .. }, RoomEvent::Checkpoint(_)]),
            "{what:?}"
        );
        table.restarts_from_checkpoint();
        let view = table.view();
        let humans: Vec<&Value> =
            view["seats"].as_array().unwrap().iter().filter(|seat| seat["kind"] == "human").collect();
        assert_eq!((table.phase().as_str(), humans.len(), table.host()), ("lobby", 0, None), "{ending}");
        assert_eq!(everything(&table.room, table.now), everything(&table.rebuilt_without_checkpoints(), table.now));
        table.sits("Cid");
        assert_eq!(table.host().as_deref(), Some("Cid"));
    }
}

#[test]
fn restores_options_and_bots() {
    let mut table = TestRoom::of(&["Ana"]);
    table.allows_mistakes("Ana");
    let change = Change { clock: Some(Some(60)), forced: Some(Forced::Ask), ..Change::default() };
    table.configures("Ana", change).unwrap();
    table.seats_bot("Ana", Level::Hard);
    table.sits("Bea");
    table.starts("Ana").unwrap();
    // Bea is absent for so long that a bot replaces her. She plays the next game herself.
    table.goes_away("Bea");
    table.now += MINUTE;
    let bea = table.room.seats().seat_of(table.id("Bea")).unwrap();
    table.does("Ana", |player| Input::Substitute { player, seat: bea, level: Level::Easy }).unwrap();
    while table.phase() == "playing" {
        table.plays_as_bot();
    }
    table.asks_for_a_rematch("Ana").unwrap();
    table.restarts_from_checkpoint();
    let view = table.view();
    assert_eq!((&view["clock"], &view["forced"]), (&json!(60), &json!("ask")));
    assert_eq!(view["rules"], json!({"mistakes": "allowed"}));
    let bots: Vec<&Value> = view["seats"].as_array().unwrap().iter().map(|seat| &seat["bot"]).collect();
    assert_eq!(bots, [&Value::Null, &json!("hard"), &Value::Null]);
}

impl TestRoom {
    /// Plays a quiet action for the seat that must act, without its player having returned.
    fn plays_as_bot(&mut self) {
        let (seat, acts) = self.asked();
        let n = self.next(seat);
        let quiet = [json!({"type": "bid", "count": 0}), json!({"type": "pass"})];
        let action = quiet.iter().find(|quiet| acts.contains(quiet)).unwrap_or(&acts[0]).clone();
        self.ask(Input::Play { seat, n, action: action.into(), by: room::By::Bot }).unwrap();
    }
}

#[test]
fn errors_after_a_checkpoint_name_the_journal_entry_number() {
    let mut table = an_evening();
    let before = table.before_checkpoint().unwrap();
    table.says("Ana", "one more?").unwrap();
    let acted =
        RoomEvent::Acted { seat: game::Seat(0), action: json!({"type": "pass"}).into(), by: Default::default() };
    table.journal.push(Entry::new(WallTime(MORNING), acted).to_json());
    let number = table.journal.len() as u64;
    let misfit = Misfit { entry: number, cause: Cause::from("an act without a game") };
    let rebuilt = |from: usize, lines: &[String]| -> Result<(), Misfit> {
        Room::rebuild(Entry::read_all(from as u64, &lines[from..])?, MORNING).map(|_| ())
    };
    assert_eq!(rebuilt(0, &table.journal), Err(misfit.clone()));
    assert_eq!(rebuilt(before, &table.journal), Err(misfit));
    table.journal[before + 1].truncate(20);
    let cut = rebuilt(before, &table.journal).unwrap_err();
    assert_eq!(cut.entry, before as u64 + 2);
}

#[test]
fn refuses_a_checkpoint_at_the_wrong_position() {
    let table = an_evening();
    let mut entries = Entry::read_all(0, &table.journal).unwrap();
    // Removes a chat entry, which nothing else would reveal.
    let chatted = entries.iter().position(|entry| matches!(entry.what, RoomEvent::Chatted { .. })).unwrap();
    entries.remove(chatted);
    let misfit = Room::rebuild(entries, MORNING).map(|_| ()).unwrap_err();
    assert_eq!(misfit.cause, Cause::from("a checkpoint at the wrong position"));
}

#[test]
fn an_unknown_game_is_an_error_not_a_panic() {
    let table = an_evening();
    let line = table.journal.last().unwrap().replace("towers", "chess");
    let misfit = Room::rebuild([Entry::read(&line).unwrap()], MORNING).map(|_| ()).unwrap_err();
    let cause = Cause::from("an unknown game");
    assert_eq!(misfit, Misfit { entry: table.journal.len() as u64, cause });
}

#[test]
fn refuses_a_checkpoint_in_a_newer_format() {
    let table = an_evening();
    let mut entry: Value = serde_json::from_str(table.journal.last().unwrap()).unwrap();
    assert_eq!((&entry["v"], &entry["what"]["form"]), (&json!(1), &json!(1)));
    entry["what"]["form"] = json!(3);
    let newer = Err(Cause::from("a checkpoint written by a newer Rookery"));
    // One with all known fields, and one that cannot be read at all.
    assert_eq!(Entry::read(&entry.to_string()), newer);
    assert_eq!(Entry::read(r#"{"v":1,"at":5,"what":{"type":"checkpoint","form":3,"packed":""}}"#), newer);
    assert_ne!(Entry::read(r#"{"v":1,"at":5,"what":{"type":"checkpoint","form":1,"packed":""}}"#), newer);
}

#[test]
fn contains_no_token_and_debug_output_shows_no_secret() {
    let mut table = TestRoom::open();
    table.sits_with("Ana", Some(Salt([0xcd; 16])));
    table.sits("Bea");
    table.starts("Ana").unwrap();
    table.plays_quietly();
    let (player, seed) = (table.id("Ana"), Seed([0xab; 32]));
    let what = table.ask(Input::Rematch { player, seed }).unwrap();
    let line = table.journal.last().unwrap();
    assert!(line.contains(&"ab".repeat(32)), "the seed of the next game is in the journal");
    assert!(!line.contains("token 2"), "only the token hash is stored");
    let shown = format!("{what:?}");
    assert!(shown.contains("Checkpoint") && shown.contains("Ana"), "{shown}");
    for secret in ["abab", "171, 171", "cdcd", "205, 205"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
