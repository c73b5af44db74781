//! Plays a whole game of random actions and prints its record, one action per line: `cargo run -p qwantum --example
//! record_qwantum -- 3 1`. The arguments are the number of players and a number for the seed.

use game::{Game, Seat};
use qwantum::{Action, DICE, Qwantum, Rules};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [players, number] = &args[..] else {
        return Err("usage: record_qwantum PLAYERS NUMBER".into());
    };
    let record = gametest::record::<Qwantum>(&Rules {}, players.parse()?, number.parse()?, |game, luck| {
        let asked = game.asked();
        // Now and then a player who has chosen changes their mind.
        let other = Seat::from(luck.below(game.players()));
        let changes = luck.below(8) == 0 && !game.legal(other).is_empty();
        let seat = if changes { other } else { asked[luck.below(asked.len())] };
        let mut listed = game.legal(seat);
        if listed.len() > 1 && luck.below(4) != 0 {
            // People usually enter something if they can.
            listed.retain(|act| *act != Action::Skip {});
        }
        let mut action = listed.swap_remove(luck.below(listed.len()));
        if let Action::Reroll { dice } = &mut action {
            let some = 1 + luck.below(DICE);
            while dice.len() > some {
                dice.swap_remove(luck.below(dice.len()));
            }
        }
        (seat, action)
    })?;
    println!("{record}");
    Ok(())
}
