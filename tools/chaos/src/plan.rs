//! The plan of a run: its tables and its faults. All of it follows from the seed.

use crate::dice::{For, SeededRandom};
use clap::ValueEnum;
use protocol::Forced;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// SIGKILL, then a restart over the same journal.
    Kill,
    /// SIGTERM, then a restart over the same journal.
    Term,
    /// SIGSTOP for a while.
    Stop,
    /// Connections are cut at any byte, some with RST and some with FIN.
    Cut,
    /// Connections stay open but transfer nothing for a while.
    Freeze,
    /// Connections have a high latency.
    Delay,
    /// Connections have a low bandwidth.
    Throttle,
    /// Malicious clients guess tokens, flood, and do not read.
    Intruders,
    /// All of several servers are restarted, one after the other.
    Roll,
    /// The database of several servers is restarted.
    Restart,
    /// The database of several servers is down for ten seconds.
    Away,
    /// One of several servers cannot reach the database.
    CutOff,
    /// Several servers cannot reach each other.
    Apart,
    /// The primary of the database is killed and its standby promoted.
    Promote,
    /// The standby is promoted, and the killed primary comes back writable.
    OldPrimary,
    /// The primary freezes and its standby is promoted.
    FrozenPrimary,
    /// The synchronous standby is down, so that nothing can be written.
    LostStandby,
}

impl FaultKind {
    /// Returns all kinds of faults that apply to this number of servers.
    pub fn all(servers: usize) -> Vec<FaultKind> {
        let several = if servers > 1 { FaultKind::OF_SEVERAL } else { &[] };
        FaultKind::ALL.iter().chain(several).copied().collect()
    }

    /// Returns whether players cannot be served while the fault lasts, whatever the servers do, because there is no
    /// database or no route to the server that owns their room.
    pub fn keeps_people_out(self) -> bool {
        matches!(self, FaultKind::Away | FaultKind::Apart | FaultKind::LostStandby)
    }

    /// The kinds of faults that require several servers.
    pub const OF_SEVERAL: &'static [FaultKind] = &[
        FaultKind::Roll,
        FaultKind::Restart,
        FaultKind::Away,
        FaultKind::CutOff,
        FaultKind::Apart,
        FaultKind::Promote,
        FaultKind::OldPrimary,
        FaultKind::FrozenPrimary,
        FaultKind::LostStandby,
    ];

    /// The kinds of faults that apply to a single server, too.
    pub const ALL: &'static [FaultKind] = &[
        FaultKind::Kill,
        FaultKind::Term,
        FaultKind::Stop,
        FaultKind::Cut,
        FaultKind::Freeze,
        FaultKind::Delay,
        FaultKind::Throttle,
        FaultKind::Intruders,
    ];
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::Kill => "SIGKILL",
            FaultKind::Term => "SIGTERM",
            FaultKind::Stop => "SIGSTOP",
            FaultKind::Cut => "cuts",
            FaultKind::Freeze => "freezes",
            FaultKind::Delay => "delayed connections",
            FaultKind::Throttle => "throttled connections",
            FaultKind::Intruders => "intrusions",
            FaultKind::Roll => "rolling restarts",
            FaultKind::Restart => "database restarted",
            FaultKind::Away => "database unavailable",
            FaultKind::CutOff => "cut off from database",
            FaultKind::Apart => "servers partitioned",
            FaultKind::Promote => "standby promoted",
            FaultKind::OldPrimary => "old primary back",
            FaultKind::FrozenPrimary => "primary frozen",
            FaultKind::LostStandby => "standby lost",
        })
    }
}

/// The parameters of a run.
#[derive(Debug, Clone)]
pub struct ChaosPlan {
    /// Seed for all random choices.
    pub seed: u64,
    /// How long faults are injected.
    pub time: Duration,
    /// Number of tables.
    pub tables: usize,
    /// Kinds of faults to inject.
    pub faults: Vec<FaultKind>,
    /// Whether a fault waits until all players have reconnected after the previous one.
    pub singly: bool,
    /// How long the remaining games may take after the last fault.
    pub patience: Duration,
    /// Limit for the resident memory of a server, in bytes.
    pub memory: u64,
}

/// A fault of servers or of all connections, as opposed to those of a single connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Time since the previous fault.
    pub after: Duration,
    /// What the fault does.
    pub what: What,
}

