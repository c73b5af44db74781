//! Finds the decisions of a game: actions with an alternative that were not undone.

use crate::By;
use crate::games::AnyGame;
use game::Seat;
use protocol::RecordedAct;

/// Maximum number of decisions to evaluate. No game has as many unless a player provokes it.
const MOST: usize = 2000;

/// A decision, given by indices of actions in the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Index of the action before which the decision was pending. The seat decided from the table at that point.
    pub seen: usize,
    /// Index of the action that made the decision.
    pub act: usize,
}

/// A seat's actions since another seat acted: for each, the table its player saw before it.
struct Steps {
    seat: Seat,
    before: Vec<(usize, String)>,
}

/// Returns all decisions of a game, in the order in which they were pending.
pub fn decisions(mut game: Box<dyn AnyGame>, acts: &[(RecordedAct, By)]) -> Vec<Decision> {
    let players = acts.iter().map(|(act, _)| act.seat.index() + 1).max().unwrap_or(0);
    let mut found: Vec<Decision> = Vec::new();
    let mut steps: Option<Steps> = None;
    // Each seat's choice that has not been evaluated yet. Only the last one counts.
    let mut chosen: Vec<Option<Decision>> = vec![None; players];
    for (n, (RecordedAct { seat, action, .. }, by)) in acts.iter().enumerate() {
        let seen = what_is_seen(&*game, *seat);
        let forced = *by == By::Force || game.is_forced(*seat);
        let epoch = game.epoch();
        let events = game.apply(*seat, action).expect("recorded actions are legal");
        if events.is_empty() || chosen[seat.index()].is_some() {
            // A simultaneous choice, or a change of one.
            let seen = chosen[seat.index()].map_or(n, |first| first.seen);
            chosen[seat.index()] = (!forced).then_some(Decision { seen, act: n });
        } else if !forced {
            found.push(Decision { seen: n, act: n });
        }
        if game.epoch() != epoch {
            found.extend(chosen.iter_mut().filter_map(Option::take));
        }
        // A seat that returns to a table it has already seen since another seat acted has undone everything in between.
        let mut own =
            steps.take().filter(|steps| steps.seat == *seat).unwrap_or(Steps { seat: *seat, before: Vec::new() });
        own.before.push((n, seen));
        let now = what_is_seen(&*game, *seat);
        if let Some(place) = own.before.iter().position(|(_, before)| *before == now) {
            let from = own.before[place].0;
            found.retain(|decision| decision.act < from);
            own.before.truncate(place);
        }
        steps = Some(own);
    }
    found.sort_by_key(|decision| (decision.seen, decision.act));
    found.truncate(MOST);
    found
}

fn what_is_seen(game: &dyn AnyGame, seat: Seat) -> String {
    format!("{}{}", game.table().get(), game.mine(seat).get())
}
