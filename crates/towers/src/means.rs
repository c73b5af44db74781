//! Computes what each possible bid of an auction would mean for one seat: which cards could fulfil it. This is
//! information for players and decides nothing.

use crate::card::Tower;
use crate::list::{Item, List};
use crate::row::{Places, Row};
use crate::side::Side;
use serde::Serialize;
use std::cmp::Reverse;

/// What each bid of this auction would mean for one seat. Cards are given by their places in the row, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Means {
    /// Cards that the seat could build on its towers as they stand.
    pub fits: List<u8, 5>,
    /// Cards that the seat could build only after demolishing the top of their tower.
    pub after: List<u8, 5>,
    /// A choice of cards that fulfils each bid: for 1, 2 and so on, up to the most cards that the seat could build.
    pub bids: List<Carried, 5>,
}

/// A choice of cards that could all be built. Choices without demolition are preferred, then those with the highest
/// values, which leave the most room above them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Carried {
    /// The cards.
    pub cards: List<u8, 5>,
    /// Tower whose top must be demolished first. Omitted if there is none.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub demolish: Option<Tower>,
}

impl Item for Carried {
    const BLANK: Carried = Carried { cards: List::new(), demolish: None };
}

impl Means {
    pub(crate) fn of(side: &Side, row: &Row) -> Means {
        let mut fits = List::new();
        let mut after = List::new();
        for place in 0..row.size() {
            let card = row.sorted(1 << place);
            if side.failing(&card) == 0 {
                fits.push(place);
            } else if side.can_build(&card) {
                after.push(place);
            }
        }
        let mut bids = List::new();
        for count in 1..=row.size() {
            let buildable = row.choices(count).filter(|choice| side.can_build(&row.sorted(*choice)));
            let worth = |choice: &Places| row.at(*choice).iter().map(|card| u16::from(card.value())).sum::<u16>();
            let best = buildable.min_by_key(|choice| (side.failing(&row.sorted(*choice)) != 0, Reverse(worth(choice))));
            // A seat that cannot build this many cards cannot build more.
            let Some(choice) = best else { break };
            let failing = side.failing(&row.sorted(choice));
            bids.push(Carried {
                cards: places(choice),
                demolish: (failing != 0).then(|| Tower::ALL[failing.trailing_zeros() as usize]),
            });
        }
        Means { fits, after, bids }
    }
}

/// Converts a bit set to a list of positions.
fn places(bits: Places) -> List<u8, 5> {
    let mut list = List::new();
    for place in (0..5).filter(|place| bits >> place & 1 == 1) {
        list.push(place);
    }
    list
}
