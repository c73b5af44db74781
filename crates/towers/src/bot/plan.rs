//! What can be built from a row: for every number of cards the best choice, including a demolition if it pays, and the
//! order of placement. The values of towers are given by `Worth`.

use super::packed::{PackedSide, Spire};
use super::worth::Worth;
use crate::card::{Card, Tower};
use arrayvec::ArrayVec;

/// One way to build from a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Gain in the side's value.
    pub gain: f32,
    /// Positions in the row of the cards to take, as a bit mask.
    pub taken: u8,
    /// Type of the tower whose top card is demolished first.
    pub demolish: Option<Tower>,
}

/// The best plan for each number of cards, or `None` if that many cannot be built.
#[derive(Debug, Clone, Copy)]
pub struct Plans([Option<Plan>; 6]);

/// One way to use the cards of one type.
struct Part {
    taken: u8,
    demolish: bool,
    gain: f32,
}

/// The longest list is for five cards of one type: every subset with and without a demolition.
type Parts = ArrayVec<Part, 64>;

impl Plans {
    pub fn new(side: &PackedSide, row: &[Card], worth: &Worth) -> Plans {
        let tallest = side.tallest();
        let mut places = [0_u8; 5];
        for (place, card) in row.iter().enumerate() {
            places[card.tower().index()] |= 1 << place;
        }
        // Dynamic programming over the types: the best plan for each number of cards, without and with a demolition.
        let mut best = [[None; 2]; 6];
        best[0][0] = Some(Plan { gain: 0.0, taken: 0, demolish: None });
        let mut most = 0;
        for tower in Tower::ALL {
            let places = places[tower.index()];
            let parts = parts(side, tower, row, places, worth, tallest);
            if parts.is_empty() {
                continue;
            }
            let mut next = best;
            for part in &parts {
                let cards = part.taken.count_ones() as usize;
                for count in 0..=most {
                    // Only one card may be demolished in a round.
                    let flags = if part.demolish { 0..1 } else { 0..2 };
                    for flag in flags {
                        let Some(plan) = &best[count][flag] else { continue };
                        let gain = plan.gain + part.gain;
                        let place = &mut next[count + cards][flag | usize::from(part.demolish)];
                        if place.is_none_or(|old: Plan| gain > old.gain) {
                            let demolish = if part.demolish { Some(tower) } else { plan.demolish };
                            *place = Some(Plan { gain, taken: plan.taken | part.taken, demolish });
                        }
                    }
                }
            }
            best = next;
            most = (most + places.count_ones() as usize).min(5);
        }
        Plans(best.map(|[plain, mended]| match (plain, mended) {
            (Some(plain), Some(mended)) if mended.gain > plain.gain => Some(mended),
            (plain, mended) => plain.or(mended),
        }))
    }

    /// Returns the best plan with `count` cards. With 0 cards it is empty, because a player who takes no card may not
    /// demolish.
    pub fn of(&self, count: u8) -> Option<Plan> {
        if count == 0 {
            return Some(Plan { gain: 0.0, taken: 0, demolish: None });
        }
        self.0.get(usize::from(count)).copied().flatten()
    }

    /// Returns the gain of the best plan with `count` cards.
    pub fn gain(&self, count: u8) -> Option<f32> {
        self.of(count).map(|plan| plan.gain)
    }
}

fn parts(side: &PackedSide, tower: Tower, row: &[Card], places: u8, worth: &Worth, tallest: u8) -> Parts {
    let mut parts = Parts::new();
    let spire = side.spires[tower.index()];
    let now = worth.spire(tower, spire, tallest);
    let below = spire.demolished().map(|below| (below, worth.demolition(side.demolished)));
    if let Some((below, cost)) = below {
        let gain = worth.spire(tower, below, tallest) - now - cost;
        parts.push(Part { taken: 0, demolish: true, gain });
    }
    let mut taken = places;
    while taken != 0 {
        if let Some((_, value)) = raise(spire, tower, row, taken, worth, tallest) {
            parts.push(Part { taken, demolish: false, gain: value - now });
        }
        if let Some((below, cost)) = below
            && let Some((_, value)) = raise(below, tower, row, taken, worth, tallest)
        {
            parts.push(Part { taken, demolish: true, gain: value - now - cost });
        }
        // Continue with the next smaller subset of `places`.
        taken = (taken - 1) & places;
    }
    parts
}

