//! What is going to happen in a run: which tables there are, and which faults come when. All of it follows from the seed.

use crate::dice::{Dice, For};
use clap::ValueEnum;
use protocol::Forced;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;

/// What can be done to those who play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// SIGKILL, and a start over the same journal.
    Kill,
    /// SIGTERM, and a start over the same journal.
    Term,
    /// SIGSTOP for a while.
    Stop,
    /// Lines end at any byte, some with RST and some with FIN.
    Cut,
    /// Lines stay and pass nothing for a while.
    Freeze,
    /// Lines are late.
    Delay,
    /// Lines are thin.
    Throttle,
    /// Strangers who guess, flood, do not read.
    Intruders,
    /// Of several servers each is ended and started again, one after the other.
    Roll,
    /// The database of several servers is restarted.
    Restart,
    /// It is away for ten seconds.
    Away,
    /// One of several servers cannot reach the database.
    CutOff,
    /// Several servers cannot reach each other.
    Apart,
    /// The primary of the database is killed and its standby promoted.
    Promote,
    /// The same, and the old primary comes back writable.
    OldPrimary,
    /// The primary freezes and its standby is promoted.
    FrozenPrimary,
    /// The synchronous standby is away, so that nothing can be written.
    LostStandby,
}

impl Kind {
    /// All that can happen to so many servers.
    pub fn all(servers: usize) -> Vec<Kind> {
        let several = if servers > 1 { Kind::OF_SEVERAL } else { &[] };
        Kind::ALL.iter().chain(several).copied().collect()
    }

    /// Whether people cannot be served while it lasts, whatever servers do: there is no database, or no way to the server that has
    /// their room.
    pub fn keeps_people_out(self) -> bool {
        matches!(self, Kind::Away | Kind::Apart | Kind::LostStandby)
    }

    /// Those that come to several servers alone.
    pub const OF_SEVERAL: &'static [Kind] = &[
        Kind::Roll,
        Kind::Restart,
        Kind::Away,
        Kind::CutOff,
        Kind::Apart,
        Kind::Promote,
        Kind::OldPrimary,
        Kind::FrozenPrimary,
        Kind::LostStandby,
    ];

    /// Those that come to one server as well.
    pub const ALL: &'static [Kind] = &[
        Kind::Kill,
        Kind::Term,
        Kind::Stop,
        Kind::Cut,
        Kind::Freeze,
        Kind::Delay,
        Kind::Throttle,
        Kind::Intruders,
    ];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Kill => "SIGKILL",
            Kind::Term => "SIGTERM",
            Kind::Stop => "SIGSTOP",
            Kind::Cut => "cuts",
            Kind::Freeze => "freezes",
            Kind::Delay => "delayed lines",
            Kind::Throttle => "thin lines",
            Kind::Intruders => "intrusions",
            Kind::Roll => "rolling restarts",
            Kind::Restart => "database restarted",
            Kind::Away => "database away",
            Kind::CutOff => "cut off from it",
            Kind::Apart => "servers apart",
            Kind::Promote => "standby promoted",
            Kind::OldPrimary => "old primary back",
            Kind::FrozenPrimary => "primary frozen",
            Kind::LostStandby => "standby lost",
        })
    }
}

/// A run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Everything is drawn from this.
    pub seed: u64,
    /// For how long faults come.
    pub time: Duration,
    /// How many tables.
    pub tables: usize,
    /// Which faults there are.
    pub faults: Vec<Kind>,
    /// Whether the next one waits until everybody is back from the one before.
    pub singly: bool,
    /// How long the games that are on may take to end once no faults come any more.
    pub patience: Duration,
    /// The most resident memory of a server, in bytes.
    pub memory: u64,
}

/// One fault of the whole, as against those of a single line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// How long after the one before it.
    pub after: Duration,
    /// What happens.
    pub what: What,
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A server is killed and is down for a while.
    Kill {
        /// Which.
        server: usize,
        /// For how long it is down.
        down: Duration,
    },
    /// A server is asked to end, and starts again at once.
    Term {
        /// Which.
        server: usize,
    },
    /// A server stands still for a while.
    Stop {
        /// Which.
        server: usize,
        /// For how long.
        still: Duration,
    },
    /// All servers are ended and started, one after the other.
    Roll,
    /// The database is down.
    Database {
        /// For how long.
        down: Duration,
    },
    /// A server cannot reach the database.
    CutOff {
        /// Which.
        server: usize,
        /// For how long.
        time: Duration,
    },
    /// Servers cannot reach each other.
    Apart {
        /// For how long.
        time: Duration,
    },
    /// The primary of the database is killed and its standby promoted.
    Promote,
    /// The same, and the old primary comes back writable.
    OldPrimary,
    /// The primary freezes and its standby is promoted.
    FrozenPrimary,
    /// The synchronous standby is away.
    LostStandby {
        /// For how long.
        time: Duration,
    },
    /// Every line is cut at once.
    CutAll {
        /// With RST instead of FIN.
        rst: bool,
    },
    /// No line passes anything for a while.
    FreezeAll {
        /// For how long.
        still: Duration,
    },
}

