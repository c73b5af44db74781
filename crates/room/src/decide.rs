//! What follows from what somebody asks for. Deciding changes nothing: it answers with the entries to write,
//! or with a refusal.

use crate::table::Player;
use crate::{Entry, Millis, Name, Options, PlayerId, Refusal, Room, TokenHash, What};
use game::{Salt, Seat, Seed};
use protocol::{Forced, Phase};
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

/// The longest line of chat, in characters as people count them.
const MAX_CHAT: usize = 500;

/// Something asked of the room. What the room may not make up itself, tokens and seeds, comes with it.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the fields are the contract's own")]
pub enum Input {
    /// Somebody without a seat wants one.
    Sit { name: Name, token: TokenHash, salt: Option<Salt> },
    /// A player came back and brought a salt.
    Salt { player: PlayerId, salt: Salt },
    /// A player plays.
    Act { player: PlayerId, n: u32, action: Value },
    /// Somebody speaks.
    Chat { player: Option<PlayerId>, name: Name, text: String },
    /// The host begins the game.
    Start { player: PlayerId },
    /// The host changes the options.
    Configure {
        player: PlayerId,
        game: Option<String>,
        rules: Option<Value>,
        clock: Option<Option<u32>>,
        forced: Option<Forced>,
    },
    /// The host takes somebody from the table. The seed is for the next game, should nobody be left.
    Remove { player: PlayerId, seat: Seat, seed: Seed },
    /// A player becomes a watcher.
    Stand { player: PlayerId },
    /// A player goes for good. The seed is for the next game, should nobody be left.
    Leave { player: PlayerId, seed: Seed },
    /// A player wants another game.
    Rematch { player: PlayerId, seed: Seed },
    /// Time has passed.
    Tick {},
}

impl Room {
    /// What follows from `input`, in the order in which it is to be written and applied.
    pub fn decide(&self, input: Input, now: Millis) -> Result<Vec<Entry>, Refusal> {
        let what = match input {
            Input::Sit { name, token, salt } => self.sit(&name, token, salt)?,
            Input::Salt { player, salt } => self.salt(player, salt)?,
            Input::Act { player, n, action } => self.act(player, n, action)?,
            Input::Chat { player, name, text } => self.say(player, name, text)?,
            Input::Start { player } => self.start(player)?,
            Input::Configure { player, game, rules, clock, forced } => {
                self.configure(player, game.as_deref(), rules.as_ref(), clock, forced)?
            }
            Input::Remove { player, seat, seed } => self.remove(player, seat, seed)?,
            Input::Stand { player } => self.stand(player)?,
            Input::Leave { player, seed } => self.leave(player, seed)?,
            Input::Rematch { player, seed } => self.rematch(player, seed)?,
            Input::Tick {} => self.tick(now),
        };
        Ok(what.into_iter().map(|what| Entry::new(now, what)).collect())
    }

    fn sit(&self, name: &Name, token: TokenHash, salt: Option<Salt>) -> Result<Vec<What>, Refusal> {
        self.in_lobby()?;
        if !self.has_free_seat() {
            return Err(Refusal::TableFull);
        }
        let name = name.apart_from(self.seats.iter().map(|(_, player)| &player.name));
        Ok(vec![What::Sat { player: self.seats.next_id(), name, token, salt }])
    }

    fn salt(&self, player: PlayerId, salt: Salt) -> Result<Vec<What>, Refusal> {
        let player = self.seated(player)?;
        // The salts of a game that is on, or over but still on the table, have already done their work.
        let new = self.phase == Phase::Lobby && player.salt != Some(salt);
        Ok(if new { vec![What::Salted { player: player.id, salt }] } else { Vec::new() })
    }

    fn act(&self, player: PlayerId, n: u32, action: Value) -> Result<Vec<What>, Refusal> {
        let seat = self.seats.seat_of(player).ok_or(Refusal::NotSeated)?;
        let game = self.game.as_ref().ok_or(Refusal::NoGame)?;
        let next = game.next(seat);
        // Before anything else, so that an act sent again after a lost line learns that it counted.
        if n < next {
            return Err(Refusal::AlreadyPlayed { n, next });
        }
        if n > next {
            return Err(Refusal::OutOfStep { n, next });
        }
        game.rules().check(seat, &action)?;
        Ok(vec![What::Acted { seat, action }])
    }

