//! Lays a table in one line, and keeps its journal the way a server would.

use game::{Budget, Chance, Level, Salt, Seat, Seed, Viewer};
use protocol::{Forced, Pace};
use room::{Entry, Input, Millis, Name, Now, Options, PlayerId, Room, TokenHash, WallTime, What};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// When every story begins.
pub const MORNING: Millis = 1_700_000_000_000;
pub const MINUTE: Millis = 60_000;
/// How long bots wait in these stories.
pub const PAUSE: Millis = 700;
/// After so long they have seen all there is to see.
pub const LOOK: Millis = 2 * PAUSE;

/// What a host chooses: only what a story changes.
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

/// A room with its journal and a clock that only the story moves.
pub struct TestRoom {
    pub room: Room,
    /// The entries as they would lie on disk.
    pub journal: Vec<String>,
    /// What was noted beside them, by slot.
    pub notes: BTreeMap<u8, String>,
    /// The monotonic clock.
    pub now: Millis,
    /// By how much the wall clock is ahead of where it was in the beginning, but for the time that has passed.
    pub wall_is_off: i64,
    /// Seeds and tokens made so far; each is another.
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

    /// A room of which this is the first entry.
    pub fn opened_by(opened: Entry) -> TestRoom {
        let journal = vec![opened.to_json()];
        let room = Room::rebuild([opened], MORNING).unwrap();
        TestRoom { room, journal, notes: BTreeMap::new(), now: MORNING, wall_is_off: 0, made: 1 }
    }

    /// A lobby in which these people sit, all of them there.
    pub fn of(names: &[&str]) -> TestRoom {
        let mut table = TestRoom::open();
        for name in names {
            table.sits(name);
        }
        table
    }

    /// A game these people have just begun.
    pub fn playing(names: &[&str]) -> TestRoom {
        let mut table = TestRoom::of(names);
        table.does(names[0], |player| Input::Start { player }).unwrap();
        table
    }

    /// A game these people have played to its end, 0 to 0.
    pub fn finished(names: &[&str]) -> TestRoom {
        let mut table = TestRoom::playing(names);
        table.plays_quietly();
        table
    }