impl What {
    /// As which fault it counts.
    pub fn kind(self) -> Kind {
        match self {
            What::Kill { .. } => Kind::Kill,
            What::Term { .. } => Kind::Term,
            What::Stop { .. } => Kind::Stop,
            What::Roll => Kind::Roll,
            What::Database { down } => {
                if down.is_zero() {
                    Kind::Restart
                } else {
                    Kind::Away
                }
            }
            What::CutOff { .. } => Kind::CutOff,
            What::Apart { .. } => Kind::Apart,
            What::Promote => Kind::Promote,
            What::OldPrimary => Kind::OldPrimary,
            What::FrozenPrimary => Kind::FrozenPrimary,
            What::LostStandby { .. } => Kind::LostStandby,
            What::CutAll { .. } => Kind::Cut,
            What::FreezeAll { .. } => Kind::Freeze,
        }
    }
}

impl Plan {
    /// Whether this fault is asked for.
    pub fn has(&self, kind: Kind) -> bool {
        self.faults.contains(&kind)
    }

    /// The faults of the whole, one after the other without end, for so many servers; none if none are asked for. With several
    /// servers every kind comes once before any comes again, and sooner after the one before than that is over for everybody.
    pub fn faults(&self, servers: usize) -> impl Iterator<Item = Fault> + use<> {
        let (several, kinds) = (servers > 1, self.whole(servers));
        let mut dice = Dice::new(self.seed, For::Plan, 0, 0);
        let mut left = Vec::new();
        std::iter::from_fn(move || {
            if kinds.is_empty() {
                return None;
            }
            let after = dice.ms(if several { 1000..3000 } else { 1500..6000 });
            let server = dice.between(0..servers as u32) as usize;
            let kind = if several {
                if left.is_empty() {
                    left = kinds.clone();
                }
                left.remove(dice.between(0..left.len() as u32) as usize)
            } else {
                *dice.pick(&kinds)
            };
            let what = match kind {
                // Where there are others, it is down for longer than its lease: they take its rooms.
                Kind::Kill if several => What::Kill { server, down: dice.ms(6000..9000) },
                Kind::Kill => What::Kill { server, down: dice.ms(0..1500) },
                Kind::Term => What::Term { server },
                // Where there are others, for longer than the server's lease.
                Kind::Stop if several => What::Stop { server, still: dice.ms(6000..9000) },
                Kind::Stop => What::Stop { server, still: dice.ms(100..3000) },
                Kind::Roll => What::Roll,
                Kind::Restart => What::Database { down: Duration::ZERO },
                Kind::Away => What::Database { down: Duration::from_secs(10) },
                Kind::CutOff => What::CutOff { server, time: dice.ms(6000..9000) },
                Kind::Apart => What::Apart { time: dice.ms(6000..9000) },
                Kind::Promote => What::Promote,
                Kind::OldPrimary => What::OldPrimary,
                Kind::FrozenPrimary => What::FrozenPrimary,
                Kind::LostStandby => What::LostStandby { time: dice.ms(6000..9000) },
                Kind::Cut => What::CutAll { rst: dice.one_in(2) },
                _ => What::FreezeAll { still: dice.ms(200..4000) },
            };
            Some(Fault { after, what })
        })
    }

    /// The kinds of faults of the whole that are asked for.
    fn whole(&self, servers: usize) -> Vec<Kind> {
        const WHOLE: &[Kind] = &[Kind::Kill, Kind::Term, Kind::Stop, Kind::Cut, Kind::Freeze];
        let of_several = if servers > 1 { Kind::OF_SEVERAL } else { &[] };
        WHOLE.iter().chain(of_several).copied().filter(|kind| self.has(*kind)).collect()
    }

    /// The same if there are several servers, and none if there is one.
    pub fn kinds_of_several(&self, servers: usize) -> Vec<Kind> {
        if servers > 1 { self.whole(servers) } else { Vec::new() }
    }

    /// How a table is set up.
    pub fn table(&self, number: usize) -> TablePlan {
        TablePlan::drawn(number, &mut Dice::new(self.seed, For::Table, number as u64, 0))
    }
}

