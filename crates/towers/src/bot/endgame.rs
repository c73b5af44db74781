//! Exact solution of the end of a game. Once at most one row is still to come, every possible last row is played out,
//! with every player maximising their own chance (max^n). No heuristics or learned values are involved.

use super::bidding::Bid;
use super::ends::{AuctionEnd, Ends};
use super::packed::{PackedSide, Spire};
use super::plan::of_type;
use super::scene::Scene;
use super::value::{Chances, won};
use super::world::World;
use crate::Action;
use crate::card::{Card, Cards, ROOF, Tower};
use crate::side::MAX_PLAYERS;
use game::Budget;

/// Largest number of possible last rows that are all examined.
const MOST_ROWS: usize = 60;

/// Largest number of last rounds solved for one decision. More would exceed a bot's thinking time.
const MOST_SOLVED: usize = 2000;

/// Temperature of the calls: players always choose what is best for them, and break ties either way.
const EXACT: f32 = 1e-6;

/// Returns every legal action that undoes nothing, with its winning chance. `None` if the end is too far away to be
/// solved or time ran out.
pub fn judge(scene: &Scene<'_>, budget: Budget<'_>) -> Option<Vec<(Action, f32)>> {
    let rows = scene.known.last_rows(MOST_ROWS)?;
    // One try is one possible last row with all builds before it.
    budget.allows(rows.len() as u32 - 1).then_some(())?;
    let endgame = Endgame { scene, rows, budget };
    if scene.in_auction() { endgame.calls() } else { endgame.steps() }
}

struct Endgame<'a> {
    scene: &'a Scene<'a>,
    rows: Vec<Cards>,
    budget: Budget<'a>,
}

