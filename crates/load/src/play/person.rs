//! One person made up here: joins, waits to be asked, takes their time, plays any listed act, and waits for it to
//! be acknowledged. The first in a room also begins the games.

use super::door::Trouble;
use super::figures::Figures;
use super::line::{Heard, Line, Room, State};
use super::pace::Pace;
use game::{Chance, Level, Seed};
use protocol::ClientMessage;
use serde_json::value::RawValue;
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::Error;

/// People seldom take something back, and two who do so at random would play for days.
const TAKING_BACK: [&str; 2] = [r#"{"type":"undo"}"#, r#"{"type":"retract"}"#];
/// What was refused is tried again after this long: it may have come too fast for the server's limits.
const AGAIN: Duration = Duration::from_secs(1);

/// Somebody at a table.
pub struct Person {
    line: Line,
    seat: usize,
    /// Whether this person begins the games.
    first: bool,
    pace: Pace,
    chance: Chance,
    /// What this person will do, and as which of their acts.
    choice: Option<(u32, String)>,
    /// When they will.
    due: Option<Instant>,
    /// What they did and when, until it is acknowledged.
    waiting: Option<(u32, Instant)>,
    /// A game is on, or its end has not been seen to yet.
    playing: bool,
    /// The game is over but for the state that says so.
    over: bool,
    figures: Figures,
}

impl Person {
    /// Takes a seat. The line is one on which nothing has been said.
    pub async fn join(mut line: Line, place: usize, pace: Pace, seed: [usize; 3]) -> Result<Person, Trouble> {
        let name = Some(format!("Person {}", place + 1));
        let join = ClientMessage::Join { name, token: None, watch: false, salt: None, protocol: None };
        line.say(&join).await?;
        let welcome = line.hear().await.map_err(Trouble::Refused)?;
        let heard: Option<Heard<'_>> = serde_json::from_str(&welcome).ok();
        let seat = heard.and_then(|heard| heard.you?.seat);
        let seat = seat.ok_or_else(|| Trouble::Refused("there is no free seat".to_owned()))?;
        Ok(Person {
            line,
            seat,
            first: place == 0,
            pace,
            chance: Chance::new(seed_of(seed)),
            choice: None,
            due: None,
            waiting: None,
            playing: true,
            over: false,
            figures: Figures::default(),
        })
    }

    /// Seats bots beside the people, and begins the first game.
    pub async fn begin(&mut self, people: usize, bots: &[Level]) -> Result<(), Trouble> {
        for level in bots {
            self.line.say(&ClientMessage::AddBot { level: *level }).await?;
        }
        // The people sat down before; of those nothing more is heard.
        if !bots.is_empty() {
            self.until(|room| room.seats.len() == people + bots.len()).await?;
        }
        self.line.say(&ClientMessage::Start {}).await?;
        self.until(|room| room.phase == "playing").await
    }

    async fn until(&mut self, holds: impl Fn(&Room<'_>) -> bool) -> Result<(), Trouble> {
        loop {
            let text = self.line.hear().await.map_err(Trouble::Refused)?;
            let Ok(heard) = serde_json::from_str::<Heard<'_>>(&text) else { continue };
            if heard.kind == "error" {
                return Err(Trouble::Refused(text.to_string()));
            }
            if heard.room.is_some_and(|room| holds(&room)) {
                return Ok(());
            }
        }
    }

    /// Plays until this time, or so many games, or the line ends.
    pub async fn play(mut self, end: Instant, games: Option<u32>) -> Figures {
        self.figures.people = 1;
        loop {
            let done = tokio::select! {
                () = sleep_until(end) => break,
                () = sleep_until(self.due.unwrap_or(end)), if self.due.is_some() => self.act().await,
                heard = self.line.hear() => match heard {
                    Ok(text) => self.take_in(&text).await,
                    Err(end) => {
                        self.figures.count_end(end);
                        break;
                    }
                },
            };
            if done.is_err() {
                self.figures.count_end("broken".to_owned());
                break;
            }
            if let ControlFlow::Break(()) = self.see_to_the_end(games).await {
                break;
            }
        }
        self.figures.unanswered = usize::from(self.waiting.is_some());
        self.line.close().await;
        self.figures
    }

    async fn act(&mut self) -> Result<(), Error> {
        self.due = None;
        if let Some((n, action)) = &self.choice {
            self.waiting = Some((*n, Instant::now()));
            self.figures.sent += 1;
            self.line.act(*n, action).await?;
        }
        Ok(())
    }

    async fn take_in(&mut self, text: &str) -> Result<(), Error> {
        let Ok(heard) = serde_json::from_str::<Heard<'_>>(text) else {
            self.figures.count_refusal("unreadable");
            return Ok(());
        };
        if let Some(state) = heard.state {
            self.take_state(&state);
        }
        if let Some(room) = heard.room {
            self.take_room(&room).await?;
        }
        if matches!(&*heard.kind, "rejected" | "error") {
            self.figures.count_refusal(heard.code.as_deref().unwrap_or("without a code"));
            if self.waiting.take().is_some() {
                self.due = Some(Instant::now() + AGAIN);
            }
        }
        Ok(())
    }

    fn take_state(&mut self, state: &State<'_>) {
        self.figures.states += 1;
        // Everyone in a room sees every change; they are counted once.
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
        self.choice = state.asks(self.seat).then(|| (next, choose(&state.actions, &mut self.chance)));
        self.due = match self.choice {
            // Somebody else's act does not make this person think anew.
            Some(_) => self.due.or_else(|| Some(Instant::now() + self.pace.pause(&mut self.chance))),
            None => None,
        };
    }

    async fn take_room(&mut self, room: &Room<'_>) -> Result<(), Error> {
        match &*room.phase {
            "finished" if self.playing => {
                (self.playing, self.over) = (false, true);
            }
            "lobby" if !self.playing => {
                self.playing = true;
                if self.first {
                    self.line.say(&ClientMessage::Start {}).await?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The room says that it is over before the last state does; who waits for that state is not done yet.
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
        if self.first && self.line.say(&ClientMessage::Rematch {}).await.is_err() {
            self.figures.count_end("broken".to_owned());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Any of the acts that takes nothing back, if there is one.
fn choose(actions: &[&RawValue], chance: &mut Chance) -> String {
    let forward = |action: &&&RawValue| !TAKING_BACK.contains(&action.get());
    let onward: Vec<&RawValue> = actions.iter().filter(forward).copied().collect();
    let from = if onward.is_empty() { actions } else { &onward };
    from[chance.below(from.len() as u32) as usize].get().to_owned()
}

fn seed_of(numbers: [usize; 3]) -> Seed {
    let mut seed = [0; 32];
    for (bytes, number) in seed.chunks_exact_mut(8).zip(numbers) {
        bytes.copy_from_slice(&(number as u64).to_le_bytes());
    }
    Seed(seed)
}
