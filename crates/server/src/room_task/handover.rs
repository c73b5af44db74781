//! One-time codes that open a seat on a second device. They are kept in memory only: a code is valid for minutes, and
//! after a restart the first device returns with its token and can request another.

use crate::code::random_bytes;
use room::{PlayerId, TokenHash};

/// How long a code is valid.
pub const GOOD_FOR_MS: u64 = 5 * 60 * 1000;

/// The valid codes of one room.
#[derive(Default)]
pub struct Handovers(Vec<Handover>);

struct Handover {
    /// Stored as a hash, like every key to a seat.
    code: TokenHash,
    player: PlayerId,
    /// The token that the second device receives, so that both devices return with the same one.
    token: String,
    until: u64,
}

impl Handovers {
    /// Creates a code for a player's seat. It replaces an earlier one.
    pub fn offer(&mut self, player: PlayerId, token: &str, now: u64) -> String {
        self.0.retain(|handover| handover.player != player && handover.until > now);
        let code = hex::encode(random_bytes::<16>());
        let until = now + GOOD_FOR_MS;
        self.0.push(Handover { code: TokenHash::of(&code), player, token: token.to_owned(), until });
        code
    }

    /// Returns whether the code is valid, without using it up.
    pub fn has(&self, code: &str, now: u64) -> bool {
        let code = TokenHash::of(code);
        self.0.iter().any(|handover| handover.code == code && handover.until > now)
    }

    /// Returns the seat token for a valid code, and uses the code up.
    pub fn redeem(&mut self, code: &str, now: u64) -> Option<String> {
        let code = TokenHash::of(code);
        let found = self.0.iter().position(|handover| handover.code == code && handover.until > now)?;
        Some(self.0.swap_remove(found).token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: PlayerId = PlayerId(0);
    const BEA: PlayerId = PlayerId(1);

    #[test]
    fn a_code_works_once() {
        let mut handovers = Handovers::default();
        let code = handovers.offer(ANA, "token", 0);
        assert_eq!(code.len(), 32, "128 bits");
        assert_eq!(handovers.redeem(&code, 1).as_deref(), Some("token"));
        assert_eq!(handovers.redeem(&code, 2), None);
    }

    #[test]
    fn a_code_is_valid_for_five_minutes() {
        let mut handovers = Handovers::default();
        let code = handovers.offer(ANA, "token", 0);
        assert_eq!(handovers.redeem(&code, GOOD_FOR_MS), None);
        let code = handovers.offer(ANA, "token", 0);
        assert!(handovers.redeem(&code, GOOD_FOR_MS - 1).is_some());
    }

    #[test]
    fn a_new_code_replaces_only_the_same_players_last_code() {
        let mut handovers = Handovers::default();
        let first = handovers.offer(ANA, "token", 0);
        let beas = handovers.offer(BEA, "another", 0);
        let second = handovers.offer(ANA, "token", 0);
        assert_eq!(handovers.redeem(&first, 1), None);
        assert_eq!(handovers.redeem("guessed", 1), None);
        assert_eq!(handovers.redeem(&beas, 1).as_deref(), Some("another"));
        assert_eq!(handovers.redeem(&second, 1).as_deref(), Some("token"));
    }
}
