//! Budgets of one room, as token buckets in running time: what may be asked for again and again without playing, and what may be
//! said. Those who play never meet them; whoever does is told to wait, and nobody else notices.
//!
//! It knows nothing of addresses: what one of them may have written in a day is in `written`.

use room::{Input, Millis, PlayerId};

/// What may be written without playing: so many bytes at once, and so many more in a second. People who come and go write a
/// few hundred bytes a minute, and a rematch some thousand. Each has its own: whoever comes and goes in circles does not keep
/// the host from beginning.
const DOOR: (u64, u64) = (128 << 10, 512);
const TABLE: (u64, u64) = (128 << 10, 1 << 10);
/// Lines of chat, of everybody together.
const TALK: (u64, u64) = (100, 10);
/// Lines of chat, of those who watch: they are many, and nobody knows who they are.
const AUDIENCE: (u64, u64) = (20, 2);

/// Hints, of which each is a moment's thinking.
const HINTS: (u64, u64) = (30, 1);

/// Hands raised and lowered, of everybody together: each is shown to everyone.
const HANDS: (u64, u64) = (40, 4);

/// Reactions of one seat, in half seconds' worth: three at once, and one every two seconds.
const REACTIONS: (u64, u64) = (6, 1);
const REACTION: u64 = 2;

/// Names of one seat, in tenths: three at once, and one every ten seconds. Each is written down, shown to everyone and read out.
const NAMES: (u64, u64) = (30, 1);
const NAME: u64 = 10;

/// Thousandths, so that little time is not lost by rounding.
const UNIT: i64 = 1000;

/// A token bucket.
#[derive(Debug)]
struct Bucket {
    most: i64,
    /// What comes back in a millisecond, in thousandths: what comes back in a second.
    rate: i64,
    left: i64,
    at: Millis,
}

impl Bucket {
    fn full((most, per_second): (u64, u64), now: Millis) -> Bucket {
        let most = most as i64 * UNIT;
        Bucket { most, rate: per_second as i64, left: most, at: now }
    }

    /// What has come back in the time that has passed.
    fn refill(&mut self, now: Millis) {
        let passed = i64::try_from(now.saturating_sub(self.at)).unwrap_or(i64::MAX);
        self.left = self.left.saturating_add(passed.saturating_mul(self.rate)).min(self.most);
        self.at = self.at.max(now);
    }

    /// Whether anything is left.
    fn has_any(&mut self, now: Millis) -> bool {
        self.refill(now);
        self.left > 0
    }

    /// Whether nothing is missing.
    fn is_full(&mut self, now: Millis) -> bool {
        self.refill(now);
        self.left == self.most
    }

    /// Takes so much, if all of it is left.
    fn takes(&mut self, cost: u64, now: Millis) -> bool {
        let has_all = self.has_any(now) && self.left >= cost as i64 * UNIT;
        if has_all {
            self.spend(cost);
        }
        has_all
    }

    /// Takes so much, if need be on credit: what it costs is known only once it is decided.
    fn spend(&mut self, cost: u64) {
        let cost = i64::try_from(cost).unwrap_or(i64::MAX).saturating_mul(UNIT);
        self.left = self.left.saturating_sub(cost).max(-self.most);
    }
}

/// What can be done again and again without playing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unrest {
    /// To come, and to go.
    Door,
    /// To choose, to begin, to begin again.
    Table,
}

impl Unrest {
    /// What this is; none for play.
    pub fn of(input: &Input) -> Option<Unrest> {
        match input {
            Input::Act { .. } | Input::Play { .. } => None,
            // It is as long as the game before it, and so it cannot be asked for without playing.
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

/// Token buckets of single players: nobody pays for another.
#[derive(Debug)]
struct Each {
    limit: (u64, u64),
    cost: u64,
    /// Of whom something is missing.
    missing: Vec<(PlayerId, Bucket)>,
}

impl Each {
    fn full(limit: (u64, u64), cost: u64) -> Each {
        Each { limit, cost, missing: Vec::new() }
    }

    /// Whether this player may once more now; it then counts.
    fn allows(&mut self, player: PlayerId, now: Millis) -> bool {
        // Whoever has all of theirs again need not be remembered, so no more are kept than asked lately.
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

/// What a room has left of each.
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

    /// Whether something that is no play may be decided.
    pub fn allows(&mut self, unrest: Unrest, now: Millis) -> bool {
        self.of(unrest).has_any(now)
    }

    /// So many bytes were written for it.
    pub fn spend(&mut self, unrest: Unrest, bytes: u64) {
        self.of(unrest).spend(bytes);
    }

    fn of(&mut self, unrest: Unrest) -> &mut Bucket {
        match unrest {
            Unrest::Door => &mut self.door,
            Unrest::Table => &mut self.table,
        }
    }

    /// Whether one more hint may be asked for now; it then counts.
    pub fn allows_hint(&mut self, now: Millis) -> bool {
        let allowed = self.hints.has_any(now);
        if allowed {
            self.hints.spend(1);
        }
        allowed
    }

    /// Whether one more hand may be raised or lowered now; it then counts.
    pub fn allows_hand(&mut self, now: Millis) -> bool {
        self.hands.takes(1, now)
    }

    /// Whether this player may react once more now; it then counts.
    pub fn allows_reaction(&mut self, player: PlayerId, now: Millis) -> bool {
        self.reactions.allows(player, now)
    }

    /// Whether this player may be called otherwise once more now; it then counts.
    pub fn allows_name(&mut self, player: PlayerId, now: Millis) -> bool {
        self.names.allows(player, now)
    }

    /// Whether one more line may be said now; it then counts as said.
    pub fn allows_line(&mut self, by_watcher: bool, now: Millis) -> bool {
        // Both are asked, so that both know of the time that has passed.
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
