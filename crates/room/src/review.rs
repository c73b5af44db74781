//! Reviews and hints. A review is the strongest bot's evaluation of every decision of a finished game, from what the
//! deciding seat saw. A hint evaluates a decision that is still to be made.
//!
//! This module says what to evaluate and what follows from the results. The caller decides where and when it is
//! computed.

mod assessment;
mod decisions;

pub use assessment::{Assessment, Hinting};

use crate::games::AnyGame;
use crate::played::Played;
use crate::record::{begin, verify};
use crate::{By, Doubt, Entry, Misfit, NoRecord, Refusal, Room, RoomEvent, Which};
use decisions::{Decision, decisions};
use game::{Commitment, Outcome, Seat};
use protocol::{CurvePoint, Mistake, Record, RecordedAct, Review, ReviewedPlayer, RoomPhase};
use std::sync::Arc;
use std::vec;

/// Maximum number of mistakes shown per player.
const SHOWN: usize = 3;

/// A finished game under review. It is replayed from decision to decision, so only the actions are kept in memory.
pub struct Reviewing {
    commitment: Commitment,
    outcome: Outcome,
    game: Box<dyn AnyGame>,
    acts: Vec<(RecordedAct, By)>,
    /// Number of actions replayed so far.
    played: usize,
    ahead: vec::IntoIter<Decision>,
    of: usize,
    done: Vec<Assessment>,
}

/// Starts the review of one game of a room, given all lines of its journal. Fails if the game was not finished.
pub fn reviewing(lines: &[String], which: Which) -> Result<Result<Reviewing, NoRecord>, Misfit> {
    let Some(played) = Played::find(lines, which)? else { return Ok(Err(NoRecord::Missing)) };
    let Some(outcome) = played.again()?.outcome else { return Ok(Err(played.no_record())) };
    let (first, again) = (played.deal().0, played.deal().0);
    let acts = played.acts.into_iter().map(|played| (played.act, played.by)).collect();
    Ok(Ok(Reviewing::new(played.begun.commitment, outcome, first, again, acts)))
}

/// Returns the stored review of one game of a room, if there is one.
pub fn review_of(lines: &[String], which: Which) -> Result<Result<Option<Review>, NoRecord>, Misfit> {
    let Some(played) = Played::find(lines, which)? else { return Ok(Err(NoRecord::Missing)) };
    // Most lines are actions and need not be parsed for this.
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.contains("\"reviewed\"")) {
        let entry = Entry::read(line).map_err(|cause| Misfit { entry: index as u64 + 1, cause })?;
        if let RoomEvent::Reviewed { commitment, review } = entry.what
            && commitment == played.begun.commitment
        {
            return Ok(Ok(Some(*review)));
        }
    }
    Ok(Ok(None))
}

/// What a room in memory knows of the review of its last game.
#[derive(Debug, Clone, PartialEq)]
pub enum LastReview {
    /// It was made.
    Made(Arc<Review>),
    /// No player has asked for it yet.
    NotMade,
    /// Only the journal knows.
    Unknown,
}

impl Reviewing {
    /// Starts the review of a recorded game, if the record is valid. A record does not say who decided.
    pub fn of_record(record: &Record) -> Result<Reviewing, Doubt> {
        verify(record)?;
        let acts = record.acts.iter().map(|act| (act.clone(), By::Player)).collect();
        let (first, again) = (begin(record)?.0, begin(record)?.0);
        Ok(Reviewing::new(record.commitment, record.outcome.clone(), first, again, acts))
    }

    fn new(
        commitment: Commitment,
        outcome: Outcome,
        first: Box<dyn AnyGame>,
        again: Box<dyn AnyGame>,
        acts: Vec<(RecordedAct, By)>,
    ) -> Reviewing {
        let ahead = decisions(first, &acts);
        let of = ahead.len();
        Reviewing { commitment, outcome, game: again, acts, played: 0, ahead: ahead.into_iter(), of, done: Vec::new() }
    }

    /// Returns the commitment of the reviewed game.
    pub fn commitment(&self) -> Commitment {
        self.commitment
    }

    /// Returns the number of decisions.
    pub fn of(&self) -> u32 {
        self.of as u32
    }

