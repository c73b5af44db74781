//! One-ply search: everyone's chance of winning at the end of a turn, once all players have answered. Each player is
//! assumed to make the entry that leaves their own sheet strongest, or to end the game if that is better for them.

use super::value::{InputContext, inputs};
use super::world::World;
use crate::MAX_PLAYERS;
use crate::dice::HIGHEST;
use crate::score::Score;
use crate::sheet::{CELLS, MOST_MISSES, Row, Sheet};
use game::net::{Net, softmax};

/// Every player's chance of winning.
pub type Chances = [f32; MAX_PLAYERS];

/// What each player enters in step C.
pub type Choices = [Option<Row>; MAX_PLAYERS];

/// Number of possible totals, including 0.
const TOTALS: usize = HIGHEST as usize + 1;
/// Number of ways to enter at most one total, and to enter two.
const SINGLES: usize = 2 + 4 * TOTALS;
const PAIRS: usize = 6 * TOTALS * TOTALS;
/// Number of possible clock changes in a turn: the fullest sheet gains zero, one or two cells.
const CLOCKS: usize = 3;

/// One turn with many possible courses, and the strength of the sheets after each. Strengths are memoised, because
/// different rolls have many totals in common.
pub struct Foresight<'a> {
    world: World,
    net: Net<'a>,
    left: [usize; MAX_PLAYERS],
    clock: usize,
    /// Whether the sheet already contains the active player's entry of step B.
    entered: bool,
    strengths: [Vec<f32>; MAX_PLAYERS],
}

