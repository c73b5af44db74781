//! The law of redaction: what a viewer may not see makes no difference to what they are shown.

use game::{Game, Seat, Viewer};
use std::fmt::Debug;

/// A view as it goes over the wire.
pub fn shown<G: Game>(game: &G, viewer: Viewer) -> String {
    serde_json::to_string(&game.view(viewer)).expect("a view has a JSON form")
}

/// Everybody who may look on at a table of `players`.
pub fn viewers(players: usize) -> impl Iterator<Item = Viewer> {
    Seat::all(players).map(Viewer::Seat).chain([Viewer::Watcher])
}

/// `owners`, and nobody else at a table of `players`, see a difference between two games; nor does a log show one.
#[track_caller]
pub fn differ_only_for<G: Game + Debug>(one: &G, two: &G, players: usize, owners: &[Seat]) {
    for viewer in viewers(players) {
        let owner = viewer.seat().is_some_and(|seat| owners.contains(&seat));
        assert_eq!(shown(one, viewer) != shown(two, viewer), owner, "{viewer:?}\n{}", shown(one, viewer));
    }
    assert_eq!(format!("{one:?}"), format!("{two:?}"), "nor does a log");
}
