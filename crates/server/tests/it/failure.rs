//! The journal fails, a task panics, or another process writes: one room is rebuilt as it was written, and no other
//! room is affected.

use crate::client::{Client, End};
use crate::games::until_version;
use crate::harness::{FAST, PATIENCE, TestServer, begin, open, request};
use crate::idle::advance;
use crate::journals::{Mood, TestJournal};
use game::{Seat, Seed, Viewer};
use journal::memory::Memory;
use journal::sqlite::Sqlite;
use journal::{Cursor, Journal};
use protocol::Forced;
use room::{By, Entry, Input, Name, Now, Options, PlayerId, Room, RoomEvent, TokenHash, WallTime};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::timeout;

/// A server over a journal that fails on command, with a game in each of two rooms.
async fn two_games() -> (Arc<TestJournal>, TestServer, (String, Vec<Client>), (String, Vec<Client>)) {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let (here, there) = (server.game("prevented", 2).await, server.game("prevented", 2).await);
    (journal, server, here, there)
}

/// Plays the first listed action of the player whose turn it is, and returns that player's index.
async fn play_first_action(players: &mut [Client]) -> usize {
    let turn = players[0].asked()[0] as usize;
    let action = players[turn].actions()[0].clone();
    players[turn].act(&action).await;
    turn
}

/// Plays one action and waits until all players see it.
async fn play_and_wait(players: &mut [Client]) {
    play_first_action(players).await;
    let version = players[0].version + 1;
    until_version(players, version).await;
}

/// The journal of one room fails during an action. The other room and the seats of this one are not affected.
async fn one_room_fails(mood: Mood) {
    let (journal, server, (code, mut players), (_, mut others)) = two_games().await;
    play_and_wait(&mut players).await;
    journal.turn(&code, mood);
    let turn = play_first_action(&mut players).await;
    for player in &mut players {
        loop {
            match player.hear().await {
                Ok(heard) => assert_ne!(heard.kind(), "state", "a state was shown before it was written"),
                Err(end) => break assert_eq!(end, End::Closed(1012)),
            }
        }
    }
    // The other room continues while this one still cannot be written.
    play_and_wait(&mut others).await;

    let mut back = Vec::new();
    for player in &players {
        let token = player.token.as_deref().unwrap();
        let again = Client::resume(server.address, &code, token).await.expect("the room is rebuilt");
        assert_eq!((again.version, again.next(), &again.history), (2, player.next(), &player.history));
        assert_eq!(again.table, player.table);
        back.push(again);
    }
    // A join that needs no entry succeeds even now. An action that cannot be written closes the connections again.
    let again = play_first_action(&mut back).await;
    assert_eq!(again, turn);
    assert_eq!(back[0].until_end().await, End::Closed(1012));
    assert_eq!(back[1].until_end().await, End::Closed(1012));

    journal.calm();
    let mut back = Vec::new();
    for player in &players {
        let token = player.token.as_deref().unwrap();
        back.push(Client::resume(server.address, &code, token).await.expect("the room exists"));
    }
    play_and_wait(&mut back).await;
    play_and_wait(&mut others).await;
}

#[tokio::test]
async fn a_failed_write_is_not_shown_and_the_room_is_rebuilt() {
    one_room_fails(Mood::Fails).await;
}

#[tokio::test]
async fn a_panic_affects_only_its_own_room() {
    one_room_fails(Mood::Panics).await;
}

#[tokio::test]
async fn refuses_seats_in_a_room_that_cannot_be_written() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    journal.turn(&code, Mood::Fails);
    let bea = Client::join_as(server.address, &code, json!({"type": "join", "name": "Bea"})).await;
    assert_eq!(bea.err(), Some(End::Closed(1012)));
    assert_eq!(ana.until_end().await, End::Closed(1012));
    let wil = Client::watch(server.address, &code, "Wil").await;
    assert_eq!(wil.room["seats"].as_array().unwrap().len(), 1, "watching needs no write");
    journal.calm();
    let bea = server.join(&code, "Bea").await;
    assert_eq!(bea.seat(), Some(1));
}

/// Rejoins by token, with a salt for the next deal, as pages do.
async fn rejoin(server: &TestServer, code: &str, player: &Client, salt: &str) -> Client {
    let join = json!({"type": "join", "token": player.token, "salt": salt});
    Client::join_as(server.address, code, join).await.expect("rejoining needs no write")
}

