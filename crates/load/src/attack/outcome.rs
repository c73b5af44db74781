//! What attacks came to, and how it is printed.

use super::honest::Visits;
use super::{Attack, Tally};
use crate::play::Figures;
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;

/// What is promised: resident memory whatever one address does, and whatever a hundred do.
const ONE: u64 = 256 * 1024 * 1024;
const MANY: u64 = 400 * 1024 * 1024;

/// One attack, and how the server and those who play there fared.
#[derive(Debug)]
pub struct Attacked {
    /// Which.
    pub attack: Attack,
    /// From how many addresses.
    pub addresses: u16,
    /// How long it took, with the look afterwards.
    pub seconds: f64,
    /// Resident memory before, in bytes.
    pub before: u64,
    /// The most there was.
    pub peak: u64,
    /// A few seconds after.
    pub after: u64,
    /// What the two met who played meanwhile.
    pub played: Figures,
    /// What those met who came meanwhile.
    pub visits: Visits,
    /// What the attackers met.
    pub tally: Tally,
}

/// All attacks of a run.
#[derive(Debug)]
pub struct Onslaught {
    /// One after the other.
    pub attacked: Vec<Attacked>,
}

impl Attacked {
    /// Whether the promises held: memory stays within its bound, who plays plays on, who comes is answered, and no player is cut.
    pub fn holds(&self) -> bool {
        let bound = if self.addresses > 1 { MANY } else { ONE };
        self.peak <= bound && self.lost() == 0 && self.turned_away() == 0 && self.tally.players_cut == 0
    }

    /// Acts refused or never answered, and lines of players that ended.
    fn lost(&self) -> usize {
        let played = &self.played;
        // One act may be on its way when time is up.
        let unanswered = played.unanswered.saturating_sub(played.people);
        unanswered + played.refusals.values().sum::<usize>() + played.ends.values().sum::<usize>()
    }

    fn turned_away(&self) -> usize {
        self.visits.tried - self.visits.answered.count()
    }

    /// All of it in one JSON object.
    pub fn to_json(&self) -> Value {
        json!({
            "attack": self.attack.name(),
            "addresses": self.addresses,
            "seconds": self.seconds,
            "resident_before": self.before,
            "resident_peak": self.peak,
            "resident_after": self.after,
            "acts": self.played.times.count(),
            "acts_lost": self.lost(),
            "act_p99_ms": milliseconds(self.played.times.under(0.99)),
            "visitors": self.visits.tried,
            "visitors_turned_away": self.turned_away(),
            "visitor_p99_ms": milliseconds(self.visits.answered.under(0.99)),
            "attack_done": self.tally.done,
            "attack_refused": self.tally.refused,
            "players_cut": self.tally.players_cut,
            "holds": self.holds(),
        })
    }
}

impl Onslaught {
    /// Whether every promise held.
    pub fn holds(&self) -> bool {
        self.attacked.iter().all(Attacked::holds)
    }

    /// All of it in one JSON object.
    pub fn to_json(&self) -> Value {
        json!({"attacks": self.attacked.iter().map(Attacked::to_json).collect::<Vec<_>>(), "holds": self.holds()})
    }
}

impl fmt::Display for Onslaught {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| attack | addresses | MB before | at most | after | acts | lost | p99 ms | visitors | turned away | p99 ms | went through | refused | |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")?;
        let mb = |bytes: u64| bytes as f64 / (1024.0 * 1024.0);
        for attacked in &self.attacked {
            writeln!(
                f,
                "| {} | {} | {:.0} | {:.0} | {:.0} | {} | {} | {:.0} | {} | {} | {:.0} | {} | {} | {} |",
                attacked.attack.name(),
                attacked.addresses,
                mb(attacked.before),
                mb(attacked.peak),
                mb(attacked.after),
                attacked.played.times.count(),
                attacked.lost(),
                milliseconds(attacked.played.times.under(0.99)),
                attacked.visits.tried,
                attacked.turned_away(),
                milliseconds(attacked.visits.answered.under(0.99)),
                attacked.tally.done,
                attacked.tally.refused,
                match (attacked.holds(), attacked.tally.players_cut) {
                    (true, _) => "holds",
                    (false, 0) => "BROKEN",
                    (false, _) => "BROKEN: a player was cut",
                },
            )?;
        }
        Ok(())
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
