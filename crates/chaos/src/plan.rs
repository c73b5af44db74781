//! The plan of a run: its tables and its faults. All of it follows from the seed.

use crate::dice::{Dice, For};
use clap::ValueEnum;
use protocol::Forced;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
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

impl Kind {
    /// Returns all kinds of faults that apply to this number of servers.
    pub fn all(servers: usize) -> Vec<Kind> {
        let several = if servers > 1 { Kind::OF_SEVERAL } else { &[] };
        Kind::ALL.iter().chain(several).copied().collect()
    }

    /// Returns whether players cannot be served while the fault lasts, whatever the servers do, because there is no
    /// database or no route to the server that owns their room.
    pub fn keeps_people_out(self) -> bool {
        matches!(self, Kind::Away | Kind::Apart | Kind::LostStandby)
    }

    /// The kinds of faults that require several servers.
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

    /// The kinds of faults that apply to a single server, too.
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

/// The parameters of a run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Seed for all random choices.
    pub seed: u64,
    /// How long faults are injected.
    pub time: Duration,
    /// Number of tables.
    pub tables: usize,
    /// Kinds of faults to inject.
    pub faults: Vec<Kind>,
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
    /// Returns whether this kind of fault is requested.
    pub fn has(&self, kind: Kind) -> bool {
        self.faults.contains(&kind)
    }

    /// Returns an endless sequence of faults for this number of servers, empty if none is requested. With several
    /// servers every kind comes once before any is repeated, and a fault may begin before all players have recovered
    /// from the previous one.
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
                // With several servers it is down for longer than its lease, so that the others take over its rooms.
                Kind::Kill if several => What::Kill { server, down: dice.ms(6000..9000) },
                Kind::Kill => What::Kill { server, down: dice.ms(0..1500) },
                Kind::Term => What::Term { server },
                // With several servers it is paused for longer than its lease.
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

    /// Returns the requested kinds of faults that affect servers or all connections.
    fn whole(&self, servers: usize) -> Vec<Kind> {
        const WHOLE: &[Kind] = &[Kind::Kill, Kind::Term, Kind::Stop, Kind::Cut, Kind::Freeze];
        let of_several = if servers > 1 { Kind::OF_SEVERAL } else { &[] };
        WHOLE.iter().chain(of_several).copied().filter(|kind| self.has(*kind)).collect()
    }

    /// Returns the requested kinds of faults of servers and of all connections, or nothing for a single server.
    pub fn kinds_of_several(&self, servers: usize) -> Vec<Kind> {
        if servers > 1 { self.whole(servers) } else { Vec::new() }
    }

    /// Returns the setup of a table.
    pub fn table(&self, number: usize) -> TablePlan {
        TablePlan::drawn(number, &mut Dice::new(self.seed, For::Table, number as u64, 0))
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
    fn drawn(number: usize, dice: &mut Dice) -> TablePlan {
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
