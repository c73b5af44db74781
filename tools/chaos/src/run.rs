//! A complete run: games are played while faults are injected, the remaining games end without faults, and all records
//! are checked once more.

use crate::ground::DatabaseGround;
use crate::intruders::{self, IntrusionTarget};
use crate::judge::{Judge, Promise};
use crate::people::{PlayedTable, RunContext};
use crate::plan::{ChaosPlan, Fault, FaultKind, What};
use crate::proxy::Proxy;
use crate::report::ChaosReport;
use crate::servers::ServerProcesses;
use crate::{ChaosArgs, ChaosError};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

/// Interval between checks of the servers' memory.
const LOOK: Duration = Duration::from_millis(250);
/// Number of records verified concurrently.
const CHECKS: usize = 2;
/// Interval between checks whether all players have reconnected.
const SETTLED: Duration = Duration::from_millis(50);
/// No game begins after this fraction of the fault time.
const LAST_START: f64 = 0.9;

/// Plays against servers that this run starts, kills and pauses.
pub async fn run(plan: &ChaosPlan, settings: &ChaosArgs) -> Result<ChaosReport, ChaosError> {
    let folder = tempfile::tempdir()?;
    let records = folder.path().join("records");
    std::fs::create_dir(&records)?;
    let (ground, launch) = settings.launch(folder.path()).await?;
    let mut servers = ServerProcesses::start(launch).await?;
    let verifier = Some((settings.program()?, records));
    let judge = Judge::new(settings.traces.clone());
    let play = Playing::begin(plan, judge.clone(), servers.addresses(), verifier).await?;
    let mut weather = Weather { ground, counts: BTreeMap::new(), resident: 0 };
    weather.blow(plan, &mut servers, &play).await;
    play.calm_down();
    let settled = Instant::now() + plan.patience;
    let tables = play.tables.clone();
    let end = tokio::select! {
        end = play.end(settled, false) => end,
        () = weather.watch(&judge, &mut servers, plan.memory) => unreachable!("watching never ends"),
    };
    // Restart all servers and read the records again from disk: what was shown must have been stored.
    for index in 0..servers.addresses().len() {
        let ended = match servers.terminate(index).await {
            Ok(()) => servers.start_again(index).await,
            Err(error) => Err(error),
        };
        if let Err(error) = ended {
            judge.accuse(Promise::Unsound, None, error.to_string());
        }
    }
    for table in &tables {
        table.look_again().await;
    }
    if let Some(line) = servers.panics() {
        judge.accuse(Promise::Unsound, None, format!("a server panicked: {line}"));
    }
    for (kind, count) in end.counts {
        *weather.counts.entry(kind).or_default() += count;
    }
    Ok(ChaosReport::new(plan, &judge, weather.counts, end.lines, weather.resident))
}

/// Plays against running servers, without server faults, until all is done or an invariant is violated. Used by tests
/// of this suite and for servers in containers. Records are verified by the binary `verifier`, if there is one.
pub async fn run_against(
    plan: &ChaosPlan,
    servers: Vec<SocketAddr>,
    verifier: Option<PathBuf>,
) -> Result<ChaosReport, ChaosError> {
    let judge = Judge::new(None);
    let records = tempfile::tempdir()?;
    let verifier = verifier.map(|program| (program, records.path().to_owned()));
    let play = Playing::begin(plan, judge.clone(), servers, verifier).await?;
    let tables = play.tables.clone();
    tokio::select! {
        () = sleep(plan.time) => {}
        () = judge.first_violation() => {}
    }
    play.calm_down();
    let end = play.end(Instant::now() + plan.patience, true).await;
    for table in &tables {
        table.look_again().await;
    }
    Ok(ChaosReport::new(plan, &judge, end.counts, end.lines, 0))
}

/// All participants of a run.
struct Playing {
    judge: Arc<Judge>,
    singly: bool,
    proxy: Proxy,
    tables: Vec<Arc<PlayedTable>>,
    people: JoinSet<()>,
    strangers: JoinSet<()>,
    closing: CancellationToken,
    gone: CancellationToken,
}

/// Counters of the proxy.
struct RunTotals {
    counts: BTreeMap<FaultKind, u64>,
    lines: u64,
}

