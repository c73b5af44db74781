//! Rolls, compared with a second implementation written from the contract alone.

use crate::script::play;
use game::{Chance, Game, Salt, Seed};
use qwantum::{Color, Die, Event, FACES, Qwantum, Rules};

fn seed() -> Seed {
    Seed(std::array::from_fn(|i| i as u8)).salted([Salt([0x11; 16]), Salt([0x22; 16])])
}

fn word(die: &Die) -> String {
    let color = match die.color {
        Color::White => "",
        Color::Violet => "V",
        Color::Blue => "B",
        Color::Red => "R",
        Color::Yellow => "Y",
    };
    format!("{color}{}", die.value)
}

/// Returns who rolls first, and all rolls of three turns in which the dice `again` are rolled once more.
fn rolled(players: usize, again: &str) -> (u8, Vec<String>) {
    let (mut game, _) = Qwantum::new(&Rules {}, players, seed());
    let first = game.turn().unwrap().0;
    let mut events = Vec::new();
    for _ in 0..3 {
        let seat = game.turn().unwrap();
        events.extend(play(&mut game, &format!("{seat} roll, {seat} reroll {again}, {seat} skip")));
        for seat in 0..players {
            play(&mut game, &format!("{seat} skip"));
        }
    }
    let rolls = events.iter().filter_map(|event| match event {
        Event::Roll { dice, .. } => Some(dice.iter().map(word).collect::<Vec<_>>().join(" ")),
        _ => None,
    });
    (first, rolls.collect())
}

#[test]
fn rolls_the_reference_dice() {
    let expected = [
        "1 Y5 Y1 V3 V1 B6 V6",
        "1 Y5 Y3 V3 V1 V5 V6",
        "5 B5 R6 R3 V1 R3 R6",
        "4 B5 Y1 R3 V1 Y4 R6",
        "3 R1 V4 R3 V3 B2 Y1",
        "6 R1 R2 R3 V3 R3 Y1",
    ];
    for (players, first) in [(2, 0), (3, 0), (4, 2)] {
        let (starter, rolls) = rolled(players, "0 2 5");
        assert_eq!(starter, first, "{players} players");
        assert_eq!(rolls, expected);
    }
}

#[test]
fn the_order_of_the_chosen_dice_does_not_matter() {
    assert_eq!(rolled(3, "5 0 2"), rolled(3, "0 2 5"));
}

/// Recalculates the contract's random stream face by face, to detect errors in resuming the stream.
#[test]
fn every_roll_continues_the_stream_of_the_previous_one() {
    let mut chance = Chance::new(seed());
    let first = chance.below(4) as u8;
    let mut expected = Vec::new();
    for _ in 0..3 {
        let mut dice: Vec<Die> = FACES.iter().map(|faces| faces[chance.below(6) as usize]).collect();
        expected.push(dice.iter().map(word).collect::<Vec<_>>().join(" "));
        for die in [1, 3, 4, 6] {
            dice[die] = FACES[die][chance.below(6) as usize];
        }
        expected.push(dice.iter().map(word).collect::<Vec<_>>().join(" "));
    }
    assert_eq!(rolled(4, "6 4 1 3"), (first, expected));
}
