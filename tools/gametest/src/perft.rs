//! Counts of reachable positions, like chess perft: the tree of all legal actions is walked to a fixed depth.

use game::{Game, Seat};
use std::collections::HashMap;
use std::fmt::Debug;

/// How the actions of a position are found.
pub struct Perft<G: Game> {
    /// The number of players.
    pub players: fn(&G) -> usize,
    /// The actions that the game lists for a seat.
    pub listed: fn(&G, Seat) -> Vec<G::Action>,
    /// Every action that could be legal, and many that could not. Each is tried by every seat.
    pub conceivable: fn(&G) -> Vec<G::Action>,
    /// Brings an action into the form that it shares with equal ones, such as the same cards in another order.
    pub normal: fn(G::Action) -> G::Action,
    /// Depth to which actions are also found by trying.
    pub tried_depth: usize,
}

impl<G: Game + Copy + PartialEq + Debug> Perft<G>
where
    G::IllegalAction: Debug,
{
    /// Checks the number of paths and the number of distinct positions at their ends, for each depth from 1 on.
    #[track_caller]
    pub fn check(&self, game: &G, expected: &[[usize; 2]]) {
        let mut positions = vec![(*game, 1)];
        let mut counted = Vec::new();
        for depth in 1..=expected.len() {
            let walked = paths(game, depth, &|game| self.listed(game));
            positions = self.next(&positions);
            let merged: usize = positions.iter().map(|(_, paths)| paths).sum();
            assert_eq!(walked, merged, "paths of {depth} actions, walked and added up");
            if depth <= self.tried_depth {
                assert_eq!(
                    walked,
                    paths(game, depth, &|game| self.tried(game)),
                    "paths of {depth} actions, listed and accepted"
                );
            }
            counted.push([walked, positions.len()]);
        }
        assert_eq!(counted, expected, "paths and positions of each depth from {game:?}");
    }

    /// Returns the listed actions of all seats, and of one seat that does not exist.
    fn listed(&self, game: &G) -> Vec<(Seat, G::Action)> {
        let of = |seat| (self.listed)(game, seat).into_iter().map(move |action| (seat, action));
        Seat::all((self.players)(game) + 1).flat_map(of).collect()
    }

    /// Returns the actions that the game accepts, found by trying. They must be the listed ones.
    fn tried(&self, game: &G) -> Vec<(Seat, G::Action)> {
        let conceivable = (self.conceivable)(game);
        let mut accepted = Vec::new();
        for seat in Seat::all((self.players)(game) + 1) {
            for action in &conceivable {
                let mut after = *game;
                match after.apply(seat, action) {
                    Ok(_) => accepted.push((seat, action.clone())),
                    Err(refusal) => {
                        assert!(after == *game, "{action:?} was refused ({refusal:?}) and changed the game");
                    }
                }
            }
        }
        let in_order = |actions: Vec<(Seat, G::Action)>| {
            let named = |(seat, action)| format!("{seat} {:?}", (self.normal)(action));
            let mut names: Vec<String> = actions.into_iter().map(named).collect();
            names.sort();
            names
        };
        let (found, listed) = (in_order(accepted.clone()), in_order(self.listed(game)));
        assert_eq!(found, listed, "accepted and listed actions on {game:?}");
        accepted
    }

    /// Returns the distinct positions after one more action, each with the number of paths to it.
    fn next(&self, positions: &[(G, usize)]) -> Vec<(G, usize)> {
        // What is printed does not show everything, such as hidden choices, so it serves only to find candidates.
        let mut by_text: HashMap<String, Vec<(G, usize)>> = HashMap::new();
        for (game, paths) in positions {
            for (seat, action) in self.listed(game) {
                let after = after(game, seat, &action);
                let alike = by_text.entry(format!("{after:?}")).or_default();
                match alike.iter_mut().find(|(known, _)| *known == after) {
                    Some((_, count)) => *count += paths,
                    None => alike.push((after, *paths)),
                }
            }
        }
        by_text.into_values().flatten().collect()
    }
}

/// Returns the number of sequences of `depth` actions. Sequences that end the game earlier are not counted.
fn paths<G: Game + Copy>(game: &G, depth: usize, actions: &impl Fn(&G) -> Vec<(Seat, G::Action)>) -> usize
where
    G::IllegalAction: Debug,
{
    if depth == 0 {
        return 1;
    }
    let each = actions(game).into_iter();
    each.map(|(seat, action)| paths(&after(game, seat, &action), depth - 1, actions)).sum()
}

fn after<G: Game + Copy>(game: &G, seat: Seat, action: &G::Action) -> G
where
    G::IllegalAction: Debug,
{
    let mut after = *game;
    after.apply(seat, action).expect("a listed action is legal");
    after
}