impl Playing {
    async fn begin(
        plan: &ChaosPlan,
        judge: Arc<Judge>,
        servers: Vec<SocketAddr>,
        verifier: Option<(PathBuf, PathBuf)>,
    ) -> Result<Playing, ChaosError> {
        let proxy = Proxy::start(plan, servers.clone()).await?;
        let (closing, gone) = (CancellationToken::new(), CancellationToken::new());
        let all = RunContext {
            seed: plan.seed,
            judge: judge.clone(),
            proxy: proxy.address(),
            servers: servers.clone(),
            closing: closing.clone(),
            verifier,
            checks: Arc::new(Semaphore::new(CHECKS)),
        };
        let mut tables = Vec::with_capacity(plan.tables);
        for number in 0..plan.tables {
            tables.push(PlayedTable::open(plan.table(number), all.clone()).await?);
        }
        let (mut people, mut strangers) = (JoinSet::new(), JoinSet::new());
        for table in &tables {
            table.seat(&mut people);
        }
        if plan.has(FaultKind::Intruders) {
            let rooms = tables.iter().map(|table| table.code.clone()).collect();
            let target = IntrusionTarget { seed: plan.seed, judge: judge.clone(), servers, rooms, over: gone.clone() };
            intruders::let_in(&target, plan.tables.max(9), &mut strangers);
        }
        // With faults one at a time their duration is unknown, so games begin until the last one is over.
        if !plan.singly {
            let (close, last_start) = (closing.clone(), plan.time.mul_f64(LAST_START));
            people.spawn(async move {
                sleep(last_start).await;
                close.cancel();
            });
        }
        Ok(Playing { judge, singly: plan.singly, proxy, tables, people, strangers, closing, gone })
    }

    /// Stops faults, intruders and the start of new games.
    fn calm_down(&self) {
        self.proxy.calm_down();
        self.closing.cancel();
        self.gone.cancel();
    }

    /// Notes the start of a fault that affects all players. Only faults that come one at a time can be attributed to an
    /// absence.
    fn begins(&self, kind: FaultKind) {
        if self.singly {
            self.judge.strikes(kind);
        }
    }

    /// Notes the end of the fault.
    fn relents(&self) {
        if self.singly {
            self.judge.relents();
        }
    }

    /// Waits until all players have reconnected after the last fault.
    async fn settle(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        while !self.judge.is_settled() {
            if Instant::now() >= deadline {
                let what = "a player did not reconnect after the fault".to_owned();
                return self.judge.accuse(Promise::Unfinished, None, what);
            }
            sleep(SETTLED).await;
        }
    }

    /// Waits for every game to end. If `hasty`, returns at the first violation.
    async fn end(mut self, deadline: Instant, hasty: bool) -> RunTotals {
        let all_players = async { while self.people.join_next().await.is_some() {} };
        let all_ended = tokio::select! {
            () = all_players => true,
            () = sleep_until(deadline) => false,
            () = self.judge.first_violation(), if hasty => false,
        };
        // Wait for records that are still being verified.
        for table in &self.tables {
            table.over.cancel();
            let _ = timeout(Duration::from_secs(20), table.all.checks.acquire_many(CHECKS as u32)).await;
        }
        self.strangers.shutdown().await;
        for room in self.judge.unfinished() {
            let what = "the game did not end after the last fault".to_owned();
            self.judge.accuse(Promise::Unfinished, Some(&room), what);
        }
        if !all_ended && self.judge.unfinished().is_empty() {
            let what = "not every player finished after the last fault".to_owned();
            self.judge.accuse(Promise::Unfinished, None, what);
        }
        RunTotals { counts: self.proxy.counts().into_iter().collect(), lines: self.proxy.lines() }
    }
}

/// Injects faults of servers and of all connections.
struct Weather {
    /// Database and network of several servers.
    ground: Option<DatabaseGround>,
    counts: BTreeMap<FaultKind, u64>,
    resident: u64,
}

