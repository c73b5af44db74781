//! A table: its room, its players and spectators, and when its games begin and end. Shared by all participants.

use super::person::Person;
use super::watcher;
use crate::ChaosError;
use crate::judge::{Judge, Participant, Promise};
use crate::line::Way;
#[cfg(test)]
use crate::plan::ChaosPlan;
use crate::plan::TablePlan;
use client::{Request, StatusCode};
use game::Commitment;
use protocol::{OpenRoom, RoomOpened};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// How long a start request may be in transit.
const ON_ITS_WAY: Duration = Duration::from_secs(3);

/// What all tables of a run share.
#[derive(Clone)]
pub struct RunContext {
    /// Seed of the run.
    pub seed: u64,
    /// The judge that hears every connection.
    pub judge: Arc<Judge>,
    /// Address for players' connections.
    pub proxy: SocketAddr,
    /// Addresses of the servers, for requests that bypass the proxy.
    pub servers: Vec<SocketAddr>,
    /// Cancelled when no new games may begin.
    pub closing: CancellationToken,
    /// The binary that verifies records and the folder for them, or `None` if records are not verified.
    pub verifier: Option<(PathBuf, PathBuf)>,
    /// Limits how many records are verified concurrently.
    pub checks: Arc<Semaphore>,
}

/// A group of participants in one room.
pub struct PlayedTable {
    /// Setup of the table.
    pub plan: TablePlan,
    /// Code of the room.
    pub code: String,
    /// What all tables share.
    pub all: RunContext,
    /// Cancelled when nothing more happens at this table.
    pub over: CancellationToken,
    state: Mutex<TableState>,
}

#[derive(Default)]
struct TableState {
    /// When a game was last requested to start.
    started: Option<Instant>,
    /// Games whose record was requested, and games whose record is known.
    asked: Vec<Commitment>,
    known: Vec<Commitment>,
    /// When a host last requested the removal of a bot or an absent player.
    removed: Option<Instant>,
}

impl PlayedTable {
    /// Opens a room.
    pub async fn open(plan: TablePlan, all: RunContext) -> Result<Arc<PlayedTable>, ChaosError> {
        let way = PlayedTable::side_door(&all, &plan);
        let body = OpenRoom {
            game: plan.game.to_owned(),
            rules: Some(plan.rules.clone()),
            clock: plan.clock,
            forced: plan.forced,
            pace: Default::default(),
        };
        let body = serde_json::to_string(&body).expect("all keys are strings");
        let request = Request::post("/api/rooms").header("content-type", "application/json").body(body);
        let answer = way.request(request.expect("the request is valid")).await?;
        let opened: Result<RoomOpened, _> = serde_json::from_str(&answer.body);
        let code = opened.map_err(|_| ChaosError::NoRoom(answer.body))?.code;
        let (over, state) = (CancellationToken::new(), Mutex::default());
        Ok(Arc::new(PlayedTable { plan, code, all, over, state }))
    }

