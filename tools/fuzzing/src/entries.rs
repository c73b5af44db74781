//! Journals, one entry per line. Damaged ones must be refused, and every room that can be rebuilt must be viewable.

use crate::Tried;
use game::{Seat, Seed, Viewer};
use room::{Entry, Input, Now, Room, WallTime};

/// A time later than any entry.
const LATER: u64 = 1_900_000_000_000;

/// Reads a journal, rebuilds the room and views it.
pub fn try_one(bytes: &[u8]) -> Tried {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut taken = 0;
    for entry in lines.iter().filter_map(|line| Entry::read(line).ok()) {
        assert_eq!(Entry::read(&entry.to_json()), Ok(entry), "an entry does not round-trip");
    }
    if let Ok(entries) = Entry::read_all(0, &lines)
        && let Ok(mut room) = Room::rebuild(entries, LATER)
    {
        // Notes are stored separately and may be damaged as well. These are invalid or almost valid.
        let notes = lines.iter().map(|line| line.replacen("\"at\"", "\"n\"", 1)).collect::<Vec<_>>();
        room.recall(&[&lines[..], &notes[..]].concat());
        show(&room);
        taken = 1;
    }
    if let Ok(Some(record)) = room::last_record(&lines) {
        // A game in a damaged journal may be inconsistent. `verify` may reject it, but must not panic.
        let _ = room::verify(&record);
    }
    Tried { things: 1, taken }
}

fn show(room: &Room) {
    let view = room.view(Vec::new(), 30, LATER);
    let text = serde_json::to_string(&view).expect("a view has a JSON form");
    assert!(!text.is_empty());
    for viewer in Seat::all(view.seats.len()).map(Viewer::Seat).chain([Viewer::Watcher]) {
        let state = room.state(viewer, LATER).map(|state| serde_json::to_string(&state));
        assert!(state.is_none_or(|state| state.is_ok()));
    }
    for want in room.wants(0) {
        assert!(room.any_act(want.seat).is_some(), "a seat must act and has no act");
    }
    let now = Now { wall: WallTime(LATER), steady: LATER };
    assert!(room.decide(Input::Tick { seed: Seed([7; 32]) }, now).is_ok(), "a tick is never refused");
}