const ANOTHER_SALT: &str = "00112233445566778899aabbccddeeff";

#[tokio::test]
async fn a_full_disk_refuses_actions_and_allows_reading() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let (code, mut players) = server.game("prevented", 2).await;
    journal.turn(&code, Mood::Full);
    let turn = play_first_action(&mut players).await;
    let told = players[turn].until_heard("rejected").await.json;
    assert_eq!((&told["n"], &told["code"]), (&json!(players[turn].next()), &json!("cannot_write")));
    for player in &mut players {
        assert_eq!(player.until_end().await, End::Closed(1012));
    }
    // The room is no longer in memory, and is read without writing anything.
    let (status, _) = server.get(&format!("/api/rooms/{code}")).await;
    assert_eq!(status, 200);
    let mut again = Vec::new();
    for player in &players {
        let one = rejoin(&server, &code, player, ANOTHER_SALT).await;
        assert_eq!((one.seat(), one.next(), &one.table), (player.seat(), player.next(), &player.table));
        again.push(one);
    }
    let wil = Client::watch(server.address, &code, "Wil").await;
    assert_eq!(wil.history, players[0].history);
    // A message other than an action is refused with the same code.
    again[0].say(json!({"type": "chat", "text": "is it me?"})).await;
    assert_eq!(again[0].until_heard("error").await.json["code"], "cannot_write");
    assert_eq!(again[1].until_end().await, End::Closed(1012));

    journal.calm();
    let mut again = Vec::new();
    for player in &players {
        again.push(rejoin(&server, &code, player, ANOTHER_SALT).await);
    }
    play_and_wait(&mut again).await;
}

#[tokio::test]
async fn a_full_disk_allows_rejoining_a_lobby_with_another_salt() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    journal.turn(&code, Mood::Full);
    let second = rejoin(&server, &code, &ana, ANOTHER_SALT).await;
    assert_eq!((second.seat(), &second.name), (Some(0), &ana.name));
    assert_eq!(journal.failed.load(Ordering::SeqCst), 1, "the salt could not be written");
    ping(&mut ana).await;
}

#[tokio::test]
async fn a_full_disk_makes_a_bot_wait_and_disconnects_no_client() {
    let flags = [&FAST[..FAST.len() - 2], &["--bot-delay-ms", "30000"]].concat();
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), &flags).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    ana.say(json!({"type": "add_bot", "level": "easy"})).await;
    ana.until("a bot sits", |ana| ana.room["seats"][1]["kind"] == "bot").await;
    ana.say(json!({"type": "start"})).await;
    ana.until("the game begins", |ana| ana.version > 0).await;
    while let Some(action) = ana.actions().first().cloned() {
        let version = ana.version;
        ana.act(&action).await;
        ana.until("Ana's action is shown", |ana| ana.version > version).await;
    }

    // It is the bot's turn, and there is no space for its action.
    journal.turn(&code, Mood::Full);
    let failed = || journal.failed.load(Ordering::SeqCst);
    advance(Duration::from_secs(30)).await;
    let tried = async {
        while failed() == 0 {
            ping(&mut ana).await;
        }
    };
    timeout(PATIENCE, tried).await.expect("the bot tries to act");
    let version = ana.version;
    for _ in 0..5 {
        advance(Duration::from_secs(1)).await;
        ping(&mut ana).await;
    }
    assert_eq!(failed(), 1, "the bot must wait before it retries");
    assert_eq!(ana.version, version, "a state was shown before it was written");
    journal.calm();
    advance(Duration::from_secs(6)).await;
    ana.until("the bot acts", |ana| ana.version > version).await;
}

/// Checks that the connection is open, which also gives the server time to do other work.
async fn ping(client: &mut Client) {
    client.say(json!({"type": "ping", "t": 1})).await;
    client.until_heard("pong").await;
}

#[tokio::test]
async fn a_server_that_cannot_write_is_not_ready_and_opens_no_room() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    journal.turn("", Mood::Fails);
    let (status, body) = server.get("/readyz").await;
    assert_eq!(status, 503);
    assert!(body.contains("not_ready"), "{body}");
    let (status, body) = request(server.address, "POST", "/api/rooms", r#"{"game":"towers"}"#).await;
    assert_eq!(status, 503);
    assert!(body.contains("cannot_write") && !body.contains("no space"), "{body}");
    journal.calm();
    assert_eq!(server.get("/readyz").await.0, 200);
    server.open("prevented").await;
}

