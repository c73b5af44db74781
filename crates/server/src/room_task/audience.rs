//! Spectators, and how the host may mute or remove them. Nothing of this is written down: it lasts while the room is in
//! memory, and for an hour at most.
//!
//! A removed spectator could return at once, perhaps under another name. So the address is remembered: for ten minutes,
//! the same name is not admitted from that address, and other names are muted. Friends who share the address can still
//! watch.

use super::RoomTask;
use super::commit::NotDone;
use super::connections::Connection;
use crate::client_addr::ClientAddr;
use crate::handle::{ConnectionId, Who};
use protocol::{Close, Watcher};
use room::{Millis, Name, PlayerId, Refusal};

/// How long a removed spectator stays locked out.
const AWAY: Millis = 10 * 60 * 1000;
/// How long a muted spectator stays muted after rejoining.
const MUTED: Millis = 60 * 60 * 1000;
/// Maximum number of decisions that are remembered. The oldest is forgotten first.
const MOST: usize = 100;

/// A kind of decision about a spectator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Muted,
    SentAway,
}

/// A decision about a spectator, and when it expires.
#[derive(Debug)]
struct Decided {
    source: ClientAddr,
    name: Name,
    verdict: Verdict,
    until: Millis,
}

/// The host's decisions about spectators.
#[derive(Debug, Default)]
pub struct Verdicts(Vec<Decided>);

impl Verdicts {
    fn add(&mut self, source: ClientAddr, name: &Name, verdict: Verdict, now: Millis) {
        let until = now + if verdict == Verdict::Muted { MUTED } else { AWAY };
        self.0.retain(|decided| decided.until > now && !decided.is_about(source, name, verdict));
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push(Decided { source, name: name.clone(), verdict, until });
    }

    fn unmute(&mut self, source: ClientAddr, name: &Name) {
        self.0.retain(|decided| !decided.is_about(source, name, Verdict::Muted));
    }

    /// Returns whether a spectator with this name and address was removed.
    fn keeps_out(&self, source: ClientAddr, name: &Name, now: Millis) -> bool {
        let away = |decided: &Decided| decided.is_about(source, name, Verdict::SentAway);
        self.0.iter().any(|decided| decided.until > now && away(decided))
    }

    /// Returns whether a spectator with this name and address may not chat.
    fn mutes(&self, source: ClientAddr, name: &Name, now: Millis) -> bool {
        self.0.iter().any(|decided| {
            let same = decided.verdict == Verdict::SentAway || decided.name == *name;
            decided.until > now && decided.source == source && same
        })
    }
}

impl Decided {
    fn is_about(&self, source: ClientAddr, name: &Name, verdict: Verdict) -> bool {
        self.source == source && self.name == *name && self.verdict == verdict
    }
}

impl RoomTask {
    /// Returns the spectators as everyone sees them.
    pub fn audience(&self) -> Vec<Watcher> {
        let watchers = self.connections.iter().filter(|(_, connection)| connection.player.is_none());
        watchers
            .map(|(ConnectionId(id), connection)| Watcher {
                id,
                name: connection.name.to_string(),
                muted: connection.muted,
            })
            .collect()
    }

    /// Returns the close reason if a client that joins by name is locked out.
    pub fn keeps_out(&self, who: &Who, source: ClientAddr) -> Option<Close> {
        let (Who::Player(name) | Who::Watcher(name)) = who else { return None };
        self.verdicts.keeps_out(source, name, self.base.clock.running()).then_some(Close::Removed)
    }

    /// Returns whether a new spectator may not chat.
    pub fn comes_muted(&self, source: ClientAddr, name: &Name) -> bool {
        self.verdicts.mutes(source, name, self.base.clock.running())
    }

    /// Mutes or unmutes a spectator for the host.
    pub fn mute(&mut self, host: PlayerId, watcher: ConnectionId, muted: bool) -> Result<(), NotDone> {
        let (source, name) = self.watcher(host, watcher)?;
        let now = self.base.clock.running();
        if muted {
            self.verdicts.add(source, &name, Verdict::Muted, now);
        } else {
            self.verdicts.unmute(source, &name);
        }
        if let Some(connection) = self.connections.get_mut(watcher) {
            connection.muted = muted;
        }
        Ok(())
    }

    /// Removes a spectator for the host.
    pub fn remove_watcher(&mut self, host: PlayerId, watcher: ConnectionId) -> Result<(), NotDone> {
        let (source, name) = self.watcher(host, watcher)?;
        self.verdicts.add(source, &name, Verdict::SentAway, self.base.clock.running());
        self.hang_up(watcher, Close::Removed);
        Ok(())
    }

    /// Returns the spectator that the host wants to mute or remove. Fails for players.
    fn watcher(&self, host: PlayerId, watcher: ConnectionId) -> Result<(ClientAddr, Name), Refusal> {
        if self.room.seats().host() != Some(host) {
            return Err(Refusal::NotHost);
        }
        let watches = |connection: &&Connection| connection.player.is_none();
        let connection = self.connections.get(watcher).filter(watches).ok_or(Refusal::NoSuchWatcher)?;
        Ok((connection.outbox.source(), connection.name.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderMap;

    fn source(last: u8) -> ClientAddr {
        ClientAddr::of([192, 0, 2, last].into(), &HeaderMap::new(), &[])
    }

    fn name(name: &str) -> Name {
        Name::new(name).unwrap()
    }

    #[test]
    fn a_removed_spectator_stays_out_and_cannot_chat_renamed() {
        let mut verdicts = Verdicts::default();
        verdicts.add(source(1), &name("Zoe"), Verdict::SentAway, 0);
        assert!(verdicts.keeps_out(source(1), &name("Zoe"), AWAY - 1));
        assert!(!verdicts.keeps_out(source(1), &name("Zora"), 0) && verdicts.mutes(source(1), &name("Zora"), 0));
        assert!(!verdicts.keeps_out(source(2), &name("Zoe"), 0) && !verdicts.mutes(source(2), &name("Zoe"), 0));
        assert!(!verdicts.keeps_out(source(1), &name("Zoe"), AWAY) && !verdicts.mutes(source(1), &name("Zora"), AWAY));
    }

    #[test]
    fn a_muted_spectator_stays_muted_and_others_are_not() {
        let mut verdicts = Verdicts::default();
        verdicts.add(source(1), &name("Zoe"), Verdict::Muted, 0);
        assert!(verdicts.mutes(source(1), &name("Zoe"), MUTED - 1) && !verdicts.mutes(source(1), &name("Wil"), 0));
        assert!(!verdicts.keeps_out(source(1), &name("Zoe"), 0));
        verdicts.unmute(source(1), &name("Zoe"));
        assert!(!verdicts.mutes(source(1), &name("Zoe"), 0));
    }

    #[test]
    fn limits_the_number_of_remembered_verdicts() {
        let mut verdicts = Verdicts::default();
        for n in 0..1000 {
            verdicts.add(source(1), &name(&format!("Zoe {n}")), Verdict::SentAway, n);
        }
        assert_eq!(verdicts.0.len(), MOST);
        assert!(verdicts.keeps_out(source(1), &name("Zoe 999"), 1000));
    }
}
