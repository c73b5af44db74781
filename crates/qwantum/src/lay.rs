//! Builds arbitrary positions for tests, tutorials and searches: `lay::table(3).rows(0, "violet 3 10, red 5").dice("3
//! Y5 …").game()?`. Sheets that no game could produce are refused. How a game would get there is not checked.

use crate::dice::{Color, Dice, Die, FACES, HIGHEST};
use crate::sheet::{MOST_MISSES, Row, Sheet};
use crate::{IllegalAction, Qwantum};
use game::{Game, Seat, Seed};

/// Why a position is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Impossible {
    /// Unsupported number of players.
    #[error("Qwantum does not support {0} players")]
    Players(usize),
    /// A seat that does not exist.
    #[error("there is no seat {0}")]
    NoSuchSeat(usize),
    /// A text that does not name a row and numbers.
    #[error("{0:?} is not a row")]
    NotARow(String),
    /// A number that the rules do not allow at its position.
    #[error("{number} cannot be entered in {row:?}: {why}")]
    Number {
        /// The number.
        number: u8,
        /// The row.
        row: Row,
        /// Why the rules refuse it.
        why: IllegalAction,
    },
    /// A full sheet or too many misses: the game would be over.
    #[error("the game is over with this sheet")]
    Over,
    /// A text that does not name one face of each of the seven dice.
    #[error("{0:?} is not a possible roll")]
    Dice(String),
}

/// A position to be built.
#[derive(Debug, Clone)]
#[must_use]
pub struct Lay {
    players: usize,
    seed: Seed,
    active: usize,
    round: u8,
    dice: Option<String>,
    rows: Vec<(usize, String)>,
    misses: Vec<(usize, u8)>,
}

/// Starts a position for `players` with empty sheets, in which seat 0 is about to make the first roll.
pub fn table(players: usize) -> Lay {
    Lay { players, seed: Seed([0; 32]), active: 0, round: 1, dice: None, rows: Vec::new(), misses: Vec::new() }
}

impl Lay {
    /// Sets the seed of all future rolls.
    pub fn seed(self, seed: Seed) -> Lay {
        Lay { seed, ..self }
    }

    /// Sets the active player. Seat 0 was active first.
    pub fn active(self, seat: usize) -> Lay {
        Lay { active: seat, ..self }
    }

    /// Sets the round's number.
    pub fn round(self, round: u8) -> Lay {
        Lay { round, ..self }
    }

    /// Sets the first roll of the turn, in the order of the dice: `"3 Y5 B5 V3 B2 R3 B3"`.
    pub fn dice(self, dice: &str) -> Lay {
        Lay { dice: Some(dice.to_owned()), ..self }
    }

    /// Adds numbers to a player's rows: `"violet 3 10, red 5"`.
    pub fn rows(mut self, seat: usize, rows: &str) -> Lay {
        self.rows.push((seat, rows.to_owned()));
        self
    }

    /// Sets a player's misses.
    pub fn misses(mut self, seat: usize, misses: u8) -> Lay {
        self.misses.push((seat, misses));
        self
    }

    /// Returns the game, in the active player's step A.
    pub fn game(&self) -> Result<Qwantum, Impossible> {
        if !Qwantum::PLAYERS.contains(&self.players) {
            return Err(Impossible::Players(self.players));
        }
        let mut game = Qwantum::bare(self.players, self.seed);
        game.first = Seat(0);
        game.active = self.seat(self.active)?;
        game.round = self.round;
        for (seat, text) in &self.rows {
            lay_rows(text, &mut game.sheets[self.seat(*seat)?.index()])?;
        }
        for (seat, misses) in &self.misses {
            game.sheets[self.seat(*seat)?.index()].misses = *misses;
        }
        if game.sheets.iter().any(|sheet| sheet.is_full() || sheet.misses >= MOST_MISSES) {
            return Err(Impossible::Over);
        }
        if let Some(text) = &self.dice {
            game.dice = dice(text).ok_or_else(|| Impossible::Dice(text.clone()))?;
            game.rolls = 1;
        }
        Ok(game)
    }

    fn seat(&self, seat: usize) -> Result<Seat, Impossible> {
        if seat < self.players { Ok(Seat::from(seat)) } else { Err(Impossible::NoSuchSeat(seat)) }
    }
}

fn lay_rows(text: &str, sheet: &mut Sheet) -> Result<(), Impossible> {
    for part in text.split(',') {
        let wrong = || Impossible::NotARow(part.trim().to_owned());
        let mut words = part.split_whitespace();
        let name = words.next().ok_or_else(wrong)?;
        let row = Row::ALL.into_iter().find(|row| row.name() == name).ok_or_else(wrong)?;
        for word in words {
            let number: u8 = word.parse().map_err(|_| wrong())?;
            if !(1..=HIGHEST).contains(&number) {
                return Err(wrong());
            }
            sheet.row(row).check(number).map_err(|why| Impossible::Number { number, row, why })?;
            sheet.enter(row, number);
        }
    }
    Ok(())
}

fn dice(text: &str) -> Option<Dice> {
    let mut dice = Dice::UNROLLED;
    let mut words = text.split_whitespace();
    for (die, faces) in FACES.iter().enumerate() {
        let shown = face(words.next()?)?;
        dice.turn(die, faces.iter().position(|face| *face == shown)? as u8);
    }
    words.next().is_none().then_some(dice)
}

/// Parses a face: `"Y5"` is a yellow 5 and `"3"` a white 3.
fn face(word: &str) -> Option<Die> {
    let (color, value) = match word.split_at_checked(1)? {
        ("V", value) => (Color::Violet, value),
        ("B", value) => (Color::Blue, value),
        ("R", value) => (Color::Red, value),
        ("Y", value) => (Color::Yellow, value),
        _ => (Color::White, word),
    };
    Some(Die { color, value: value.parse().ok()? })
}
