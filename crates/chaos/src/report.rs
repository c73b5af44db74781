//! What a run came to, in words and as JSON.

use crate::judge::{Judge, Promise, Tally, Violation};
use crate::plan::{Kind, Plan};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// How many broken promises are told one by one.
const TOLD: usize = 20;

/// What a run came to.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The seed that repeats it.
    pub seed: u64,
    /// For how long faults came, in seconds.
    pub seconds: u64,
    /// How many rooms.
    pub rooms: usize,
    /// What came of it.
    #[serde(flatten)]
    pub tally: Tally,
    /// The longest that a player was away though they tried to come back, in milliseconds.
    pub longest_absence_ms: u64,
    /// How often each promise was broken.
    pub broken: BTreeMap<Promise, usize>,
    /// How often each fault came.
    pub faults: BTreeMap<Kind, u64>,
    /// How many lines there were.
    pub lines: u64,
    /// The most resident memory of a server, in bytes.
    pub resident: u64,
    /// The promises that were broken, the first of them.
    pub violations: Vec<Violation>,
}

impl Report {
    /// What the judge found.
    pub fn new(plan: &Plan, judge: &Judge, faults: BTreeMap<Kind, u64>, lines: u64, resident: u64) -> Report {
        let tally = judge.tally();
        let mut violations = judge.violations();
        let mut broken = BTreeMap::new();
        for violation in &violations {
            *broken.entry(violation.promise).or_default() += 1;
        }
        violations.truncate(TOLD);
        Report {
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

    /// Whether every promise was kept.
    pub fn holds(&self) -> bool {
        self.violations.is_empty()
    }

    /// How often this promise was broken.
    pub fn count(&self, promise: Promise) -> usize {
        self.broken.get(&promise).copied().unwrap_or_default()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { acknowledged, overtaken, refused, games, heard, intrusions, .. } = self.tally;
        writeln!(f, "seed {}: {} s of faults over {} rooms", self.seed, self.seconds, self.rooms)?;
        writeln!(f, "acts acknowledged         {acknowledged:>9}")?;
        for (name, promise) in [
            ("lost", Promise::Lost),
            ("doubled", Promise::Doubled),
            ("diverged", Promise::Diverged),
            ("without a token", Promise::Foreign),
            ("leaked", Promise::Leaked),
            ("games not finished", Promise::Unfinished),
            ("records that do not hold", Promise::Unverified),
            ("faults of the server", Promise::Unsound),
        ] {
            writeln!(f, "  {name:<24}{:>9}", self.count(promise))?;
        }
        writeln!(f, "games finished            {games:>9}")?;
        writeln!(f, "acts refused              {refused:>9}")?;
        writeln!(f, "acts overtaken            {overtaken:>9}")?;
        writeln!(f, "messages heard            {heard:>9}")?;
        writeln!(f, "lines                     {:>9}", self.lines)?;
        for (kind, count) in &self.faults {
            write!(f, "  {:<24}{count:>9}", kind.to_string())?;
            match self.tally.absence_after.get(kind) {
                Some(longest) => writeln!(f, ", back after {longest} ms at the latest")?,
                None => writeln!(f)?,
            }
        }
        writeln!(f, "intrusions                {intrusions:>9}")?;
        for (what, count) in &self.tally.done {
            writeln!(f, "  {what:<24}{count:>9}")?;
        }
        writeln!(f, "longest absence           {:>6} ms", self.longest_absence_ms)?;
        writeln!(f, "most memory of a server   {:>6} MB", self.resident >> 20)?;
        for violation in &self.violations {
            writeln!(f, "{violation}")?;
        }
        Ok(())
    }
}