impl Weather {
    /// Injects faults until the time of the plan is over.
    async fn blow(&mut self, plan: &ChaosPlan, servers: &mut ServerProcesses, play: &Playing) {
        let end = Instant::now() + plan.time;
        let mut faults = plan.faults(servers.addresses().len());
        // Several servers get every kind of fault once, however long that takes on a slow machine.
        let mut to_come = plan.kinds_of_several(servers.addresses().len());
        loop {
            let next = faults.next();
            let due = next.as_ref().map_or(end, |fault| Instant::now() + fault.after);
            let when = if to_come.is_empty() { due.min(end) } else { due };
            tokio::select! {
                () = sleep_until(when) => {}
                () = self.watch(&play.judge, servers, plan.memory) => {}
            }
            let over = to_come.is_empty() && Instant::now() >= end;
            let Some(Fault { what, .. }) = next.filter(|_| !over) else { return };
            to_come.retain(|kind| *kind != what.kind());
            *self.counts.entry(what.kind()).or_default() += 1;
            let struck = self.strike(what, servers, play).await;
            play.relents();
            if let Err(error) = struck {
                play.judge.accuse(Promise::Unsound, None, error.to_string());
                // Without servers no game could continue.
                for index in 0..servers.addresses().len() {
                    let _ = servers.start_again(index).await;
                }
            }
            if plan.singly {
                tokio::select! {
                    () = play.settle(plan.patience) => {}
                    () = self.watch(&play.judge, servers, plan.memory) => {}
                }
            }
        }
    }

    async fn strike(&mut self, what: What, servers: &mut ServerProcesses, play: &Playing) -> Result<(), ChaosError> {
        play.begins(what.kind());
        match what {
            What::Kill { server, down } => {
                servers.kill(server).await?;
                sleep(down).await;
                servers.start_again(server).await
            }
            What::Term { server } => {
                servers.terminate(server).await?;
                servers.start_again(server).await
            }
            What::Stop { server, still } => {
                servers.pause(server)?;
                sleep(still).await;
                servers.resume(server)
            }
            What::Roll => {
                for server in 0..servers.addresses().len() {
                    // Each restart is a fault of its own.
                    play.begins(what.kind());
                    servers.terminate(server).await?;
                    servers.start_again(server).await?;
                    play.relents();
                }
                Ok(())
            }
            What::Database { down } => match &self.ground {
                Some(ground) => ground.lose_database(down).await,
                None => Ok(()),
            },
            What::CutOff { server, time } => {
                if let Some(ground) = &self.ground {
                    ground.cut_off(server, time).await;
                }
                Ok(())
            }
            What::Apart { time } => {
                if let Some(ground) = &self.ground {
                    ground.part(time).await;
                }
                Ok(())
            }
            What::Promote => match &self.ground {
                Some(ground) => ground.fail_over().await,
                None => Ok(()),
            },
            What::OldPrimary => {
                if let Some(ground) = &self.ground
                    && let Some(accepted) = ground.bring_old_primary_back().await?
                {
                    play.judge.accuse(Promise::Unsound, None, accepted);
                }
                Ok(())
            }
            What::FrozenPrimary => match &self.ground {
                Some(ground) => ground.freeze_primary().await,
                None => Ok(()),
            },
            What::LostStandby { time } => match &self.ground {
                Some(ground) => ground.lose_standby(time).await,
                None => Ok(()),
            },
            What::CutAll { rst } => {
                play.proxy.cut_all(rst);
                Ok(())
            }
            What::FreezeAll { still } => {
                play.proxy.freeze_all(still);
                Ok(())
            }
        }
    }

    /// Watches the memory of all servers and whether they are running. Never returns.
    async fn watch(&mut self, judge: &Judge, servers: &mut ServerProcesses, memory: u64) {
        loop {
            let resident = servers.resident().unwrap_or_default();
            if resident > memory && self.resident <= memory {
                let (takes, may) = (resident >> 20, memory >> 20);
                let what = format!("a server uses {takes} MB, over its limit of {may} MB");
                judge.accuse(Promise::Unsound, None, what);
            }
            self.resident = self.resident.max(resident);
            if let Some(what) = servers.crashed() {
                judge.accuse(Promise::Unsound, None, what);
                for index in 0..servers.addresses().len() {
                    let _ = servers.start_again(index).await;
                }
            }
            sleep(LOOK).await;
        }
    }
}
