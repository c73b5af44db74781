//! A test oracle: a second implementation of legality and scoring, written from the rules alone. It sees only public
//! information.

use game::Seat;
use qwantum::{Action, Phase, PlayerView, Row, Table};

fn rises_then_falls(numbers: &[u8]) -> bool {
    let pairs = numbers.windows(2).enumerate();
    numbers.len() <= 6 && pairs.into_iter().all(|(i, pair)| if i < 3 { pair[0] < pair[1] } else { pair[0] > pair[1] })
}

pub fn rows_are_legal(player: &PlayerView) -> bool {
    Row::ALL.into_iter().all(|row| rises_then_falls(player.rows.of(row)))
}

/// Returns all actions of a seat. A re-roll is listed once with all dice.
pub fn legal(table: &Table, seat: Seat) -> Vec<Action> {
    let active = table.turn == Some(seat);
    match table.phase {
        Phase::Roll if active && table.rolls == 0 => vec![Action::Roll {}],
        Phase::Roll if active => vec![Action::Reroll { dice: vec![0, 1, 2, 3, 4, 5, 6] }, Action::Keep {}],
        Phase::Choose if !active => Vec::new(),
        Phase::Choose | Phase::Share => {
            let rows = Row::ALL.into_iter().filter(|row| {
                let mut numbers = table.players[seat.index()].rows.of(*row).to_vec();
                numbers.push(total(table, *row));
                table.used != Some(*row) && rises_then_falls(&numbers)
            });
            rows.map(|row| Action::Enter { row }).chain([Action::Skip {}]).collect()
        }
        _ => Vec::new(),
    }
}

fn total(table: &Table, row: Row) -> u8 {
    let dice = table.dice.expect("the dice are rolled");
    let same = dice.iter().filter(|die| format!("{:?}", die.color) == format!("{row:?}"));
    dice[0].value + same.map(|die| die.value).sum::<u8>()
}

pub fn score(player: &PlayerView) -> i16 {
    let mut sum = 0;
    for column in 0..6 {
        let mut numbers: Vec<u8> =
            Row::ALL.iter().filter_map(|row| player.rows.of(*row).get(column)).copied().collect();
        if numbers.len() == 4 {
            numbers.sort_unstable();
            numbers.dedup();
            sum += i16::from(*numbers.get(1).unwrap_or(&numbers[0]));
        }
    }
    sum - (1..=i16::from(player.misses)).sum::<i16>()
}

/// Returns whether the game must be over with these sheets.
pub fn is_over(table: &Table) -> bool {
    let full = |player: &PlayerView| Row::ALL.into_iter().all(|row| player.rows.of(row).len() == 6);
    table.players.iter().any(|player| full(player) || player.misses == 5)
}