impl Endgame<'_> {
    fn world(&self) -> &World {
        &self.scene.known.world
    }

    fn row(&self) -> &Cards {
        &self.scene.known.row
    }

    /// Returns everyone's chances if this round ends with `count` cards built by `builder`. `None` once time is over.
    fn after(&self, builder: usize, count: u8, side: &PackedSide) -> Option<Chances> {
        let mut world = *self.world();
        if count > 0 {
            world.sides[builder] = *side;
            world.starter = (builder + 1) % world.players;
        }
        let mut mean = [0.0; MAX_PLAYERS];
        for row in &self.rows {
            self.budget.allows(0).then_some(())?;
            for (mean, chance) in mean.iter_mut().zip(last_round(&world, row)) {
                *mean += chance / self.rows.len() as f32;
            }
        }
        Some(mean)
    }

    fn calls(&self) -> Option<Vec<(Action, f32)>> {
        let size = self.row().len() as u8;
        let built = |seat: usize, count: u8| self.sides_with(seat, count);
        let bids = self.scene.bids(|seat, count| !built(seat, count).is_empty());
        let seat_of = |bid: Bid| self.scene.seat_at(bid.0);
        let built: Vec<Vec<PackedSide>> = bids.iter().map(|bid| built(seat_of(*bid), bid.1)).collect();
        if built.iter().map(Vec::len).sum::<usize>() * self.rows.len() > MOST_SOLVED {
            return None;
        }
        let world = self.world();
        let mut ends = Ends::new(bids.into_iter(), world.players, world.starter, size, EXACT);
        for (end, built) in ends.ends.iter_mut().zip(built) {
            let builder = seat_of(end.bid);
            let ways: Option<Vec<Chances>> = built.iter().map(|side| self.after(builder, end.bid.1, side)).collect();
            best_for(builder, &ways?, end);
        }
        let judged = self.scene.judge_calls(&ends).into_iter();
        let judged = judged.filter_map(|(call, chance)| Some((self.scene.call(call)?, chance)));
        Some(judged.collect())
    }

    /// Returns all distinct sides a player can have after building `count` cards this round.
    fn sides_with(&self, seat: usize, count: u8) -> Vec<PackedSide> {
        let side = &self.world().sides[seat];
        if count == 0 {
            return vec![*side];
        }
        let takes = (0..1_u8 << self.row().len()).filter(|taken| taken.count_ones() == u32::from(count));
        each_once(takes.flat_map(|taken| self.built(side, taken)))
    }

    /// Returns all sides that can be built from these cards, with and without a demolition first.
    fn built(&self, side: &PackedSide, taken: u8) -> impl Iterator<Item = PackedSide> {
        let demolished = Tower::ALL.into_iter().filter_map(|tower| demolish(side, tower));
        let begun: Vec<PackedSide> = std::iter::once(*side).chain(demolished).collect();
        begun.into_iter().flat_map(move |side| build(&side, self.row(), taken))
    }

    fn steps(&self) -> Option<Vec<(Action, f32)>> {
        let acts = self.scene.actions().iter();
        let ways: Vec<(Action, Vec<PackedSide>)> =
            acts.map(|act| (*act, self.ways(act))).filter(|(_, ways)| !ways.is_empty()).collect();
        let solved = ways.iter().map(|(_, ways)| ways.len()).sum::<usize>() * self.rows.len();
        if ways.is_empty() || solved > MOST_SOLVED {
            return None;
        }
        let seat = self.scene.seat;
        let judged = ways.into_iter().map(|(act, ways)| {
            // A player in the middle of a build has bid at least one card.
            let chances: Option<Vec<Chances>> = ways.iter().map(|side| self.after(seat, 1, side)).collect();
            Some((act, chances?.iter().map(|chances| chances[seat]).fold(0.0, f32::max)))
        });
        judged.collect()
    }

    /// Returns all sides the builder can end up with if `act` is the next step. Empty if it undoes something or cannot
    /// be completed.
    fn ways(&self, act: &Action) -> Vec<PackedSide> {
        let (side, hand) = (self.scene.side(), self.scene.hand());
        match act {
            Action::Take { cards } => {
                let mut taken = 0;
                for card in cards {
                    taken |= self.place(*card, !taken).map_or(0, |place| 1 << place);
                }
                each_once(self.built(side, taken))
            }
            Action::Demolish { tower } => {
                demolish(side, *tower).map(|side| build(&side, self.row(), hand)).unwrap_or_default()
            }
            Action::Build { card } => {
                let mut side = *side;
                let spire = &mut side.spires[card.tower().index()];
                *spire = spire.with(card.value());
                let rest = self.place(*card, hand).map(|place| hand & !(1 << place));
                rest.map(|rest| build(&side, self.row(), rest)).unwrap_or_default()
            }
            Action::Finish {} => vec![*side],
            Action::Bid { .. } | Action::Pass {} | Action::Undo {} | Action::Retract {} => Vec::new(),
        }
    }

    /// Returns the position of `card` in the row, among the positions in the bit mask `places`.
    fn place(&self, card: Card, places: u8) -> Option<usize> {
        (0..self.row().len()).find(|place| places >> place & 1 == 1 && self.row()[*place] == card)
    }
}

/// Records the outcome of an auction end: the builder chooses the best way to build, and ties are averaged.
fn best_for(builder: usize, ways: &[Chances], end: &mut AuctionEnd) {
    let most = ways.iter().map(|chances| chances[builder]).fold(0.0, f32::max);
    for way in ways.iter().filter(|way| way[builder] >= most - EXACT) {
        for (sum, chance) in end.sums.iter_mut().zip(way) {
            *sum += chance;
        }
        end.tries += 1;
    }
}

fn each_once(sides: impl Iterator<Item = PackedSide>) -> Vec<PackedSide> {
    let mut each = Vec::new();
    for side in sides {
        if !each.contains(&side) {
            each.push(side);
        }
    }
    each
}

fn demolish(side: &PackedSide, tower: Tower) -> Option<PackedSide> {
    let mut side = *side;
    side.spires[tower.index()] = side.spires[tower.index()].demolished()?;
    side.demolished += 1;
    Some(side)
}

