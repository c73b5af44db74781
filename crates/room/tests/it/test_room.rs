//! Sets up a room in one line, and keeps its journal as a server would.

use game::{Budget, Chance, Level, Salt, Seat, Seed, Viewer};
use protocol::{Forced, Pace};
use room::{Entry, Input, Millis, Name, Now, Options, PlayerId, Room, RoomEvent, TokenHash, WallTime};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Start time of every test.
pub const MORNING: Millis = 1_700_000_000_000;
pub const MINUTE: Millis = 60_000;
/// The bots' base pause in these tests.
pub const PAUSE: Millis = 700;
/// Longest pause of a bot.
pub const LOOK: Millis = 2 * PAUSE;

/// Options that a host changes. The others stay as they are.
#[derive(Default)]
pub struct Change<'a> {
    pub game: Option<&'a str>,
    pub rules: Option<Value>,
    pub clock: Option<Option<u32>>,
    pub forced: Option<Forced>,
    pub pace: Option<Pace>,
    pub starter: Option<Option<Seat>>,
}

impl Change<'_> {
    pub fn by(self, player: PlayerId) -> Input {
        let Change { game, rules, clock, forced, pace, starter } = self;
        Input::Configure { player, game: game.map(str::to_owned), rules, clock, forced, pace, starter }
    }
}

/// A room with its journal and a clock that only the test moves.
pub struct TestRoom {
    pub room: Room,
    /// Entries as stored on disk.
    pub journal: Vec<String>,
    /// Notes, by slot.
    pub notes: BTreeMap<u8, String>,
    /// The monotonic clock.
    pub now: Millis,
    /// Offset of the wall clock from the monotonic clock, in milliseconds.
    pub wall_offset: i64,
    /// Number of seeds and tokens generated so far. Each is different.
    made: u8,
}

impl TestRoom {
    /// An empty room of Five Towers.
    pub fn open() -> TestRoom {
        TestRoom::open_with(Seed([1; 32]))
    }

    pub fn open_with(seed: Seed) -> TestRoom {
        let options = Options::new("towers", None, None, Forced::Auto).unwrap();
        TestRoom::opened_by(Room::open("K7QF3M", options, seed, WallTime(MORNING)))
    }

    /// A room with this first entry.
    pub fn opened_by(opened: Entry) -> TestRoom {
        let journal = vec![opened.to_json()];
        let room = Room::rebuild([opened], MORNING).unwrap();
        TestRoom { room, journal, notes: BTreeMap::new(), now: MORNING, wall_offset: 0, made: 1 }
    }

    /// A lobby with these players seated and connected.
    pub fn of(names: &[&str]) -> TestRoom {
        let mut table = TestRoom::open();
        for name in names {
            table.sits(name);
        }
        table
    }

    /// A game that these players have just started.
    pub fn playing(names: &[&str]) -> TestRoom {
        let mut table = TestRoom::of(names);
        table.does(names[0], |player| Input::Start { player }).unwrap();
        table
    }

    /// A game that these players have finished with 0 to 0.
    pub fn finished(names: &[&str]) -> TestRoom {
        let mut table = TestRoom::playing(names);
        table.plays_quietly();
        table
    }

