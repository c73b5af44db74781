//! How much there is to see in each event (`Game::sight`), which determines the pauses of bots.

use crate::script::play;
use game::{Game, Sight};
use towers::{Towers, lay};

/// Returns the largest sight of these actions' events.
fn sight(game: &mut Towers, acts: &str) -> Sight {
    let events = play(game, acts);
    events.iter().map(|event| game.sight(event)).max().expect("every action has an event")
}

fn table() -> Towers {
    lay::table(3).towers(1, "sand 6").row("sand7 candy1 spooky1 tree0 scrap1").game().unwrap()
}

#[test]
fn a_bid_takes_longer_to_see_than_a_pass() {
    let mut game = table();
    assert_eq!(sight(&mut game, "0 bid 1"), Sight::Plain);
    assert_eq!(sight(&mut game, "1 bid 2"), Sight::Plain);
    assert_eq!(sight(&mut game, "2 pass"), Sight::Little);
}

#[test]
fn a_jump_and_a_high_opening_bid_are_striking() {
    assert_eq!(sight(&mut table(), "0 bid 3"), Sight::Plain);
    assert_eq!(sight(&mut table(), "0 bid 4"), Sight::Striking);
    let mut game = table();
    assert_eq!(sight(&mut game, "0 bid 0"), Sight::Plain);
    assert_eq!(sight(&mut game, "1 bid 2"), Sight::Striking);
    assert_eq!(sight(&mut game, "2 bid 3"), Sight::Plain);
    let mut game = table();
    play(&mut game, "0 bid 1, 1 pass");
    assert_eq!(sight(&mut game, "2 bid 3"), Sight::Striking, "a pass in between changes nothing");
}

#[test]
fn only_demolitions_and_roofs_interrupt_a_build() {
    let mut game = table();
    play(&mut game, "0 bid 0, 1 bid 3, 2 pass");
    assert_eq!(sight(&mut game, "1 take sand7 candy1 tree0"), Sight::Plain);
    assert_eq!(sight(&mut game, "1 demolish sand"), Sight::Striking);
    assert_eq!(sight(&mut game, "1 build sand7"), Sight::Step);
    assert_eq!(sight(&mut game, "1 build candy1"), Sight::Step);
    assert_eq!(sight(&mut game, "1 build tree0"), Sight::Striking);
    assert_eq!(sight(&mut game, "1 finish"), Sight::Plain, "the next row is shown");
}
