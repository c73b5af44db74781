//! Instructions per act, counted by callgrind: unlike processor time they are the same on a busy machine.
//!
//! The server plays a short and a long sequence from its start to its end; in the difference both cancel.

use super::table::{RookeryTable, Table};
use super::{Launcher, MeasureError, Subject};
use crate::progress::Progress;
use serde::Serialize;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fmt, fs};
use tempfile::TempDir;

/// What is to be counted.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Valgrind's program.
    pub valgrind: PathBuf,
    /// What is measured.
    pub subjects: Vec<Subject>,
    /// How often.
    pub rounds: usize,
    /// How many people are in the room.
    pub people: usize,
    /// The acts of the short sequence.
    pub short: usize,
    /// The acts of the long one.
    pub long: usize,
}

/// What one subject came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Count {
    /// Which.
    pub subject: Subject,
    /// Instructions an act, by round.
    pub per_act: Vec<f64>,
}

/// What was counted.
#[derive(Debug, Clone)]
pub struct Instructions {
    /// How many people were in the room.
    pub people: usize,
    /// The acts of both sequences.
    pub acts: (usize, usize),
    /// By subject.
    pub counts: Vec<Count>,
}

/// Counts each subject as often as is asked for.
pub async fn run(plan: &Plan, launcher: &Launcher) -> Result<Instructions, MeasureError> {
    launcher.look_for(&plan.subjects)?;
    let progress = Progress::new();
    let mut counts: Vec<Count> =
        plan.subjects.iter().map(|subject| Count { subject: *subject, per_act: Vec::new() }).collect();
    for round in 0..plan.rounds {
        for Count { subject, per_act } in &mut counts {
            let mut totals = [0, 0];
            for (total, acts) in totals.iter_mut().zip([plan.short, plan.long]) {
                let what = format!("round {} of {}, {subject}", round + 1, plan.rounds);
                // Both sequences begin with the same games.
                let say = |done| progress.say(format!("{what}: {done} of {acts} acts"));
                *total = count(plan, launcher, *subject, round, acts, say).await?;
            }
            let more = totals[1].saturating_sub(totals[0]);
            per_act.push(more as f64 / (plan.long - plan.short) as f64);
        }
    }
    Ok(Instructions { people: plan.people, acts: (plan.short, plan.long), counts })
}

/// All instructions of a server that plays so many acts.
async fn count(
    plan: &Plan,
    launcher: &Launcher,
    subject: Subject,
    round: usize,
    acts: usize,
    say: impl Fn(usize),
) -> Result<u64, MeasureError> {
    let folder = TempDir::new()?;
    let counted = folder.path().join("callgrind.out");
    let launcher = Launcher { under: under(&plan.valgrind, &counted), ..launcher.clone() };
    let server = launcher.start(subject).await?;
    let table = RookeryTable::open(server.opens(), server.address(), round, plan.people, 0).await?;
    let mut table = Table::Rookery(Box::new(table));
    for done in 0..acts {
        say(done);
        table.act().await?;
    }
    // The count is written down when the server ends by itself.
    server.stop().await?;
    let text = fs::read_to_string(&counted)?;
    total(&text).ok_or_else(|| MeasureError::Refused("callgrind wrote no total".to_owned()))
}

fn under(valgrind: &Path, counted: &Path) -> Vec<OsString> {
    let mut file = OsString::from("--callgrind-out-file=");
    file.push(counted);
    vec![valgrind.into(), "--tool=callgrind".into(), "--quiet".into(), file]
}

/// The total of a file callgrind wrote.
fn total(text: &str) -> Option<u64> {
    let totals = text.lines().filter_map(|line| line.strip_prefix("totals: "));
    totals.filter_map(|total| total.split_whitespace().next()?.parse().ok()).next_back()
}

impl Instructions {
    /// All of it in one JSON object.
    pub fn to_json(&self) -> Value {
        json!({"people": self.people, "acts": [self.acts.0, self.acts.1], "counts": self.counts})
    }
}

impl Count {
    /// The mean of all rounds, and how far the least and the most are from it, in percent.
    pub fn spread(&self) -> (f64, f64, f64) {
        let mean = self.per_act.iter().sum::<f64>() / self.per_act.len().max(1) as f64;
        let percent = |value: f64| if mean > 0.0 { (value / mean - 1.0) * 100.0 } else { 0.0 };
        let least = self.per_act.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.per_act.iter().copied().fold(0.0, f64::max);
        (mean, percent(least), percent(most))
    }
}

impl fmt::Display for Instructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (short, long) = self.acts;
        writeln!(f, "{} people in a room; {long} acts less {short}", self.people)?;
        for count in &self.counts {
            let (mean, least, most) = count.spread();
            let rounds: Vec<String> = count.per_act.iter().map(|value| format!("{value:.0}")).collect();
            writeln!(
                f,
                "{:<7} {mean:.0} instructions an act (mean of {}: {}; {least:+.1} % to {most:+.1} %)",
                count.subject,
                rounds.len(),
                rounds.join(", "),
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_found_in_what_callgrind_writes() {
        let file =
            "# callgrind format\nversion: 1\nevents: Ir\nsummary: 70\n\nfn=(1)\n3 70\n\ntotals: 123456789\n";
        assert_eq!(total(file), Some(123_456_789));
        assert_eq!(total("events: Ir\n"), None, "the server was killed before it could be written");
    }

    #[test]
    fn the_spread_is_that_of_the_rounds() {
        let count = Count { subject: Subject::Memory, per_act: vec![99.0, 100.0, 102.0, 99.0] };
        let (mean, least, most) = count.spread();
        assert_eq!(mean, 100.0);
        assert!((least + 1.0).abs() < 1e-9 && (most - 2.0).abs() < 1e-9, "{least} {most}");
    }
}
