//! A table: its room, who belongs to it, and when its games begin and end. Its people share this.

use super::person::Person;
use super::watcher;
use crate::ChaosError;
use crate::judge::{Judge, Promise, Who};
use crate::line::Way;
#[cfg(test)]
use crate::plan::Plan;
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

/// How long a start that was said may be on its way before nobody waits for it any more.
const ON_ITS_WAY: Duration = Duration::from_secs(3);

/// What all tables of a run have in common.
#[derive(Clone)]
pub struct Seated {
    /// The run's seed.
    pub seed: u64,
    /// Who hears it all.
    pub judge: Arc<Judge>,
    /// Where people connect.
    pub proxy: SocketAddr,
    /// Where the servers are, for what is asked beside the play.
    pub servers: Vec<SocketAddr>,
    /// From here on no game begins.
    pub closing: CancellationToken,
    /// The binary that checks records, and the folder they are written to; none if they are not checked.
    pub verifier: Option<(PathBuf, PathBuf)>,
    /// How many records are checked at once.
    pub checks: Arc<Semaphore>,
}

/// A table.
pub struct Table {
    /// How it was set up.
    pub plan: TablePlan,
    /// Its room.
    pub code: String,
    /// What all tables share.
    pub all: Seated,
    /// Nothing more happens at this table.
    pub over: CancellationToken,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// When somebody last said that a game should begin.
    started: Option<Instant>,
    /// The games whose records are being asked for or known.
    asked: Vec<Commitment>,
    known: Vec<Commitment>,
    /// When a host last said that a bot, or somebody who was away, be removed.
    removed: Option<Instant>,
}

impl Table {
    /// Opens a room.
    pub async fn open(plan: TablePlan, all: Seated) -> Result<Arc<Table>, ChaosError> {
        let way = Table::side_door(&all, &plan);
        let body = OpenRoom {
            game: plan.game.to_owned(),
            rules: Some(plan.rules.clone()),
            clock: plan.clock,
            forced: plan.forced,
            pace: Default::default(),
        };
        let body = serde_json::to_string(&body).expect("it has string keys only");
        let request = Request::post("/api/rooms").header("content-type", "application/json").body(body);
        let answer = way.request(request.expect("a request")).await?;
        let opened: Result<RoomOpened, _> = serde_json::from_str(&answer.body);
        let code = opened.map_err(|_| ChaosError::NoRoom(answer.body))?.code;
        let (over, state) = (CancellationToken::new(), Mutex::default());
        Ok(Arc::new(Table { plan, code, all, over, state }))
    }

    /// A table whose room nobody has opened.
    #[cfg(test)]
    pub fn unopened(judge: &Arc<Judge>) -> Arc<Table> {
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 9));
        let all = Seated {
            seed: 7,
            judge: judge.clone(),
            proxy: nowhere,
            servers: vec![nowhere],
            closing: CancellationToken::new(),
            verifier: None,
            checks: Arc::new(Semaphore::new(1)),
        };
        let (time, patience) = (Duration::ZERO, Duration::ZERO);
        let plan = Plan { seed: 7, time, tables: 1, faults: Vec::new(), patience, memory: 0, singly: false }
            .table(0);
        let (over, state) = (CancellationToken::new(), Mutex::default());
        Arc::new(Table { plan, code: "K7QF3M".to_owned(), all, over, state })
    }

    /// Seats everybody; the tasks end when the table is over.
    pub fn seat(self: &Arc<Table>, tasks: &mut JoinSet<()>) {
        for place in 0..self.plan.people {
            tasks.spawn(Person::new(self.clone(), place).live());
        }
        for place in 0..self.plan.watchers {
            tasks.spawn(watcher::look_on(self.clone(), place));
        }
    }

    /// The way of somebody at this table: an address for each.
    pub fn way(&self, who: Who, place: usize) -> Way {
        let from = address(self.plan.number, place + 1);
        Way { who, from, to: self.all.proxy, judge: self.all.judge.clone() }
    }

    /// The way past the proxy, for what is no part of the play.
    fn side_door(all: &Seated, plan: &TablePlan) -> Way {
        let to = all.servers[plan.number % all.servers.len()];
        Way { who: Who::Watcher(0), from: address(plan.number, 200), to, judge: all.judge.clone() }
    }

    /// Whether a game may still begin; whoever asks is about to begin it.
    pub fn may_begin(&self) -> bool {
        if self.all.closing.is_cancelled() {
            return false;
        }
        self.state().started = Some(Instant::now());
        true
    }

    /// Nobody plays, and nobody will.
    pub fn rests(&self) {
        let on_its_way = self.state().started.is_some_and(|started| started.elapsed() < ON_ITS_WAY);
        if self.all.closing.is_cancelled() && !on_its_way {
            self.over.cancel();
        }
    }

    /// A host removes somebody.
    pub fn removes(&self) {
        self.state().removed = Some(Instant::now());
    }

    /// When a host last said that somebody be removed.
    pub fn last_removal(&self) -> Option<Instant> {
        self.state().removed
    }

    /// A game is over: its record is asked for once. Answers whether it is known.
    pub fn ended(self: &Arc<Table>, game: Commitment) -> bool {
        let mut state = self.state();
        if !state.asked.contains(&game) {
            state.asked.push(game);
            tokio::spawn(self.clone().fetch_record(game));
        }
        state.known.contains(&game)
    }

    async fn fetch_record(self: Arc<Table>, game: Commitment) {
        let path = format!("/api/rooms/{}/record", self.code);
        let way = Table::side_door(&self.all, &self.plan);
        while !self.over.is_cancelled() {
            let request = Request::get(&path).body(String::new()).expect("a request");
            if let Ok(answer) = way.request(request).await
                && answer.status == StatusCode::OK
            {
                self.all.judge.recorded(&self.code, &answer.body);
                self.check(answer.body, &game);
                self.state().known.push(game);
                return;
            }
            // The server is down, or busy: nobody asks for a rematch before this is done.
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// `rookery verify` in the background, a few at a time.
    fn check(self: &Arc<Table>, record: String, game: &Commitment) {
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

    /// The record once more, after everything.
    pub async fn look_again(&self) {
        if self.state().known.is_empty() {
            return;
        }
        let path = format!("/api/rooms/{}/record", self.code);
        let way = Table::side_door(&self.all, &self.plan);
        let request = Request::get(&path).body(String::new()).expect("a request");
        match way.request(request).await {
            Ok(answer) if answer.status == StatusCode::OK => {
                self.all.judge.recorded_again(&self.code, &answer.body);
            }
            Ok(answer) => {
                let what = format!("the record of its last game is answered with {}", answer.status);
                self.all.judge.accuse(Promise::Lost, Some(&self.code), what);
            }
            Err(error) => {
                let what = format!("at the end nobody answers: {error}");
                self.all.judge.accuse(Promise::Unsound, Some(&self.code), what);
            }
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with it")
    }
}

/// An address of this machine's own for each place of each table: limits are per address, and these are people in homes of
/// their own.
pub fn address(table: usize, place: usize) -> IpAddr {
    let [high, low] = (table as u16 + 1).to_be_bytes();
    Ipv4Addr::new(127, 10 + high, low, place as u8).into()
}