    /// Decides, writes and applies; answers what happened, or the code of the refusal.
    pub fn ask(&mut self, input: Input) -> Result<Vec<What>, &'static str> {
        let entries = self.room.decide(input, self.both_clocks()).map_err(|refusal| refusal.code())?;
        for entry in &entries {
            self.journal.push(entry.to_json());
            self.room.apply(entry, self.now).expect("what was decided can be applied");
        }
        Ok(entries.into_iter().map(|entry| entry.what).collect())
    }

    /// What the server would tell the room of the time.
    pub fn both_clocks(&self) -> Now {
        let wall = self.now.checked_add_signed(self.wall_is_off).expect("a time after 1970");
        Now { wall: WallTime(wall), steady: self.now }
    }

    /// Somebody at the table asks for something.
    pub fn does(
        &mut self,
        name: &str,
        input: impl FnOnce(PlayerId) -> Input,
    ) -> Result<Vec<What>, &'static str> {
        self.ask(input(self.id(name)))
    }

    pub fn tries_to_sit(&mut self, name: &str, salt: Option<Salt>) -> Result<Vec<What>, &'static str> {
        self.made = self.made.wrapping_add(1);
        let token = TokenHash::of(&format!("token {}", self.made));
        self.ask(Input::Sit { name: Name::new(name).expect("a good name"), token, salt, program: false })
    }

    /// Somebody sits down and is there; answers what they are called.
    pub fn sits(&mut self, name: &str) -> String {
        self.sits_with(name, None)
    }

    pub fn sits_with(&mut self, name: &str, salt: Option<Salt>) -> String {
        let what = self.tries_to_sit(name, salt).expect("a free seat");
        let [What::Sat { player, name, .. }, ..] = &what[..] else { panic!("{what:?}") };
        self.room.came(*player, self.now);
        name.to_string()
    }

    pub fn stands(&mut self, name: &str) -> Result<Vec<What>, &'static str> {
        self.does(name, |player| Input::Stand { player })
    }

    pub fn leaves(&mut self, name: &str) -> Result<Vec<What>, &'static str> {
        let seed = self.seed();
        self.does(name, |player| Input::Leave { player, seed })
    }

    pub fn removes(&mut self, name: &str, seat: u8) -> Result<Vec<What>, &'static str> {
        let seed = self.seed();
        self.does(name, |player| Input::Remove { player, seat: Seat(seat), seed })
    }

    pub fn starts(&mut self, name: &str) -> Result<Vec<What>, &'static str> {
        self.does(name, |player| Input::Start { player })
    }

    pub fn asks_for_a_rematch(&mut self, name: &str) -> Result<Vec<What>, &'static str> {
        let seed = self.seed();
        self.does(name, |player| Input::Rematch { player, seed })
    }

    /// Somebody says that they want another game, or not.
    pub fn is_ready(&mut self, name: &str, ready: bool) -> Result<(), &'static str> {
        let player = self.id(name);
        self.room.show_hand(player, ready).map_err(|refusal| refusal.code())
    }

    /// Those who want another game.
    pub fn ready(&self) -> Vec<String> {
        let view = self.view();
        let seats = view["seats"].as_array().unwrap().iter().filter(|seat| seat["ready"] == true);
        seats.map(|seat| seat["name"].as_str().unwrap().to_owned()).collect()
    }

    pub fn says(&mut self, name: &str, text: &str) -> Result<(), &'static str> {
        self.speaks(self.find(name), name, text)
    }

    /// Decides what is said, notes it, and lets it be heard.
    pub fn speaks(&mut self, player: Option<PlayerId>, name: &str, text: &str) -> Result<(), &'static str> {
        let name = Name::new(name).expect("a good name");
        let said =
            self.room.say(player, &name, text, self.both_clocks()).map_err(|refusal| refusal.code())?;
        self.notes.insert(said.slot(), said.to_json());
        self.room.hear(said);
        Ok(())
    }

    /// Somebody says something in a Rookery of version 0.1, where every line was an entry.
    pub fn said_of_old(&mut self, name: &str, text: &str) {
        let seat = self.find(name).and_then(|player| self.room.seats().seat_of(player));
        let chatted = What::Chatted { seat, name: Name::new(name).unwrap(), text: text.to_owned() };
        let entry = Entry::new(self.both_clocks().wall, chatted);
        self.journal.push(entry.to_json());
        self.room.apply(&entry, self.now).expect("it fits anywhere");
    }

    pub fn acts(&mut self, name: &str, n: u32, action: Value) -> Result<Vec<What>, &'static str> {
        self.does(name, |player| Input::Act { player, n, action: action.into() })
    }

    /// A player's last connection is gone.
    pub fn goes_away(&mut self, name: &str) {
        let (player, now) = (self.id(name), self.now);
        self.room.went(player, now);
    }

    pub fn comes_back(&mut self, name: &str) {
        let player = self.id(name);
        self.room.came(player, self.now);
    }

    /// Time passes, and the room is told.
    pub fn passes(&mut self, time: Millis) {
        self.now += time;
        self.ask(Input::Tick {}).expect("a tick is never refused");
    }

    /// Everyone names 0 or passes until the cards are through: nobody builds, and all win.
    pub fn plays_quietly(&mut self) {
        while self.phase() == "playing" {
            let (seat, actions) = self.asked();
            let modest = json!({"type": "bid", "count": 0});
            let action = if actions.contains(&modest) { modest } else { json!({"type": "pass"}) };
            self.plays(seat, action);
        }
    }

    /// One builds a single card, the others nothing: that one wins.
    pub fn plays_for(&mut self, winner: &str) {
        let winner = self.room.seats().seat_of(self.id(winner)).expect("a player");
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
                ["take", "build", "finish"].iter().find_map(|kind| step(kind)).expect("a build").clone()
            };
            self.plays(seat, action);
        }
    }

    /// One act, any of those listed but rarely one that takes something back.
    pub fn plays_anything(&mut self, chance: &mut Chance) {
        let (seat, actions) = self.asked();
        let forward: Vec<&Value> =
            actions.iter().filter(|act| act["type"] != "undo" && act["type"] != "retract").collect();
        let from =
            if forward.is_empty() || chance.below(20) == 0 { actions.iter().collect() } else { forward };
        let action = from[chance.below(from.len() as u32) as usize].clone();
        self.plays(seat, action);
    }

    pub fn plays(&mut self, seat: Seat, action: Value) {
        let player = self.room.seats().at(seat).expect("a player").id;
        let n = self.next(seat);
        self.now += 1000;
        self.ask(Input::Act { player, n, action: action.clone().into() })
            .unwrap_or_else(|code| panic!("{action} is listed and refused as {code}"));
    }

    /// The host seats a bot; answers its name.
    pub fn seats_bot(&mut self, host: &str, level: Level) -> String {
        let what = self.does(host, |player| Input::AddBot { player, level }).expect("a free seat");
        let [What::BotSat { name, .. }, ..] = &what[..] else { panic!("{what:?}") };
        name.to_string()
    }

    /// Whatever the room wants played for somebody by now is thought about and played.
    pub fn somebody_plays_for_others(&mut self) -> Vec<What> {
        let mut happened = Vec::new();
        for want in self.room.wants(PAUSE) {
            if want.at > self.now {
                continue;
            }
            self.made = self.made.wrapping_add(1);
            let thinking = self.room.thinking(want.seat).expect("a game");
            let action = thinking(want.level, Seed([self.made; 32]), Budget::tries(5)).expect("a decision");
            let input = Input::Play { seat: want.seat, n: want.n, action, by: want.by };
            happened.extend(self.ask(input).expect("what was wanted is legal"));
        }
        happened
    }

    /// The first whom the game waits for, and what they may do.
    pub fn asked(&self) -> (Seat, Vec<Value>) {
        let state = self.room.state(Viewer::Watcher, 0).expect("a game");
        let seat = *state.asked.first().expect("somebody is asked");
        (seat, self.acts_of(seat))
    }

    /// What a seat may do.
    pub fn acts_of(&self, seat: Seat) -> Vec<Value> {
        let state = self.room.state(Viewer::Seat(seat), 0).expect("a game");
        serde_json::from_str(state.actions.get()).unwrap()
    }

    /// The host chooses.
    pub fn configures(&mut self, host: &str, change: Change<'_>) -> Result<Vec<What>, &'static str> {
        self.does(host, |player| change.by(player))
    }

    /// The host chooses another game.
    pub fn chooses(&mut self, host: &str, game: &str) -> Result<Vec<What>, &'static str> {
        self.configures(host, Change { game: Some(game), ..Change::default() })
    }

    /// The host lets people err.
    pub fn allows_mistakes(&mut self, host: &str) {
        let rules = Some(json!({"mistakes": "allowed"}));
        self.configures(host, Change { rules, ..Change::default() }).expect("the host may");
    }

    pub fn next(&self, seat: Seat) -> u32 {
        self.room.state(Viewer::Seat(seat), 0).expect("a game").next.expect("a seat")
    }

    /// The room as everyone sees it.
    pub fn view(&self) -> Value {
        serde_json::to_value(self.room.view(Vec::new(), 30, self.now)).unwrap()
    }

    pub fn table(&self) -> Value {
        serde_json::from_str(self.room.state(Viewer::Watcher, 0).expect("a game").table.get()).unwrap()
    }

    pub fn phase(&self) -> String {
        self.view()["phase"].as_str().unwrap().to_owned()
    }

    pub fn host(&self) -> Option<String> {
        let view = self.view();
        let seat = view["host"].as_u64()?;
        Some(view["seats"][seat as usize]["name"].as_str().unwrap().to_owned())
    }

    /// Names in seat order; the numbers are checked to be without gaps.
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

    /// The room as a server would rebuild it from the journal.
    pub fn rebuilt(&self) -> Room {
        let entries = self.journal.iter().map(|line| Entry::read(line).expect("an entry"));
        self.recalled(Room::rebuild(entries, self.now).expect("a journal that fits"))
    }

    /// A room that was rebuilt, with what was said in it.
    pub fn recalled(&self, mut room: Room) -> Room {
        let notes: Vec<String> = self.notes.values().cloned().collect();
        assert_eq!(room.recall(&notes), 0, "all can be read");
        room
    }

    /// The same story from here on, with a room that was rebuilt otherwise.
    pub fn twin(&self, room: Room) -> TestRoom {
        let TestRoom { room: _, journal, notes, now, wall_is_off, made } = self;
        let (journal, notes) = (journal.clone(), notes.clone());
        TestRoom { room, journal, notes, now: *now, wall_is_off: *wall_is_off, made: *made }
    }

    /// The server was killed and started again: everyone is away.
    pub fn restarts(&mut self) {
        self.room = self.rebuilt();
    }
}

/// All that anyone may ever be shown, but who is there.
pub fn everything(room: &Room, now: Millis) -> Value {
    let mut view = serde_json::to_value(room.view(Vec::new(), 30, now)).unwrap();
    for seat in view["seats"].as_array_mut().unwrap() {
        seat["connected"] = Value::Null;
        seat["away_ms"] = Value::Null;
    }
    let seats = Seat::all(view["seats"].as_array().unwrap().len());
    let viewers = seats.map(Viewer::Seat).chain([Viewer::Watcher]);
    let states: Vec<Value> =
        viewers.map(|viewer| serde_json::to_value(room.state(viewer, 0)).unwrap()).collect();
    json!({"view": view, "states": states, "history": room.history(), "chat": room.chat(),
           "version": room.version(), "free": room.has_free_seat()})
}
