//! How much there is to see in each event (`Game::sight`), which determines the pauses of bots.

use crate::script::play;
use game::{Game, Seed, Sight};
use qwantum::{Qwantum, Rules};

/// Returns the largest sight of the action's events, or `None` if it has none.
fn sight(game: &mut Qwantum, act: &str) -> Option<Sight> {
    play(game, act).iter().map(|event| game.sight(event)).max()
}

#[test]
fn revealed_entries_take_longer_to_see_than_a_roll() {
    let (mut game, _) = Qwantum::new(&Rules {}, 2, Seed([4; 32]));
    let active = game.turn().unwrap().0;
    let other = 1 - active;
    assert_eq!(sight(&mut game, &format!("{active} roll")), Some(Sight::Plain));
    assert_eq!(sight(&mut game.clone(), &format!("{active} reroll 0 1")), Some(Sight::Plain));
    assert_eq!(sight(&mut game, &format!("{active} keep")), Some(Sight::Step));
    assert_eq!(sight(&mut game, &format!("{active} enter red")), Some(Sight::Little));
    assert_eq!(sight(&mut game, &format!("{active} skip")), None, "a hidden choice");
    assert_eq!(sight(&mut game, &format!("{other} skip")), Some(Sight::Striking), "all choices are revealed");
}
