//! What was counted while people played, and how it is printed.

use super::Group;
use crate::statistics::Times;
use client::End;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// What one person counted, or several together.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// How many.
    pub people: usize,
    /// Acts sent. Each is answered, refused, or still unanswered at the end.
    pub sent: usize,
    /// From the sending of an act to the state that acknowledges it.
    pub times: Times,
    /// Acts on their way when time was up.
    pub unanswered: usize,
    /// States received.
    pub states: usize,
    /// Changes of games: acts of people and of bots, and beginnings. Counted once for a room.
    pub changes: usize,
    /// Games played to their end. Counted once for a room.
    pub games: usize,
    /// Ends of games as each person saw them.
    pub(super) games_seen: usize,
    /// Messages the server refused, by code.
    pub refusals: BTreeMap<String, usize>,
    /// Connections that ended before time was up, by close code.
    pub ends: BTreeMap<String, usize>,
}

impl Figures {
    /// Those of somebody else as well.
    pub fn add(&mut self, other: Figures) {
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

    /// One more message was refused.
    pub fn count_refusal(&mut self, code: &str) {
        *self.refusals.entry(code.to_owned()).or_default() += 1;
    }

    /// A connection ended.
    pub fn count_end(&mut self, end: End) {
        *self.ends.entry(end.to_string()).or_default() += 1;
    }
}

/// What a run came to.
#[derive(Debug)]
pub struct Report {
    /// The rooms, and what was counted in them.
    pub groups: Vec<(Group, Figures)>,
    /// How long was played.
    pub spent: Duration,
    /// How late timers of this program were that wait for nothing. As much of what people waited is the machine's.
    pub lateness: Times,
    /// How much of one processor this program used itself, if that is known.
    pub driver: Option<f64>,
    /// How much the server used.
    pub server: Option<f64>,
}

impl fmt::Display for Report {
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
            for (what, counts) in [("refused", &figures.refusals), ("lines ended", &figures.ends)] {
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