    /// Creates a table without opening a room.
    #[cfg(test)]
    pub fn unopened(judge: &Arc<Judge>) -> Arc<PlayedTable> {
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 9));
        let all = RunContext {
            seed: 7,
            judge: judge.clone(),
            proxy: nowhere,
            servers: vec![nowhere],
            closing: CancellationToken::new(),
            verifier: None,
            checks: Arc::new(Semaphore::new(1)),
        };
        let (time, patience) = (Duration::ZERO, Duration::ZERO);
        let plan =
            ChaosPlan { seed: 7, time, tables: 1, faults: Vec::new(), patience, memory: 0, singly: false }.table(0);
        let (over, state) = (CancellationToken::new(), Mutex::default());
        Arc::new(PlayedTable { plan, code: "K7QF3M".to_owned(), all, over, state })
    }

    /// Starts all participants. Their tasks end when the table is over.
    pub fn seat(self: &Arc<PlayedTable>, tasks: &mut JoinSet<()>) {
        for place in 0..self.plan.people {
            tasks.spawn(Person::new(self.clone(), place).live());
        }
        for place in 0..self.plan.watchers {
            tasks.spawn(watcher::look_on(self.clone(), place));
        }
    }

    /// Returns the connection parameters of a participant. Each has their own address.
    pub fn way(&self, who: Participant, place: usize) -> Way {
        let from = address(self.plan.number, place + 1);
        Way { who, from, to: self.all.proxy, judge: self.all.judge.clone() }
    }

    /// Returns the connection parameters for requests that are not part of the play. They bypass the proxy.
    fn side_door(all: &RunContext, plan: &TablePlan) -> Way {
        let to = all.servers[plan.number % all.servers.len()];
        Way { who: Participant::Watcher(0), from: address(plan.number, 200), to, judge: all.judge.clone() }
    }

    /// Returns whether a game may still begin. The caller is about to start it.
    pub fn may_begin(&self) -> bool {
        if self.all.closing.is_cancelled() {
            return false;
        }
        self.state().started = Some(Instant::now());
        true
    }

    /// Notes that no game is in progress. If the run is closing and no start is in transit, the table is over.
    pub fn rests(&self) {
        let on_its_way = self.state().started.is_some_and(|started| started.elapsed() < ON_ITS_WAY);
        if self.all.closing.is_cancelled() && !on_its_way {
            self.over.cancel();
        }
    }

    /// Notes that a host requested a removal.
    pub fn removes(&self) {
        self.state().removed = Some(Instant::now());
    }

    /// Returns when a host last requested a removal.
    pub fn last_removal(&self) -> Option<Instant> {
        self.state().removed
    }

    /// Fetches the record of a finished game, once. Returns whether it is known already.
    pub fn ended(self: &Arc<PlayedTable>, game: Commitment) -> bool {
        let mut state = self.state();
        if !state.asked.contains(&game) {
            state.asked.push(game);
            tokio::spawn(self.clone().fetch_record(game));
        }
        state.known.contains(&game)
    }

    async fn fetch_record(self: Arc<PlayedTable>, game: Commitment) {
        let path = format!("/api/rooms/{}/record", self.code);
        let way = PlayedTable::side_door(&self.all, &self.plan);
        while !self.over.is_cancelled() {
            let request = Request::get(&path).body(String::new()).expect("the request is valid");
            if let Ok(answer) = way.request(request).await
                && answer.status == StatusCode::OK
            {
                self.all.judge.recorded(&self.code, &answer.body);
                self.check(answer.body, &game);
                self.state().known.push(game);
                return;
            }
            // The server is down or busy. No rematch is requested before the record is known.
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// Runs `rookery verify` in the background, with limited concurrency.
    fn check(self: &Arc<PlayedTable>, record: String, game: &Commitment) {
        let Some((program, folder)) = self.all.verifier.clone() else { return };
        let (table, name) = (self.clone(), hex::encode(&game.0[..8]));
        tokio::spawn(async move {
            let _turn = table.all.checks.acquire().await;
            let file = folder.join(format!("{}-{name}.json", table.code));
            let written = std::fs::write(&file, record);
            let checked = Command::new(program).arg("verify").arg(&file).output().await;
            match (written, checked) {
                (Ok(()), Ok(output)) if output.status.success() => {
                    table.all.judge.did("record verified");
                    let _ = std::fs::remove_file(file);
                }
                (_, Ok(output)) => {
                    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                    table.all.judge.accuse(Promise::Unverified, Some(&table.code), said);
                }
                (_, Err(error)) => {
                    table.all.judge.accuse(Promise::Unverified, Some(&table.code), error.to_string());
                }
            }
        });
    }

    /// Fetches the last record again at the end of the run.
    pub async fn look_again(&self) {
        if self.state().known.is_empty() {
            return;
        }
        let path = format!("/api/rooms/{}/record", self.code);
        let way = PlayedTable::side_door(&self.all, &self.plan);
        let request = Request::get(&path).body(String::new()).expect("the request is valid");
        match way.request(request).await {
            Ok(answer) if answer.status == StatusCode::OK => {
                self.all.judge.recorded_again(&self.code, &answer.body);
            }
            Ok(answer) => {
                let what = format!("the request for the last record was answered with {}", answer.status);
                self.all.judge.accuse(Promise::Lost, Some(&self.code), what);
            }
            Err(error) => {
                let what = format!("no answer at the end of the run: {error}");
                self.all.judge.accuse(Promise::Unsound, Some(&self.code), what);
            }
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, TableState> {
        self.state.lock().expect("not poisoned")
    }
}

/// Returns a distinct loopback address for each participant of each table. Limits are per address, and the participants
/// stand for players in different homes.
pub fn address(table: usize, place: usize) -> IpAddr {
    let [high, low] = (table as u16 + 1).to_be_bytes();
    Ipv4Addr::new(127, 10 + high, low, place as u8).into()
}
