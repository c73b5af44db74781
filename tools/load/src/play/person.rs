//! A simulated player: joins, waits until asked, pauses, plays a random legal action, and waits until it is
//! acknowledged. The first player of a room also starts the games.

use super::PlayError;
use super::figures::PlayFigures;
use super::pace::ActPace;
use crate::choice::chance_of;
use client::scripted::{ActFate, MessageSummary, ScriptedPlayer, choose};
use client::{End, Join, RoomConnection};
use game::{Chance, Level};
use protocol::{ClientMessage, RoomPhase, RoomView};
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Pause before a refused message is repeated, which may have been sent too fast for the server's limits.
const AGAIN: Duration = Duration::from_secs(1);

/// A player at a table.
pub struct PacedPlayer {
    connection: RoomConnection,
    player: ScriptedPlayer,
    /// Whether this player starts the games.
    first: bool,
    pace: ActPace,
    chance: Chance,
    /// When to act.
    due: Option<Instant>,
    /// When the action in transit was sent.
    sent: Instant,
    /// Whether a game is in progress, or its end has not been handled yet.
    playing: bool,
    /// Whether the game is over and only the last state is missing.
    over: bool,
    figures: PlayFigures,
}

impl PacedPlayer {
    /// Takes a seat over a new connection.
    pub async fn join(
        mut connection: RoomConnection,
        place: usize,
        pace: ActPace,
        seed: [usize; 3],
    ) -> Result<PacedPlayer, PlayError> {
        let name = format!("Person {}", place + 1);
        let mut player = ScriptedPlayer::default();
        player.take_in(connection.enter(Join::named(&name)).await.map_err(refused)?);
        if player.seat.is_none() {
            return Err(PlayError::Refused("there is no free seat".to_owned()));
        }
        Ok(PacedPlayer {
            connection,
            player,
            first: place == 0,
            pace,
            chance: chance_of(seed),
            due: None,
            sent: Instant::now(),
            playing: true,
            over: false,
            figures: PlayFigures::default(),
        })
    }

    /// Adds bots and starts the first game.
    pub async fn begin(&mut self, people: usize, bots: &[Level]) -> Result<(), PlayError> {
        for level in bots {
            self.connection.say(&ClientMessage::AddBot { level: *level }).await.map_err(refused)?;
        }
        // The other players are already seated, so the room does not change again unless bots are added.
        if !bots.is_empty() {
            self.until(|room| room.seats.len() == people + bots.len()).await?;
        }
        self.connection.say(&ClientMessage::Start {}).await.map_err(refused)?;
        self.until(|room| room.phase == RoomPhase::Playing).await
    }

    async fn until(&mut self, holds: impl Fn(&RoomView) -> bool) -> Result<(), PlayError> {
        while !self.player.room.as_ref().is_some_and(&holds) {
            let text = self.connection.hear().await.map_err(refused)?;
            let heard = MessageSummary::read(&text).unwrap_or_default();
            if heard.refusal.is_some() {
                return Err(PlayError::Refused(text.to_string()));
            }
            self.player.take_in(heard);
        }
        Ok(())
    }

    /// Plays until `end`, for a number of games, or until the connection ends.
    pub async fn play(mut self, end: Instant, games: Option<u32>) -> PlayFigures {
        self.figures.people = 1;
        loop {
            self.consider();
            let done = tokio::select! {
                () = sleep_until(end) => break,
                () = sleep_until(self.due.unwrap_or(end)), if self.due.is_some() => self.act().await,
                heard = self.connection.hear() => match heard {
                    Ok(text) => self.take_in(&text).await,
                    Err(end) => Err(end),
                },
            };
            if let Err(end) = done {
                self.figures.count_end(end);
                break;
            }
            if let ControlFlow::Break(()) = self.see_to_the_end(games).await {
                break;
            }
        }
        self.figures.unanswered = usize::from(self.player.sent.is_some());
        self.connection.close().await;
        self.figures
    }

    /// Schedules an action if the player has to decide. An action of another player does not restart the delay.
    fn consider(&mut self) {
        if !self.player.must_act() {
            self.due = None;
        } else if self.due.is_none() {
            self.due = Some(Instant::now() + self.pace.pause(&mut self.chance));
        }
    }

    async fn act(&mut self) -> Result<(), End> {
        self.due = None;
        let chance = &mut self.chance;
        if let Some(act) = self.player.act(|actions| choose(actions, false, chance).map(str::to_owned)) {
            self.sent = Instant::now();
            self.figures.sent += 1;
            self.connection.act(act.n, &act.action).await?;
        }
        Ok(())
    }

    async fn take_in(&mut self, text: &str) -> Result<(), End> {
        let Ok(heard) = MessageSummary::read(text) else {
            self.figures.count_refusal("unreadable");
            return Ok(());
        };
        if heard.turn.is_some() {
            self.figures.states += 1;
            // All players of a room see every change. Count it once.
            self.figures.changes += usize::from(self.first);
        }
        if let Some((_, code)) = &heard.refusal {
            self.figures.count_refusal(code);
            if self.player.sent.take().is_some() {
                self.due = Some(Instant::now() + AGAIN);
            }
        }
        let phase = heard.room.as_ref().map(|room| room.phase);
        if self.player.take_in(heard) == Some(ActFate::Accepted) {
            self.figures.times.record(self.sent.elapsed());
        }
        match phase {
            Some(phase) => self.take_room(phase).await,
            None => Ok(()),
        }
    }

    async fn take_room(&mut self, phase: RoomPhase) -> Result<(), End> {
        match phase {
            RoomPhase::Finished if self.playing => {
                (self.playing, self.over) = (false, true);
            }
            RoomPhase::Lobby if !self.playing => {
                self.playing = true;
                if self.first {
                    self.connection.say(&ClientMessage::Start {}).await?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Handles the end of a game. The room's phase changes before the last state arrives, so a player who waits for
    /// that state is not done yet.
    async fn see_to_the_end(&mut self, games: Option<u32>) -> ControlFlow<()> {
        if !self.over || self.player.sent.is_some() {
            return ControlFlow::Continue(());
        }
        self.over = false;
        self.figures.games_seen += 1;
        self.figures.games += usize::from(self.first);
        if games.is_some_and(|games| self.figures.games_seen >= games as usize) {
            return ControlFlow::Break(());
        }
        if self.first
            && let Err(end) = self.connection.say(&ClientMessage::Rematch {}).await
        {
            self.figures.count_end(end);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

fn refused(end: End) -> PlayError {
    PlayError::Refused(end.to_string())
}
