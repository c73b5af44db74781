//! Plays two games in one room, with a busy lobby and a rematch between them, and prints the room's journal, one entry
//! per line: `cargo run -p room --example journal > some.jsonl`.
//!
//! The output is deterministic.

use game::{Chance, Salt, Seat, Seed, Viewer};
use protocol::{Forced, RoomPhase};
use room::{Entry, Input, Name, Now, Options, PlayerId, Room, TokenHash, WallTime};
use serde_json::{Value, json};
use std::error::Error;

struct WrittenRoom {
    room: Room,
    now: u64,
}

impl WrittenRoom {
    fn write(&mut self, input: Input) -> Result<(), Box<dyn Error>> {
        self.now += 1500;
        for entry in self.room.decide(input, Now { wall: WallTime(self.now), steady: self.now })? {
            self.room.apply(&entry, self.now)?;
            println!("{}", entry.to_json());
        }
        Ok(())
    }

    fn sit(&mut self, name: &str, salt: u8) -> Result<PlayerId, Box<dyn Error>> {
        let token = TokenHash::of(&format!("{name}'s token"));
        let salt = Some(Salt([salt; 16]));
        self.write(Input::Sit { name: Name::new(name).ok_or("invalid name")?, token, salt, program: false })?;
        let player = self.room.seats().by_token(token).ok_or("the player did not get a seat")?.id;
        self.room.came(player, self.now);
        Ok(player)
    }

    fn play(&mut self, chance: &mut Chance) -> Result<(), Box<dyn Error>> {
        while self.room.phase() == RoomPhase::Playing {
            for seat in [Seat(0), Seat(1)] {
                let state = self.room.state(Viewer::Seat(seat), 0).ok_or("no game")?;
                let n = state.next.ok_or("no seat")?;
                let listed: Vec<Value> = serde_json::from_str(state.actions.get())?;
                // People make mistakes and change their minds now and then, but not in every other action.
                let back = |act: &Value| act["type"] == "undo" || act["type"] == "retract";
                let forward: Vec<Value> = listed.iter().filter(|act| !back(act)).cloned().collect();
                let from = if forward.is_empty() || chance.below(12) == 0 { listed } else { forward };
                if !from.is_empty() {
                    let action = from[chance.below(from.len() as u32) as usize].clone();
                    let player = self.room.seats().at(seat).ok_or("the seat is empty")?.id;
                    self.write(Input::Act { player, n, action: action.into() })?;
                }
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let now = 1_700_000_000_000;
    let options = Options::new("towers", None, None, Forced::Auto)?;
    let opened = Room::open("K7QF3M", options, Seed([1; 32]), WallTime(now));
    println!("{}", opened.to_json());
    let mut journal = WrittenRoom { room: Room::rebuild([Entry::read(&opened.to_json())?], now)?, now };
    let mut chance = Chance::new(Seed([2; 32]));

    let zoe = journal.sit("Zoë", 0x11)?;
    let ana = journal.sit("Ana", 0x22)?;
    let other_ana = journal.sit("ana", 0x33)?;
    journal.write(Input::Salt { player: ana, salt: Salt([0x44; 16]) })?;
    // The host leaves, so the next player becomes host and everyone moves up a seat.
    journal.write(Input::Leave { player: zoe, seed: Seed([3; 32]) })?;
    journal.write(Input::Start { player: ana })?;
    journal.play(&mut chance)?;

    journal.write(Input::Rematch { player: other_ana, seed: Seed([4; 32]) })?;
    journal.write(Input::Configure {
        player: ana,
        game: None,
        rules: Some(json!({"mistakes": "allowed"})),
        clock: Some(Some(60)),
        forced: Some(Forced::Ask),
        pace: None,
        starter: None,
    })?;
    // The host is away for too long, and the other player becomes host and starts.
    journal.room.went(ana, journal.now);
    journal.now += 60_000;
    journal.write(Input::Tick { seed: Seed([4; 32]) })?;
    journal.write(Input::Start { player: other_ana })?;
    journal.play(&mut chance)
}
