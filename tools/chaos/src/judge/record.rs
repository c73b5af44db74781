//! Compares a game's record with what clients sent and received: every acknowledged action is in it once, for the
//! decision it was made for, and no seat has an action that its owner did not send.

use super::Promise;
use super::game_ledger::GameLedger;
use game::Seat;
use protocol::Record;
use serde_json::Value;
use std::collections::HashMap;

/// Result of a comparison.
#[derive(Debug, Default)]
pub struct RecordFindings {
    pub acknowledged: u64,
    pub overtaken: u64,
    /// True if the game was compared for the first time and agrees entirely.
    pub whole: bool,
    pub violations: Vec<(Promise, String)>,
}

impl RecordFindings {
    pub fn broken(promise: Promise, what: String) -> RecordFindings {
        RecordFindings { violations: vec![(promise, what)], ..RecordFindings::default() }
    }
}

/// Compares the record with the game, and closes the game.
pub fn compare(game: &mut GameLedger, record: &Record) -> RecordFindings {
    let mut findings = RecordFindings::default();
    if game.is_closed() {
        return findings;
    }
    let played = numbered(record);
    for ((seat, n), acts) in &game.sent {
        let counted = played.get(&(*seat, *n));
        for act in acts {
            if counted == Some(&act.action) {
                findings.acknowledged += 1;
                continue;
            }
            // Another action of the same seat counted for this decision, from a second tab.
            let by_owner = counted.is_some_and(|counted| acts.iter().any(|other| other.action == *counted));
            if !act.acknowledged || act.open == 0 {
                continue;
            }
            if by_owner || game.is_helped(*seat) {
                findings.overtaken += 1;
                continue;
            }
            let instead = counted.map_or("nothing".to_owned(), Value::to_string);
            let what =
                format!("act {n} of seat {} was acknowledged as {}, but the record has {instead}", seat.0, act.action);
            findings.violations.push((Promise::Lost, what));
        }
    }
    for ((seat, n), action) in &played {
        if game.is_helped(*seat) {
            continue;
        }
        let sent = game.sent.get(&(*seat, *n));
        if sent.is_some_and(|acts| acts.iter().any(|act| act.action == *action)) {
            continue;
        }
        let before = n.checked_sub(1).and_then(|n| played.get(&(*seat, n)));
        let (promise, how) = if before == Some(action) {
            (Promise::Doubled, "was played twice")
        } else {
            (Promise::Foreign, "was played, but its owner never sent it")
        };
        findings.violations.push((promise, format!("act {n} of seat {}, {action}, {how}", seat.0)));
    }
    let outcome = serde_json::to_value(&record.outcome).unwrap_or_default();
    if game.outcome.as_ref().is_some_and(|told| *told != outcome) {
        findings.violations.push((Promise::Diverged, "the outcome in the record differs from the one sent".to_owned()));
    }
    findings.whole = findings.violations.is_empty();
    game.close();
    findings
}

/// Returns every action by its seat and number. A number increases with each action of the seat and, for all seats,
/// when simultaneous choices are resolved. In Qwantum that is the end of each turn, and each turn begins with a roll.
fn numbered(record: &Record) -> HashMap<(Seat, u32), Value> {
    let mut counts: HashMap<Seat, u32> = HashMap::new();
    let mut rolls = 0_u32;
    let mut played = HashMap::new();
    for act in &record.acts {
        let action = act.action.value();
        if record.game == "qwantum" && action["type"] == "roll" {
            rolls += 1;
        }
        let count = counts.entry(act.seat).or_default();
        played.insert((act.seat, *count + rolls.saturating_sub(1)), action);
        *count += 1;
    }
    played
}
