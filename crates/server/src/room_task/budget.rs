//! Budgets of one room, as token buckets in running time. They limit activity that can be repeated without playing, and
//! chat. Normal play never reaches them. A client that does is refused for a while, and others do not notice.
//!
//! Budgets do not know client addresses. How much may be written for an address per day is limited by `written`.

use crate::limits::{Bucket, Limit};
use room::{Activity, Millis, PlayerId};
use std::time::Duration;

/// Bytes that may be written without playing: at once, and per second. People who join and leave write a few hundred
/// bytes a minute, and a rematch writes some thousand. The two budgets are separate, so that clients who keep joining
/// and leaving do not prevent the host from starting.
const DOOR: Limit = Limit::per_second(512, 128 << 10);
const TABLE: Limit = Limit::per_second(1 << 10, 128 << 10);
/// Chat lines of everybody together.
const TALK: Limit = Limit::per_second(10, 100);
/// Chat lines of spectators, who may be many and are anonymous.
const AUDIENCE: Limit = Limit::per_second(2, 20);

/// Hints. Each costs some thinking time.
const HINTS: Limit = Limit::per_second(1, 30);

/// Raised and lowered hands of everybody together. Each change is sent to everyone.
const HANDS: Limit = Limit::per_second(4, 40);

/// Reactions of one seat, at two tokens each: three at once, and then one every two seconds.
const REACTIONS: Limit = Limit::per_second(1, 6);
const REACTION: u64 = 2;

/// Renames of one seat, at ten tokens each: three at once, and then one every ten seconds. Each is written, sent to
/// everyone and read out.
const NAMES: Limit = Limit::per_second(1, 30);
const NAME: u64 = 10;

/// A limit and its bucket.
#[derive(Debug)]
struct Limited {
    limit: Limit,
    bucket: Bucket,
}

impl Limited {
    fn full(limit: Limit) -> Limited {
        Limited { limit, bucket: Bucket::default() }
    }

    fn has_any(&self, now: Millis) -> bool {
        self.bucket.has_any(self.limit, Duration::from_millis(now))
    }

    fn take(&mut self, tokens: u64, now: Millis) -> bool {
        self.bucket.take(self.limit, tokens, Duration::from_millis(now))
    }

    fn charge(&mut self, tokens: u64, now: Millis) {
        self.bucket.charge(self.limit, tokens, Duration::from_millis(now));
    }
}

/// A token bucket per player, so that players do not use up each other's.
#[derive(Debug)]
struct Each {
    limit: Limit,
    cost: u64,
    /// The buckets that are not full.
    buckets: Vec<(PlayerId, Bucket)>,
}

impl Each {
    fn full(limit: Limit, cost: u64) -> Each {
        Each { limit, cost, buckets: Vec::new() }
    }

    /// Returns whether this player has enough left, and takes the cost.
    fn allows(&mut self, player: PlayerId, now: Millis) -> bool {
        let now = Duration::from_millis(now);
        // A full bucket need not be stored, so only recently active players are kept.
        self.buckets.retain(|(_, bucket)| !bucket.is_full(now));
        if let Some((_, bucket)) = self.buckets.iter_mut().find(|(of, _)| *of == player) {
            return bucket.take(self.limit, self.cost, now);
        }
        let mut bucket = Bucket::default();
        let allowed = bucket.take(self.limit, self.cost, now);
        self.buckets.push((player, bucket));
        allowed
    }
}

/// The remaining budgets of a room.
#[derive(Debug)]
pub struct RoomBudget {
    door: Limited,
    table: Limited,
    talk: Limited,
    audience: Limited,
    hints: Limited,
    hands: Limited,
    reactions: Each,
    names: Each,
}

