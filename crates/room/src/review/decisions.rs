//! Which acts of a game were decisions: in which there was something to choose, and which were not taken back.

use crate::By;
use crate::games::AnyGame;
use game::Seat;
use protocol::RecordedAct;

/// More decisions than this are not judged: no game has as many, unless somebody takes pains.
const MOST: usize = 2000;

/// A decision, by the places of acts in the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Before which act it was to be made: what the seat saw is the table as it lay then.
    pub seen: usize,
    /// The act by which it was made.
    pub act: usize,
}

/// What has been done since another seat acted: the table before each act, as its player saw it.
struct Steps {
    seat: Seat,
    before: Vec<(usize, String)>,
}

/// All decisions of a game, in the order in which they were to be made.
pub fn decisions(mut game: Box<dyn AnyGame>, acts: &[(RecordedAct, By)]) -> Vec<Decision> {
    let players = acts.iter().map(|(act, _)| act.seat.index() + 1).max().unwrap_or(0);
    let mut found: Vec<Decision> = Vec::new();
    let mut steps: Option<Steps> = None;
    // The choice of each seat that is not counted yet: only the last of them is.
    let mut chosen: Vec<Option<Decision>> = vec![None; players];
    for (n, (RecordedAct { seat, action, .. }, by)) in acts.iter().enumerate() {
        let seen = what_is_seen(&*game, *seat);
        let forced = *by == By::Force || game.is_forced(*seat);
        let epoch = game.epoch();
        let events = game.apply(*seat, action).expect("it was legal when it was played before");
        if events.is_empty() || chosen[seat.index()].is_some() {
            // A choice made together with others, or a change of mind about one.
            let seen = chosen[seat.index()].map_or(n, |first| first.seen);
            chosen[seat.index()] = (!forced).then_some(Decision { seen, act: n });
        } else if !forced {
            found.push(Decision { seen: n, act: n });
        }
        if game.epoch() != epoch {
            found.extend(chosen.iter_mut().filter_map(Option::take));
        }
        // A seat that comes back to a table it has seen since another acted has taken back all it did in between.
        let mut own = steps
            .take()
            .filter(|steps| steps.seat == *seat)
            .unwrap_or(Steps { seat: *seat, before: Vec::new() });
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
