//! Idempotent joins. A client whose connection broke before it received its token joins again. Until a game starts, its
//! salt is known to it alone, so a join with the same name and salt comes from the same player.

use crate::{Name, Player, Room};
use game::Salt;

/// Maximum number of public salts remembered. Players keep their salt from game to game, so no room comes near it in
/// practice. Beyond the limit no player is recognised by a salt any more, because it could be one that everybody has
/// seen.
const MOST_PUBLIC: usize = 1000;

impl Room {
    /// Returns the player who joined with this name and salt, while nobody else can know that salt.
    pub(crate) fn came_as(&self, name: &Name, salt: Salt) -> Option<&Player> {
        let mut players = self.seats.iter().map(|(_, player)| player);
        players.find(|player| player.asked.as_ref() == Some(name) && player.salt == Some(salt))
    }

    /// Returns whether a player can be recognised by this salt. It works like a bearer token, so it must not have been
    /// public.
    pub(crate) fn is_secret(&self, salt: Salt) -> bool {
        self.public_salts.len() < MOST_PUBLIC && !self.public_salts.contains(&salt)
    }

    /// Marks these salts as public, because a starting game shows them. From now on they identify nobody.
    pub(crate) fn publish(&mut self, salts: &[Option<Salt>]) {
        for salt in salts.iter().flatten() {
            if self.is_secret(*salt) {
                self.public_salts.push(*salt);
            }
        }
        self.seats.forget_what_was_asked();
    }
}
