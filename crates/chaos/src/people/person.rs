//! One who plays, through everything: takes a seat, acts, sends again what the contract says, comes back with backoff.

use super::acting::choose;
use super::table::Table;
use super::whims::Whim;
use crate::dice::{Dice, For};
use crate::judge::{Choice, Heard, Promise, Who};
use crate::line::{Line, NotIn, Way};
use client::{End, Join, SentAct};
use game::{Level, Seat};
use protocol::{ClientMessage, Close, Kind, RoomPhase, RoomView, SeatView};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// Heartbeat: after so much silence somebody asks whether the line is alive.
const SILENCE: Duration = Duration::from_millis(2500);
/// After so much silence they give it up.
const DEAD: Duration = Duration::from_secs(7);
/// So long may a message be on its way, through frozen lines and to servers that stand still.
const ON_ITS_WAY: Duration = Duration::from_secs(30);
/// After so long away somebody may be played for by a bot.
const LONG_AWAY: Duration = Duration::from_secs(31);
/// The longest somebody thinks who wants to go home, in milliseconds.
const HURRY: u32 = 60;
/// What only happens now and then is asked for again after this.
const AGAIN: Duration = Duration::from_millis(900);

/// Somebody at a table.
pub struct Person {
    pub(super) table: Arc<Table>,
    pub(super) way: Way,
    pub(super) dice: Dice,
    place: usize,
    name: String,
    salt: String,
    pub(super) token: Option<String>,
    /// They have shown that they know of their seat: it is theirs until they give it up.
    met: bool,
    /// When a leave or a stand was said: it may be on its way for a while, and happen late.
    pub(super) gave_up: Option<Instant>,
    /// When they last heard something in their seat.
    sure: Instant,
    pub(super) seat: Option<Seat>,
    pub(super) room: Option<RoomView>,
    pub(super) choice: Option<Choice>,
    /// The act that was sent and is not known to be over.
    pub(super) pending: Option<SentAct>,
    /// The last act that was acknowledged.
    pub(super) last: Option<SentAct>,
    /// When they will act.
    due: Option<Instant>,
    /// When they asked for something that is no act.
    asked: Instant,
    /// When they asked whether the line is alive.
    pinged: Option<Instant>,
    /// Since when the game is over.
    ended: Option<Instant>,
    /// Since when the lobby waits.
    waiting: Instant,
    /// Since when the game waits for somebody who is away.
    missed: Option<Instant>,
}

/// How a visit ended.
pub(super) enum After {
    /// The line is gone; come back at once.
    Back,
    /// Come back after a while.
    Pause(Duration),
}

impl Person {
    /// Somebody who has not come yet.
    pub fn new(table: Arc<Table>, place: usize) -> Person {
        let mut dice = Dice::new(table.all.seed, For::Person, table.plan.number as u64, place as u64);
        let way = table.way(Who::Person((table.plan.number * 10 + place) as u32), place);
        let (name, salt) = (format!("Person {place}"), dice.hex(16));
        let now = Instant::now();
        Person {
            table,
            way,
            dice,
            place,
            name,
            salt,
            token: None,
            met: false,
            gave_up: None,
            sure: now,
            seat: None,
            room: None,
            choice: None,
            pending: None,
            last: None,
            due: None,
            asked: now,
            pinged: None,
            ended: None,
            waiting: now,
            missed: None,
        }
    }

