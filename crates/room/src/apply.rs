//! Applies entries to a room. The same code runs when an action is played and when a room is rebuilt.

use crate::games::Dealt;
use crate::live_game::LiveGame;
use crate::origin;
use crate::presence::Presence;
use crate::{Cause, Entry, Millis, Misfit, Room, RoomEvent};
use game::{Salt, Seat};
use protocol::{ChatLine, RoomPhase};
use std::sync::Arc;

impl Room {
    /// Applies an entry that has been written to the journal. It fails only if the journal is damaged or there is a
    /// bug. The room must then be rebuilt.
    ///
    /// Durations are measured from `now`, on the monotonic clock. The entry's own time is only shown to people.
    pub fn apply(&mut self, entry: &Entry, now: Millis) -> Result<(), Misfit> {
        self.entries += 1;
        self.since_checkpoint = if entry.is_checkpoint() { 0 } else { self.since_checkpoint + 1 };
        if entry.what.shows_in_the_room() {
            self.revision += 1;
        }
        self.take_effect(entry, now).map_err(|cause| Misfit { entry: self.entries, cause })?;
        self.slow_down();
        self.update_countdown(now);
        self.written = self.written.saturating_add(entry.what.weight());
        Ok(())
    }

    fn take_effect(&mut self, entry: &Entry, now: Millis) -> Result<(), Cause> {
        match &entry.what {
            RoomEvent::Opened { .. } => return Err(Cause::from("a second opening entry")),
            RoomEvent::Sat { player, name, token, salt, asked, program } => {
                let sitter = self.seats.sit(*player, name.clone(), *token);
                (sitter.salt, sitter.asked, sitter.program) = (*salt, asked.clone(), *program);
                sitter.presence = Presence::unconfirmed_since(now);
            }
            RoomEvent::Rejoined { player, token } => {
                self.seats.get_mut(*player).ok_or(Cause::from("a rejoin of an unknown player"))?.give_token(*token);
            }
            RoomEvent::BotSat { player, name, level } => self.seats.sit_bot(*player, name.clone(), *level),
            RoomEvent::Replaced { player, level } => self.seats.replace(*player, *level),
            RoomEvent::Substituted { player, level } => {
                self.seats.get_mut(*player).ok_or(Cause::from("a substitute for an unknown player"))?.bot =
                    Some(*level);
            }
            RoomEvent::Returned { player } => {
                let owner = self.seats.get_mut(*player).ok_or(Cause::from("a return of an unknown player"))?;
                (owner.bot, owner.missed) = (None, 0);
            }
            RoomEvent::Salted { player, salt } => {
                let owner = self.seats.get_mut(*player).ok_or(Cause::from("a salt of an unknown player"))?;
                // A player who brings another salt came by token, and is identified by that.
                (owner.salt, owner.asked) = (Some(*salt), None);
            }
            RoomEvent::Renamed { player, name } => {
                // The name the player asked for at joining stays, because a join whose welcome was lost is repeated
                // with it.
                self.seats.get_mut(*player).ok_or(Cause::from("a rename of an unknown player"))?.name = name.clone();
            }
            RoomEvent::Left { player } => {
                let leaver = self.seats.get_mut(*player).ok_or(Cause::from("a departure of an unknown player"))?;
                if self.phase == RoomPhase::Lobby {
                    self.seats.remove(*player);
                    if self.options.starter() == Some(*player) {
                        self.leave_start_to_chance();
                    }
                } else {
                    (leaver.gone, leaver.ready) = (true, false);
                    leaver.presence = Presence::away_since(now);
                }
                // The next entry names the new host. Without one, the next player to sit becomes host.
                if self.seats.host() == Some(*player) {
                    self.seats.set_host(None);
                }
            }
            RoomEvent::HostPassed { player } => self.seats.set_host(Some(*player)),
            RoomEvent::Configured { options } => {
                options.readable()?;
                origin::readable(self.origin.as_deref(), options)?;
                self.options = options.clone();
            }
            RoomEvent::Started { rules_version, starter } => {
                let (least, most) = self.table_size();
                if !(least..=most).contains(&self.seats.len()) {
                    return Err(Cause::from("a start with an unsupported number of players"));
                }
                let salts: Vec<_> = self.seats.salts().collect();
                self.publish(&salts);
                let dealt = self.dealt(&salts, *rules_version, *starter)?;
                self.game = Some(LiveGame::new(dealt, salts, now));
                self.phase = RoomPhase::Playing;
                self.review = None;
                self.seats.lower_hands();
                self.version += 1;
            }
            RoomEvent::Acted { seat, action, by } => {
                self.seats.count_missed(*seat, *by);
                let game = self.game.as_mut().ok_or(Cause::from("an act without a game"))?;
                game.act(*seat, action, now)?;
                self.version += 1;
                if let Some(outcome) = game.state().outcome() {
                    self.phase = RoomPhase::Finished;
                    self.revision += 1;
                    self.seats.count_wins(&outcome);
                }
            }
            // The review of an earlier game was finished late, and only the journal keeps it.
            RoomEvent::Reviewed { commitment, .. } if *commitment != self.seed.commitment() => {}
            RoomEvent::Reviewed { review, .. } => self.review = Some(Arc::new((**review).clone())),
            RoomEvent::Rematched { seed } => {
                self.seed = *seed;
                self.origin = None;
                self.seats.leave_chairs();
                self.game = None;
                self.phase = RoomPhase::Lobby;
                self.seats.drop_gone();
                self.seats.dismiss_substitutes();
                // The choice of the starter is valid for one game only.
                self.leave_start_to_chance();
            }
            RoomEvent::OriginKept { origin } => {
                origin::readable(Some(origin), &self.options)?;
                self.origin = Some(origin.clone());
            }
            RoomEvent::OriginDropped {} => {
                self.origin = None;
                self.seats.leave_chairs();
            }
            RoomEvent::ChairTaken { player, chair } => {
                if self.seats.get(*player).is_none() {
                    return Err(Cause::from("a chair taken by an unknown player"));
                }
                self.seats.take_chair(*player, *chair);
            }
            // A checkpoint contains the state that the entries before it have already produced.
            RoomEvent::Checkpoint(checkpoint) => {
                if checkpoint.entry() != self.entries {
                    return Err(Cause::from("a checkpoint at the wrong position"));
                }
                // Checkpoints of the first version did not contain this count. Taking it from the checkpoint makes both
                // ways to rebuild a room agree.
                self.written = checkpoint.written();
            }
            RoomEvent::Chatted { seat, name, text } => {
                let (name, text) = (name.to_string(), text.clone());
                self.chat.push_of_entry(ChatLine { seat: *seat, name, text, at: entry.at.0 });
            }
        }
        Ok(())
    }

    fn leave_start_to_chance(&mut self) {
        self.options = self.options.clone().started_by(None);
    }

    /// Returns the table the game starts with: a new deal, or the table of an earlier game. An earlier game is replayed
    /// by its own version of the rules and continued by this one.
    fn dealt(&self, salts: &[Option<Salt>], rules_version: u32, starter: Option<Seat>) -> Result<Dealt, Cause> {
        let offer = self.options.offer();
        if !offer.has_rules_version(rules_version) {
            return Err(Cause::from("an unsupported version of the rules"));
        }
        if starter.is_some_and(|seat| seat.index() >= salts.len()) {
            return Err(Cause::from("a starter in a seat that does not exist"));
        }
        let seed = self.seed.salted(salts.iter().copied().flatten());
        let (mut game, events) = match &self.origin {
            Some(origin) => origin::lay(origin, seed).map_err(|_| Cause::from("an earlier game that is not valid"))?,
            None => {
                let dealt = offer.deal(self.options.rules(), salts.len(), seed, starter);
                dealt.map_err(|_| Cause::from("rules that cannot be read"))?
            }
        };
        game.set_rules_version(rules_version);
        Ok((game, events))
    }
}
