//! Plays a whole game of random acts and prints its record, one act a line:
//! `cargo run -p qwantum --example record -- 3 1`, for the players and a number for the rolls.

use game::{Game, Seat, Seed};
use qwantum::{Action, DICE, Qwantum, Rules};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [players, number] = &args[..] else {
        return Err("usage: record PLAYERS NUMBER".into());
    };
    let players: usize = players.parse()?;
    if !Qwantum::PLAYERS.contains(&players) {
        return Err("two to four can play".into());
    }
    let number: u8 = number.parse()?;
    let seed = Seed(std::array::from_fn(|i| i as u8 ^ number));
    let (mut game, _) = Qwantum::new(&Rules {}, players, seed);
    let mut luck = u64::from(number) + 1;
    let mut acts = Vec::new();
    loop {
        let asked = game.asked();
        if asked.is_empty() {
            break;
        }
        // Now and then somebody who has chosen changes their mind.
        let seat = match random(&mut luck, 8) {
            0 => Seat::from(random(&mut luck, players)),
            _ => asked[random(&mut luck, asked.len())],
        };
        let mut listed = game.legal(seat);
        if listed.len() > 1 && random(&mut luck, 4) != 0 {
            // People enter what they can more often than not.
            listed.retain(|act| *act != Action::Skip {});
        }
        if listed.is_empty() {
            continue;
        }
        let mut action = listed.swap_remove(random(&mut luck, listed.len()));
        if let Action::Reroll { dice } = &mut action {
            let some = 1 + random(&mut luck, DICE);
            while dice.len() > some {
                dice.swap_remove(random(&mut luck, dice.len()));
            }
        }
        game.apply(seat, &action)?;
        acts.push(format!("{{\"seat\":{seat},\"action\":{}}}", serde_json::to_string(&action)?));
    }
    println!("{{");
    println!("  \"rules_version\": {}, \"game\": \"{}\",", Qwantum::RULES_VERSION, Qwantum::ID);
    println!("  \"rules\": {{}}, \"players\": {players},");
    println!("  \"seed\": {},", serde_json::to_string(&seed)?);
    println!("  \"outcome\": {},", serde_json::to_string(&game.outcome())?);
    println!("  \"acts\": [\n    {}\n  ]\n}}", acts.join(",\n    "));
    Ok(())
}

fn random(luck: &mut u64, n: usize) -> usize {
    *luck ^= *luck << 13;
    *luck ^= *luck >> 7;
    *luck ^= *luck << 17;
    (*luck >> 11) as usize % n
}
