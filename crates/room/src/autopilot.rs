//! What is to be played for whom, and when: bots, the clock, and acts that are forced. It says what is wanted;
//! whoever has a clock and a processor to spare does the thinking and hands the act in.

use crate::games::Thinking;
use crate::live_game::LiveGame;
use crate::{By, Millis, PlayerId, Refusal, Room};
use game::{Level, Seat, Sight};
use protocol::{Forced, Pace, RawAction, RoomPhase};

/// How well a bot plays that nobody chose: after a leaver, or when time has run out.
pub(crate) const STAND_IN: Level = Level::Normal;

/// Time run out so often in a row makes a bot play until the owner acts again.
pub(crate) const MISSED_IN_A_ROW: u8 = 2;

/// A decision somebody else is to make for a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// For whom.
    pub seat: Seat,
    /// The number of the seat's act, so that a thought that comes too late is known as such.
    pub n: u32,
    /// Why it is not the player's own.
    pub by: By,
    /// How well to think.
    pub level: Level,
    /// Not before this time.
    pub at: Millis,
}

impl Want {
    /// Whether both are of the same decision, whenever it is due.
    pub fn is_for(&self, other: &Want) -> bool {
        (self.seat, self.n, self.by, self.level) == (other.seat, other.n, other.by, other.level)
    }
}

/// How long people look at what happened, in hundredths of the host's pause.
const fn look(sight: Sight) -> Millis {
    match sight {
        Sight::Step => 15,
        Sight::Little => 40,
        Sight::Plain => 100,
        Sight::Striking => 150,
    }
}

/// The same at a table of this pace, in hundredths of what it is at others.
const fn tempo(pace: Pace) -> Millis {
    match pace {
        Pace::Calm => 180,
        Pace::Normal => 100,
        Pace::Brisk => 45,
    }
}

/// Whoever hurries sees acts come one after another, each after this part of the host's pause.
const HURRIED: Millis = 20;

impl Room {
    /// Somebody at the table has seen enough: until a person has to decide, what is played for others comes almost at once. Like
    /// presence it is never written down. While a person has to decide already there is nothing to hurry, and nothing is refused.
    pub fn hurry(&mut self, player: PlayerId) -> Result<(), Refusal> {
        self.seated(player)?;
        if self.phase != RoomPhase::Playing {
            return Err(Refusal::NoGame);
        }
        self.hurried = true;
        self.slow_down();
        Ok(())
    }

    /// Nobody hurries any more once a person has to decide, or nothing is played.
    pub(crate) fn slow_down(&mut self) {
        if self.hurried && (self.phase != RoomPhase::Playing || self.waits_for_a_person()) {
            self.hurried = false;
        }
    }

    /// Whether somebody has to decide for themselves.
    fn waits_for_a_person(&self) -> bool {
        let Some(game) = &self.game else { return false };
        let auto = self.options.forced() == Forced::Auto;
        let decides = |seat: &Seat| {
            let own = self.seats.at(*seat).is_some_and(|player| player.bot.is_none());
            own && !(auto && game.state().is_forced(*seat))
        };
        game.state().asked().iter().any(decides)
    }

    /// How long what is played for others waits, where the host's pause is this long.
    fn pause(&self, game: &LiveGame, of_host: Millis) -> Millis {
        if self.hurried {
            return of_host / HURRIED;
        }
        of_host.saturating_mul(look(game.sight())).saturating_mul(tempo(self.options.pace())) / 10_000
    }

    /// The decisions to be made for seats as things are. Bots and forced acts wait, so that people can follow: for the host's
    /// `pause` where something plain just happened, and for less or more where there was less or more to see. A room whose people are all gone waits for them: nothing is wanted.
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

    /// When the first of those who must act themselves runs out of time.
    pub(crate) fn deadline(&self) -> Option<Millis> {
        self.options.clock()?;
        // Forced acts come long before; a pause of any length does.
        let wants = self.wants(0);
        wants.iter().filter(|want| want.by == By::Clock).map(|want| want.at).min()
    }

    /// The only thing a seat can do, if there is only one.
    pub fn only_act(&self, seat: Seat) -> Option<RawAction> {
        self.game.as_ref()?.state().only_act(seat)
    }

    /// Something a seat can do, for when all thinking has failed.
    pub fn any_act(&self, seat: Seat) -> Option<RawAction> {
        self.game.as_ref()?.state().any_act(seat)
    }

    /// A bot's thinking about a seat's decision, on what that seat sees and nothing else.
    pub fn thinking(&self, seat: Seat) -> Option<Thinking> {
        Some(self.game.as_ref()?.state().thinking(seat))
    }
}
