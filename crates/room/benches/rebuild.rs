//! Measures how long it takes to rebuild a room from the lines of its journal. In the room, three people have played
//! 200 games of Five Towers and sent 5,000 chat messages. The rebuild happens at the end of the last game, when there
//! is the most to apply. Measured with all entries, from the last checkpoint on, and with all chat sent after that
//! checkpoint. Run with `cargo bench -p room`.

use game::{Chance, Salt, Seat, Seed, Viewer};
use protocol::{Forced, RoomPhase};
use room::{Entry, Input, Name, Now, Options, PlayerId, Room, RoomEvent, TokenHash, WallTime};
use serde_json::Value;
use std::hint::black_box;
use std::time::{Duration, Instant};

const GAMES: u32 = 200;
const SAID: u32 = 5_000;
/// Number of repetitions, of which the median is printed.
const TRIES: usize = 5;

/// A room and the lines of its journal.
struct Evening {
    room: Room,
    lines: Vec<String>,
    chance: Chance,
}

impl Evening {
    fn new() -> Evening {
        let options = Options::new("towers", None, None, Forced::Auto).expect("a known game");
        let opened = Room::open("K7QF3M", options, Seed([1; 32]), WallTime(0));
        let lines = vec![opened.to_json()];
        let room = Room::rebuild([opened], 0).expect("a valid journal");
        let mut evening = Evening { room, lines, chance: Chance::new(Seed([7; 32])) };
        for (number, name) in (1..).zip(["Ana", "Bea", "Cid"]) {
            let (name, token) = (Name::new(name).expect("a valid name"), TokenHash::of(name));
            evening.asks(Input::Sit { name, token, salt: Some(Salt([number; 16])), program: false });
        }
        evening
    }

    fn asks(&mut self, input: Input) {
        let now = Now { wall: WallTime(1_700_000_000_000), steady: 0 };
        for entry in self.room.decide(input, now).expect("the request is legal") {
            self.room.apply(&entry, 0).expect("decided entries apply");
            self.lines.push(entry.to_json());
        }
    }

    /// Adds chat as it was written up to version 0.1, where every message was an entry.
    fn says(&mut self, lines: u32) {
        for line in 0..lines {
            let text = format!("{line}: I would never have bid so much for that tower, would you?");
            let name = Name::new("Ana").expect("a valid name");
            let chatted = RoomEvent::Chatted { seat: Some(Seat(0)), name, text };
            let entry = Entry::new(WallTime(1_700_000_000_000), chatted);
            self.room.apply(&entry, 0).expect("chat applies in any state");
            self.lines.push(entry.to_json());
        }
    }

    /// Plays a game from start to end.
    fn plays(&mut self) {
        self.asks(Input::Start { player: PlayerId(0) });
        while self.room.phase() == RoomPhase::Playing {
            let seat = self.room.state(Viewer::Watcher, 0).expect("the room has a game").asked[0];
            let (n, action) = self.chooses(seat);
            self.asks(Input::Act { player: PlayerId(seat.0.into()), n, action: action.into() });
        }
    }

    /// Chooses a random action that undoes nothing.
    fn chooses(&mut self, seat: Seat) -> (u32, Value) {
        let state = self.room.state(Viewer::Seat(seat), 0).expect("the room has a game");
        let mut acts: Vec<Value> = serde_json::from_str(state.actions.get()).expect("a list of actions");
        acts.retain(|act| act["type"] != "undo" && act["type"] != "retract");
        let chosen = self.chance.below(acts.len() as u32) as usize;
        (state.next.expect("a seat"), acts.swap_remove(chosen))
    }
}

fn main() {
    let mut evening = Evening::new();
    for game in 1..GAMES {
        evening.says(SAID / GAMES);
        evening.plays();
        evening.asks(Input::Rematch { player: PlayerId(0), seed: Seed([game as u8; 32]) });
    }
    let quiet = evening.lines.len();
    evening.says(SAID / GAMES);
    evening.plays();
    let never: Vec<String> = evening.lines.iter().filter(|line| !is_checkpoint(line)).cloned().collect();
    measure("no checkpoint", 0, &never);
    measure("last checkpoint", quiet - 1, &evening.lines);

    // Start again from the same lobby, and send all chat before the game.
    let lines = evening.lines[..quiet].to_vec();
    let entries = Entry::read_all(quiet as u64 - 1, &lines[quiet - 1..]).expect("valid entries");
    let room = Room::rebuild(entries, 0).expect("a valid journal");
    let mut talkative = Evening { room, lines, chance: Chance::new(Seed([8; 32])) };
    talkative.says(SAID);
    talkative.plays();
    measure("all chat since", quiet - 1, &talkative.lines);
}

fn is_checkpoint(line: &str) -> bool {
    Entry::read(line).expect("a valid entry").is_checkpoint()
}

/// Rebuilds the room from the lines after the first `before` and prints how long it took.
fn measure(name: &str, before: usize, lines: &[String]) {
    let lines = &lines[before..];
    let mut took: Vec<Duration> = (0..TRIES)
        .map(|_| {
            let begun = Instant::now();
            let entries = Entry::read_all(before as u64, lines).expect("valid entries");
            black_box(Room::rebuild(entries, 0).expect("a valid journal"));
            begun.elapsed()
        })
        .collect();
    took.sort();
    let bytes: usize = lines.iter().map(String::len).sum();
    let ms = took[TRIES / 2].as_secs_f64() * 1e3;
    println!("{name:<16} {:>7} entries {:>7} KB {ms:>9.2} ms", lines.len(), bytes / 1000);
}
