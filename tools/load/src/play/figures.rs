//! Counters of simulated players, and their printed form.

use super::Group;
use crate::statistics::Times;
use client::End;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Counters of one or several players.
#[derive(Debug, Clone, Default)]
pub struct PlayFigures {
    /// Number of players.
    pub people: usize,
    /// Actions sent. Each is acknowledged, refused, or still unanswered at the end.
    pub sent: usize,
    /// Latency from sending an action to the state that acknowledges it.
    pub times: Times,
    /// Actions in transit at the end.
    pub unanswered: usize,
    /// States received.
    pub states: usize,
    /// Changes of games: actions of players and bots, and starts. Counted once per room.
    pub changes: usize,
    /// Games played to their end. Counted once per room.
    pub games: usize,
    /// Ends of games as seen by each player.
    pub(super) games_seen: usize,
    /// Refused messages, by code.
    pub refusals: BTreeMap<String, usize>,
    /// Connections that ended early, by close code.
    pub ends: BTreeMap<String, usize>,
}

impl PlayFigures {
    /// Adds the counters of others.
    pub fn add(&mut self, other: PlayFigures) {
        self.people += other.people;
        self.sent += other.sent;
        self.times.add(other.times);
        self.unanswered += other.unanswered;
        self.states += other.states;
        self.changes += other.changes;
        self.games += other.games;
        self.games_seen += other.games_seen;
        for (sums, counts) in [(&mut self.refusals, other.refusals), (&mut self.ends, other.ends)] {
            for (code, count) in counts {
                *sums.entry(code).or_default() += count;
            }
        }
    }

    /// Counts a refused message.
    pub fn count_refusal(&mut self, code: &str) {
        *self.refusals.entry(code.to_owned()).or_default() += 1;
    }

    /// Counts a connection that ended.
    pub fn count_end(&mut self, end: End) {
        *self.ends.entry(end.to_string()).or_default() += 1;
    }
}

/// Results of a run.
#[derive(Debug)]
pub struct PlayReport {
    /// The rooms and their counters.
    pub groups: Vec<(Group, PlayFigures)>,
    /// Duration of the run.
    pub spent: Duration,
    /// Lateness of this program's timers. This part of the latencies is caused by the machine.
    pub lateness: Times,
    /// Share of one processor that this program used, if known.
    pub driver: Option<f64>,
    /// Share of one processor that the server used, if known.
    pub server: Option<f64>,
}

impl fmt::Display for PlayReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.spent.as_secs_f64();
        writeln!(
            f,
            "rooms        people  bots  games  changes/s  acts/s  states/s     p50 ms  p90 ms  p99 ms  max ms   acts"
        )?;
        for (group, figures) in self.groups.iter().filter(|(group, _)| group.rooms > 0) {
            let ms = |share| figures.times.under(share).as_secs_f64() * 1000.0;
            writeln!(
                f,
                "{:>5} {:<6} {:>6} {:>5} {:>6} {:>10.1} {:>7.1} {:>9.1}    {:>7.1} {:>7.1} {:>7.1} {:>7.1} {:>6}",
                group.rooms,
                group.name,
                figures.people,
                group.bots.len() * group.rooms,
                figures.games,
                figures.changes as f64 / seconds,
                figures.times.count() as f64 / seconds,
                figures.states as f64 / seconds,
                ms(0.5),
                ms(0.9),
                ms(0.99),
                ms(1.0),
                figures.times.count(),
            )?;
        }
        for (group, figures) in &self.groups {
            for (what, counts) in [("refused", &figures.refusals), ("connections ended", &figures.ends)] {
                for (code, count) in counts {
                    writeln!(f, "{}: {what}, {code}: {count}", group.name)?;
                }
            }
        }
        write!(f, "{seconds:.1} s")?;
        for (who, share) in [("the server", self.server), ("this program", self.driver)] {
            if let Some(share) = share {
                write!(f, "; {who} used {:.0} % of a processor", share * 100.0)?;
            }
        }
        let late = |share| self.lateness.under(share).as_secs_f64() * 1000.0;
        writeln!(f, "; a bare timer was late by {:.1} ms (p50), {:.1} ms (p99)", late(0.5), late(0.99))
    }
}