/// Returns all sides that result from placing these cards in any order. Empty if they cannot all be placed.
fn build(side: &PackedSide, row: &[Card], taken: u8) -> Vec<PackedSide> {
    let mut sides = vec![*side];
    for tower in Tower::ALL {
        let taken = of_type(row, taken, tower);
        if taken == 0 {
            continue;
        }
        let mut spires = Vec::new();
        raise(side.spires[tower.index()], row, taken, &mut spires);
        let with = |side: &PackedSide, spire: Spire| {
            let mut side = *side;
            side.spires[tower.index()] = spire;
            side
        };
        sides = sides.iter().flat_map(|side| spires.iter().map(move |spire| with(side, *spire))).collect();
    }
    sides
}

/// Adds every distinct tower that these cards of its type can form.
fn raise(spire: Spire, row: &[Card], taken: u8, spires: &mut Vec<Spire>) {
    if taken == 0 && !spires.contains(&spire) {
        spires.push(spire);
    }
    for (place, card) in row.iter().enumerate() {
        if taken >> place & 1 == 1 && spire.top().takes(card.value()) {
            raise(spire.with(card.value()), row, taken & !(1 << place), spires);
        }
    }
}

/// Returns everyone's chances at the start of the last round with this row, or the final result if the row is empty.
fn last_round(world: &World, row: &Cards) -> Chances {
    let sides = &world.sides[..world.players];
    let mut scores = [i16::MIN; MAX_PLAYERS];
    for (score, side) in scores.iter_mut().zip(sides) {
        *score = side.score();
    }
    if row.is_empty() {
        return won(&scores[..world.players]);
    }
    let seat_at = |place: usize| (world.starter + place) % world.players;
    let most: Vec<[Option<i16>; 6]> = sides.iter().map(|side| most_points(side, row)).collect();
    let bids = (0..world.players).flat_map(|place| {
        // Only the starter may bid 0.
        let counts = u8::from(place > 0)..=row.len() as u8;
        counts.map(move |count| (place, count))
    });
    let bids = bids.filter(|(place, count)| most[seat_at(*place)][usize::from(*count)].is_some());
    let mut ends = Ends::new(bids, world.players, world.starter, row.len() as u8, EXACT);
    for end in &mut ends.ends {
        let builder = seat_at(end.bid.0);
        let mut scores = scores;
        // No round follows, so more points are never worse for the builder. The others only care whether the builder
        // wins.
        scores[builder] = most[builder][usize::from(end.bid.1)].unwrap_or(scores[builder]);
        (end.sums, end.tries) = (won(&scores[..world.players]), 1);
    }
    ends.solve(0, None)
}

/// Best points so far, or `None` if unreachable. Indexed by whether a card was demolished and whether a type was named
/// as the tallest tower.
type Tallest = [[Option<i16>; 2]; 2];

/// Returns the most points a side can have after building each number of cards of the row, or `None` if it cannot build
/// that many.
fn most_points(side: &PackedSide, row: &[Card]) -> [Option<i16>; 6] {
    // Dynamic programming over the types. The state is whether a card was demolished and whether one of the types has
    // been named as the tallest tower. Naming a tower that is not the tallest never scores more, so the maximum is
    // correct.
    let mut best: [Tallest; 6] = Default::default();
    best[0][0][0] = Some(0);
    for tower in Tower::ALL {
        let spire = side.spires[tower.index()];
        let places = of_type(row, 0b11111, tower);
        let mut next: [Tallest; 6] = Default::default();
        for (demolished, spire) in [Some(spire), spire.demolished()].into_iter().enumerate() {
            let Some(spire) = spire else { continue };
            let mut taken = places;
            loop {
                if fits(spire, row, taken) {
                    let roof = (0..row.len()).any(|place| taken >> place & 1 == 1 && row[place].value() == ROOF);
                    let count = taken.count_ones() as usize;
                    let height = i16::from(spire.height()) + count as i16;
                    let points = if roof || spire.roofed() { 2 * height } else { height };
                    add_part(&best, &mut next, count, demolished, [points, points + height]);
                }
                if taken == 0 {
                    break;
                }
                // Continue with the next smaller subset of `places`.
                taken = (taken - 1) & places;
            }
        }
        best = next;
    }
    let cost = |demolished: u8| i16::from(demolished) * (i16::from(demolished) + 1) / 2;
    let costs = [cost(side.demolished), cost(side.demolished + 1)];
    let mut most = best.map(|ways| {
        let scores = ways.iter().zip(costs).filter_map(|(way, cost)| way[1].map(|points| points - cost));
        scores.max()
    });
    // A player who takes no card may not demolish.
    most[0] = Some(side.score());
    most
}

