//! Budgets of one room, as token buckets in running time. They limit activity that can be repeated without playing, and
//! chat. Normal play never reaches them. A client that does is refused for a while, and others do not notice.
//!
//! Budgets do not know client addresses. How much may be written for an address per day is limited by `written`.

use room::{Input, Millis, PlayerId};

/// Bytes that may be written without playing: at once, and per second. People who join and leave write a few hundred
/// bytes a minute, and a rematch writes some thousand. The two budgets are separate, so that clients who keep joining
/// and leaving do not prevent the host from starting.
const DOOR: (u64, u64) = (128 << 10, 512);
const TABLE: (u64, u64) = (128 << 10, 1 << 10);
/// Chat lines of everybody together.
const TALK: (u64, u64) = (100, 10);
/// Chat lines of spectators, who may be many and are anonymous.
const AUDIENCE: (u64, u64) = (20, 2);

/// Hints. Each costs some thinking time.
const HINTS: (u64, u64) = (30, 1);

/// Raised and lowered hands of everybody together. Each change is sent to everyone.
const HANDS: (u64, u64) = (40, 4);

/// Reactions of one seat, at two tokens each: three at once, and then one every two seconds.
const REACTIONS: (u64, u64) = (6, 1);
const REACTION: u64 = 2;

/// Renames of one seat, at ten tokens each: three at once, and then one every ten seconds. Each is written, sent to
/// everyone and read out.
const NAMES: (u64, u64) = (30, 1);
const NAME: u64 = 10;

/// Buckets count milli-tokens, so that short intervals are not lost by rounding.
const UNIT: i64 = 1000;

/// A token bucket.
#[derive(Debug)]
struct Bucket {
    most: i64,
    /// Refill rate in milli-tokens per millisecond (equal to tokens per second).
    rate: i64,
    left: i64,
    at: Millis,
}

impl Bucket {
    fn full((most, per_second): (u64, u64), now: Millis) -> Bucket {
        let most = most as i64 * UNIT;
        Bucket { most, rate: per_second as i64, left: most, at: now }
    }

    /// Adds the tokens for the time that has passed.
    fn refill(&mut self, now: Millis) {
        let passed = i64::try_from(now.saturating_sub(self.at)).unwrap_or(i64::MAX);
        self.left = self.left.saturating_add(passed.saturating_mul(self.rate)).min(self.most);
        self.at = self.at.max(now);
    }

    /// Returns whether anything is left.
    fn has_any(&mut self, now: Millis) -> bool {
        self.refill(now);
        self.left > 0
    }

    /// Returns whether the bucket is full.
    fn is_full(&mut self, now: Millis) -> bool {
        self.refill(now);
        self.left == self.most
    }

    /// Takes the cost if enough is left.
    fn takes(&mut self, cost: u64, now: Millis) -> bool {
        let has_all = self.has_any(now) && self.left >= cost as i64 * UNIT;
        if has_all {
            self.spend(cost);
        }
        has_all
    }

    /// Takes the cost, if necessary on credit: the cost is known only after the decision.
    fn spend(&mut self, cost: u64) {
        let cost = i64::try_from(cost).unwrap_or(i64::MAX).saturating_mul(UNIT);
        self.left = self.left.saturating_sub(cost).max(-self.most);
    }
}

/// Activity that can be repeated without playing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unrest {
    /// Joining and leaving.
    Door,
    /// Configuring, starting and restarting.
    Table,
}

impl Unrest {
    /// Returns the kind of activity, or `None` for play.
    pub fn of(input: &Input) -> Option<Unrest> {
        match input {
            Input::Act { .. } | Input::Play { .. } => None,
            // It is as long as the game before it, so it cannot be repeated without playing.
            Input::SameDeal { .. } => None,
            Input::Start { .. }
            | Input::Configure { .. }
            | Input::AddBot { .. }
            | Input::Substitute { .. }
            | Input::NewDeal { .. }
            | Input::TakeChair { .. }
            | Input::Rename { .. }
            | Input::Rematch { .. }
            | Input::Review { .. } => Some(Unrest::Table),
            Input::Sit { .. }
            | Input::Join { .. }
            | Input::Salt { .. }
            | Input::Return { .. }
            | Input::Remove { .. }
            | Input::Stand { .. }
            | Input::Leave { .. }
            | Input::Tick {} => Some(Unrest::Door),
        }
    }
}

/// A token bucket per player, so that players do not use up each other's.
#[derive(Debug)]
struct Each {
    limit: (u64, u64),
    cost: u64,
    /// The buckets that are not full.
    missing: Vec<(PlayerId, Bucket)>,
}

impl Each {
    fn full(limit: (u64, u64), cost: u64) -> Each {
        Each { limit, cost, missing: Vec::new() }
    }

