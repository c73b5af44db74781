//! What is played for seats: bots, the clock, forced acts. The room says what is wanted and when; thinking is done
//! elsewhere, and what comes of it is decided, written and applied like any other act.

use super::{Halt, NotDone, RoomTask};
use crate::code::random_bytes;
use game::Seed;
use protocol::RawAction;
use room::{By, Input, Refusal, Want};
use tokio::time::Instant;

/// What came of thinking.
pub struct Thought {
    want: Want,
    act: Option<RawAction>,
}

impl RoomTask {
    /// When the next decision for a seat is due that nobody thinks about yet.
    pub fn next_want(&self) -> Option<Instant> {
        let wants = self.wants().into_iter().filter(|want| !self.is_thought_about(want));
        wants.map(|want| self.shared.clock.at(want.at)).min()
    }

    /// Whether somebody thinks about this decision, whenever it was due when they began.
    fn is_thought_about(&self, want: &Want) -> bool {
        self.thinking_about.iter().any(|about| about.is_for(want))
    }

    fn wants(&self) -> Vec<Want> {
        self.room.wants(self.shared.config.bot_delay_ms)
    }

    /// Sees to what is due now.
    pub async fn decide_for_others(&mut self) -> Result<(), Halt> {
        let now = self.shared.clock.running();
        for want in self.wants() {
            if want.at > now || self.is_thought_about(&want) {
                continue;
            }
            if want.by == By::Force {
                let act = self.room.only_act(want.seat);
                self.play_for(Thought { want, act }).await?;
                // One act may change what is wanted of the others.
                return Ok(());
            }
            let Some(thinking) = self.room.thinking(want.seat) else { continue };
            self.thinking_about.push(want);
            let shared = self.shared.clone();
            self.thoughts.spawn(async move {
                let act = shared.thinkers.think(thinking, want.level, Seed(random_bytes())).await;
                Thought { want, act }
            });
        }
        Ok(())
    }

    /// Plays what somebody decided for a seat, if it is still wanted.
    pub async fn play_for(&mut self, thought: Thought) -> Result<(), Halt> {
        let Thought { want, act } = thought;
        self.thinking_about.retain(|about| !about.is_for(&want));
        // The owner may be back, or have acted in the last moment.
        if !self.wants().iter().any(|wanted| wanted.is_for(&want)) {
            return Ok(());
        }
        if act.is_none() {
            tracing::error!(
                room = self.room.code(),
                "nothing came of a bot's thinking; anything legal is played"
            );
        }
        // Never stuck: a thought that failed gives way to anything legal, for which nobody need think.
        for act in [act, self.room.any_act(want.seat)].into_iter().flatten() {
            let input = Input::Play { seat: want.seat, n: want.n, action: act, by: want.by };
            match self.carry_out(input).await {
                Ok(_) => return Ok(()),
                Err(NotDone::Refused(refusal)) => self.report(&refusal),
                Err(NotDone::Halted(halt)) => return Err(halt),
            }
        }
        Ok(())
    }

    fn report(&self, refusal: &Refusal) {
        tracing::error!(room = self.room.code(), code = refusal.code(), "a bot's act was refused");
    }
}