/// How a table is set up.
#[derive(Debug, Clone, PartialEq)]
pub struct TablePlan {
    /// Which one.
    pub number: usize,
    /// Which game.
    pub game: &'static str,
    /// Its rules.
    pub rules: Value,
    /// Seconds for each decision.
    pub clock: Option<u32>,
    /// Whether somebody's only act is played for them.
    pub forced: Forced,
    /// How many people.
    pub people: usize,
    /// How many bots beside them.
    pub bots: usize,
    /// How many watch.
    pub watchers: usize,
    /// Whether people leave in the middle of a game.
    pub leavers: bool,
    /// The longest somebody thinks, in milliseconds.
    pub slowest: u32,
}

impl TablePlan {
    fn drawn(number: usize, dice: &mut Dice) -> TablePlan {
        // Of any four tables next to each other two play each game, so that a short run has both.
        let towers = number.is_multiple_of(2);
        let people = *dice.pick(&[2, 2, 3, 3, 4, 5]);
        let bots = if people < 5 && dice.one_in(3) { 1 } else { 0 };
        // Whoever plays at random makes many mistakes, and takes back as many.
        let mistakes = if people == 2 && dice.one_in(2) { "allowed" } else { "prevented" };
        TablePlan {
            number,
            game: if towers { "towers" } else { "qwantum" },
            rules: if towers { json!({ "mistakes": mistakes }) } else { json!({}) },
            clock: dice.one_in(4).then_some(10),
            forced: if dice.one_in(4) { Forced::Auto } else { Forced::Ask },
            people,
            bots,
            watchers: dice.between(0..3) as usize,
            leavers: people > 2 && dice.one_in(4),
            slowest: *dice.pick(&[60, 120, 250]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(seed: u64, faults: &[Kind]) -> Plan {
        Plan {
            seed,
            time: Duration::from_secs(60),
            tables: 8,
            faults: faults.to_vec(),
            singly: false,
            patience: Duration::from_secs(60),
            memory: 400 << 20,
        }
    }

    #[test]
    fn the_same_seed_plans_the_same_and_another_another() {
        let faults = |seed| plan(seed, Kind::ALL).faults(3).take(20).collect::<Vec<_>>();
        let tables = |seed| (0..8).map(|number| plan(seed, Kind::ALL).table(number)).collect::<Vec<_>>();
        assert_eq!((faults(7), tables(7)), (faults(7), tables(7)));
        assert_ne!(faults(7), faults(8));
        assert_ne!(tables(7), tables(8));
    }

    #[test]
    fn only_what_was_asked_for_happens_and_to_every_server() {
        let kills: Vec<Fault> = plan(7, &[Kind::Kill, Kind::Delay]).faults(3).take(50).collect();
        assert!(kills.iter().all(|fault| fault.what.kind() == Kind::Kill));
        for named in 0..3 {
            let meets = |what| matches!(what, What::Kill { server, .. } if server == named);
            assert!(kills.iter().any(|fault| meets(fault.what)), "server {named}");
        }
        assert_eq!(plan(7, &[Kind::Delay]).faults(3).next(), None);
    }

    #[test]
    fn to_several_servers_everything_comes_once_before_anything_comes_again() {
        let several: Vec<Fault> = plan(7, &Kind::all(3)).faults(3).take(28).collect();
        for round in several.chunks(14) {
            let mut kinds: Vec<Kind> = round.iter().map(|fault| fault.what.kind()).collect();
            kinds.sort_unstable();
            kinds.dedup();
            assert_eq!(kinds.len(), 14, "{round:?}");
        }
        let one = plan(7, &Kind::all(3)).faults(1).take(50);
        assert!(one.into_iter().all(|fault| !Kind::OF_SEVERAL.contains(&fault.what.kind())));
    }

    #[test]
    fn tables_are_of_all_kinds() {
        let tables: Vec<TablePlan> = (0..50).map(|number| plan(7, Kind::ALL).table(number)).collect();
        for people in 2..=5 {
            assert!(tables.iter().any(|table| table.people == people));
        }
        assert!(tables.iter().all(|table| table.people + table.bots <= 5));
        for some in [
            |table: &TablePlan| table.game == "towers",
            |table: &TablePlan| table.clock.is_some(),
            |table: &TablePlan| table.forced == Forced::Auto,
            |table: &TablePlan| table.bots > 0,
            |table: &TablePlan| table.leavers,
            |table: &TablePlan| table.watchers > 0,
        ] {
            let count = tables.iter().filter(|table| some(table)).count();
            assert!((1..50).contains(&count), "some tables, not all");
        }
    }
}