    /// Returns whether this player has enough left, and takes the cost.
    fn allows(&mut self, player: PlayerId, now: Millis) -> bool {
        // A full bucket need not be stored, so only recently active players are kept.
        self.missing.retain_mut(|(_, bucket)| !bucket.is_full(now));
        if let Some((_, bucket)) = self.missing.iter_mut().find(|(of, _)| *of == player) {
            return bucket.takes(self.cost, now);
        }
        let mut bucket = Bucket::full(self.limit, now);
        let allowed = bucket.takes(self.cost, now);
        self.missing.push((player, bucket));
        allowed
    }
}

/// The remaining budgets of a room.
#[derive(Debug)]
pub struct Budget {
    door: Bucket,
    table: Bucket,
    talk: Bucket,
    audience: Bucket,
    hints: Bucket,
    hands: Bucket,
    reactions: Each,
    names: Each,
}

impl Budget {
    pub fn new(now: Millis) -> Budget {
        let [door, table, talk, audience, hints, hands] =
            [DOOR, TABLE, TALK, AUDIENCE, HINTS, HANDS].map(|limit| Bucket::full(limit, now));
        let (reactions, names) = (Each::full(REACTIONS, REACTION), Each::full(NAMES, NAME));
        Budget { door, table, talk, audience, hints, hands, reactions, names }
    }

    /// Returns whether this activity is allowed now.
    pub fn allows(&mut self, unrest: Unrest, now: Millis) -> bool {
        self.of(unrest).has_any(now)
    }

    /// Charges the bytes written for an activity.
    pub fn spend(&mut self, unrest: Unrest, bytes: u64) {
        self.of(unrest).spend(bytes);
    }

    fn of(&mut self, unrest: Unrest) -> &mut Bucket {
        match unrest {
            Unrest::Door => &mut self.door,
            Unrest::Table => &mut self.table,
        }
    }

    /// Returns whether another hint is allowed now, and counts it.
    pub fn allows_hint(&mut self, now: Millis) -> bool {
        let allowed = self.hints.has_any(now);
        if allowed {
            self.hints.spend(1);
        }
        allowed
    }

    /// Returns whether another hand may be raised or lowered now, and counts it.
    pub fn allows_hand(&mut self, now: Millis) -> bool {
        self.hands.takes(1, now)
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
        // Check both, so that both are refilled.
        let (any, audience) = (self.talk.has_any(now), self.audience.has_any(now));
        let allowed = any && (audience || !by_watcher);
        if allowed {
            self.talk.spend(1);
            self.audience.spend(u64::from(by_watcher));
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_emptied_and_fills_again() {
        let mut bucket = Bucket::full((3, 2), 1000);
        for _ in 0..3 {
            assert!(bucket.has_any(1000));
            bucket.spend(1);
        }
        assert!(!bucket.has_any(1000));
        assert!(bucket.has_any(1001), "a thousandth is something");
        bucket.spend(1);
        assert!(
            !bucket.has_any(1001) && !bucket.has_any(1499) && bucket.has_any(1501),
            "what was on credit comes first"
        );
        assert!(bucket.has_any(u64::MAX));
        assert_eq!(bucket.left, 3 * UNIT, "and is never fuller than full");
    }

    #[test]
    fn a_seat_reacts_three_times_at_once_and_then_every_two_seconds() {
        let (ana, bea) = (PlayerId(0), PlayerId(1));
        let mut budget = Budget::new(0);
        let mut reacts = |who, now| (0..10).filter(|_| budget.allows_reaction(who, now)).count();
        assert_eq!((reacts(ana, 0), reacts(ana, 1999), reacts(ana, 2000)), (3, 0, 1));
        assert_eq!(reacts(bea, 2000), 3, "nobody pays for another");
        assert_eq!(reacts(ana, 60_000), 3);
        assert_eq!(budget.reactions.missing.len(), 1, "who has all of theirs again is forgotten");
    }

    #[test]
    fn a_seat_is_renamed_three_times_at_once_and_then_every_ten_seconds() {
        let (ana, bea) = (PlayerId(0), PlayerId(1));
        let mut budget = Budget::new(0);
        let mut renamed = |who, now| (0..10).filter(|_| budget.allows_name(who, now)).count();
        assert_eq!((renamed(ana, 0), renamed(ana, 9_999), renamed(ana, 10_000)), (3, 0, 1));
        assert_eq!(renamed(bea, 10_000), 3, "nobody pays for another");
    }

    #[test]
    fn hands_are_raised_and_lowered_only_so_often() {
        let mut budget = Budget::new(0);
        assert_eq!((0..1000).filter(|_| budget.allows_hand(0)).count() as u64, HANDS.0);
        assert_eq!((0..1000).filter(|_| budget.allows_hand(1000)).count() as u64, HANDS.1);
    }

    #[test]
    fn those_who_watch_cannot_use_up_what_those_who_play_may_say() {
        let mut budget = Budget::new(0);
        let said = (0..1000).filter(|_| budget.allows_line(true, 0)).count() as u64;
        assert_eq!(said, AUDIENCE.0);
        let said = (0..1000).filter(|_| budget.allows_line(false, 0)).count() as u64;
        assert_eq!(said, TALK.0 - AUDIENCE.0);
        assert!(budget.allows_line(true, 1000) && budget.allows_line(false, 1000));
    }
}
