//! Plays for seats: bots, the clock, and forced acts. The room says what is due and when. Bots think on other threads,
//! and the result is decided, written and applied like any other act.

use super::commit::NotDone;
use super::{RoomTask, TaskExit};
use crate::code::random_bytes;
use crate::limits::CpuQuota;
use game::{Level, Seed};
use protocol::RawAction;
use room::{By, Input, Refusal, Thinking, Want};
use tokio::time::Instant;

/// The result of a bot's thinking.
pub struct Thought {
    want: Want,
    act: Option<RawAction>,
}

impl RoomTask {
    /// Returns when the next decision is due that no bot is thinking about yet.
    pub fn next_want(&self) -> Option<Instant> {
        let wants = self.wants().into_iter().filter(|want| !self.is_thought_about(want));
        wants.map(|want| self.base.clock.at(want.at)).min()
    }

    /// Returns whether a bot is thinking about this decision, even if its due time has changed since.
    fn is_thought_about(&self, want: &Want) -> bool {
        self.thinking_about.iter().any(|about| about.is_for(want))
    }

    fn wants(&self) -> Vec<Want> {
        self.room.wants(self.base.config.bot_delay_ms)
    }

    /// Starts or carries out what is due now.
    pub async fn decide_for_others(&mut self) -> Result<(), TaskExit> {
        let now = self.base.clock.running();
        for want in self.wants() {
            if want.at > now || self.is_thought_about(&want) {
                continue;
            }
            if want.by == By::Force {
                let act = self.room.only_act(want.seat);
                self.play_for(Thought { want, act }).await?;
                // One act may change what is due for the other seats.
                return Ok(());
            }
            let Some(thinking) = self.room.thinking(want.seat) else { continue };
            self.thinking_about.push(want);
            let (rooms, client) = (self.rooms.clone(), self.longest_here());
            // Bots of an address beyond its quota play on, but do not search.
            let may_search = client.is_none_or(|client| rooms.base.limits.may_work(client, CpuQuota::Thinking));
            let level = if may_search { want.level } else { quick(want.level) };
            self.thoughts.spawn(async move {
                let limits = rooms.base.limits.clone();
                let thinking: Thinking = Box::new(move |level, seed, budget| {
                    limits.charge(client, CpuQuota::Thinking, || thinking(level, seed, budget))
                });
                let act = rooms.thinkers.think(thinking, level, Seed(random_bytes())).await;
                Thought { want, act }
            });
        }
        Ok(())
    }

    /// Plays an act that was decided for a seat, if it is still due.
    pub async fn play_for(&mut self, thought: Thought) -> Result<(), TaskExit> {
        let Thought { want, act } = thought;
        self.thinking_about.retain(|about| !about.is_for(&want));
        // The player may have returned, or have acted at the last moment.
        if !self.wants().iter().any(|wanted| wanted.is_for(&want)) {
            return Ok(());
        }
        if act.is_none() {
            tracing::error!(room = self.room.code(), "a bot found no act; playing any legal act");
        }
        // Never get stuck: if thinking failed, play any legal act, which needs no thinking.
        for act in [act, self.room.any_act(want.seat)].into_iter().flatten() {
            let input = Input::Play { seat: want.seat, n: want.n, action: act, by: want.by };
            match self.carry_out(input, self.longest_here()).await {
                Ok(_) => return Ok(()),
                Err(NotDone::Refused(refusal)) => self.report(&refusal),
                Err(NotDone::Exited(halt)) => return Err(halt),
            }
        }
        Ok(())
    }

    fn report(&self, refusal: &Refusal) {
        tracing::error!(room = self.room.code(), code = refusal.code(), "a bot's act was refused");
    }
}

/// Returns the strongest level up to this one that does not search.
fn quick(level: Level) -> Level {
    if level == Level::Hard { Level::Normal } else { level }
}
