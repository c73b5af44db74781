//! Results of attacks, and their printed form.

use super::honest::Visits;
use super::{Attack, AttackTally};
use crate::play::PlayFigures;
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;

/// Promised limits for resident memory: under attack from one address, and from many (about a hundred).
const ONE: u64 = 256 * 1024 * 1024;
const MANY: u64 = 400 * 1024 * 1024;

/// One attack and its effect on the server and on honest clients.
#[derive(Debug)]
pub struct Attacked {
    /// The attack.
    pub attack: Attack,
    /// Number of source addresses.
    pub addresses: u16,
    /// Duration in seconds, including the time until the last memory sample.
    pub seconds: f64,
    /// Resident memory before the attack, in bytes.
    pub before: u64,
    /// Peak of the resident memory, in bytes.
    pub peak: u64,
    /// Resident memory a few seconds after the attack, in bytes.
    pub after: u64,
    /// Results of the two players.
    pub played: PlayFigures,
    /// Results of the visitors.
    pub visits: Visits,
    /// Results of the attackers.
    pub tally: AttackTally,
}

/// All attacks of a run.
#[derive(Debug)]
pub struct Onslaught {
    /// Results in the order of the attacks.
    pub attacked: Vec<Attacked>,
}

impl Attacked {
    /// Returns whether the promises were kept: memory stayed within its limit, no action was lost, every visitor was
    /// served, and no player was disconnected.
    pub fn holds(&self) -> bool {
        let bound = if self.addresses > 1 { MANY } else { ONE };
        self.peak <= bound && self.lost() == 0 && self.turned_away() == 0 && self.tally.players_cut == 0
    }

    /// Number of actions refused or unanswered, and of players' connections that ended.
    fn lost(&self) -> usize {
        let played = &self.played;
        // One action of each player may be in transit at the end.
        let unanswered = played.unanswered.saturating_sub(played.people);
        unanswered + played.refusals.values().sum::<usize>() + played.ends.values().sum::<usize>()
    }

    fn turned_away(&self) -> usize {
        self.visits.tried - self.visits.answered.count()
    }

    /// Returns the result as a JSON object.
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
    /// Returns whether every promise was kept.
    pub fn holds(&self) -> bool {
        self.attacked.iter().all(Attacked::holds)
    }

    /// Returns the results as a JSON object.
    pub fn to_json(&self) -> Value {
        json!({"attacks": self.attacked.iter().map(Attacked::to_json).collect::<Vec<_>>(), "holds": self.holds()})
    }
}

impl fmt::Display for Onslaught {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| attack | addresses | MB before | at most | after | acts | lost | p99 ms | visitors | turned away | \
             p99 ms | went through | refused | |"
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
                    (true, _) => "passed",
                    (false, 0) => "FAILED",
                    (false, _) => "FAILED: a player was disconnected",
                },
            )?;
        }
        Ok(())
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
