//! Who is there now. Presence is never written down: after a restart everyone is away until they come.

use crate::{Millis, Player, PlayerId, Room};

/// After this long away a bot may play for somebody.
const SUBSTITUTE_AFTER: Millis = 30_000;
/// After this long away a host stops being one.
const HOST_AWAY: Millis = 60_000;

/// In how many places a seat is open, and since when in none.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Presence {
    places: u32,
    since: Millis,
}

impl Presence {
    pub fn away_since(since: Millis) -> Presence {
        Presence { places: 0, since }
    }

    pub fn connected(self) -> bool {
        self.places > 0
    }

    /// For how long nobody has been there; 0 while somebody is.
    pub fn away(self, now: Millis) -> Millis {
        if self.connected() { 0 } else { now.saturating_sub(self.since) }
    }
}

impl Room {
    /// A connection of this player opened.
    pub fn came(&mut self, player: PlayerId, now: Millis) {
        if !self.seats.somebody_is_here()
            && let Some(game) = &mut self.game
        {
            game.ask_anew(now);
        }
        if let Some(player) = self.seats.get_mut(player) {
            player.presence.places += 1;
        }
    }

    /// A connection of this player is gone.
    pub fn went(&mut self, player: PlayerId, now: Millis) {
        if let Some(player) = self.seats.get_mut(player) {
            player.presence.places = player.presence.places.saturating_sub(1);
            player.presence.since = now;
        }
    }

    /// Whether this player has been away for so long that a bot may play for them.
    pub(crate) fn is_long_away(&self, player: &Player, now: Millis) -> bool {
        !player.presence.connected() && player.presence.away(now) >= SUBSTITUTE_AFTER
    }

    /// When [`crate::Input::Tick`] will next have something to decide, if nothing else happens before.
    pub fn due(&self) -> Option<Millis> {
        let host = self.seats.get(self.seats.host()?)?;
        let heir = self.seats.after(host.id).any(|player| player.presence.connected());
        (heir && !host.presence.connected()).then(|| host.presence.since + HOST_AWAY)
    }

    /// Who is to be host instead of `host`: the next who is there, else the next who sits.
    pub(crate) fn heir(&self, host: PlayerId) -> Option<PlayerId> {
        let there = self.seats.after(host).find(|player| player.presence.connected());
        there.or_else(|| self.seats.after(host).next()).map(|player| player.id)
    }

    pub(crate) fn host_is_long_away(&self, now: Millis) -> bool {
        self.due().is_some_and(|due| due <= now)
    }
}
