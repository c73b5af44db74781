//! A simulated player: joins, waits until asked, pauses, plays a random legal action, and waits until it is
//! acknowledged. The first player of a room also starts the games.

use super::PlayError;
use super::figures::Figures;
use super::pace::Pace;
use crate::choice::{chance_of, choose};
use client::{End, Join, RoomConnection};
use game::{Chance, Level, Seat};
use protocol::{ClientMessage, Received, RoomPhase, RoomView, ServerMessage, State};
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Pause before a refused message is repeated, which may have been sent too fast for the server's limits.
const AGAIN: Duration = Duration::from_secs(1);

/// A player at a table.
pub struct Person {
    connection: RoomConnection,
    seat: Seat,
    /// Whether this player starts the games.
    first: bool,
    pace: Pace,
    chance: Chance,
    /// Number and text of the next action.
    choice: Option<(u32, String)>,
    /// When to send it.
    due: Option<Instant>,
    /// Number and time of the action sent, until it is acknowledged.
    waiting: Option<(u32, Instant)>,
    /// Whether a game is in progress, or its end has not been handled yet.
    playing: bool,
    /// Whether the game is over and only the last state is missing.
    over: bool,
    figures: Figures,
}

impl Person {
    /// Takes a seat over a new connection.
    pub async fn join(
        mut connection: RoomConnection,
        place: usize,
        pace: Pace,
        seed: [usize; 3],
    ) -> Result<Person, PlayError> {
        let name = format!("Person {}", place + 1);
        let welcome = connection.join(Join::named(&name)).await.map_err(refused)?;
        let seat = match Received::read(&welcome).ok().as_mut().and_then(Received::message) {
            Some(ServerMessage::Welcome { you, .. }) => you.seat,
            _ => None,
        };
        let seat = seat.ok_or_else(|| PlayError::Refused("there is no free seat".to_owned()))?;
        Ok(Person {
            connection,
            seat,
            first: place == 0,
            pace,
            chance: chance_of(seed),
            choice: None,
            due: None,
            waiting: None,
            playing: true,
            over: false,
            figures: Figures::default(),
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
        loop {
            let text = self.connection.hear().await.map_err(refused)?;
            let Ok(mut received) = Received::read(&text) else { continue };
            match received.message() {
                Some(ServerMessage::Error { .. }) => return Err(PlayError::Refused(text.to_string())),
                Some(ServerMessage::Room { room } | ServerMessage::Welcome { room, .. }) if holds(room) => {
                    return Ok(());
                }
                _ => {}
            }
        }
    }

    /// Plays until `end`, for a number of games, or until the connection ends.
    pub async fn play(mut self, end: Instant, games: Option<u32>) -> Figures {
        self.figures.people = 1;
        loop {
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
        self.figures.unanswered = usize::from(self.waiting.is_some());
        self.connection.close().await;
        self.figures
    }

    async fn act(&mut self) -> Result<(), End> {
        self.due = None;
        if let Some((n, action)) = &self.choice {
            self.waiting = Some((*n, Instant::now()));
            self.figures.sent += 1;
            self.connection.act(*n, action).await?;
        }
        Ok(())
    }

    async fn take_in(&mut self, text: &str) -> Result<(), End> {
        let Ok(mut received) = Received::read(text) else {
            self.figures.count_refusal("unreadable");
            return Ok(());
        };
        match received.message() {
            Some(ServerMessage::State { state }) => self.take_state(&state),
            Some(ServerMessage::Room { room }) => self.take_room(room.phase).await?,
            Some(ServerMessage::Rejected { code, .. } | ServerMessage::Error { code, .. }) => {
                self.figures.count_refusal(code);
                if self.waiting.take().is_some() {
                    self.due = Some(Instant::now() + AGAIN);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn take_state(&mut self, state: &State<'_>) {
        self.figures.states += 1;
        // All players of a room see every change. Count it once.
        self.figures.changes += usize::from(self.first);
        let Some(next) = state.next else { return };
        if let Some((n, sent)) = self.waiting
            && next > n
        {
            self.figures.times.record(sent.elapsed());
            self.waiting = None;
        }
        if self.waiting.is_some() {
            return;
        }
        // A seat that is not asked may have actions too, such as changing its choice.
        let asked = state.asked.contains(&self.seat);
        self.choice = asked.then(|| (next, choose(&state.actions, &mut self.chance)));
        self.due = match self.choice {
            // An action of another player does not restart the delay.
            Some(_) => self.due.or_else(|| Some(Instant::now() + self.pace.pause(&mut self.chance))),
            None => None,
        };
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
        if !self.over || self.waiting.is_some() {
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