#[tokio::test]
async fn a_server_that_cannot_write_is_still_alive() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    journal.turn("", Mood::Fails);
    assert_eq!(server.get("/readyz").await.0, 503);
    assert_eq!(server.get("/healthz").await.0, 200, "a restart would not repair the disk");
    assert_eq!(journal.probes.load(Ordering::SeqCst), 1, "only the readiness probe writes");
}

#[tokio::test]
async fn an_unreadable_room_opens_once_it_can_be_read_again() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let code = server.open("prevented").await;
    journal.turn(&code, Mood::PanicsOnReading);
    for _ in 0..2 {
        let (status, body) = server.get(&format!("/api/rooms/{code}")).await;
        assert_eq!(status, 503);
        assert!(body.contains("room_unreadable"), "{body}");
    }
    assert!(Client::connect(server.address, &code).await.is_err());
    journal.calm();
    assert_eq!(server.join(&code, "Ana").await.seat(), Some(0));
}

#[tokio::test]
async fn a_damaged_room_does_not_affect_others() {
    let journal = Arc::new(Memory::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let good = server.open("prevented").await;
    let future = r#"{"v":99,"at":1,"what":{"type":"levitated"}}"#.to_owned();
    for (code, lines) in [
        ("AAAAAA", vec!["not JSON".to_owned()]),
        ("BBBBBB", vec![future]),
        ("CCCCCC", vec![r#"{"v":1,"at":1,"what":{"type":"started"}}"#.to_owned()]),
    ] {
        journal.append(code, Cursor::START, lines, 0).await.unwrap();
        let (status, body) = server.get(&format!("/api/rooms/{code}")).await;
        assert_eq!(status, 503, "{code}: {body}");
        assert!(Client::connect(server.address, code).await.is_err(), "refused before the upgrade");
    }
    assert_eq!(server.join(&good, "Ana").await.seat(), Some(0));
}

#[tokio::test]
async fn a_second_writer_makes_the_server_reload_the_room() {
    let journal = Arc::new(Memory::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let name = Name::new("Ghost").unwrap();
    let chatted = RoomEvent::Chatted { seat: None, name, text: "I was here".to_owned() };
    let entry = Entry::new(WallTime(1_700_000_000_000), chatted).to_json();
    let end = journal.open(&code, 1).await.unwrap().unwrap().cursor;
    journal.append(&code, end, vec![entry], 1).await.unwrap();

    ana.say(json!({"type": "chat", "text": "anybody?"})).await;
    assert_eq!(ana.until_end().await, End::Closed(1012));
    assert!(ana.chat.is_empty(), "a message was shown before it was written");
    let mut ana = Client::resume(server.address, &code, ana.token.as_deref().unwrap()).await.unwrap();
    assert_eq!(ana.chat.len(), 1);
    assert_eq!((&ana.chat[0]["name"], &ana.chat[0]["text"]), (&json!("Ghost"), &json!("I was here")));
    ana.say(json!({"type": "chat", "text": "anybody?"})).await;
    ana.until_heard("chat").await;
}

/// The journal of a game in which mistakes are allowed and five players go back and forth for very long.
fn endless(code: &str, bytes: usize) -> Vec<String> {
    let options = Options::new("towers", Some(&json!({"mistakes": "allowed"})), None, Forced::Auto).unwrap();
    let mut lines = vec![Room::open(code, options, Seed([1; 32]), WallTime(1)).to_json()];
    let mut room = Room::rebuild([Entry::read(&lines[0]).unwrap()], 1).unwrap();
    let mut write = |room: &mut Room, input: Input| {
        for entry in room.decide(input, Now { wall: WallTime(1), steady: 1 }).expect("a legal input") {
            lines.push(entry.to_json());
            room.apply(&entry, 1).unwrap();
        }
    };
    for (index, name) in ["Ana", "Bea", "Cid", "Dan", "Eva"].iter().enumerate() {
        let token = TokenHash::of(&index.to_string());
        write(&mut room, Input::Sit { name: Name::new(name).unwrap(), token, salt: None, program: false });
    }
    write(&mut room, Input::Start { player: PlayerId(0) });
    let mut history = 0;
    let mut shown = room.history().len();
    while history < bytes {
        let asked = Seat::all(5).find_map(|seat| {
            let state = room.state(Viewer::Seat(seat), 0).unwrap();
            let actions: Vec<Value> = serde_json::from_str(state.actions.get()).unwrap();
            (!actions.is_empty()).then(|| (seat, state.next.unwrap(), actions))
        });
        let (seat, n, actions) = asked.expect("a seat can act until the history is long enough");
        // Undo or retract whenever possible, and make the highest bid.
        let kind = |kind: &str| actions.iter().find(|action| action["type"] == kind);
        let bid = actions.iter().rev().find(|action| action["type"] == "bid");
        let back = if n % 2 == 0 { kind("undo") } else { None };
        let action = back.or(bid).or(kind("take")).or(kind("retract")).or(kind("pass")).unwrap_or(&actions[0]).clone();
        // A single player may no longer make this many actions, but old games with more must stay playable.
        write(&mut room, Input::Play { seat, n, action: action.into(), by: By::Player });
        history += room.history()[shown..].iter().map(|event| event.get().len() + 1).sum::<usize>();
        shown = room.history().len();
    }
    lines
}

#[tokio::test]
async fn a_very_long_game_can_be_rejoined() {
    let journal = Arc::new(Memory::default());
    let lines = endless("K7QF3M", 1_200_000);
    journal.append("K7QF3M", Cursor::START, lines, 0).await.unwrap();
    let server = TestServer::with(journal, FAST).await;
    let wil = Client::watch(server.address, "K7QF3M", "Wil").await;
    assert!(wil.history.len() > 10_000, "{} events", wil.history.len());
}

/// Everything that is logged on this thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// Captures the log while the guard lives. The server of a single-threaded test logs on that thread.
    fn listen(&self) -> tracing::subscriber::DefaultGuard {
        let log = self.clone();
        let listener = tracing_subscriber::fmt().with_ansi(false).with_writer(move || log.clone()).finish();
        tracing::subscriber::set_default(listener)
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).expect("valid UTF-8")
    }
}

#[tokio::test]
async fn logs_the_entry_and_cause_of_a_room_that_cannot_be_rebuilt() {
    let journal = Arc::new(Memory::default());
    let options = Options::new("towers", None, None, Forced::Auto).unwrap();
    let opened = Room::open("K7QF3M", options, Seed([0xab; 32]), WallTime(1)).to_json();
    let acted = RoomEvent::Acted { seat: Seat(0), action: json!({"type": "pass"}).into(), by: Default::default() };
    let lines = vec![opened, Entry::new(WallTime(2), acted).to_json()];
    journal.append("K7QF3M", Cursor::START, lines, 0).await.unwrap();
    journal.append("P4WDZ2", Cursor::START, vec!["{\"v\":1,\"at\":\"token\"".to_owned()], 0).await.unwrap();

    let log = Log::default();
    let _listening = log.listen();
    let server = TestServer::with(journal, FAST).await;
    for code in ["K7QF3M", "P4WDZ2"] {
        let (status, body) = server.get(&format!("/api/rooms/{code}")).await;
        assert_eq!(status, 503);
        assert!(body.contains("room_unreadable") && !body.contains("entry"), "{body}");
    }
    let log = log.text();
    let line = |room: &str| log.lines().find(|line| line.contains(room)).unwrap_or_else(|| panic!("{log}"));
    assert!(line("K7QF3M").contains("entry 2 of the journal: an act without a game"), "{log}");
    assert!(line("P4WDZ2").contains("entry 1 of the journal: an entry without a version (cut short"), "{log}");
    assert!(!log.contains("abab") && !log.contains("token"), "the log must not quote entries: {log}");
}

#[tokio::test]
async fn rooms_are_rebuilt_by_the_next_server() {
    let folder = tempfile::tempdir().unwrap();
    let first = TestServer::with(Arc::new(Sqlite::open(folder.path()).unwrap()), FAST).await;
    let code = open(first.address, "prevented").await;
    let mut players = begin(first.address, &code, 2).await;
    play_and_wait(&mut players).await;
    let mut tokens = Vec::new();
    let goodbyes = async {
        for mut player in players {
            assert_eq!(player.until_end().await, End::Closed(1012));
            tokens.push(player.token.clone().unwrap());
        }
    };
    tokio::join!(first.stop(), goodbyes);

    let second = TestServer::with(Arc::new(Sqlite::open(folder.path()).unwrap()), FAST).await;
    let mut back = Vec::new();
    for token in &tokens {
        back.push(Client::resume(second.address, &code, token).await.expect("the seat is kept"));
    }
    assert_eq!(back[0].version, 2);
    play_and_wait(&mut back).await;
}