/// The effect of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A server is killed and started again.
    Kill {
        /// Index of the server.
        server: usize,
        /// How long it is down.
        down: Duration,
    },
    /// A server is asked to stop, and started again at once.
    Term {
        /// Index of the server.
        server: usize,
    },
    /// A server is paused.
    Stop {
        /// Index of the server.
        server: usize,
        /// How long it is paused.
        still: Duration,
    },
    /// All servers are restarted, one after the other.
    Roll,
    /// The database is down.
    Database {
        /// How long it is down.
        down: Duration,
    },
    /// A server cannot reach the database.
    CutOff {
        /// Index of the server.
        server: usize,
        /// How long the database is unreachable.
        time: Duration,
    },
    /// Servers cannot reach each other.
    Apart {
        /// How long they are partitioned.
        time: Duration,
    },
    /// The primary of the database is killed and its standby promoted.
    Promote,
    /// The standby is promoted, and the killed primary comes back writable.
    OldPrimary,
    /// The primary freezes and its standby is promoted.
    FrozenPrimary,
    /// The synchronous standby is down.
    LostStandby {
        /// How long it is down.
        time: Duration,
    },
    /// All connections are cut.
    CutAll {
        /// Whether they are cut with RST instead of FIN.
        rst: bool,
    },
    /// No connection transfers anything.
    FreezeAll {
        /// How long the connections are frozen.
        still: Duration,
    },
}

impl What {
    /// Returns the kind of fault that this counts as.
    pub fn kind(self) -> FaultKind {
        match self {
            What::Kill { .. } => FaultKind::Kill,
            What::Term { .. } => FaultKind::Term,
            What::Stop { .. } => FaultKind::Stop,
            What::Roll => FaultKind::Roll,
            What::Database { down } => {
                if down.is_zero() {
                    FaultKind::Restart
                } else {
                    FaultKind::Away
                }
            }
            What::CutOff { .. } => FaultKind::CutOff,
            What::Apart { .. } => FaultKind::Apart,
            What::Promote => FaultKind::Promote,
            What::OldPrimary => FaultKind::OldPrimary,
            What::FrozenPrimary => FaultKind::FrozenPrimary,
            What::LostStandby { .. } => FaultKind::LostStandby,
            What::CutAll { .. } => FaultKind::Cut,
            What::FreezeAll { .. } => FaultKind::Freeze,
        }
    }
}

impl ChaosPlan {
    /// Returns whether this kind of fault is requested.
    pub fn has(&self, kind: FaultKind) -> bool {
        self.faults.contains(&kind)
    }

    /// Returns an endless sequence of faults for this number of servers, empty if none is requested. With several
    /// servers every kind comes once before any is repeated, and a fault may begin before all players have recovered
    /// from the previous one.
    pub fn faults(&self, servers: usize) -> impl Iterator<Item = Fault> + use<> {
        let (several, kinds) = (servers > 1, self.whole(servers));
        let mut dice = SeededRandom::new(self.seed, For::Plan, 0, 0);
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
                // With several servers it is down for longer than its lease, so that the others take over its rooms.
                FaultKind::Kill if several => What::Kill { server, down: dice.ms(6000..9000) },
                FaultKind::Kill => What::Kill { server, down: dice.ms(0..1500) },
                FaultKind::Term => What::Term { server },
                // With several servers it is paused for longer than its lease.
                FaultKind::Stop if several => What::Stop { server, still: dice.ms(6000..9000) },
                FaultKind::Stop => What::Stop { server, still: dice.ms(100..3000) },
                FaultKind::Roll => What::Roll,
                FaultKind::Restart => What::Database { down: Duration::ZERO },
                FaultKind::Away => What::Database { down: Duration::from_secs(10) },
                FaultKind::CutOff => What::CutOff { server, time: dice.ms(6000..9000) },
                FaultKind::Apart => What::Apart { time: dice.ms(6000..9000) },
                FaultKind::Promote => What::Promote,
                FaultKind::OldPrimary => What::OldPrimary,
                FaultKind::FrozenPrimary => What::FrozenPrimary,
                FaultKind::LostStandby => What::LostStandby { time: dice.ms(6000..9000) },
                FaultKind::Cut => What::CutAll { rst: dice.one_in(2) },
                _ => What::FreezeAll { still: dice.ms(200..4000) },
            };
            Some(Fault { after, what })
        })
    }

    /// Returns the requested kinds of faults that affect servers or all connections.
    fn whole(&self, servers: usize) -> Vec<FaultKind> {
        const WHOLE: &[FaultKind] =
            &[FaultKind::Kill, FaultKind::Term, FaultKind::Stop, FaultKind::Cut, FaultKind::Freeze];
        let of_several = if servers > 1 { FaultKind::OF_SEVERAL } else { &[] };
        WHOLE.iter().chain(of_several).copied().filter(|kind| self.has(*kind)).collect()
    }

    /// Returns the requested kinds of faults of servers and of all connections, or nothing for a single server.
    pub fn kinds_of_several(&self, servers: usize) -> Vec<FaultKind> {
        if servers > 1 { self.whole(servers) } else { Vec::new() }
    }

    /// Returns the setup of a table.
    pub fn table(&self, number: usize) -> TablePlan {
        TablePlan::drawn(number, &mut SeededRandom::new(self.seed, For::Table, number as u64, 0))
    }
}