    /// Returns the number of decisions evaluated so far.
    pub fn done(&self) -> u32 {
        self.done.len() as u32
    }

    /// Returns the next decision to evaluate.
    pub fn next_decision(&mut self) -> Option<Assessment> {
        let decision = self.ahead.next()?;
        while self.played < decision.seen {
            let (act, _) = &self.acts[self.played];
            self.game.apply(act.seat, &act.action).expect("recorded actions are legal");
            self.played += 1;
        }
        let (act, by) = &self.acts[decision.act];
        let judging = self.game.judging(act.seat, Some(&act.action));
        Some(Assessment::new(decision, act, *by, judging))
    }

    /// Adds an evaluated decision.
    pub fn judged(&mut self, assessment: Assessment) {
        self.done.push(assessment);
    }

    /// Returns the finished review.
    pub fn finish(self) -> Review {
        let players = self.outcome.scores.len();
        let end = self.acts.len() as u32;
        let lost = |seat: Seat| -> f32 {
            let own = self.done.iter().filter(|judged| judged.seat() == seat);
            own.map(Assessment::lost).sum::<f32>().max(0.0)
        };
        let lost: Vec<i16> = Seat::all(players).map(|seat| thousandths(lost(seat)) as i16).collect();
        let all: i32 = lost.iter().copied().map(i32::from).sum();
        let fair = thousandths(1.0 / players as f32) as i16;
        let of_seat = |seat: Seat| {
            let won = self.outcome.winners.contains(&seat);
            let result = if won { thousandths(1.0 / self.outcome.winners.len() as f32) as i16 } else { 0 };
            let play = lost[seat.index()];
            let others = ((all - i32::from(play)) / (players as i32 - 1).max(1)) as i16;
            let luck = result - fair + play - others;
            let own = || self.done.iter().filter(|judged| judged.seat() == seat);
            let mut curve: Vec<CurvePoint> = own().flat_map(Assessment::points).collect();
            curve.push(CurvePoint { moment: end, chance: result as u16 });
            let mut mistakes: Vec<Mistake> = own().filter_map(Assessment::mistake).collect();
            mistakes.sort_by_key(|mistake| std::cmp::Reverse(mistake.cost));
            mistakes.truncate(SHOWN);
            ReviewedPlayer { seat, fair, play, others, luck, result, curve, mistakes }
        };
        Review { decisions: self.of as u32, players: Seat::all(players).map(of_seat).collect() }
    }
}

impl Room {
    /// Returns the commitment of the finished game on the table.
    pub fn finished(&self) -> Result<Commitment, Refusal> {
        if self.phase == RoomPhase::Finished { Ok(self.seed.commitment()) } else { Err(Refusal::NotFinished) }
    }

    /// Returns the review of the last game that was started.
    pub fn last_review(&self) -> LastReview {
        match &self.review {
            Some(review) => LastReview::Made(review.clone()),
            // A checkpoint does not contain the review of the game before it.
            None if self.phase == RoomPhase::Lobby => LastReview::Unknown,
            None => LastReview::NotMade,
        }
    }

    /// Returns the computation of a hint for a player who is alone among bots, with the number of the action it is for.
    /// There are no hints when two people play.
    pub fn hint(&self, player: crate::PlayerId) -> Result<(u32, Hinting), Refusal> {
        let seat = self.seats.seat_of(player).ok_or(Refusal::NotSeated)?;
        let game = self.game.as_ref().filter(|_| self.phase == RoomPhase::Playing).ok_or(Refusal::NoGame)?;
        let people = self.seats.iter().filter(|(_, player)| player.is_human()).count();
        let asked = game.state().asked().contains(&seat) && !game.state().is_forced(seat);
        if people != 1 || !asked || self.seats.at(seat).is_some_and(|player| player.bot.is_some()) {
            return Err(Refusal::NoHint);
        }
        Ok((game.next(seat), Hinting::new(game.state().judging(seat, None))))
    }
}

/// Converts a chance to thousandths.
fn thousandths(chance: f32) -> u16 {
    (chance.clamp(0.0, 30.0) * 1000.0).round() as u16
}
