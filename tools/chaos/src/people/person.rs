//! A simulated player: takes a seat, acts, resends actions as the contract says, and reconnects with backoff.

use super::acting::choose;
use super::table::PlayedTable;
use super::whims::Whim;
use crate::dice::{For, SeededRandom};
use crate::judge::{Participant, Promise};
use crate::line::{NotIn, Way, WitnessedConnection};
use client::scripted::{ActFate, MessageSummary, ScriptedPlayer, SentAct};
use client::{End, Join};
use game::Level;
use protocol::{ClientMessage, Close, Have, Kind, RoomPhase, RoomView, SeatView};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// Heartbeat: a ping is sent after this much silence.
const SILENCE: Duration = Duration::from_millis(2500);
/// The connection is considered dead after this much silence.
const DEAD: Duration = Duration::from_secs(7);
/// Longest time that a message may be in transit, through frozen connections and to paused servers.
const ON_ITS_WAY: Duration = Duration::from_secs(30);
/// A player may be replaced by a bot after this much absence.
const LONG_AWAY: Duration = Duration::from_secs(31);
/// Longest thinking time once the run is closing, in milliseconds.
const HURRY: u32 = 60;
/// Interval between requests other than actions, such as starting a game.
const AGAIN: Duration = Duration::from_millis(900);

/// A player at a table.
pub struct Person {
    pub(super) table: Arc<PlayedTable>,
    pub(super) way: Way,
    pub(super) dice: SeededRandom,
    place: usize,
    name: String,
    salt: String,
    /// Seat, room and turn, and the action in transit.
    pub(super) player: ScriptedPlayer,
    /// Whether the server knows that the player has heard of their seat. From then on it is kept until they give it up.
    met: bool,
    /// When a leave or stand was sent. It may be in transit for a while and take effect late.
    pub(super) gave_up: Option<Instant>,
    /// When the last message was received in the seat.
    sure: Instant,
    /// When to act.
    due: Option<Instant>,
    /// When something other than an action was last requested.
    asked: Instant,
    /// When the unanswered ping was sent.
    pinged: Option<Instant>,
    /// When the end of the game was noticed.
    ended: Option<Instant>,
    /// Since when the player has been waiting in the lobby.
    waiting: Instant,
    /// Since when the game has been waiting for an absent player.
    missed: Option<Instant>,
}

/// What to do after a visit.
pub(super) enum After {
    /// The connection is gone: reconnect at once.
    Back,
    /// Reconnect after a pause.
    Pause(Duration),
}

impl Person {
    /// Creates a player who has not joined yet.
    pub fn new(table: Arc<PlayedTable>, place: usize) -> Person {
        let mut dice = SeededRandom::new(table.all.seed, For::Person, table.plan.number as u64, place as u64);
        let way = table.way(Participant::Person((table.plan.number * 10 + place) as u32), place);
        let (name, salt) = (format!("Person {place}"), dice.hex(16));
        let now = Instant::now();
        Person {
            table,
            way,
            dice,
            place,
            name,
            salt,
            player: ScriptedPlayer::default(),
            met: false,
            gave_up: None,
            sure: now,
            due: None,
            asked: now,
            pinged: None,
            ended: None,
            waiting: now,
            missed: None,
        }
    }

    /// Reconnects again and again until the table is over.
    pub async fn live(mut self) {
        self.come_and_go().await;
        self.table.all.judge.is_here(self.way.who, false);
    }

    async fn come_and_go(&mut self) {
        let over = self.table.over.clone();
        let mut tries = 0;
        while !over.is_cancelled() {
            let came = tokio::select! {
                () = over.cancelled() => return,
                came = self.come() => came,
            };
            let Some(line) = came else {
                tries += 1;
                // Backoff with jitter like the web page's, but faster.
                let most = (100_u32 << tries.min(4)).min(1500);
                sleep(self.dice.ms(20..most)).await;
                continue;
            };
            tries = 0;
            let wished = match self.stay(line).await {
                After::Back => false,
                After::Pause(time) => {
                    sleep(time).await;
                    true
                }
            };
            // An absence counts from the moment the player wants to be back.
            if self.player.seat.is_some() && self.player.token.is_some() {
                self.table.all.judge.is_away(self.way.who, wished);
            }
        }
    }