    fn say(&self, player: Option<PlayerId>, name: Name, text: String) -> Result<Vec<What>, Refusal> {
        let blank = text.trim().is_empty();
        if blank || text.graphemes(true).count() > MAX_CHAT {
            return Err(Refusal::BadChat);
        }
        let seat = player.and_then(|player| self.seats.seat_of(player));
        Ok(vec![What::Chatted { seat, name, text }])
    }

    fn start(&self, player: PlayerId) -> Result<Vec<What>, Refusal> {
        self.in_lobby()?;
        self.host(player)?;
        let min = self.options.offer().min;
        if self.seats.len() < min {
            return Err(Refusal::TooFewPlayers { min });
        }
        Ok(vec![What::Started {}])
    }

    fn configure(
        &self,
        player: PlayerId,
        game: Option<&str>,
        rules: Option<&Value>,
        clock: Option<Option<u32>>,
        forced: Option<Forced>,
    ) -> Result<Vec<What>, Refusal> {
        self.in_lobby()?;
        self.host(player)?;
        let options: Options = self.options.changed(game, rules, clock, forced)?;
        let max = options.offer().max;
        if self.seats.len() > max {
            return Err(Refusal::BadOptions(format!("this game seats {max}")));
        }
        Ok(if options == self.options { Vec::new() } else { vec![What::Configured { options }] })
    }

    fn remove(&self, player: PlayerId, seat: Seat, seed: Seed) -> Result<Vec<What>, Refusal> {
        self.host(player)?;
        self.no_game_on()?;
        let removed = self.seats.at(seat).filter(|player| !player.gone).ok_or(Refusal::NoSuchSeat)?;
        Ok(self.without(removed.id, seed))
    }

    fn stand(&self, player: PlayerId) -> Result<Vec<What>, Refusal> {
        self.in_lobby()?;
        let player = self.seated(player)?.id;
        Ok(self.gives_up(player))
    }

    fn leave(&self, player: PlayerId, seed: Seed) -> Result<Vec<What>, Refusal> {
        let player = self.seated(player)?;
        self.no_game_on()?;
        Ok(self.without(player.id, seed))
    }

    fn rematch(&self, player: PlayerId, seed: Seed) -> Result<Vec<What>, Refusal> {
        self.seated(player)?;
        if self.phase != Phase::Finished {
            return Err(Refusal::NotFinished);
        }
        Ok(vec![What::Rematched { seed }])
    }

    fn tick(&self, now: Millis) -> Vec<What> {
        let host = self.seats.host().filter(|_| self.host_is_long_away(now));
        let heir = host.and_then(|host| self.heir(host));
        heir.map(|player| What::HostPassed { player }).into_iter().collect()
    }

    /// A player gives up their place; if they were host, somebody else is to be.
    fn gives_up(&self, player: PlayerId) -> Vec<What> {
        let mut what = vec![What::Left { player }];
        if self.seats.host() == Some(player) {
            what.extend(self.heir(player).map(|player| What::HostPassed { player }));
        }
        what
    }

    /// A player goes. When the last goes after a game's end, nobody is left to ask for a rematch, so the room
    /// goes back to the lobby by itself.
    fn without(&self, player: PlayerId, seed: Seed) -> Vec<What> {
        let mut what = self.gives_up(player);
        if self.phase == Phase::Finished && self.seats.after(player).next().is_none() {
            what.push(What::Rematched { seed });
        }
        what
    }

    fn in_lobby(&self) -> Result<(), Refusal> {
        if self.phase == Phase::Lobby { Ok(()) } else { Err(Refusal::NotInLobby) }
    }

    /// A seat given up in a game goes to a bot, and there are none yet.
    fn no_game_on(&self) -> Result<(), Refusal> {
        if self.phase == Phase::Playing { Err(Refusal::NotAvailable) } else { Ok(()) }
    }

    fn seated(&self, player: PlayerId) -> Result<&Player, Refusal> {
        self.seats.get(player).filter(|player| !player.gone).ok_or(Refusal::NotSeated)
    }

    fn host(&self, player: PlayerId) -> Result<(), Refusal> {
        if self.seats.host() == Some(player) { Ok(()) } else { Err(Refusal::NotHost) }
    }
}
