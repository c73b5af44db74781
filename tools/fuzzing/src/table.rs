//! A room with clients but without sockets. Messages are read, decided, written and applied as in a server, and
//! invariants are checked on the results.

use crate::forge::KnownState;
use game::{Budget, Salt, Seat, Seed, Viewer};
use protocol::{ClientMessage, RoomPhase};
use room::{
    Entry, Input, Millis, Name, Now, Options, PlayerId, Refusal, Room, RoomEvent, TokenHash, WallTime, last_record,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Start time of every session.
const MORNING: Millis = 1_700_000_000_000;
/// Maximum number of clients.
pub const PEOPLE: usize = 7;

/// A client that has joined.
#[derive(Debug, Clone)]
struct RoomVisitor {
    player: Option<PlayerId>,
    name: Name,
}

/// The room, its journal and its clients.
pub struct FuzzTable {
    room: Room,
    journal: Vec<String>,
    /// Chat messages, by slot.
    notes: BTreeMap<u8, String>,
    now: Millis,
    people: [Option<RoomVisitor>; PEOPLE],
    /// All tokens issued so far.
    tokens: Vec<String>,
    /// Strings that must not appear in any view: seeds of unfinished games, tokens and their hashes.
    secrets: Vec<String>,
    made: u8,
}

impl FuzzTable {
    /// Creates an empty room for this game.
    pub fn open(game: &str) -> FuzzTable {
        let options = Options::new(game, None, None, protocol::Forced::Auto).expect("the game exists");
        let opened = Room::open("K7QF3M", options, Seed([0xa5; 32]), WallTime(MORNING));
        let journal = vec![opened.to_json()];
        let room = Room::rebuild([opened], MORNING).expect("the first entry opens a room");
        let secrets = vec![hex::encode([0xa5; 32])];
        FuzzTable {
            room,
            journal,
            notes: BTreeMap::new(),
            now: MORNING,
            people: Default::default(),
            tokens: Vec::new(),
            secrets,
            made: 0,
        }
    }

    /// Creates a game that two players have started, with a spectator.
    pub fn playing(game: &str) -> FuzzTable {
        let mut table = FuzzTable::open(game);
        for (who, name) in ["Ana", "Bea", "Wil"].into_iter().enumerate() {
            let join = json!({"type": "join", "name": name, "watch": name == "Wil"});
            assert!(table.hear(who, &join.to_string()), "{name} cannot join");
        }
        assert!(table.hear(0, r#"{"type":"start"}"#), "two players can start");
        table
    }

    /// Handles a message of a client, and returns whether it was accepted.
    pub fn hear(&mut self, who: usize, text: &str) -> bool {
        let Ok(message) = ClientMessage::read(text) else { return false };
        is_written_as_read(&message);
        let Some(person) = self.people[who].clone() else { return self.joins(who, message) };
        // `decide` takes the room by shared reference, so a refusal cannot change it. Every refusal must have a code.
        match self.obey(who, &person, message) {
            Ok(()) => true,
            Err(refusal) => {
                assert!(!refusal.code().is_empty() && !refusal.to_string().is_empty());
                false
            }
        }
    }

    /// Breaks the connection of a client.
    pub fn breaks(&mut self, who: usize) {
        if let Some(RoomVisitor { player: Some(player), .. }) = self.people[who].take() {
            self.room.went(player, self.now);
        }
    }

    /// Advances the time, and plays what the room wants played by bots until then.
    pub fn passes(&mut self, time: Millis, thinks: bool) {
        self.now += time;
        let seed = self.seed();
        self.ask(Input::Tick { seed }).expect("a tick is never refused");
        for want in self.room.wants(700) {
            if want.at > self.now {
                continue;
            }
            let action = if thinks {
                self.made = self.made.wrapping_add(1);
                let thinking = self.room.thinking(want.seat).expect("a game is being played");
                thinking(want.level, Seed([self.made; 32]), Budget::tries(1))
            } else {
                self.room.any_act(want.seat)
            };
            let action = action.expect("a seat that must act has an act");
            self.ask(Input::Play { seat: want.seat, n: want.n, action, by: want.by }).expect("the act can be played");
        }
    }

    /// Returns what a client has received, as far as it helps to build valid messages.
    pub fn told(&self, who: usize) -> KnownState {
        let tokens = self.tokens.clone();
        let player = self.people[who].as_ref().and_then(|person| person.player);
        let seat = player.and_then(|player| self.room.seats().seat_of(player));
        let Some(state) = seat.and_then(|seat| self.room.state(Viewer::Seat(seat), self.now)) else {
            return KnownState { tokens, ..KnownState::default() };
        };
        let acts = serde_json::from_str(state.actions.get()).expect("acts are a list");
        KnownState { next: state.next.unwrap_or(0), acts, tokens }
    }

    /// Returns a connected client that the game waits for.
    pub fn asked(&self) -> Option<usize> {
        let asked = self.room.state(Viewer::Watcher, self.now)?.asked;
        (0..PEOPLE).find(|who| {
            let player = self.people[*who].as_ref().and_then(|person| person.player);
            player.and_then(|player| self.room.seats().seat_of(player)).is_some_and(|seat| asked.contains(&seat))
        })
    }

    fn joins(&mut self, who: usize, message: ClientMessage) -> bool {
        let ClientMessage::Join { name, token, watch, salt, bot, .. } = message else { return false };
        let salt = match salt.map(|salt| read_salt(&salt)) {
            Some(None) => return false,
            read => read.flatten(),
        };
        let person = if let Some(token) = token {
            let Some(player) = self.room.seats().by_token(TokenHash::of(&token)) else { return false };
            let (id, name) = (player.id, player.name.clone());
            if let Some(salt) = salt {
                self.ask(Input::Salt { player: id, salt }).expect("a seated player may change the salt");
            }
            self.ask(Input::Return { player: id }).expect("a seated player may return");
            RoomVisitor { player: Some(id), name }
        } else {
            let Some(name) = name.and_then(|name| Name::new(&name)) else { return false };
            if watch { RoomVisitor { player: None, name } } else { self.seats(name, salt, bot) }
        };
        if let Some(player) = person.player {
            self.room.came(player, self.now);
        }
        self.people[who] = Some(person);
        true
    }

    /// Seats a newcomer, or admits them as a spectator if no seat is free.
    fn seats(&mut self, name: Name, salt: Option<Salt>, program: bool) -> RoomVisitor {
        let token = self.token();
        let hash = TokenHash::of(&token);
        let sits = match salt {
            Some(salt) => Input::Join { name: name.clone(), token: hash, salt, program },
            None => {
                let salt = Some(Salt([self.made; 16]));
                Input::Sit { name: name.clone(), token: hash, salt, program }
            }
        };
        match self.ask(sits) {
            Ok(entries) => {
                let player = entries.iter().find_map(|entry| entry.what.seated()).expect("a player is seated");
                let name = self.room.seats().get(player).expect("the player was just seated").name.clone();
                self.keep(token);
                RoomVisitor { player: Some(player), name }
            }
            Err(_) => RoomVisitor { player: None, name },
        }
    }

    fn token(&mut self) -> String {
        self.made = self.made.wrapping_add(1);
        format!("a token nobody says {} {}", self.made, self.journal.len())
    }

    fn keep(&mut self, token: String) {
        let hash = serde_json::to_value(TokenHash::of(&token)).expect("a hash is text");
        self.secrets.extend([token.clone(), hash.as_str().expect("a hash is text").to_owned()]);
        self.tokens.push(token);
    }

    fn seed(&mut self) -> Seed {
        self.made = self.made.wrapping_add(1);
        Seed([self.made; 32])
    }

    fn obey(&mut self, who: usize, person: &RoomVisitor, message: ClientMessage) -> Result<(), Refusal> {
        let seated = || person.player.ok_or(Refusal::NotSeated);
        let seed = self.seed();
        let input = match message {
            ClientMessage::Act { n, action } => Input::Act { player: seated()?, n, action },
            ClientMessage::Start {} => Input::Start { player: seated()? },
            ClientMessage::Configure { game, rules, clock, forced, pace, starter } => {
                Input::Configure { player: seated()?, game, rules, clock, forced, pace, starter }
            }
            ClientMessage::AddBot { level } => Input::AddBot { player: seated()?, level },
            ClientMessage::Remove { seat, name: _ } => Input::Remove { player: seated()?, seat, seed },
            ClientMessage::Substitute { seat, level } => Input::Substitute { player: seated()?, seat, level },
            ClientMessage::Stand {} => Input::Stand { player: seated()? },
            ClientMessage::Rematch {} => Input::Rematch { player: seated()?, seed },
            ClientMessage::SameDeal {} => {
                let record = last_record(&self.journal).expect("the record can be built");
                let record = Box::new(record.ok_or(Refusal::NotFinished)?);
                Input::SameDeal { player: seated()?, seed, record }
            }
            ClientMessage::NewDeal {} => Input::NewDeal { player: seated()? },
            ClientMessage::TakeChair { chair } => Input::TakeChair { player: seated()?, chair },
            ClientMessage::Rename { name } => {
                Input::Rename { player: seated()?, name: Name::new(&name).ok_or(Refusal::BadName)? }
            }
            ClientMessage::Leave {} if person.player.is_some() => Input::Leave { player: seated()?, seed },
            ClientMessage::Leave {} => {
                self.people[who] = None;
                return Ok(());
            }
            ClientMessage::Chat { text } => return self.speaks(person, text),
            ClientMessage::Ready { ready } => return self.room.show_hand(seated()?, ready, self.now),
            ClientMessage::Hurry {} => return self.room.hurry(seated()?),
            ClientMessage::Sit {} if person.player.is_none() => {
                let sitter = self.seats(person.name.clone(), None, false);
                if let Some(player) = sitter.player {
                    self.room.came(player, self.now);
                }
                self.people[who] = Some(sitter);
                return Ok(());
            }
            // These are answered by the connection itself. New messages of the contract are covered by the socket
            // target.
            _ => return Ok(()),
        };
        self.ask(input)?;
        self.unseat();
        Ok(())
    }

    fn speaks(&mut self, person: &RoomVisitor, text: String) -> Result<(), Refusal> {
        let now = Now { wall: WallTime(self.now), steady: self.now };
        let said = self.room.say(person.player, &person.name, &text, now)?;
        self.notes.insert(said.slot(), said.to_json());
        self.room.hear(said);
        let line = &self.room.chat().last().expect("the message is in the chat").text;
        assert!(!line.chars().any(hides), "{line:?} has invisible characters");
        Ok(())
    }

    /// Makes clients who lost their seat spectators.
    fn unseat(&mut self) {
        let seats = self.room.seats();
        for person in self.people.iter_mut().flatten() {
            person.player = person.player.filter(|player| seats.seat_of(*player).is_some());
        }
    }

    /// Decides, writes and applies an input.
    fn ask(&mut self, input: Input) -> Result<Vec<Entry>, Refusal> {
        let now = Now { wall: WallTime(self.now), steady: self.now };
        let (version, revision) = (self.room.version(), self.room.revision());
        let entries = self.room.decide(input, now)?;
        for entry in &entries {
            let written = entry.to_json();
            assert_eq!(Entry::read(&written).as_ref(), Ok(entry), "an entry does not round-trip");
            if let RoomEvent::Rematched { .. } = entry.what {
                self.secrets.push(seed_of(&written));
            }
            self.journal.push(written);
            self.room.apply(entry, self.now).expect("a decided entry can be applied");
        }
        assert!(
            self.room.version() >= version && self.room.revision() >= revision,
            "the version and the revision never decrease"
        );
        Ok(entries)
    }

    /// Checks the invariants that hold at any time: every view can be created, and none contains a secret.
    pub fn check(&self) {
        let shown = self.everything().to_string();
        for secret in &self.secrets {
            assert!(!shown.contains(secret), "a secret was sent: {secret}");
        }
        if let Some(state) = self.room.state(Viewer::Watcher, self.now) {
            let over = self.room.phase() == RoomPhase::Finished;
            assert_eq!(state.asked.is_empty(), over, "a seat must act until the game is over");
            for seat in &state.asked {
                assert!(self.room.any_act(*seat).is_some(), "{seat} must act and has no act");
            }
        }
    }

    /// Checks the invariants at the end of a session: the room rebuilt from its journal, or from its last checkpoint,
    /// equals the live one, and views depend on nothing that was not revealed.
    pub fn close(mut self) {
        self.check();
        let before = self.everything();
        let mut rebuilt = self.rebuilt();
        let notes: Vec<String> = self.notes.values().cloned().collect();
        assert_eq!(rebuilt.recall(&notes), 0, "some notes cannot be parsed");
        assert_eq!(rebuilt.chat(), self.room.chat(), "the chat is restored");
        assert_eq!(everything(&rebuilt, self.now), before, "rebuilt from everything");
        let checkpoint = self.journal.iter().rposition(|line| line.contains(r#""type":"checkpoint""#));
        if let Some(at) = checkpoint {
            let last = rebuild(&self.journal[at..], self.now);
            assert_eq!(everything(&last, self.now), before, "rebuilt from the last checkpoint");
        }
        assert!(
            room::last_record(&self.journal)
                .expect("the journal can be replayed")
                .is_none_or(|record| room::verify(&record).is_ok())
        );
        self.keeps_choices_secret();
        (0..PEOPLE).for_each(|who| self.breaks(who));
    }

    /// Checks noninterference: two different hidden actions of a seat must look the same to all others.
    fn keeps_choices_secret(&self) {
        let Some(state) = self.room.state(Viewer::Watcher, self.now) else { return };
        let Some(seat) = state.asked.first().copied() else { return };
        let acts: Vec<Value> = {
            let state = self.room.state(Viewer::Seat(seat), self.now).expect("a game is being played");
            serde_json::from_str(state.actions.get()).expect("acts are a list")
        };
        let [first, .., last] = &acts[..] else { return };
        let [one, two] = [first, last].map(|act| {
            let mut room = self.rebuilt();
            let n = room.state(Viewer::Seat(seat), self.now).and_then(|state| state.next).expect("the seat must act");
            let player = room.seats().at(seat).expect("a player is in the seat").id;
            let input = Input::Act { player, n, action: act.clone().into() };
            let now = Now { wall: WallTime(self.now), steady: self.now };
            for entry in
                room.decide(input, now).unwrap_or_else(|refusal| panic!("{act} is listed but refused: {refusal}"))
            {
                room.apply(&entry, self.now).expect("a decided entry can be applied");
            }
            room
        });
        let told = |room: &Room| json!(room.history()).to_string();
        if told(&one) != told(&two) {
            return;
        }
        for other in viewers(&one).filter(|viewer| *viewer != Viewer::Seat(seat)) {
            let shown =
                |room: &Room| serde_json::to_value(room.state(other, self.now)).expect("a state has a JSON form");
            assert_eq!(shown(&one), shown(&two), "{other:?} can distinguish {first} from {last}");
        }
    }

    fn rebuilt(&self) -> Room {
        rebuild(&self.journal, self.now)
    }

    fn everything(&self) -> Value {
        everything(&self.room, self.now)
    }
}

/// Checks that a message survives a round trip through JSON. Fractions are excluded, because parsing may round their
/// last digit.
fn is_written_as_read(message: &ClientMessage) {
    let written = serde_json::to_string(message).expect("all keys are strings");
    if !serde_json::from_str(&written).is_ok_and(|value| has_fraction(&value)) {
        let again = ClientMessage::read(&written);
        assert_eq!(again.ok().as_ref(), Some(message), "{written} does not round-trip");
    }
}

fn has_fraction(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(values) => values.iter().any(has_fraction),
        Value::Object(fields) => fields.values().any(has_fraction),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// Returns whether a character must not appear in displayed text.
pub fn hides(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn rebuild(journal: &[String], now: Millis) -> Room {
    let entries = journal.iter().map(|line| Entry::read(line).expect("the entry can be parsed"));
    Room::rebuild(entries, now).expect("the journal can be replayed")
}

fn viewers(room: &Room) -> impl Iterator<Item = Viewer> {
    let seats = Seat::all(room.view(Vec::new(), 30, 0).seats.len());
    seats.map(Viewer::Seat).chain([Viewer::Watcher])
}

/// Returns everything that anyone may be shown, except presence, rematch wishes and chat, which are not history, and
/// deadlines, which are suspended while nobody is connected.
fn everything(room: &Room, now: Millis) -> Value {
    let mut view = json!(room.view(Vec::new(), 30, now));
    for seat in view["seats"].as_array_mut().expect("the seats are a list") {
        (seat["connected"], seat["away_ms"], seat["ready"]) = (Value::Null, Value::Null, Value::Null);
    }
    let mut states: Vec<Value> = viewers(room).map(|viewer| json!(room.state(viewer, now))).collect();
    for state in states.iter_mut().filter(|state| !state.is_null()) {
        state["deadline_ms"] = Value::Null;
    }
    json!({
        "view": view,
        "states": states,
        "history": room.history(),
        "version": room.version(),
        "free": room.has_free_seat(),
    })
}

fn seed_of(entry: &str) -> String {
    let entry: Value = serde_json::from_str(entry).expect("an entry is JSON");
    entry["what"]["seed"].as_str().expect("the entry has a seed").to_owned()
}

fn read_salt(text: &str) -> Option<Salt> {
    let mut salt = [0; 16];
    hex::decode_to_slice(text, &mut salt).ok()?;
    Some(Salt(salt)).filter(Salt::is_fit)
}