    /// Decides, writes and applies an input. Returns what happened, or the code of the refusal.
    pub fn ask(&mut self, input: Input) -> Result<Vec<RoomEvent>, &'static str> {
        let entries = self.room.decide(input, self.both_clocks()).map_err(|refusal| refusal.code())?;
        for entry in &entries {
            self.journal.push(entry.to_json());
            self.room.apply(entry, self.now).expect("decided entries apply");
        }
        Ok(entries.into_iter().map(|entry| entry.what).collect())
    }

    /// Returns both clocks as a server passes them to the room.
    pub fn both_clocks(&self) -> Now {
        let wall = self.now.checked_add_signed(self.wall_offset).expect("a time after 1970");
        Now { wall: WallTime(wall), steady: self.now }
    }

    /// Applies an input of a seated player.
    pub fn does(&mut self, name: &str, input: impl FnOnce(PlayerId) -> Input) -> Result<Vec<RoomEvent>, &'static str> {
        self.ask(input(self.id(name)))
    }

    pub fn tries_to_sit(&mut self, name: &str, salt: Option<Salt>) -> Result<Vec<RoomEvent>, &'static str> {
        self.made = self.made.wrapping_add(1);
        let token = TokenHash::of(&format!("token {}", self.made));
        self.ask(Input::Sit { name: Name::new(name).expect("a valid name"), token, salt, program: false })
    }

    /// Seats and connects a player, and returns the assigned name.
    pub fn sits(&mut self, name: &str) -> String {
        self.sits_with(name, None)
    }

    pub fn sits_with(&mut self, name: &str, salt: Option<Salt>) -> String {
        let what = self.tries_to_sit(name, salt).expect("a free seat");
        let [RoomEvent::Sat { player, name, .. }, ..] = &what[..] else { panic!("{what:?}") };
        self.room.came(*player, self.now);
        name.to_string()
    }

    pub fn stands(&mut self, name: &str) -> Result<Vec<RoomEvent>, &'static str> {
        self.does(name, |player| Input::Stand { player })
    }

    pub fn leaves(&mut self, name: &str) -> Result<Vec<RoomEvent>, &'static str> {
        let seed = self.seed();
        self.does(name, |player| Input::Leave { player, seed })
    }

    pub fn removes(&mut self, name: &str, seat: u8) -> Result<Vec<RoomEvent>, &'static str> {
        let seed = self.seed();
        self.does(name, |player| Input::Remove { player, seat: Seat(seat), seed })
    }

    pub fn starts(&mut self, name: &str) -> Result<Vec<RoomEvent>, &'static str> {
        self.does(name, |player| Input::Start { player })
    }

    pub fn asks_for_a_rematch(&mut self, name: &str) -> Result<Vec<RoomEvent>, &'static str> {
        let seed = self.seed();
        self.does(name, |player| Input::Rematch { player, seed })
    }

    /// Sets whether a player wants another game.
    pub fn is_ready(&mut self, name: &str, ready: bool) -> Result<(), &'static str> {
        let player = self.id(name);
        self.room.show_hand(player, ready, self.now).map_err(|refusal| refusal.code())
    }

    /// Names of the players who want another game.
    pub fn ready(&self) -> Vec<String> {
        let view = self.view();
        let seats = view["seats"].as_array().unwrap().iter().filter(|seat| seat["ready"] == true);
        seats.map(|seat| seat["name"].as_str().unwrap().to_owned()).collect()
    }

    pub fn says(&mut self, name: &str, text: &str) -> Result<(), &'static str> {
        self.speaks(self.find(name), name, text)
    }

    /// Decides, stores and delivers a chat message.
    pub fn speaks(&mut self, player: Option<PlayerId>, name: &str, text: &str) -> Result<(), &'static str> {
        let name = Name::new(name).expect("a valid name");
        let said = self.room.say(player, &name, text, self.both_clocks()).map_err(|refusal| refusal.code())?;
        self.notes.insert(said.slot(), said.to_json());
        self.room.hear(said);
        Ok(())
    }

    /// Adds a chat entry as Rookery 0.1 did, where every message was an entry.
    pub fn adds_chat_entry(&mut self, name: &str, text: &str) {
        let seat = self.find(name).and_then(|player| self.room.seats().seat_of(player));
        let chatted = RoomEvent::Chatted { seat, name: Name::new(name).unwrap(), text: text.to_owned() };
        let entry = Entry::new(self.both_clocks().wall, chatted);
        self.journal.push(entry.to_json());
        self.room.apply(&entry, self.now).expect("chat applies in any state");
    }

    pub fn acts(&mut self, name: &str, n: u32, action: Value) -> Result<Vec<RoomEvent>, &'static str> {
        self.does(name, |player| Input::Act { player, n, action: action.into() })
    }

    /// Closes a player's last connection.
    pub fn goes_away(&mut self, name: &str) {
        let (player, now) = (self.id(name), self.now);
        self.room.went(player, now);
    }

    pub fn comes_back(&mut self, name: &str) {
        let player = self.id(name);
        self.room.came(player, self.now);
    }

    /// Lets the room do what is due.
    pub fn ticks(&mut self) -> Result<Vec<RoomEvent>, &'static str> {
        let seed = self.seed();
        self.ask(Input::Tick { seed })
    }

    /// Advances the time and ticks the room.
    pub fn passes(&mut self, time: Millis) {
        self.now += time;
        self.ticks().expect("a tick is never refused");
    }

    /// Everyone bids 0 or passes until the cards are used up: nobody builds, and all win.
    pub fn plays_quietly(&mut self) {
        while self.phase() == "playing" {
            let (seat, actions) = self.asked();
            let modest = json!({"type": "bid", "count": 0});
            let action = if actions.contains(&modest) { modest } else { json!({"type": "pass"}) };
            self.plays(seat, action);
        }
    }

    /// The winner builds a single card and the others none.
    pub fn plays_for(&mut self, winner: &str) {
        let winner = self.room.seats().seat_of(self.id(winner)).expect("a seated player");
        let mut built = false;
        while self.phase() == "playing" {
            let (seat, actions) = self.asked();
            let one = json!({"type": "bid", "count": 1});
            let quiet = [json!({"type": "bid", "count": 0}), json!({"type": "pass"})];
            let action = if !built && seat == winner && actions.contains(&one) {
                built = true;
                one
            } else if let Some(quiet) = quiet.iter().find(|quiet| actions.contains(quiet)) {
                quiet.clone()
            } else {
                let step = |kind: &str| actions.iter().find(|action| action["type"] == kind);
                ["take", "build", "finish"].iter().find_map(|kind| step(kind)).expect("a build action").clone()
            };
            self.plays(seat, action);
        }
    }

    /// Plays one random legal action, but rarely one that takes something back.
    pub fn plays_anything(&mut self, chance: &mut Chance) {
        let (seat, actions) = self.asked();
        let forward: Vec<&Value> =
            actions.iter().filter(|act| act["type"] != "undo" && act["type"] != "retract").collect();
        let from = if forward.is_empty() || chance.below(20) == 0 { actions.iter().collect() } else { forward };
        let action = from[chance.below(from.len() as u32) as usize].clone();
        self.plays(seat, action);
    }

    /// Advances the time and plays what is due, or else a random action.
    pub fn plays_next(&mut self, time: Millis, chance: &mut Chance) {
        self.now += time;
        if self.plays_due_actions().is_empty() {
            self.plays_anything(chance);
        }
    }

    /// Plays the game to its end: what is due each second, or else random actions.
    pub fn plays_on(&mut self, seed: u8) {
        let mut chance = Chance::new(Seed([seed; 32]));
        while self.phase() == "playing" {
            self.plays_next(1000, &mut chance);
        }
    }

    pub fn plays(&mut self, seat: Seat, action: Value) {
        let player = self.room.seats().at(seat).expect("a seated player").id;
        let n = self.next(seat);
        self.now += 1000;
        self.ask(Input::Act { player, n, action: action.clone().into() })
            .unwrap_or_else(|code| panic!("{action} is listed but refused as {code}"));
    }

    /// The host adds a bot. Returns its name.
    pub fn seats_bot(&mut self, host: &str, level: Level) -> String {
        let what = self.does(host, |player| Input::AddBot { player, level }).expect("a free seat");
        let [RoomEvent::BotSat { name, .. }, ..] = &what[..] else { panic!("{what:?}") };
        name.to_string()
    }

    /// Plays everything that the room wants played automatically by now.
    pub fn plays_due_actions(&mut self) -> Vec<RoomEvent> {
        let mut happened = Vec::new();
        for want in self.room.wants(PAUSE) {
            if want.at > self.now {
                continue;
            }
            self.made = self.made.wrapping_add(1);
            let thinking = self.room.thinking(want.seat).expect("the room has a game");
            let action = thinking(want.level, Seed([self.made; 32]), Budget::tries(5)).expect("a decision in time");
            let input = Input::Play { seat: want.seat, n: want.n, action, by: want.by };
            happened.extend(self.ask(input).expect("wanted actions are legal"));
        }
        happened
    }

    /// The first seat that must act, and its legal actions.
    pub fn asked(&self) -> (Seat, Vec<Value>) {
        let state = self.room.state(Viewer::Watcher, 0).expect("the room has a game");
        let seat = *state.asked.first().expect("a seat must act");
        (seat, self.acts_of(seat))
    }

    /// The legal actions of a seat.
    pub fn acts_of(&self, seat: Seat) -> Vec<Value> {
        let state = self.room.state(Viewer::Seat(seat), 0).expect("the room has a game");
        serde_json::from_str(state.actions.get()).unwrap()
    }

    /// Changes options as the host.
    pub fn configures(&mut self, host: &str, change: Change<'_>) -> Result<Vec<RoomEvent>, &'static str> {
        self.does(host, |player| change.by(player))
    }

    /// Changes the game as the host.
    pub fn chooses(&mut self, host: &str, game: &str) -> Result<Vec<RoomEvent>, &'static str> {
        self.configures(host, Change { game: Some(game), ..Change::default() })
    }

    /// Allows mistakes as the host.
    pub fn allows_mistakes(&mut self, host: &str) {
        let rules = Some(json!({"mistakes": "allowed"}));
        self.configures(host, Change { rules, ..Change::default() }).expect("the host may configure");
    }

    pub fn next(&self, seat: Seat) -> u32 {
        self.room.state(Viewer::Seat(seat), 0).expect("the room has a game").next.expect("a seat")
    }

    /// The public view of the room.
    pub fn view(&self) -> Value {
        serde_json::to_value(self.room.view(Vec::new(), 30, self.now)).unwrap()
    }

    pub fn table(&self) -> Value {
        serde_json::from_str(self.room.state(Viewer::Watcher, 0).expect("the room has a game").table.get()).unwrap()
    }

    pub fn phase(&self) -> String {
        self.view()["phase"].as_str().unwrap().to_owned()
    }

    pub fn host(&self) -> Option<String> {
        let view = self.view();
        let seat = view["host"].as_u64()?;
        Some(view["seats"][seat as usize]["name"].as_str().unwrap().to_owned())
    }

    /// Names in seat order. Checks that the seats are numbered without gaps.
    pub fn names(&self) -> Vec<String> {
        let view = self.view();
        let seats = view["seats"].as_array().unwrap();
        seats.iter().enumerate().for_each(|(index, seat)| assert_eq!(seat["seat"], index));
        seats.iter().map(|seat| seat["name"].as_str().unwrap().to_owned()).collect()
    }

    pub fn wins(&self) -> Vec<u64> {
        let view = self.view();
        view["seats"].as_array().unwrap().iter().map(|seat| seat["wins"].as_u64().unwrap()).collect()
    }

    pub fn commitment(&self) -> String {
        self.view()["fair"]["commitment"].as_str().unwrap().to_owned()
    }

    pub fn seats(&self) -> usize {
        self.names().len()
    }

    pub fn find(&self, name: &str) -> Option<PlayerId> {
        let seat = self.names().iter().position(|other| other == name)?;
        self.room.seats().at(Seat::from(seat)).map(|player| player.id)
    }

    pub fn id(&self, name: &str) -> PlayerId {
        self.find(name).unwrap_or_else(|| panic!("{name} is not at the table"))
    }

    pub fn seed(&mut self) -> Seed {
        self.made = self.made.wrapping_add(1);
        Seed([self.made; 32])
    }

    /// Rebuilds the room from the journal as a server would.
    pub fn rebuilt(&self) -> Room {
        let entries = self.journal.iter().map(|line| Entry::read(line).expect("a valid entry"));
        self.recalled(Room::rebuild(entries, self.now).expect("a valid journal"))
    }

    /// Adds the chat to a rebuilt room.
    pub fn recalled(&self, mut room: Room) -> Room {
        let notes: Vec<String> = self.notes.values().cloned().collect();
        assert_eq!(room.recall(&notes), 0, "all notes are readable");
        room
    }

    /// A copy of this test room that continues with another `Room`.
    pub fn twin(&self, room: Room) -> TestRoom {
        let TestRoom { room: _, journal, notes, now, wall_offset, made } = self;
        let (journal, notes) = (journal.clone(), notes.clone());
        TestRoom { room, journal, notes, now: *now, wall_offset: *wall_offset, made: *made }
    }

    /// Kills and restarts the server: everyone is disconnected.
    pub fn restarts(&mut self) {
        self.room = self.rebuilt();
    }
}

/// Everything that anyone may be shown, except presence.
pub fn everything(room: &Room, now: Millis) -> Value {
    let mut view = serde_json::to_value(room.view(Vec::new(), 30, now)).unwrap();
    for seat in view["seats"].as_array_mut().unwrap() {
        seat["connected"] = Value::Null;
        seat["away_ms"] = Value::Null;
    }
    let seats = Seat::all(view["seats"].as_array().unwrap().len());
    let viewers = seats.map(Viewer::Seat).chain([Viewer::Watcher]);
    let states: Vec<Value> = viewers.map(|viewer| serde_json::to_value(room.state(viewer, 0)).unwrap()).collect();
    json!({"view": view, "states": states, "history": room.history(), "chat": room.chat(),
           "version": room.version(), "free": room.has_free_seat()})
}