impl<'a> Foresight<'a> {
    /// Creates the search for a turn. `entered` says whether the active player has already entered something in step B.
    pub fn new(world: &World, entered: bool, net: Net<'a>) -> Foresight<'a> {
        let mut left = [4 * CELLS; MAX_PLAYERS];
        for (left, sheet) in left.iter_mut().zip(&world.sheets) {
            *left -= sheet.rows.iter().map(|row| row.filled()).sum::<usize>();
        }
        let strengths = std::array::from_fn(|seat| {
            let ways = if seat == world.active { SINGLES + PAIRS } else { SINGLES };
            if seat < world.players { vec![f32::NAN; CLOCKS * ways] } else { Vec::new() }
        });
        Foresight { world: *world, net, left, clock: world.cells(), entered, strengths }
    }

    fn is_active(&self, seat: usize) -> bool {
        seat == self.world.active
    }

    /// Returns the entries a seat makes in the whole turn.
    fn entries(&self, seat: usize, used: Option<Row>, choice: Option<Row>) -> [Option<Row>; 2] {
        [used.filter(|_| self.is_active(seat) && !self.entered), choice]
    }

    /// Returns the number of cells a seat has left afterwards. At 0 the game ends.
    fn left_after(&self, seat: usize, entries: [Option<Row>; 2]) -> usize {
        self.left[seat] - entries.iter().flatten().count()
    }

    /// Returns whether a miss is marked for these entries. Only the active player can miss.
    fn misses(&self, seat: usize, entries: [Option<Row>; 2]) -> bool {
        self.is_active(seat) && entries == [None, None] && !self.entered
    }

    fn ends(&self, seat: usize, entries: [Option<Row>; 2]) -> bool {
        self.left_after(seat, entries) == 0
            || (self.misses(seat, entries) && self.world.sheets[seat].misses + 1 >= MOST_MISSES)
    }

    fn sheet_after(&self, seat: usize, entries: [Option<Row>; 2], totals: &[u8; 4]) -> Sheet {
        let mut sheet = self.world.sheets[seat];
        for row in entries.into_iter().flatten() {
            sheet.enter(row, totals[row.index()]);
        }
        sheet.misses += u8::from(self.misses(seat, entries));
        sheet
    }

    fn strength(&mut self, seat: usize, entries: [Option<Row>; 2], totals: &[u8; 4], clock: usize) -> f32 {
        let fuller = (self.clock - clock).min(CLOCKS - 1);
        let total = |row: Row| usize::from(totals[row.index()]);
        let way = match entries {
            [None, None] => 0,
            [Some(row), None] | [None, Some(row)] => 2 + row.index() * TOTALS + total(row),
            [Some(one), Some(two)] => {
                let (one, two) = if one < two { (one, two) } else { (two, one) };
                // The pairs are numbered 0 to 5: those whose lower row is 0 come first (0 to 2), then 1 (3 and 4), then
                // 2 (5).
                let pair = [0, 2, 3][one.index()] + two.index() - 1;
                SINGLES + (pair * TOTALS + total(one)) * TOTALS + total(two)
            }
        };
        let place = way * CLOCKS + fuller;
        let known = self.strengths[seat][place];
        if !known.is_nan() {
            return known;
        }
        let players = self.world.players;
        let turns = (seat + 2 * players - self.world.active - 1) % players;
        let moment = InputContext { clock: self.clock - fuller, place: turns, players };
        let strength = self.net.of(&inputs(&self.sheet_after(seat, entries, totals), moment));
        self.strengths[seat][place] = strength;
        strength
    }

    /// Returns the legal choices in step C, including entering nothing.
    fn options(&self, seat: usize, used: Option<Row>, totals: &[u8; 4]) -> impl Iterator<Item = Option<Row>> + use<> {
        let sheet = self.world.sheets[seat];
        let totals = *totals;
        let rows = Row::ALL
            .into_iter()
            .filter(move |row| used != Some(*row) && sheet.row(*row).check(totals[row.index()]).is_ok());
        [None].into_iter().chain(rows.map(Some))
    }

    /// Returns what everyone chooses in step C.
    pub fn choices(&mut self, used: Option<Row>, totals: &[u8; 4]) -> Choices {
        let mut choices = [None; MAX_PLAYERS];
        let mut ending = false;
        for (seat, chosen) in choices.iter_mut().enumerate().take(self.world.players) {
            let mut best = f32::MIN;
            for choice in self.options(seat, used, totals) {
                let entries = self.entries(seat, used, choice);
                if self.ends(seat, entries) {
                    ending = true;
                    continue;
                }
                let clock = self.clock.min(self.left_after(seat, entries));
                let strength = self.strength(seat, entries, totals, clock);
                if strength > best {
                    (best, *chosen) = (strength, choice);
                }
            }
        }
        if ending {
            self.end_what_is_won(used, totals, &mut choices);
        }
        choices
    }

    /// Lets each player end the game if that is better for them than their choice so far.
    fn end_what_is_won(&mut self, used: Option<Row>, totals: &[u8; 4], choices: &mut Choices) {
        for seat in 0..self.world.players {
            for choice in self.options(seat, used, totals) {
                if self.ends(seat, self.entries(seat, used, choice)) {
                    let mut other = *choices;
                    other[seat] = choice;
                    if self.settle(used, &other, totals)[seat] > self.settle(used, choices, totals)[seat] {
                        *choices = other;
                    }
                }
            }
        }
    }

    /// Returns everyone's chances after these choices, or the result if the game is over.
    pub fn settle(&mut self, used: Option<Row>, choices: &Choices, totals: &[u8; 4]) -> Chances {
        let players = self.world.players;
        let mut entries = [[None; 2]; MAX_PLAYERS];
        let (mut clock, mut over) = (self.clock, false);
        for seat in 0..players {
            entries[seat] = self.entries(seat, used, choices[seat]);
            clock = clock.min(self.left_after(seat, entries[seat]));
            over |= self.ends(seat, entries[seat]);
        }
        let mut chances = [0.0; MAX_PLAYERS];
        if over {
            return won(&std::array::from_fn(|seat| {
                if seat < players { Score::of(&self.sheet_after(seat, entries[seat], totals)).total } else { i16::MIN }
            }));
        }
        for seat in 0..players {
            chances[seat] = self.strength(seat, entries[seat], totals, clock);
        }
        softmax(&mut chances[..players]);
        chances
    }

    /// Returns everyone's chances at the start of the turn.
    pub fn now(&self) -> Chances {
        let World { players, active, sheets, .. } = &self.world;
        let mut chances = [0.0; MAX_PLAYERS];
        for (seat, chance) in chances.iter_mut().enumerate().take(*players) {
            let place = (seat + players - active) % players;
            *chance = self.net.of(&inputs(&sheets[seat], InputContext { clock: self.clock, place, players: *players }));
        }
        softmax(&mut chances[..*players]);
        chances
    }

    /// Returns everyone's chances if the active player enters this in step B and all players answer.
    pub fn alone(&mut self, used: Option<Row>, totals: &[u8; 4]) -> Chances {
        let active = self.world.active;
        if self.left_after(active, [used, None]) == 0 {
            // The game ends at once, without step C.
            return self.settle(used, &[None; MAX_PLAYERS], totals);
        }
        let choices = self.choices(used, totals);
        self.settle(used, &choices, totals)
    }

    /// Returns the active player's best entry in step B and their chance with it.
    pub fn best_alone(&mut self, totals: &[u8; 4]) -> (Option<Row>, f32) {
        let active = self.world.active;
        let mut best = (None, -1.0);
        for used in self.options(active, None, totals) {
            let chance = self.alone(used, totals)[active];
            if chance > best.1 {
                best = (used, chance);
            }
        }
        best
    }
}

/// Returns the result for these scores. Players who tie for the win share its chance.
fn won(scores: &[i16; MAX_PLAYERS]) -> Chances {
    let most = scores.iter().copied().max().unwrap_or_default();
    let winners = scores.iter().filter(|score| **score == most).count();
    scores.map(|score| if score == most { 1.0 / winners as f32 } else { 0.0 })
}