/// Extends every combination so far by one more type with `count` cards. `points` are that tower's points without and
/// with being named as the tallest.
fn add_part(best: &[Tallest; 6], next: &mut [Tallest; 6], count: usize, demolished: usize, points: [i16; 2]) {
    for before in 0..6 - count {
        for already in 0..2 - demolished {
            for named in 0..2 {
                let Some(sum) = best[before][already][named] else { continue };
                for naming in 0..2 - named {
                    let place = &mut next[before + count][already + demolished][named + naming];
                    *place = (*place).max(Some(sum + points[naming]));
                }
            }
        }
    }
}

/// Returns whether these cards can be placed on this tower in some order.
fn fits(spire: Spire, row: &[Card], taken: u8) -> bool {
    let mut places = (0..row.len()).filter(|place| taken >> place & 1 == 1);
    taken == 0
        || places.any(|place| {
            let value = row[place].value();
            spire.top().takes(value) && fits(spire.with(value), row, taken & !(1 << place))
        })
}

#[cfg(test)]
mod tests {
    use super::super::plan::every_plan;
    use super::super::worth::{Left, POINTS, Worth};
    use super::*;
    use crate::lay;
    use game::{Game, Seat, Viewer};

    #[test]
    fn most_points_match_the_best_plan() {
        let worth = Worth::new(&POINTS, &Left::NOTHING, 0.0);
        let mut luck = gametest::luck(1);
        let mut cards: Vec<Card> = Card::all().collect();
        for _ in 0..300 {
            luck.shuffle(&mut cards);
            let (row, rest) = cards.split_at(1 + luck.below(5));
            let mut side = PackedSide { demolished: luck.below(4) as u8, ..PackedSide::EMPTY };
            for card in &rest[..luck.below(30)] {
                let spire = &mut side.spires[card.tower().index()];
                if spire.top().takes(card.value()) {
                    *spire = spire.with(card.value());
                }
            }
            let most = most_points(&side, row);
            for (count, most) in most.into_iter().enumerate().take(row.len() + 1).skip(1) {
                let takes = (0..1_u8 << row.len()).filter(|taken| taken.count_ones() as usize == count);
                let plans = every_plan(&side, row, takes, true, &worth);
                let points = plans.first().map(|best| side.score() + best.gain.round() as i16);
                assert_eq!(most, points, "{count} of {row:?} on {side:?}");
            }
        }
    }

    #[test]
    fn bids_everything_to_keep_the_roof_from_the_opponent() {
        // Seat 0 is ahead, but seat 1 would win with the roof.
        let lay = lay::table(2).deal(2).row("tree0 sand1").rest_discarded();
        let game = lay.towers(0, "candy 9 7 5 3").towers(1, "tree 9 7 5").game().unwrap();
        let view = game.view(Viewer::Seat(Seat(0)));
        let scene = Scene::new(&view, Seat(0)).unwrap();
        let judged = judge(&scene, Budget::tries(1)).unwrap();
        let bid = |count| Action::Bid { count };
        assert_eq!(judged, [(bid(0), 0.0), (bid(1), 0.0), (bid(2), 1.0)]);
        assert_eq!(judge(&scene, Budget::until(1, &|| true)), None, "no result without time");
    }
}
