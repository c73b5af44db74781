//! Who is there now. Presence is never written down: after a restart everyone is away until they come.

use crate::{Millis, Player, PlayerId, Refusal, Room};
use protocol::RoomPhase;

/// After this long away a bot may play for somebody.
const SUBSTITUTE_AFTER: Millis = 30_000;
/// After this long away a host stops being one.
const HOST_AWAY: Millis = 60_000;
/// After this long away a seat in the lobby is given up if nobody was ever met in it: a ghost.
const GHOST_AWAY: Millis = 20_000;

/// In how many places a seat is open, and since when in none.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Presence {
    places: u32,
    since: Millis,
    /// Whether anything ever showed that its owner knows of the seat. A line that breaks before the welcome has
    /// arrived leaves a seat behind that nobody has a token for.
    met: bool,
}

impl Presence {
    pub fn unmet_since(since: Millis) -> Presence {
        Presence { places: 0, since, met: false }
    }

    pub fn away_since(since: Millis) -> Presence {
        // After a restart nobody knows who was met, and no player loses a seat for that.
        Presence { places: 0, since, met: true }
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
    /// A connection of this player opened, and they know of their seat.
    pub fn came(&mut self, player: PlayerId, now: Millis) {
        self.came_unmet(player, now);
        self.met(player);
    }

    /// A connection of this player opened; whether they ever hear of their seat is still to be seen.
    pub fn came_unmet(&mut self, player: PlayerId, now: Millis) {
        if !self.seats.somebody_is_here()
            && let Some(game) = &mut self.game
        {
            game.ask_anew(now);
        }
        if let Some(player) = self.seats.get_mut(player) {
            player.presence.places += 1;
            if player.presence.places == 1 {
                self.revision += 1;
            }
        }
    }

    /// Something was heard that shows that this player knows of their seat.
    pub fn met(&mut self, player: PlayerId) {
        if let Some(player) = self.seats.get_mut(player) {
            player.presence.met = true;
        }
    }

    /// A connection of this player is gone.
    pub fn went(&mut self, player: PlayerId, now: Millis) {
        if let Some(player) = self.seats.get_mut(player) {
            if player.presence.places == 1 {
                self.revision += 1;
            }
            player.presence.places = player.presence.places.saturating_sub(1);
            player.presence.since = now;
        }
    }

    /// A show of hands between games: this player wants another, or does not any more. It is told like presence, and no history.
    pub fn show_hand(&mut self, player: PlayerId, ready: bool) -> Result<(), Refusal> {
        if self.phase == RoomPhase::Playing {
            return Err(Refusal::GameOn);
        }
        let player = self.seats.get_mut(player).filter(|player| player.stays()).ok_or(Refusal::NotSeated)?;
        if std::mem::replace(&mut player.ready, ready) != ready {
            self.revision += 1;
        }
        Ok(())
    }

    /// Whether this player has been away for so long that a bot may play for them.
    pub(crate) fn is_long_away(&self, player: &Player, now: Millis) -> bool {
        !player.presence.connected() && player.presence.away(now) >= SUBSTITUTE_AFTER
    }

    /// When [`crate::Input::Tick`] will next have something to decide, if nothing else happens before.
    pub fn due(&self) -> Option<Millis> {
        self.host_due().into_iter().chain(self.ghosts().map(|(_, due)| due)).min()
    }

    /// Those in the lobby who went without ever having been met, and when their seats are given up.
    fn ghosts(&self) -> impl Iterator<Item = (PlayerId, Millis)> {
        let players = self.seats.iter().map(|(_, player)| player).filter(|_| self.phase == RoomPhase::Lobby);
        let ghosts =
            players.filter(|player| player.stays() && !player.presence.met && !player.presence.connected());
        ghosts.map(|player| (player.id, player.presence.since + GHOST_AWAY))
    }

    /// The first whose seat is to be given up by now.
    pub(crate) fn ghost(&self, now: Millis) -> Option<PlayerId> {
        self.ghosts().find(|(_, due)| *due <= now).map(|(ghost, _)| ghost)
    }

    fn host_due(&self) -> Option<Millis> {
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
        self.host_due().is_some_and(|due| due <= now)
    }
}
