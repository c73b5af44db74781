//! Results of a comparison, and their printed form.

use crate::measure::Subject;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;

/// One server in one round. Only what happened within the window counts.
#[derive(Debug, Clone, Serialize)]
pub struct Measurement {
    /// The server.
    pub subject: Subject,
    /// Actions whose result all players received.
    pub acts: u64,
    /// Length of the window.
    pub seconds: f64,
    /// Processor time of the server, user and system, all threads.
    pub processor_ms_per_1000_acts: f64,
    /// Throughput.
    pub acts_per_second: f64,
    /// Median latency until an action is acknowledged.
    pub p50_ms: f64,
    /// 99th percentile of the latency.
    pub p99_ms: f64,
    /// Share of one processor that the server used.
    pub server_share: f64,
    /// Share of one processor that the load generator used. Near 1 it limits the throughput, which does not affect
    /// processor time.
    pub driver_share: f64,
    /// Growth of the server's resident memory since it was empty, per connection; rooms and journal included.
    pub resident_bytes_per_connection: f64,
    /// Bytes that the server passed to `write` and similar calls: to files, not to clients.
    pub handed_bytes_per_act: f64,
    /// Bytes that the server wrote to disk.
    pub disk_bytes_per_act: f64,
}

/// Results of a whole run.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Number of rooms.
    pub rooms: usize,
    /// Number of players per room.
    pub people: usize,
    /// Number of spectators per room.
    pub watchers: usize,
    /// Whether server and load generator were pinned to separate cores.
    pub pinned: bool,
    /// Measurements, by round.
    pub rounds: Vec<Vec<Measurement>>,
}

/// Processor time relative to the baseline, over all rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ratio {
    /// The server.
    pub subject: Subject,
    /// Median of the rounds.
    pub median: f64,
    /// Lowest of the rounds.
    pub least: f64,
    /// Highest of the rounds.
    pub most: f64,
}

impl Comparison {
    /// Returns the ratio of each server to the baseline of the same round. Empty without a baseline.
    pub fn ratios(&self) -> Vec<Ratio> {
        let subjects = self.rounds.first().into_iter().flatten().map(|measured| measured.subject);
        let rookery = subjects.filter(|subject| *subject != Subject::Floor);
        rookery.filter_map(|subject| self.ratio(subject)).collect()
    }

    fn ratio(&self, subject: Subject) -> Option<Ratio> {
        let of_round = |round: &Vec<Measurement>| {
            let of = |wanted: Subject| round.iter().find(|measured| measured.subject == wanted);
            ratio(of(subject)?, of(Subject::Floor)?)
        };
        let mut ratios: Vec<f64> = self.rounds.iter().filter_map(of_round).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        let (least, most) = (*ratios.first()?, *ratios.last()?);
        Some(Ratio { subject, median: median(&ratios), least, most })
    }

    /// Returns the results as a JSON object.
    pub fn to_json(&self) -> Value {
        json!({
            "rooms": self.rooms,
            "people": self.people,
            "watchers": self.watchers,
            "pinned": self.pinned,
            "rounds": self.rounds,
            "ratios": self.ratios(),
        })
    }
}

/// Returns `None` if the baseline's processor time was too short to be measured.
fn ratio(subject: &Measurement, floor: &Measurement) -> Option<f64> {
    let floor = floor.processor_ms_per_1000_acts;
    (floor > 0.0).then(|| subject.processor_ms_per_1000_acts / floor)
}

/// Returns the median of sorted numbers.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let watched = if self.watchers > 0 { format!(" and {} watchers", self.watchers) } else { String::new() };
        writeln!(f, "{} rooms of {} people{watched}; {}", self.rooms, self.people, pinning(self.pinned))?;
        writeln!(
            f,
            "round  server   ms/1000 acts  × floor   acts/s  p50 ms  p99 ms  server  driver  KiB/connection  \
             handed B/act  disk B/act"
        )?;
        for (number, round) in self.rounds.iter().enumerate() {
            let floor = round.iter().find(|measured| measured.subject == Subject::Floor);
            for measured in round {
                let times = floor.and_then(|floor| ratio(measured, floor));
                writeln!(
                    f,
                    "{:>5}  {:<7} {:>13.1} {:>8} {:>8.0} {:>7.1} {:>7.1} {:>5.0} % {:>5.0} % {:>15.1} \
                     {:>13.0} {:>11.0}",
                    number + 1,
                    measured.subject,
                    measured.processor_ms_per_1000_acts,
                    times.map_or_else(String::new, |times| format!("{times:.2}")),
                    measured.acts_per_second,
                    measured.p50_ms,
                    measured.p99_ms,
                    measured.server_share * 100.0,
                    measured.driver_share * 100.0,
                    measured.resident_bytes_per_connection / 1024.0,
                    measured.handed_bytes_per_act,
                    measured.disk_bytes_per_act,
                )?;
            }
        }
        for Ratio { subject, median, least, most } in self.ratios() {
            writeln!(
                f,
                "{subject}: {median:.2} times the floor's processor time per act \
                 (median of {}; {least:.2}–{most:.2})",
                self.rounds.len()
            )?;
        }
        Ok(())
    }
}

fn pinning(pinned: bool) -> &'static str {
    if pinned {
        "the server has one core and the driver another"
    } else {
        "server and driver share all cores, because they cannot be pinned here"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(subject: Subject, processor_ms_per_1000_acts: f64) -> Measurement {
        Measurement {
            subject,
            acts: 1000,
            seconds: 1.0,
            processor_ms_per_1000_acts,
            acts_per_second: 1000.0,
            p50_ms: 1.0,
            p99_ms: 2.0,
            server_share: 0.5,
            driver_share: 0.5,
            resident_bytes_per_connection: 2048.0,
            handed_bytes_per_act: 4600.0,
            disk_bytes_per_act: 0.0,
        }
    }

    fn comparison(rounds: &[(f64, f64)]) -> Comparison {
        let round =
            |(floor, memory): &(f64, f64)| vec![measured(Subject::Floor, *floor), measured(Subject::Memory, *memory)];
        Comparison { rooms: 1, people: 3, watchers: 0, pinned: true, rounds: rounds.iter().map(round).collect() }
    }

    #[test]
    fn ratios_compare_with_the_floor_of_the_same_round() {
        // The machine is half as fast in the second round, which must not affect the ratio.
        let ratios = comparison(&[(20.0, 60.0), (40.0, 120.0), (20.0, 50.0)]).ratios();
        let expected = Ratio { subject: Subject::Memory, median: 3.0, least: 2.5, most: 3.0 };
        assert_eq!(ratios, [expected]);
        assert_eq!(comparison(&[(20.0, 60.0), (20.0, 40.0)]).ratios()[0].median, 2.5);
    }

    #[test]
    fn without_a_floor_there_is_no_ratio() {
        assert_eq!(comparison(&[(0.0, 60.0)]).ratios(), []);
        let alone = Comparison { rounds: vec![vec![measured(Subject::Memory, 60.0)]], ..comparison(&[]) };
        assert_eq!(alone.ratios(), []);
        assert!(!alone.to_string().contains("times the floor"), "{alone}");
    }

    #[test]
    fn prints_each_round_and_the_ratio() {
        let printed = comparison(&[(20.0, 60.0)]).to_string();
        let line = printed.lines().find(|line| line.contains("memory  ")).expect("there is a line for memory");
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[..5], ["1", "memory", "60.0", "3.00", "1000"], "{printed}");
        assert!(printed.ends_with("memory: 3.00 times the floor's processor time per act (median of 1; 3.00–3.00)\n"));
    }
}
