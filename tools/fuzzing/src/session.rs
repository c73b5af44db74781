//! Whole sessions without sockets: any client sends any messages in any order, connections break, and time passes.

use crate::Tried;
use crate::forge::{FRIENDS, Source, message};
use crate::table::{FuzzTable, PEOPLE};
use serde_json::json;

/// Number of messages between checks of the invariants. They are always checked at the end.
const CHECK_EVERY: u64 = 64;
/// Maximum number of messages in a session.
const MOST: u64 = 1500;

/// Plays the session that these bytes determine.
pub fn try_one(bytes: &[u8]) -> Tried {
    let mut source = Source::new(bytes);
    let mut table = FuzzTable::open(room::GAMES[source.below(room::GAMES.len())].id);
    let mut tried = Tried::default();
    // Most sessions begin with seated players and a started game, because few would reach a game otherwise.
    let people = [0, 2, 3, 4][source.below(4)];
    for (who, name) in FRIENDS.into_iter().enumerate().take(people) {
        table.hear(who, &json!({"type": "join", "name": name}).to_string());
    }
    if !source.once_in(4) {
        table.hear(0, r#"{"type":"start"}"#);
    }
    while !source.is_empty() && tried.things < MOST {
        match source.below(32) {
            0 => table.breaks(source.below(PEOPLE)),
            1 => table.passes([1000, 20_000, 61_000][source.below(3)], source.once_in(8)),
            // Players mostly take a legal action when asked, so that games make progress.
            2..10 => {
                let acts = source.below(24);
                for turn in 0..acts {
                    let Some(who) = table.asked() else { break };
                    let told = table.told(who);
                    let act = &told.acts[(turn * 7 + acts) % told.acts.len()];
                    let text = format!(r#"{{"type":"act","n":{},"action":{act}}}"#, told.next);
                    assert!(table.hear(who, &text), "{text} is listed but refused");
                    (tried.things, tried.taken) = (tried.things + 1, tried.taken + 1);
                }
            }
            _ => {
                let who = source.below(PEOPLE);
                let text = message(&mut source, &table.told(who));
                tried.things += 1;
                tried.taken += u64::from(table.hear(who, &text));
                if tried.things.is_multiple_of(CHECK_EVERY) {
                    table.check();
                }
            }
        }
    }
    table.close();
    tried
}