impl RoomBudget {
    pub fn new() -> RoomBudget {
        let [door, table, talk, audience, hints, hands] =
            [DOOR, TABLE, TALK, AUDIENCE, HINTS, HANDS].map(Limited::full);
        let (reactions, names) = (Each::full(REACTIONS, REACTION), Each::full(NAMES, NAME));
        RoomBudget { door, table, talk, audience, hints, hands, reactions, names }
    }

    /// Returns whether this activity is allowed now.
    pub fn allows(&mut self, activity: Activity, now: Millis) -> bool {
        self.of(activity).has_any(now)
    }

    /// Charges the bytes written for an activity, if necessary on credit: they are known only after the decision.
    pub fn spend(&mut self, activity: Activity, bytes: u64, now: Millis) {
        self.of(activity).charge(bytes, now);
    }

    fn of(&mut self, activity: Activity) -> &mut Limited {
        match activity {
            Activity::Seats => &mut self.door,
            Activity::Table => &mut self.table,
        }
    }

    /// Returns whether another hint is allowed now, and counts it.
    pub fn allows_hint(&mut self, now: Millis) -> bool {
        self.hints.take(1, now)
    }

    /// Returns whether another hand may be raised or lowered now, and counts it.
    pub fn allows_hand(&mut self, now: Millis) -> bool {
        self.hands.take(1, now)
    }

    /// Returns whether this player may react now, and counts the reaction.
    pub fn allows_reaction(&mut self, player: PlayerId, now: Millis) -> bool {
        self.reactions.allows(player, now)
    }

    /// Returns whether this player may change names now, and counts the rename.
    pub fn allows_name(&mut self, player: PlayerId, now: Millis) -> bool {
        self.names.allows(player, now)
    }

    /// Returns whether another chat line is allowed now, and counts it.
    pub fn allows_line(&mut self, by_watcher: bool, now: Millis) -> bool {
        self.talk.has_any(now) && (!by_watcher || self.audience.take(1, now)) && self.talk.take(1, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_three_reactions_at_once_then_one_every_two_seconds() {
        let (ana, bea) = (PlayerId(0), PlayerId(1));
        let mut budget = RoomBudget::new();
        let mut reacts = |who, now| (0..10).filter(|_| budget.allows_reaction(who, now)).count();
        assert_eq!((reacts(ana, 0), reacts(ana, 1999), reacts(ana, 2000)), (3, 0, 1));
        assert_eq!(reacts(bea, 2000), 3, "each player has a separate limit");
        assert_eq!(reacts(ana, 60_000), 3);
        assert_eq!(budget.reactions.buckets.len(), 1, "a player with a full bucket is removed");
    }

    #[test]
    fn allows_three_renames_at_once_then_one_every_ten_seconds() {
        let (ana, bea) = (PlayerId(0), PlayerId(1));
        let mut budget = RoomBudget::new();
        let mut renamed = |who, now| (0..10).filter(|_| budget.allows_name(who, now)).count();
        assert_eq!((renamed(ana, 0), renamed(ana, 9_999), renamed(ana, 10_000)), (3, 0, 1));
        assert_eq!(renamed(bea, 10_000), 3, "each player has a separate limit");
    }

    #[test]
    fn limits_how_often_hands_are_raised_and_lowered() {
        let mut budget = RoomBudget::new();
        assert_eq!((0..1000).filter(|_| budget.allows_hand(0)).count() as u64, HANDS.burst);
        assert_eq!((0..1000).filter(|_| budget.allows_hand(1000)).count() as u64, 4);
    }

    #[test]
    fn spectators_cannot_use_up_the_chat_limit_of_players() {
        let mut budget = RoomBudget::new();
        let said = (0..1000).filter(|_| budget.allows_line(true, 0)).count() as u64;
        assert_eq!(said, AUDIENCE.burst);
        let said = (0..1000).filter(|_| budget.allows_line(false, 0)).count() as u64;
        assert_eq!(said, TALK.burst - AUDIENCE.burst);
        assert!(budget.allows_line(true, 1000) && budget.allows_line(false, 1000));
    }
}
