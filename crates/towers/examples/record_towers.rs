//! Plays a whole game of random actions and prints its record, one action per line: `cargo run -p towers --example
//! record_towers -- prevented 3 1`. The arguments are the `mistakes` option, the number of players and a number for the
//! seed.

use game::Game;
use serde_json::json;
use std::error::Error;
use towers::{Action, Rules, Towers};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [mistakes, players, number] = &args[..] else {
        return Err("usage: record_towers prevented|allowed PLAYERS NUMBER".into());
    };
    let rules: Rules = serde_json::from_value(json!({ "mistakes": mistakes }))?;
    let record = gametest::record::<Towers>(&rules, players.parse()?, number.parse()?, |game, luck| {
        let seat = game.turn().expect("the game is not over");
        let mut listed = game.legal(seat);
        // People make mistakes and change their minds now and then, but not in every other action.
        if luck.below(8) != 0 {
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
        (seat, listed[luck.below(listed.len())])
    })?;
    println!("{record}");
    Ok(())
}
