//! The seven dice: their faces, rolling, and the totals of the colours. Who may roll them and how often is defined in
//! `turn`.

use crate::Row;
use game::Chance;
use serde::Serialize;

/// Number of dice: the white one, which is die 0, and six coloured ones.
pub const DICE: usize = 7;

/// The highest possible total of a colour.
pub const HIGHEST: u8 = 33;

/// The upper face of a die.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Die {
    /// Colour of the face.
    pub color: Color,
    /// Number on the face.
    pub value: u8,
}

/// A colour of a face: that of a row, or white.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Color {
    White,
    Violet,
    Blue,
    Red,
    Yellow,
}

impl Color {
    /// Returns the row this colour counts for, or `None` for white, which counts for every row.
    pub const fn row(self) -> Option<Row> {
        match self {
            Color::White => None,
            Color::Violet => Some(Row::Violet),
            Color::Blue => Some(Row::Blue),
            Color::Red => Some(Row::Red),
            Color::Yellow => Some(Row::Yellow),
        }
    }
}

const fn r(value: u8) -> Die {
    Die { color: Color::Red, value }
}

const fn y(value: u8) -> Die {
    Die { color: Color::Yellow, value }
}

const fn b(value: u8) -> Die {
    Die { color: Color::Blue, value }
}

const fn v(value: u8) -> Die {
    Die { color: Color::Violet, value }
}

const fn w(value: u8) -> Die {
    Die { color: Color::White, value }
}

/// The faces of every die, in the order of the random numbers that select them.
pub const FACES: [[Die; 6]; DICE] = [
    [w(1), w(2), w(3), w(4), w(5), w(6)],
    [r(1), r(4), y(5), b(1), b(5), v(6)],
    [r(2), r(6), y(1), y(3), b(5), v(4)],
    [r(1), r(3), y(2), y(4), b(4), v(3)],
    [r(5), y(6), b(2), b(4), v(1), v(3)],
    [r(3), y(4), b(2), b(6), v(2), v(5)],
    [r(6), y(1), y(5), b(3), v(2), v(6)],
];

/// A set of the seven dice, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chosen(u8);

impl Chosen {
    /// No dice.
    pub const NONE: Chosen = Chosen(0);
    /// All seven dice.
    pub const ALL: Chosen = Chosen((1 << DICE) - 1);

    /// Returns every nonempty choice of dice.
    pub fn every() -> impl Iterator<Item = Chosen> {
        (1..=Chosen::ALL.0).map(Chosen)
    }

    pub const fn has(self, die: usize) -> bool {
        self.0 >> die & 1 == 1
    }

    #[must_use]
    pub const fn with(self, die: usize) -> Chosen {
        Chosen(self.0 | 1 << die)
    }

    /// Returns the dice in ascending order.
    pub fn dice(self) -> impl Iterator<Item = usize> {
        (0..DICE).filter(move |die| self.has(*die))
    }
}

/// Seven rolled dice, each as the index of the face that is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dice([u8; DICE]);

impl Dice {
    /// Dice before the first roll.
    pub const UNROLLED: Dice = Dice([0; DICE]);

    /// Rolls the chosen dice, in ascending order.
    pub fn roll(&mut self, chosen: Chosen, chance: &mut Chance) {
        for die in chosen.dice() {
            self.turn(die, chance.below(6) as u8);
        }
    }

    /// Turns a die to this face.
    pub fn turn(&mut self, die: usize, face: u8) {
        self.0[die] = face;
    }

    /// Returns what every die shows.
    pub fn shown(&self) -> [Die; DICE] {
        std::array::from_fn(|die| FACES[die][usize::from(self.0[die])])
    }

    /// Returns the total of every row's colour: the sum of its dice plus the white die.
    pub fn totals(&self) -> [u8; 4] {
        totals(&self.shown())
    }
}

/// Returns the total of every row's colour for these dice.
pub fn totals(shown: &[Die; DICE]) -> [u8; 4] {
    let mut totals = [shown[0].value; 4];
    for die in &shown[1..] {
        if let Some(row) = die.color.row() {
            totals[row.index()] += die.value;
        }
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Seed;

    const PROTOCOL: &str = include_str!("../../../docs/protocol.md");

    fn short(die: &Die) -> String {
        format!("{}{}", ["W", "V", "B", "R", "Y"][die.color as usize], die.value)
    }

    #[test]
    fn the_documentation_lists_the_faces_of_every_die_in_order() {
        for (die, faces) in FACES.iter().enumerate() {
            let row = format!("| {die} | {} |", faces.iter().map(short).collect::<Vec<_>>().join(" | "));
            assert!(PROTOCOL.contains(&row), "{row}");
        }
    }

    #[test]
    fn the_documented_example_roll_is_correct() {
        let mut chance = Chance::new(Seed(std::array::from_fn(|i| i as u8)));
        assert_eq!(chance.below(2), 1, "the first player");
        let mut dice = Dice::UNROLLED;
        dice.roll(Chosen::ALL, &mut chance);
        let drawn = dice.0.map(|face| face.to_string()).join(", ");
        let shown = dice.shown().each_ref().map(short).join(" ");
        let example = format!("`below(6)` are {drawn}: the first roll is {shown}.");
        assert!(PROTOCOL.contains(&example), "{example}");
    }

    #[test]
    fn every_coloured_die_has_every_colour() {
        for faces in &FACES[1..] {
            for row in Row::ALL {
                assert!(faces.iter().any(|face| face.color.row() == Some(row)), "{faces:?}");
            }
            assert!(faces.iter().all(|face| (1..=6).contains(&face.value) && face.color != Color::White));
        }
    }

    #[test]
    fn the_highest_total_of_every_colour_is_the_same() {
        for row in Row::ALL {
            let most = |faces: &[Die; 6]| {
                faces.iter().filter(|face| face.color.row() == Some(row)).map(|face| face.value).max()
            };
            let sum: u8 = FACES[1..].iter().filter_map(most).sum();
            assert_eq!(6 + sum, HIGHEST, "{row:?}");
        }
    }
}
