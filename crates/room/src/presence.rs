//! Presence of players. It is never written to the journal: after a restart everyone is away until they reconnect.

use crate::{Millis, Player, PlayerId, Refusal, Room};
use protocol::RoomPhase;

/// Absence after which a bot may play for a player.
const SUBSTITUTE_AFTER: Millis = 30_000;
/// Absence after which a host is replaced.
const HOST_AWAY: Millis = 60_000;
/// Countdown to the next game once everyone has asked for it.
const COUNTDOWN: Millis = 3000;
/// Absence after which an unconfirmed seat in the lobby is given up.
const UNCONFIRMED_AWAY: Millis = 20_000;

/// Number of connections of a seat, and the time of the last disconnect if there are none.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Presence {
    places: u32,
    since: Millis,
    /// Whether any message has confirmed that the player received their seat. A connection that breaks before the
    /// welcome arrives leaves a seat for which nobody has a token.
    confirmed: bool,
}

impl Presence {
    pub fn unconfirmed_since(since: Millis) -> Presence {
        Presence { places: 0, since, confirmed: false }
    }

    pub fn away_since(since: Millis) -> Presence {
        // After a restart it is unknown which seats were confirmed, and no player may lose a seat for that.
        Presence { places: 0, since, confirmed: true }
    }

    pub fn connected(self) -> bool {
        self.places > 0
    }

    /// Returns how long the player has been away, or 0 while connected.
    pub fn away(self, now: Millis) -> Millis {
        if self.connected() { 0 } else { now.saturating_sub(self.since) }
    }
}

impl Room {
    /// Registers a new connection of a player who knows their seat.
    pub fn came(&mut self, player: PlayerId, now: Millis) {
        self.came_unconfirmed(player, now);
        self.confirm_seat(player);
    }

    /// Registers a new connection of a player who has not yet confirmed their seat.
    pub fn came_unconfirmed(&mut self, player: PlayerId, now: Millis) {
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
        self.update_countdown(now);
    }

    /// Records that the player has confirmed their seat.
    pub fn confirm_seat(&mut self, player: PlayerId) {
        if let Some(player) = self.seats.get_mut(player) {
            player.presence.confirmed = true;
        }
    }

    /// Removes a connection of this player.
    pub fn went(&mut self, player: PlayerId, now: Millis) {
        if let Some(player) = self.seats.get_mut(player) {
            if player.presence.places == 1 {
                self.revision += 1;
            }
            player.presence.places = player.presence.places.saturating_sub(1);
            player.presence.since = now;
        }
        self.update_countdown(now);
    }

    /// Records whether this player wants another game. Like presence this is not part of the history.
    pub fn show_hand(&mut self, player: PlayerId, ready: bool, now: Millis) -> Result<(), Refusal> {
        if self.phase == RoomPhase::Playing {
            return Err(Refusal::GameOn);
        }
        let player = self.seats.get_mut(player).filter(|player| player.stays()).ok_or(Refusal::NotSeated)?;
        if std::mem::replace(&mut player.ready, ready) != ready {
            self.revision += 1;
        }
        self.update_countdown(now);
        Ok(())
    }

    /// Begins the countdown to the next game when everyone at the table of a finished game has asked for it, and
    /// cancels it when that is no longer so.
    pub(crate) fn update_countdown(&mut self, now: Millis) {
        let all = self.everyone_is_ready();
        if !all && self.starts_at.take().is_some() {
            self.revision += 1;
        }
        if all && self.starts_at.is_none() && self.phase == RoomPhase::Finished {
            self.starts_at = Some(now + COUNTDOWN);
            self.revision += 1;
        }
    }

    /// Returns whether another game could begin, and every person at the table is connected and has asked for it.
    fn everyone_is_ready(&self) -> bool {
        let stay = self.seats.iter().map(|(_, player)| player).filter(|player| !player.gone);
        let (mut players, mut people) = (0, 0);
        for player in stay {
            players += 1;
            if player.is_human() {
                people += 1;
                if !player.ready || !player.presence.connected() {
                    return false;
                }
            }
        }
        self.phase != RoomPhase::Playing && people > 0 && players >= self.options.offer().min && !self.is_full()
    }

    /// Returns the time until the game starts without the host, if everyone has asked for it.
    pub(crate) fn starts_in(&self, now: Millis) -> Option<Millis> {
        self.starts_at.map(|at| at.saturating_sub(now))
    }

    /// Returns whether this player has been away long enough for a bot to play for them.
    pub(crate) fn is_long_away(&self, player: &Player, now: Millis) -> bool {
        !player.presence.connected() && player.presence.away(now) >= SUBSTITUTE_AFTER
    }

    /// Returns when [`crate::Input::Tick`] will next have something to decide, if nothing else happens before.
    pub fn due(&self) -> Option<Millis> {
        self.host_due().into_iter().chain(self.starts_at).chain(self.unconfirmed().map(|(_, due)| due)).min()
    }

    /// Returns the disconnected players in the lobby who never confirmed their seats, and when those seats are given
    /// up.
    fn unconfirmed(&self) -> impl Iterator<Item = (PlayerId, Millis)> {
        let players = self.seats.iter().map(|(_, player)| player).filter(|_| self.phase == RoomPhase::Lobby);
        let unconfirmed =
            players.filter(|player| player.stays() && !player.presence.confirmed && !player.presence.connected());
        unconfirmed.map(|player| (player.id, player.presence.since + UNCONFIRMED_AWAY))
    }

    /// Returns the first player whose unconfirmed seat is due to be given up.
    pub(crate) fn expired_seat(&self, now: Millis) -> Option<PlayerId> {
        self.unconfirmed().find(|(_, due)| *due <= now).map(|(player, _)| player)
    }

    fn host_due(&self) -> Option<Millis> {
        let host = self.seats.get(self.seats.host()?)?;
        let heir = self.seats.after(host.id).any(|player| player.presence.connected());
        (heir && !host.presence.connected()).then(|| host.presence.since + HOST_AWAY)
    }

    /// Returns the successor of `host`: the next connected player, else the next seated one.
    pub(crate) fn heir(&self, host: PlayerId) -> Option<PlayerId> {
        let there = self.seats.after(host).find(|player| player.presence.connected());
        there.or_else(|| self.seats.after(host).next()).map(|player| player.id)
    }

    pub(crate) fn host_is_long_away(&self, now: Millis) -> bool {
        self.host_due().is_some_and(|due| due <= now)
    }
}