    /// Returns what the player says about the events that they have. Half of the time they have forgotten them, as after
    /// a reload.
    fn have(&mut self) -> Option<Have> {
        let (room, turn) = (self.player.room.as_ref()?, self.player.turn.as_ref()?);
        if self.dice.one_in(2) {
            return None;
        }
        self.table.all.judge.have(&self.table.code, room.fair.commitment, turn.version)
    }

    /// Joins by token if there is one, else by name and salt.
    async fn come(&mut self) -> Option<WitnessedConnection> {
        let have = self.have();
        let join = match &self.player.token {
            // Without a token the salt must be sent with the name. With a token it is sent only sometimes.
            Some(token) => {
                let salt = self.dice.one_in(4).then(|| self.salt.clone());
                Join { salt, have, ..Join::back(token) }
            }
            None => Join { salt: Some(self.salt.clone()), have, ..Join::named(&self.name) },
        };
        let by_token = join.token.is_some();
        match self.way.join(&self.table.code, join).await {
            Ok((mut line, heard)) => {
                if !heard.welcome {
                    return None;
                }
                self.pinged = None;
                self.take_in(heard, &mut line).await.ok()?;
                self.table.all.judge.is_here(self.way.who, self.player.seat.is_some() && by_token);
                Some(line)
            }
            Err(NotIn::Ended(end)) if end.close() == Some(Close::BadToken) && by_token => {
                self.no_longer_seated();
                None
            }
            Err(_) => None,
        }
    }

    /// Handles a token that was rejected.
    fn no_longer_seated(&mut self) {
        if self.met && !self.may_be_unseated() {
            let what = format!("the token of {} no longer opens its seat", self.way.who);
            self.table.all.judge.accuse(Promise::Lost, Some(&self.table.code), what);
        }
        self.table.all.judge.is_here(self.way.who, false);
        (self.player.token, self.player.seat, self.met) = (None, None, false);
        // A salt that was used for a deal is no longer a key, so a newcomer needs a new one.
        self.salt = self.dice.hex(16);
    }

    /// Returns whether a message may have removed the player from the seat since they last heard in it: their own leave
    /// or stand, or a remove by the host. A remove names a seat by its number. If the host repeats it over a slow
    /// connection, it can hit the player who has moved up meanwhile. Both the message and the last one received may
    /// have been in transit for a while.
    fn may_be_unseated(&self) -> bool {
        let late = |said: Option<Instant>| said.is_some_and(|said| said + 2 * ON_ITS_WAY > self.sure);
        late(self.gave_up) || late(self.table.last_removal())
    }

    async fn stay(&mut self, mut line: WitnessedConnection) -> After {
        let over = self.table.over.clone();
        let mut whim = Instant::now() + self.dice.ms(300..3000);
        // Any message shows the server that the player knows of their seat.
        if self.ping(&mut line).await.is_err() {
            return After::Back;
        }
        loop {
            self.consider();
            let silence = line.heard() + if self.pinged.is_some() { DEAD } else { SILENCE };
            let due = self.due.unwrap_or(silence).min(self.asked + AGAIN).min(silence);
            let done = tokio::select! {
                () = over.cancelled() => {
                    line.close().await;
                    return After::Back;
                }
                heard = line.hear() => match heard {
                    Ok(heard) => self.take_in(heard, &mut line).await,
                    Err(end) => Err(end),
                },
                () = sleep_until(whim) => {
                    whim = Instant::now() + self.dice.ms(400..4000);
                    match self.has_whim(&mut line).await {
                        Ok(Whim::Done) => Ok(()),
                        Ok(Whim::MovesTo(other)) => {
                            line.close().await;
                            line = *other;
                            Ok(())
                        }
                        Ok(Whim::Goes(after)) => {
                            if self.dice.one_in(2) { line.close().await } else { line.abort() }
                            return after;
                        }
                        Err(end) => Err(end),
                    }
                }
                () = sleep_until(due) => self.is_time(&mut line, silence).await,
            };
            if done.is_err() {
                return After::Back;
            }
        }
    }

