// A complete game: seven stones and two players. A turn takes one to three stones, and the player who takes the last
// one wins.

use arrayvec::ArrayVec;
use game::{Chance, Game, MAX_PLAYERS, Outcome, RuleOption, Seat, Seed, Viewer};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

#[derive(Clone)]
struct Stones {
    left: u8,
    turn: Seat,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Take {
    stones: u8,
}

game::refusals! {
    /// Another seat is to move.
    NotYourTurn, "not_your_turn", "it is another seat's turn";
    /// Zero, more than three, or more than are left.
    WrongNumber, "wrong_number", "a turn takes one to three of the stones that are left";
}

impl Game for Stones {
    const ID: &'static str = "stones";
    const RULES_VERSION: u32 = 1;
    const PLAYERS: RangeInclusive<usize> = 2..=2;
    const OPTIONS: &'static [RuleOption] = &[];

    type Rules = ();
    type Action = Take;
    type Event = Take;
    type Table = u8;
    type Mine = ();
    type IllegalAction = IllegalAction;
    type Actions = Vec<Take>;
    type Events = Vec<Take>;

    fn begin(_: &(), players: usize, seed: Seed, starter: Option<Seat>) -> (Stones, Vec<Take>) {
        let drawn = Chance::new(seed).below(players as u32) as usize;
        (Stones { left: 7, turn: starter.unwrap_or(Seat::from(drawn)) }, Vec::new())
    }

    // Nothing is hidden once the first turn has been drawn.
    fn reseed(&mut self, _: Seed) {}

    fn feats(&self, _: Seat) -> Vec<(&'static str, u32)> {
        Vec::new()
    }

    fn legal(&self, seat: Seat) -> Vec<Take> {
        (1..=3).map(|stones| Take { stones }).filter(|take| self.check(seat, take).is_ok()).collect()
    }

    fn asked(&self) -> ArrayVec<Seat, MAX_PLAYERS> {
        (self.left > 0).then_some(self.turn).into_iter().collect()
    }

    fn check(&self, seat: Seat, take: &Take) -> Result<(), IllegalAction> {
        if seat != self.turn {
            Err(IllegalAction::NotYourTurn)
        } else if !(1..=self.left.min(3)).contains(&take.stones) {
            Err(IllegalAction::WrongNumber)
        } else {
            Ok(())
        }
    }

    fn apply(&mut self, seat: Seat, take: &Take) -> Result<Vec<Take>, IllegalAction> {
        self.check(seat, take)?;
        self.left -= take.stones;
        self.turn = seat.next(2);
        Ok(vec![take.clone()])
    }

    fn table(&self) -> u8 {
        self.left
    }

    fn mine(&self, _: Seat) {}

    fn outcome(&self) -> Option<Outcome> {
        // The player who would move next has lost.
        (self.left == 0).then(|| Outcome::most_points(Seat::all(2).map(|seat| i16::from(seat != self.turn))))
    }
}
