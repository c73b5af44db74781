//! The report of a run, as text and as JSON.

use crate::judge::{Judge, JudgeTally, Promise, Violation};
use crate::plan::{ChaosPlan, FaultKind};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Number of violations listed one by one.
const TOLD: usize = 20;

/// The result of a run.
#[derive(Debug, Clone, Serialize)]
pub struct ChaosReport {
    /// Seed of the run.
    pub seed: u64,
    /// How long faults were injected, in seconds.
    pub seconds: u64,
    /// Number of rooms.
    pub rooms: usize,
    /// Counters of the judge.
    #[serde(flatten)]
    pub tally: JudgeTally,
    /// Longest time that a player needed to reconnect, in milliseconds.
    pub longest_absence_ms: u64,
    /// Number of violations of each invariant.
    pub broken: BTreeMap<Promise, usize>,
    /// Number of faults of each kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// Number of connections.
    pub lines: u64,
    /// Highest resident memory of a server, in bytes.
    pub resident: u64,
    /// The first violations.
    pub violations: Vec<Violation>,
}

impl ChaosReport {
    /// Creates the report from what the judge found.
    pub fn new(
        plan: &ChaosPlan,
        judge: &Judge,
        faults: BTreeMap<FaultKind, u64>,
        lines: u64,
        resident: u64,
    ) -> ChaosReport {
        let tally = judge.tally();
        let mut violations = judge.violations();
        let mut broken = BTreeMap::new();
        for violation in &violations {
            *broken.entry(violation.promise).or_default() += 1;
        }
        violations.truncate(TOLD);
        ChaosReport {
            seed: plan.seed,
            seconds: plan.time.as_secs(),
            rooms: plan.tables,
            longest_absence_ms: tally.longest_absence.as_millis() as u64,
            tally,
            broken,
            faults,
            lines,
            resident,
            violations,
        }
    }

    /// Returns whether no invariant was violated.
    pub fn holds(&self) -> bool {
        self.violations.is_empty()
    }

    /// Returns how often this invariant was violated.
    pub fn count(&self, promise: Promise) -> usize {
        self.broken.get(&promise).copied().unwrap_or_default()
    }
}

impl fmt::Display for ChaosReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let JudgeTally { acknowledged, overtaken, refused, games, heard, intrusions, .. } = self.tally;
        writeln!(f, "seed {}: {} s of faults over {} rooms", self.seed, self.seconds, self.rooms)?;
        writeln!(f, "acts acknowledged         {acknowledged:>9}")?;
        for (name, promise) in [
            ("lost", Promise::Lost),
            ("doubled", Promise::Doubled),
            ("diverged", Promise::Diverged),
            ("opened without a token", Promise::Foreign),
            ("leaked", Promise::Leaked),
            ("games not finished", Promise::Unfinished),
            ("records not verified", Promise::Unverified),
            ("server failures", Promise::Unsound),
        ] {
            writeln!(f, "  {name:<24}{:>9}", self.count(promise))?;
        }
        writeln!(f, "games finished            {games:>9}")?;
        writeln!(f, "acts refused              {refused:>9}")?;
        writeln!(f, "acts superseded           {overtaken:>9}")?;
        writeln!(f, "messages received         {heard:>9}")?;
        writeln!(f, "connections               {:>9}", self.lines)?;
        for (kind, count) in &self.faults {
            write!(f, "  {:<24}{count:>9}", kind.to_string())?;
            match self.tally.absence_after.get(kind) {
                Some(longest) => writeln!(f, ", longest absence {longest} ms")?,
                None => writeln!(f)?,
            }
        }
        writeln!(f, "intrusions                {intrusions:>9}")?;
        for (what, count) in &self.tally.done {
            writeln!(f, "  {what:<24}{count:>9}")?;
        }
        writeln!(f, "longest absence           {:>6} ms", self.longest_absence_ms)?;
        writeln!(f, "peak memory of a server   {:>6} MB", self.resident >> 20)?;
        for violation in &self.violations {
            writeln!(f, "{violation}")?;
        }
        Ok(())
    }
}
