//! Redaction: hidden information must not affect what a viewer is shown.

use game::{Game, Seat, Viewer};
use std::fmt::Debug;

/// Returns a view as it is sent to a client.
pub fn shown<G: Game>(game: &G, viewer: Viewer) -> String {
    serde_json::to_string(&game.view(viewer)).expect("a view has a JSON form")
}

/// Returns all viewers of a table with `players` seats.
pub fn viewers(players: usize) -> impl Iterator<Item = Viewer> {
    Seat::all(players).map(Viewer::Seat).chain([Viewer::Watcher])
}

/// Checks that only `owners` see a difference between two games, and that the debug output shows none.
#[track_caller]
pub fn differ_only_for<G: Game + Debug>(one: &G, two: &G, players: usize, owners: &[Seat]) {
    for viewer in viewers(players) {
        let owner = viewer.seat().is_some_and(|seat| owners.contains(&seat));
        assert_eq!(shown(one, viewer) != shown(two, viewer), owner, "{viewer:?}\n{}", shown(one, viewer));
    }
    assert_eq!(format!("{one:?}"), format!("{two:?}"), "the debug output differs");
}
