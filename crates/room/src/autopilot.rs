//! Decides which actions are to be played automatically, for which seat and when: bots, timeouts and forced actions.
//! The caller has the clock and the processor time: it runs the bot and submits the action.

use crate::games::Thinking;
use crate::live_game::LiveGame;
use crate::{By, Millis, PlayerId, Refusal, Room};
use game::{Level, Seat, Sight};
use protocol::{Forced, Pace, RawAction, RoomPhase};

/// Level of a bot that nobody chose: after a player left, or on a timeout.
pub(crate) const STAND_IN: Level = Level::Normal;

/// Number of consecutive timeouts after which a bot plays until the player acts again.
pub(crate) const MISSED_IN_A_ROW: u8 = 2;

/// An automatic decision to be made for a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// The seat.
    pub seat: Seat,
    /// The number of the seat's action, by which a result that comes too late is recognised.
    pub n: u32,
    /// Why the player does not decide.
    pub by: By,
    /// Level of the bot.
    pub level: Level,
    /// Earliest time at which to play.
    pub at: Millis,
}

impl Want {
    /// Returns whether both are about the same decision, regardless of its time.
    pub fn is_for(&self, other: &Want) -> bool {
        (self.seat, self.n, self.by, self.level) == (other.seat, other.n, other.by, other.level)
    }
}

/// Time people need to look at an event, as a percentage of the host's pause.
const fn look(sight: Sight) -> Millis {
    match sight {
        Sight::Step => 15,
        Sight::Little => 40,
        Sight::Plain => 100,
        Sight::Striking => 150,
    }
}

/// Factor for the table's pace, in percent.
const fn tempo(pace: Pace) -> Millis {
    match pace {
        Pace::Calm => 180,
        Pace::Normal => 100,
        Pace::Brisk => 45,
    }
}

/// Divisor of the host's pause while a player hurries the game.
const HURRIED: Millis = 20;

impl Room {
    /// Shortens the pauses of automatic actions until a person has to decide, at a player's request. Like presence this
    /// is not written to the journal. It succeeds without effect if a person has to decide already.
    pub fn hurry(&mut self, player: PlayerId) -> Result<(), Refusal> {
        self.seated(player)?;
        if self.phase != RoomPhase::Playing {
            return Err(Refusal::NoGame);
        }
        self.hurried = true;
        self.slow_down();
        Ok(())
    }

    /// Ends hurrying once a person has to decide or no game is running.
    pub(crate) fn slow_down(&mut self) {
        if self.hurried && (self.phase != RoomPhase::Playing || self.waits_for_a_person()) {
            self.hurried = false;
        }
    }

    /// Returns whether the game waits for a person's own decision.
    fn waits_for_a_person(&self) -> bool {
        let Some(game) = &self.game else { return false };
        let auto = self.options.forced() == Forced::Auto;
        let decides = |seat: &Seat| {
            let own = self.seats.at(*seat).is_some_and(|player| player.bot.is_none());
            own && !(auto && game.state().is_forced(*seat))
        };
        game.state().asked().iter().any(decides)
    }

    /// Returns the pause before an automatic action, given the host's pause.
    fn pause(&self, game: &LiveGame, of_host: Millis) -> Millis {
        if self.hurried {
            return of_host / HURRIED;
        }
        of_host.saturating_mul(look(game.sight())).saturating_mul(tempo(self.options.pace())) / 10_000
    }

    /// Returns the decisions to be made automatically. Bots and forced actions are delayed so that people can follow:
    /// by the host's `pause` after a plain event, and by less or more after a smaller or larger one. Empty while no
    /// person is connected, because the room waits for them.
    pub fn wants(&self, pause: Millis) -> Vec<Want> {
        let Some(game) = self.game.as_ref().filter(|_| self.phase == RoomPhase::Playing) else {
            return Vec::new();
        };
        if !self.seats.somebody_is_here() {
            return Vec::new();
        }
        let pause = self.pause(game, pause);
        let clock = self.options.clock().map(|seconds| Millis::from(seconds) * 1000);
        let auto = self.options.forced() == Forced::Auto;
        let asked = game.state().asked().into_iter();
        asked
            .filter_map(|seat| {
                let (by, level, wait) = match self.seats.at(seat)?.bot {
                    Some(level) => (By::Bot, level, pause),
                    None if auto && game.state().is_forced(seat) => (By::Force, STAND_IN, pause),
                    None => (By::Clock, STAND_IN, clock?),
                };
                Some(Want { seat, n: game.next(seat), by, level, at: game.asked_since(seat) + wait })
            })
            .collect()
    }

    /// Returns when the first player who must decide runs out of time.
    pub(crate) fn deadline(&self) -> Option<Millis> {
        self.options.clock()?;
        // The pause has no effect here, because only timeouts are considered.
        let wants = self.wants(0);
        wants.iter().filter(|want| want.by == By::Clock).map(|want| want.at).min()
    }

    /// Returns a seat's only legal action, if there is exactly one.
    pub fn only_act(&self, seat: Seat) -> Option<RawAction> {
        self.game.as_ref()?.state().only_act(seat)
    }

    /// Returns any legal action of a seat, as a last resort when bots have failed.
    pub fn any_act(&self, seat: Seat) -> Option<RawAction> {
        self.game.as_ref()?.state().any_act(seat)
    }

    /// Returns a bot's computation for a seat's decision, which contains only what that seat sees.
    pub fn thinking(&self, seat: Seat) -> Option<Thinking> {
        Some(self.game.as_ref()?.state().thinking(seat))
    }
}
