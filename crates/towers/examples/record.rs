//! Plays a whole game of random acts and prints its record, one act a line:
//! `cargo run -p towers --example record -- prevented 3 1`, for the option, the players and a number for the deal.

use game::{Game, Seed};
use serde_json::json;
use std::error::Error;
use towers::{Action, Rules, Towers};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [mistakes, players, number] = &args[..] else {
        return Err("usage: record prevented|allowed PLAYERS NUMBER".into());
    };
    let rules: Rules = serde_json::from_value(json!({ "mistakes": mistakes }))?;
    let players: usize = players.parse()?;
    if !Towers::PLAYERS.contains(&players) {
        return Err("two to five can play".into());
    }
    let number: u8 = number.parse()?;
    let seed = Seed(std::array::from_fn(|i| i as u8 ^ number));
    let (mut game, _) = Towers::new(&rules, players, seed);
    let mut dice = u64::from(number) + 1;
    let mut acts = Vec::new();
    while let Some(seat) = game.turn() {
        let mut listed = game.legal(seat);
        // People err and change their minds now and then, not every other act.
        if random(&mut dice, 8) != 0 {
            let highest = game.mine(seat).highest_bid;
            let sensible = listed.iter().copied().filter(|act| match act {
                Action::Bid { count } => *count <= highest,
                Action::Undo {} | Action::Retract {} => false,
                _ => true,
            });
            let sensible: Vec<Action> = sensible.collect();
            if !sensible.is_empty() {
                listed = sensible.into_iter().collect();
            }
        }
        let action = listed[random(&mut dice, listed.len())];
        game.apply(seat, &action)?;
        acts.push(format!("{{\"seat\":{seat},\"action\":{}}}", serde_json::to_string(&action)?));
    }
    println!("{{");
    println!("  \"rules_version\": {}, \"game\": \"{}\",", Towers::RULES_VERSION, Towers::ID);
    println!("  \"rules\": {}, \"players\": {players},", serde_json::to_string(&rules)?);
    println!("  \"seed\": {},", serde_json::to_string(&seed)?);
    println!("  \"outcome\": {},", serde_json::to_string(&game.outcome())?);
    println!("  \"acts\": [\n    {}\n  ]\n}}", acts.join(",\n    "));
    Ok(())
}

fn random(dice: &mut u64, n: usize) -> usize {
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    (*dice >> 11) as usize % n
}