    /// Handles the earliest deadline: heartbeat, action or periodic request.
    async fn is_time(&mut self, line: &mut WitnessedConnection, silence: Instant) -> Result<(), End> {
        let now = Instant::now();
        if now >= silence {
            return if self.pinged.is_some() { Err(End::Broken) } else { self.ping(line).await };
        }
        if self.due.is_some_and(|due| now >= due) {
            self.due = None;
            self.act(line).await?;
        }
        if now >= self.asked + AGAIN {
            self.look_around(line).await?;
        }
        Ok(())
    }

    async fn ping(&mut self, line: &mut WitnessedConnection) -> Result<(), End> {
        self.pinged = Some(Instant::now());
        line.say(&ClientMessage::Ping { t: 1.into() }).await
    }

    async fn act(&mut self, line: &mut WitnessedConnection) -> Result<(), End> {
        match self.player.act(|actions| choose(actions, &mut self.dice)) {
            Some(SentAct { n, action, .. }) => line.act(*n, action, true).await,
            None => Ok(()),
        }
    }

    /// Updates the player with what a message says.
    pub(super) async fn take_in(&mut self, heard: MessageSummary, line: &mut WitnessedConnection) -> Result<(), End> {
        self.pinged = self.pinged.filter(|_| !heard.pong);
        self.met |= heard.pong && self.player.seat.is_some();
        if let Some((_, None)) = heard.place {
            self.met = false;
            self.salt = self.dice.hex(16);
        }
        let fate = self.player.take_in(heard);
        if self.player.seat.is_some() {
            self.sure = Instant::now();
        }
        match (fate, &self.player.sent) {
            (Some(ActFate::Lost), Some(sent)) => {
                self.table.all.judge.did("act sent again");
                line.act(sent.n, &sent.action, true).await?;
            }
            // The refusal changed nothing, and the decision is still due.
            (Some(ActFate::Refused(code)), _) if code == "too_fast" => self.due = Some(Instant::now() + AGAIN),
            _ => {}
        }
        Ok(())
    }

    /// Schedules an action if the player has to decide.
    fn consider(&mut self) {
        if !self.player.must_act() {
            self.due = None;
        } else if self.due.is_none() {
            // Players with a clock sometimes do nothing, so that it decides for them. At the end of a run all act
            // quickly.
            let dozes = self.table.plan.clock.is_some() && self.dice.one_in(60);
            let most = match self.table.all.closing.is_cancelled() {
                true => HURRY,
                false if dozes => 12_000,
                false => self.table.plan.slowest,
            };
            self.due = Some(Instant::now() + self.dice.ms(most / 8..most));
        }
    }

    /// Requests what a room needs besides actions: take a seat, start a game, ask for a rematch. Repeated until it has
    /// happened.
    async fn look_around(&mut self, line: &mut WitnessedConnection) -> Result<(), End> {
        self.asked = Instant::now();
        let Some(room) = self.player.room.clone() else { return Ok(()) };
        if room.phase != RoomPhase::Finished {
            self.ended = None;
        }
        match room.phase {
            RoomPhase::Playing => {
                self.waiting = Instant::now();
                return self.help_out(line, &room).await;
            }
            RoomPhase::Lobby => {
                self.table.rests();
                if self.player.seat.is_none() {
                    return line.say(&ClientMessage::Sit {}).await;
                }
                if room.host == self.player.seat {
                    return self.begin(line, &room).await;
                }
            }
            RoomPhase::Finished => {
                self.waiting = Instant::now();
                let known = self.table.ended(room.fair.commitment);
                let since = self.ended.get_or_insert_with(Instant::now).elapsed();
                if known {
                    self.table.rests();
                    // The host asks for a rematch. If the host is absent, any player does.
                    let patient = room.host != self.player.seat && since < Duration::from_secs(4);
                    if self.player.seat.is_some() && !patient && !self.table.all.closing.is_cancelled() {
                        self.table.all.judge.did("rematch");
                        return line.say(&ClientMessage::Rematch {}).await;
                    }
                }
            }
        }
        Ok(())
    }