/// Returns the best tower that can be formed by placing these cards on `spire`, with its value. A depth-first search
/// over all orders is cheap because very few of them are legal.
fn raise(spire: Spire, tower: Tower, row: &[Card], taken: u8, worth: &Worth, tallest: u8) -> Option<(Spire, f32)> {
    if taken == 0 {
        return Some((spire, worth.spire(tower, spire, tallest)));
    }
    let mut best = None;
    let mut rest = taken;
    while rest != 0 {
        let place = rest.trailing_zeros();
        rest &= rest - 1;
        let value = row[place as usize].value();
        if spire.top().takes(value)
            && let Some((end, worth)) = raise(spire.with(value), tower, row, taken & !(1 << place), worth, tallest)
            && best.is_none_or(|(_, old)| worth > old)
        {
            best = Some((end, worth));
        }
    }
    best
}

/// Returns the side after carrying out a plan, or `None` if the cards do not fit.
pub fn carry_out(side: &PackedSide, row: &[Card], plan: &Plan, worth: &Worth) -> Option<PackedSide> {
    let tallest = side.tallest();
    let mut side = *side;
    if let Some(tower) = plan.demolish {
        let spire = &mut side.spires[tower.index()];
        *spire = spire.demolished()?;
        side.demolished += 1;
    }
    for tower in Tower::ALL {
        let taken = of_type(row, plan.taken, tower);
        if taken != 0 {
            let spire = &mut side.spires[tower.index()];
            *spire = raise(*spire, tower, row, taken, worth, tallest)?.0;
        }
    }
    Some(side)
}

/// Returns the card to place first in the best order, or `None` if the cards cannot all be placed.
pub fn first_card(side: &PackedSide, row: &[Card], taken: u8, worth: &Worth) -> Option<Card> {
    let tallest = side.tallest();
    let mut first = None;
    for tower in Tower::ALL {
        let taken = of_type(row, taken, tower);
        let spire = side.spires[tower.index()];
        let (end, _) = raise(spire, tower, row, taken, worth, tallest)?;
        if taken != 0 && first.is_none() {
            let value = end.card(spire.height());
            first = row.iter().copied().find(|card| card.tower() == tower && Some(card.value()) == value);
        }
    }
    first
}

/// Returns those of the positions `places` that hold a card of this type.
pub fn of_type(row: &[Card], places: u8, tower: Tower) -> u8 {
    row.iter()
        .enumerate()
        .filter(|(place, card)| places >> place & 1 == 1 && card.tower() == tower)
        .fold(0, |taken, (place, _)| taken | 1 << place)
}

/// Returns a plan for each of these choices of cards with each possible demolition, best first.
pub fn every_plan(
    side: &PackedSide,
    row: &[Card],
    takes: impl Iterator<Item = u8>,
    may_demolish: bool,
    worth: &Worth,
) -> Vec<Plan> {
    let now = worth.side(side);
    let mut plans: Vec<Plan> = Vec::new();
    for taken in takes {
        let demolitions = Tower::ALL.into_iter().filter(|_| may_demolish).map(Some);
        for demolish in [None].into_iter().chain(demolitions) {
            let plan = Plan { gain: 0.0, taken, demolish };
            if let Some(after) = carry_out(side, row, &plan, worth) {
                plans.push(Plan { gain: worth.side(&after) - now, ..plan });
            }
        }
    }
    plans.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    plans
}