    /// Comes again and again until the table is over.
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
                // Backoff with jitter, as the page does it, only faster.
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
            // Counted from when they want to be back.
            if self.seat.is_some() && self.token.is_some() {
                self.table.all.judge.is_away(self.way.who, wished);
            }
        }
    }

    /// Joins: by token if there is one, else by name and salt.
    async fn come(&mut self) -> Option<Line> {
        let join = match &self.token {
            // A newcomer's salt is repeated with the name; with a token it is brought now and then.
            Some(token) => {
                let salt = self.dice.one_in(4).then(|| self.salt.clone());
                Join { salt, ..Join::back(token) }
            }
            None => Join { salt: Some(self.salt.clone()), ..Join::named(&self.name) },
        };
        let by_token = join.token.is_some();
        match self.way.join(&self.table.code, join).await {
            Ok((mut line, heard)) => {
                if !heard.welcome {
                    return None;
                }
                self.pinged = None;
                self.take_in(heard, &mut line).await.ok()?;
                self.table.all.judge.is_here(self.way.who, self.seat.is_some() && by_token);
                Some(line)
            }
            Err(NotIn::Ended(end)) if end.close() == Some(Close::BadToken) && by_token => {
                self.no_longer_seated();
                None
            }
            Err(_) => None,
        }
    }

    /// Their token opens nothing any more.
    fn no_longer_seated(&mut self) {
        if self.met && !self.may_be_unseated() {
            let what = format!("the seat of {} does not open by its token", self.way.who);
            self.table.all.judge.accuse(Promise::Lost, Some(&self.table.code), what);
        }
        self.table.all.judge.is_here(self.way.who, false);
        (self.token, self.seat, self.met) = (None, None, false);
        // A salt that was dealt with opens nothing: a newcomer brings another.
        self.salt = self.dice.hex(16);
    }

    /// Whether something that was said may have taken their seat since they last heard in it: a leave or a stand of their own, or a
    /// host's remove. It names a seat by its number: on a late line it is said again, and whoever has moved up by then is hit.
    /// Both what was said and what was heard may have been on its way for a while.
    fn may_be_unseated(&self) -> bool {
        let late = |said: Option<Instant>| said.is_some_and(|said| said + 2 * ON_ITS_WAY > self.sure);
        late(self.gave_up) || late(self.table.last_removal())
    }

    async fn stay(&mut self, mut line: Line) -> After {
        let over = self.table.over.clone();
        let mut whim = Instant::now() + self.dice.ms(300..3000);
        // Whoever says anything is met.
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

    /// A moment came that was waited for.
    async fn is_time(&mut self, line: &mut Line, silence: Instant) -> Result<(), End> {
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

    async fn ping(&mut self, line: &mut Line) -> Result<(), End> {
        self.pinged = Some(Instant::now());
        line.say(&ClientMessage::Ping { t: 1.into() }).await
    }

    async fn act(&mut self, line: &mut Line) -> Result<(), End> {
        let (Some(room), Some(choice)) = (&self.room, &self.choice) else { return Ok(()) };
        let Some(n) = choice.next.filter(|_| self.pending.is_none()) else { return Ok(()) };
        let Some(action) = choose(&choice.actions, &mut self.dice) else { return Ok(()) };
        self.pending = Some(SentAct { n, action: action.clone(), game: room.fair.commitment });
        line.act(n, &action).await
    }

    /// What a message changes for this person.
    pub(super) async fn take_in(&mut self, heard: Heard, line: &mut Line) -> Result<(), End> {
        self.pinged = self.pinged.filter(|_| !heard.pong);
        if heard.pong && self.seat.is_some() {
            self.met = true;
        }
        if let Some((seat, token)) = heard.place {
            self.takes_place(seat, token);
        }
        if self.seat.is_some() {
            self.sure = Instant::now();
        }
        if heard.welcome {
            (self.choice, self.due) = (None, None);
        }
        if let Some(room) = heard.room {
            let game = room.fair.commitment;
            if self.pending.as_ref().is_some_and(|sent| sent.game != game) {
                self.pending = None;
            }
            if self.room.as_ref().is_none_or(|known| known.fair.commitment != game) {
                (self.choice, self.due, self.last) = (None, None, None);
            }
            self.room = Some(room);
        }
        if let Some(choice) = heard.state {
            if let Some(sent) = self.pending.take() {
                if choice.next.is_some_and(|next| next > sent.n) {
                    self.last = Some(sent);
                } else if heard.welcome && choice.next == Some(sent.n) {
                    // At-least-once: the welcome says that it did not count, so it goes again.
                    line.act(sent.n, &sent.action).await?;
                    self.table.all.judge.did("act sent again");
                    self.pending = Some(sent);
                } else {
                    self.pending = Some(sent).filter(|_| choice.next.is_some());
                }
            }
            self.choice = Some(choice);
        }
        if let Some((n, code)) = heard.refusal
            && self.pending.as_ref().is_some_and(|sent| Some(sent.n) == n)
        {
            self.refused(&code);
        }
        Ok(())
    }

    fn takes_place(&mut self, seat: Option<Seat>, token: Option<String>) {
        if self.seat != seat {
            (self.pending, self.due) = (None, None);
        }
        self.seat = seat;
        match token {
            Some(token) => self.token = Some(token),
            None => {
                (self.token, self.met) = (None, false);
                self.salt = self.dice.hex(16);
            }
        }
    }

    fn refused(&mut self, code: &str) {
        if code == "too_fast" {
            // It changed nothing, and the decision waits.
            self.due = Some(Instant::now() + AGAIN);
        }
        self.pending = None;
    }

    /// What this person would like to do as things are.
    fn consider(&mut self) {
        let (Some(seat), Some(choice)) = (self.seat, &self.choice) else { return };
        let playing = self.room.as_ref().is_some_and(|room| room.phase == RoomPhase::Playing);
        if playing && choice.asked.contains(&seat) && self.pending.is_none() && self.due.is_none() {
            // Now and then somebody with a clock does nothing, and it decides for them. At the end all hurry.
            let dozes = self.table.plan.clock.is_some() && self.dice.one_in(60);
            let most = match self.table.all.closing.is_cancelled() {
                true => HURRY,
                false if dozes => 12_000,
                false => self.table.plan.slowest,
            };
            self.due = Some(Instant::now() + self.dice.ms(most / 8..most));
        }
    }

    /// What belongs to a room beside the game: begin it, end it, sit down. Asked for now and then, until it is so.
    async fn look_around(&mut self, line: &mut Line) -> Result<(), End> {
        self.asked = Instant::now();
        let Some(room) = self.room.clone() else { return Ok(()) };
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
                if self.seat.is_none() {
                    return line.say(&ClientMessage::Sit {}).await;
                }
                if room.host == self.seat {
                    return self.begin(line, &room).await;
                }
            }
            RoomPhase::Finished => {
                self.waiting = Instant::now();
                let known = self.table.ended(room.fair.commitment);
                let since = self.ended.get_or_insert_with(Instant::now).elapsed();
                if known {
                    self.table.rests();
                    // The host asks for another; if the host is not there, anyone does.
                    let patient = room.host != self.seat && since < Duration::from_secs(4);
                    if self.seat.is_some() && !patient && !self.table.all.closing.is_cancelled() {
                        self.table.all.judge.did("rematch");
                        return line.say(&ClientMessage::Rematch {}).await;
                    }
                }
            }
        }
        Ok(())
    }

    /// The game waits for somebody who does not come: a seat whose owner never heard of it, if the game began too soon.
    async fn help_out(&mut self, line: &mut Line, room: &RoomView) -> Result<(), End> {
        let Some(choice) = &self.choice else { return Ok(()) };
        let waits =
            |seat: &&SeatView| !seat.connected && seat.bot.is_none() && choice.asked.contains(&seat.seat);
        let Some(away) = room.seats.iter().find(waits).filter(|_| self.seat.is_some()) else {
            self.missed = None;
            return Ok(());
        };
        if self.missed.get_or_insert_with(Instant::now).elapsed() < LONG_AWAY {
            return Ok(());
        }
        self.table.all.judge.did("substitute asked for");
        line.say(&ClientMessage::Substitute { seat: away.seat, level: Level::Easy }).await
    }

    /// The host's part of a lobby: wait for the others, seat bots, start.
    async fn begin(&mut self, line: &mut Line, room: &RoomView) -> Result<(), End> {
        let (people, bots): (Vec<&SeatView>, Vec<&SeatView>) =
            room.seats.iter().partition(|seat| seat.kind == Kind::Human);
        // Who left in the last game is followed by a bot, which goes when its owner is back.
        if bots.len() > self.table.plan.bots {
            self.table.removes();
            return line.say(&ClientMessage::Remove { seat: bots[0].seat, name: None }).await;
        }
        // More than there are: the seat of somebody who came again as another.
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

    /// Their number at the table.
    pub(super) fn place(&self) -> usize {
        self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;

    /// Somebody who was in their seat a moment ago.
    fn seated(judge: &Arc<Judge>) -> Person {
        let mut person = Person::new(Table::unopened(judge), 1);
        (person.token, person.seat, person.met) = (Some("token".to_owned()), Some(Seat(1)), true);
        person
    }

    fn accused(judge: &Judge) -> bool {
        judge.violations().iter().any(|violation| violation.promise == Promise::Lost)
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_that_opens_nothing_is_a_loss() {
        let judge = Judge::new(None);
        let mut person = seated(&judge);
        person.no_longer_seated();
        assert!(accused(&judge));
        // So it is if something was said that can only have happened while they still heard in their seat.
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
    async fn whoever_may_have_been_removed_by_a_late_message_accuses_nobody() {
        let judge = Judge::new(None);
        let mut person = seated(&judge);
        tokio::time::advance(ON_ITS_WAY).await;
        person.table.removes();
        // They are away for longer than any message is on its way.
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