/// Setup of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TablePlan {
    /// Number of the table.
    pub number: usize,
    /// Name of the game.
    pub game: &'static str,
    /// Rules of the game.
    pub rules: Value,
    /// Seconds for each decision.
    pub clock: Option<u32>,
    /// Whether a player's only legal action is played automatically.
    pub forced: Forced,
    /// Number of players.
    pub people: usize,
    /// Number of bots.
    pub bots: usize,
    /// Number of spectators.
    pub watchers: usize,
    /// Whether players leave in the middle of a game.
    pub leavers: bool,
    /// Longest thinking time, in milliseconds.
    pub slowest: u32,
}

impl TablePlan {
    fn drawn(number: usize, dice: &mut SeededRandom) -> TablePlan {
        // The games alternate, so that a short run has both.
        let towers = number.is_multiple_of(2);
        let people = *dice.pick(&[2, 2, 3, 3, 4, 5]);
        let bots = if people < 5 && dice.one_in(3) { 1 } else { 0 };
        // Random players make many mistakes and take back as many, so mistakes are allowed only at some tables of two.
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

    fn plan(seed: u64, faults: &[FaultKind]) -> ChaosPlan {
        ChaosPlan {
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
    fn the_plan_depends_only_on_the_seed() {
        let faults = |seed| plan(seed, FaultKind::ALL).faults(3).take(20).collect::<Vec<_>>();
        let tables = |seed| (0..8).map(|number| plan(seed, FaultKind::ALL).table(number)).collect::<Vec<_>>();
        assert_eq!((faults(7), tables(7)), (faults(7), tables(7)));
        assert_ne!(faults(7), faults(8));
        assert_ne!(tables(7), tables(8));
    }

    #[test]
    fn only_chosen_faults_are_planned_and_every_server_is_hit() {
        let kills: Vec<Fault> = plan(7, &[FaultKind::Kill, FaultKind::Delay]).faults(3).take(50).collect();
        assert!(kills.iter().all(|fault| fault.what.kind() == FaultKind::Kill));
        for named in 0..3 {
            let meets = |what| matches!(what, What::Kill { server, .. } if server == named);
            assert!(kills.iter().any(|fault| meets(fault.what)), "server {named}");
        }
        assert_eq!(plan(7, &[FaultKind::Delay]).faults(3).next(), None);
    }

    #[test]
    fn with_several_servers_every_fault_comes_once_before_any_repeats() {
        let several: Vec<Fault> = plan(7, &FaultKind::all(3)).faults(3).take(28).collect();
        for round in several.chunks(14) {
            let mut kinds: Vec<FaultKind> = round.iter().map(|fault| fault.what.kind()).collect();
            kinds.sort_unstable();
            kinds.dedup();
            assert_eq!(kinds.len(), 14, "{round:?}");
        }
        let one = plan(7, &FaultKind::all(3)).faults(1).take(50);
        assert!(one.into_iter().all(|fault| !FaultKind::OF_SEVERAL.contains(&fault.what.kind())));
    }

    #[test]
    fn the_plan_has_tables_of_every_kind() {
        let tables: Vec<TablePlan> = (0..50).map(|number| plan(7, FaultKind::ALL).table(number)).collect();
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
