//! Instructions per action, counted by callgrind. Unlike processor time they do not depend on the load of the machine.
//!
//! The server plays a short and a long sequence of actions. Start and shutdown cost the same in both, so they cancel in
//! the difference.

use super::table::{ClosedLoop, RookeryTable};
use super::{Launcher, MeasureError, Subject};
use crate::progress::Spinner;
use serde::Serialize;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fmt, fs};
use tempfile::TempDir;

/// What to count.
#[derive(Debug, Clone)]
pub struct InstructionsPlan {
    /// Path of valgrind.
    pub valgrind: PathBuf,
    /// Servers to measure.
    pub subjects: Vec<Subject>,
    /// Number of rounds.
    pub rounds: usize,
    /// Number of players in the room.
    pub people: usize,
    /// Number of actions of the short sequence.
    pub short: usize,
    /// Number of actions of the long sequence.
    pub long: usize,
}

/// Result for one server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Count {
    /// The server.
    pub subject: Subject,
    /// Instructions per action, by round.
    pub per_act: Vec<f64>,
}

/// Results of the measurement.
#[derive(Debug, Clone)]
pub struct Instructions {
    /// Number of players in the room.
    pub people: usize,
    /// Number of actions of both sequences.
    pub acts: (usize, usize),
    /// Results for each server.
    pub counts: Vec<Count>,
}

/// Counts each server once per round.
pub async fn run(plan: &InstructionsPlan, launcher: &Launcher) -> Result<Instructions, MeasureError> {
    launcher.look_for(&plan.subjects)?;
    let progress = Spinner::new();
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

/// Returns the instructions of a server that plays `acts` actions.
async fn count(
    plan: &InstructionsPlan,
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
    let mut table = ClosedLoop::Rookery(Box::new(table));
    for done in 0..acts {
        say(done);
        table.act().await?;
    }
    // Callgrind writes the count when the server exits.
    server.stop().await?;
    let text = fs::read_to_string(&counted)?;
    total(&text).ok_or_else(|| MeasureError::Refused("callgrind wrote no total".to_owned()))
}

fn under(valgrind: &Path, counted: &Path) -> Vec<OsString> {
    let mut file = OsString::from("--callgrind-out-file=");
    file.push(counted);
    vec![valgrind.into(), "--tool=callgrind".into(), "--quiet".into(), file]
}

/// Reads the total from callgrind's output.
fn total(text: &str) -> Option<u64> {
    let totals = text.lines().filter_map(|line| line.strip_prefix("totals: "));
    totals.filter_map(|total| total.split_whitespace().next()?.parse().ok()).next_back()
}

impl Instructions {
    /// Returns the results as a JSON object.
    pub fn to_json(&self) -> Value {
        json!({"people": self.people, "acts": [self.acts.0, self.acts.1], "counts": self.counts})
    }
}

impl Count {
    /// Returns the mean of all rounds, and the deviation of the lowest and highest in percent.
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
        writeln!(f, "{} people in a room; {long} acts minus {short}", self.people)?;
        for count in &self.counts {
            let (mean, least, most) = count.spread();
            let rounds: Vec<String> = count.per_act.iter().map(|value| format!("{value:.0}")).collect();
            writeln!(
                f,
                "{:<7} {mean:.0} instructions per act (mean of {}: {}; {least:+.1} % to {most:+.1} %)",
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
    fn finds_the_total_in_the_output_of_callgrind() {
        let file = "# callgrind format\nversion: 1\nevents: Ir\nsummary: 70\n\nfn=(1)\n3 70\n\ntotals: 123456789\n";
        assert_eq!(total(file), Some(123_456_789));
        assert_eq!(total("events: Ir\n"), None, "the server was killed before it could be written");
    }

    #[test]
    fn computes_the_spread_of_the_rounds() {
        let count = Count { subject: Subject::Memory, per_act: vec![99.0, 100.0, 102.0, 99.0] };
        let (mean, least, most) = count.spread();
        assert_eq!(mean, 100.0);
        assert!((least + 1.0).abs() < 1e-9 && (most - 2.0).abs() < 1e-9, "{least} {most}");
    }
}
