//! Idempotent joins: who comes again is somebody whose line broke before they were told their token. Until a game starts, their salt is known to
//! them alone; whoever brings the same name and the same salt is the same person.

use crate::{Name, Player, Room};
use game::Salt;

/// Public salts remembered at most. Players keep theirs from game to game, so no evening comes near; beyond it nobody
/// is known by a salt any more, since it could be one that everybody has seen.
const MOST_PUBLIC: usize = 1000;

impl Room {
    /// The player who came with this name and this salt, while nobody else can know that salt.
    pub(crate) fn came_as(&self, name: &Name, salt: Salt) -> Option<&Player> {
        let mut players = self.seats.iter().map(|(_, player)| player);
        players.find(|player| player.asked.as_ref() == Some(name) && player.salt == Some(salt))
    }

    /// Whether somebody who brings this salt can be known by it: a bearer token must not be one that was shown.
    pub(crate) fn is_secret(&self, salt: Salt) -> bool {
        self.public_salts.len() < MOST_PUBLIC && !self.public_salts.contains(&salt)
    }

    /// A game starts and shows these salts, so from now on they say nothing about who brings them.
    pub(crate) fn publish(&mut self, salts: &[Option<Salt>]) {
        for salt in salts.iter().flatten() {
            if self.is_secret(*salt) {
                self.public_salts.push(*salt);
            }
        }
        self.seats.forget_what_was_asked();
    }
}
