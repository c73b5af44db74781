//! What players do besides playing: open a second tab, move to another device, drop the connection, chat, act too
//! early, leave.

use super::acting::choose;
use super::person::{After, Person};
use crate::dice::{For, SeededRandom};
use crate::line::{Way, WitnessedConnection};
use client::scripted::ScriptedPlayer;
use client::{End, Join};
use protocol::{ClientMessage, RoomPhase};
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

/// Time to wait for a handover code.
const CODE: Duration = Duration::from_secs(3);

/// Result of such an activity.
pub(super) enum Whim {
    /// The connection stays the same.
    Done,
    /// The player continues on another connection.
    MovesTo(Box<WitnessedConnection>),
    /// The player disconnects.
    Goes(After),
}

impl Person {
    /// Does something random besides playing.
    pub(super) async fn has_whim(&mut self, line: &mut WitnessedConnection) -> Result<Whim, End> {
        if self.table.all.closing.is_cancelled() {
            return Ok(Whim::Done);
        }
        let judge = self.table.all.judge.clone();
        let phase = self.player.phase();
        let playing = phase == Some(RoomPhase::Playing) && self.player.seat.is_some();
        match self.dice.between(0..20) {
            0..3 => {
                judge.did("line dropped");
                Ok(Whim::Goes(After::Pause(self.dice.ms(0..2500))))
            }
            3..6 => {
                judge.did("chat");
                let text = format!("{} says {}", self.way.who, self.dice.hex(6));
                line.say(&ClientMessage::Chat { text }).await?;
                Ok(Whim::Done)
            }
            6..8 if playing => self.second_tab(),
            8..10 if playing => self.hand_over(line).await,
            10..12 if playing => self.taps_hastily(line).await,
            12 if playing && self.table.plan.leavers && self.place() > 1 && self.dice.one_in(3) => {
                judge.did("left for good");
                self.gave_up = Some(Instant::now());
                line.say(&ClientMessage::Leave {}).await?;
                Ok(Whim::Goes(After::Pause(self.dice.ms(100..1500))))
            }
            13 if phase == Some(RoomPhase::Lobby) && self.player.seat.is_some() && self.place() > 0 => {
                judge.did("stood up");
                self.gave_up = Some(Instant::now());
                line.say(&ClientMessage::Stand {}).await?;
                Ok(Whim::Done)
            }
            14 if playing => {
                judge.did("substitute asked for");
                let seats = self.player.room.as_ref().map_or(0, |room| room.seats.len()) as u32;
                let seat = game::Seat(self.dice.between(0..seats.max(1)) as u8);
                line.say(&ClientMessage::Substitute { seat, level: game::Level::Easy }).await?;
                Ok(Whim::Done)
            }
            _ => Ok(Whim::Done),
        }
    }

    /// Opens the seat on a second connection for a while, which may act as well.
    fn second_tab(&mut self) -> Result<Whim, End> {
        let Some(token) = self.player.token.clone() else { return Ok(Whim::Done) };
        self.table.all.judge.did("second tab");
        let dice = SeededRandom::new(self.table.all.seed, For::Person, u64::from(self.dice.between(0..u32::MAX)), 1000);
        tokio::spawn(tab(self.way.clone(), self.table.code.clone(), token, dice, self.table.over.clone()));
        Ok(Whim::Done)
    }

    /// Opens the seat on another device with a one-time code, and drops this connection.
    async fn hand_over(&mut self, line: &mut WitnessedConnection) -> Result<Whim, End> {
        line.say(&ClientMessage::Handover {}).await?;
        let deadline = Instant::now() + CODE;
        let code = loop {
            let Ok(heard) = timeout(deadline - Instant::now().min(deadline), line.hear()).await else {
                return Ok(Whim::Done);
            };
            let heard = heard?;
            if let Some(code) = heard.handover.clone() {
                break code;
            }
            self.take_in(heard, line).await?;
        };
        // A restart invalidates the code. The player then stays on this connection.
        let Ok((mut other, heard)) = self.way.join(&self.table.code, Join::back(&code)).await else {
            return Ok(Whim::Done);
        };
        if !heard.welcome {
            return Ok(Whim::Done);
        }
        self.table.all.judge.did("handover");
        self.take_in(heard, &mut other).await?;
        Ok(Whim::MovesTo(Box::new(other)))
    }

    /// Sends an action that was already played and one that is too early. Neither may have an effect.
    async fn taps_hastily(&mut self, line: &mut WitnessedConnection) -> Result<Whim, End> {
        self.table.all.judge.did("hasty tap");
        if let Some(last) = &self.player.last {
            line.act(last.n, &last.action, true).await?;
        }
        if let Some(turn) = &self.player.turn
            && let Some(n) = turn.next
            && let Some(action) = choose(&turn.actions, &mut self.dice)
        {
            line.act(n + 5, &action, false).await?;
        }
        Ok(Whim::Done)
    }
}

/// A second tab: it watches, and sometimes acts before the first one does.
async fn tab(way: Way, code: String, token: String, mut dice: SeededRandom, over: CancellationToken) {
    let Ok((mut line, mut heard)) = way.join(&code, Join::back(&token)).await else { return };
    let until = Instant::now() + dice.ms(500..8000);
    let busy = dice.one_in(2);
    let mut player = ScriptedPlayer::default();
    loop {
        // An action that the first tab was quicker with is not waited for.
        player.sent.take_if(|_| heard.turn.is_some());
        player.take_in(heard);
        if busy
            && player.must_act()
            && let Some(act) = player.act(|actions| choose(actions, &mut dice))
            && line.act(act.n, &act.action, true).await.is_err()
        {
            return;
        }
        heard = tokio::select! {
            () = over.cancelled() => break,
            () = sleep_until(until) => break,
            heard = line.hear() => match heard {
                Ok(heard) => heard,
                Err(_) => return,
            },
        };
    }
    line.close().await;
}