    /// Replaces an absent player that the game waits for. This can be a seat whose owner never heard of it, if the game
    /// began too soon.
    async fn help_out(&mut self, line: &mut WitnessedConnection, room: &RoomView) -> Result<(), End> {
        let Some(turn) = &self.player.turn else { return Ok(()) };
        let waits = |seat: &&SeatView| !seat.connected && seat.bot.is_none() && turn.asked.contains(&seat.seat);
        let Some(away) = room.seats.iter().find(waits).filter(|_| self.player.seat.is_some()) else {
            self.missed = None;
            return Ok(());
        };
        if self.missed.get_or_insert_with(Instant::now).elapsed() < LONG_AWAY {
            return Ok(());
        }
        self.table.all.judge.did("substitute asked for");
        line.say(&ClientMessage::Substitute { seat: away.seat, level: Level::Easy }).await
    }

    /// The host's actions in a lobby: wait for the others, add bots, start.
    async fn begin(&mut self, line: &mut WitnessedConnection, room: &RoomView) -> Result<(), End> {
        let (people, bots): (Vec<&SeatView>, Vec<&SeatView>) =
            room.seats.iter().partition(|seat| seat.kind == Kind::Human);
        // A player who left in the last game was replaced by a bot, which is removed once its owner is back.
        if bots.len() > self.table.plan.bots {
            self.table.removes();
            return line.say(&ClientMessage::Remove { seat: bots[0].seat, name: None }).await;
        }
        // There are too many players: one seat belongs to a player who rejoined as a newcomer.
        let away = people.iter().find(|seat| !seat.connected);
        if let Some(away) = away.filter(|_| people.len() > self.table.plan.people) {
            self.table.removes();
            return line.say(&ClientMessage::Remove { seat: away.seat, name: None }).await;
        }
        let late = self.waiting.elapsed() > Duration::from_secs(8) && room.seats.len() >= 2;
        if (people.len() < self.table.plan.people || away.is_some()) && !late {
            return Ok(());
        }
        if bots.len() < self.table.plan.bots && room.seats.len() < room.max {
            let level = *self.dice.pick(&[Level::Easy, Level::Normal]);
            return line.say(&ClientMessage::AddBot { level }).await;
        }
        if room.seats.len() >= room.min && self.table.may_begin() {
            return line.say(&ClientMessage::Start {}).await;
        }
        Ok(())
    }

    /// Returns the player's number at the table.
    pub(super) fn place(&self) -> usize {
        self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;
    use game::Seat;

    /// A player who was in their seat a moment ago.
    fn seated(judge: &Arc<Judge>) -> Person {
        let mut person = Person::new(PlayedTable::unopened(judge), 1);
        person.player =
            ScriptedPlayer { seat: Some(Seat(1)), token: Some("token".to_owned()), ..ScriptedPlayer::default() };
        person.met = true;
        person
    }

    fn accused(judge: &Judge) -> bool {
        judge.violations().iter().any(|violation| violation.promise == Promise::Lost)
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_that_opens_no_seat_is_a_loss() {
        let judge = Judge::new(None);
        let mut person = seated(&judge);
        person.no_longer_seated();
        assert!(accused(&judge));
        // It is also a loss if the leave and remove can only have taken effect while the player still heard in their
        // seat.
        let judge = Judge::new(None);
        let mut person = seated(&judge);
        person.gave_up = Some(Instant::now());
        person.table.removes();
        tokio::time::advance(2 * ON_ITS_WAY).await;
        person.sure = Instant::now();
        person.no_longer_seated();
        assert!(accused(&judge));
    }

    #[tokio::test(start_paused = true)]
    async fn a_seat_lost_to_a_delayed_remove_is_no_violation() {
        let judge = Judge::new(None);
        let mut person = seated(&judge);
        tokio::time::advance(ON_ITS_WAY).await;
        person.table.removes();
        // The absence is longer than any message can be in transit.
        tokio::time::advance(4 * ON_ITS_WAY).await;
        person.no_longer_seated();
        assert!(!accused(&judge));
        let mut person = seated(&judge);
        person.gave_up = Some(Instant::now());
        tokio::time::advance(4 * ON_ITS_WAY).await;
        person.no_longer_seated();
        assert!(!accused(&judge));
    }
}
