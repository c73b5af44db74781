//! Decides requests. Deciding changes nothing: it returns the entries to write, or a refusal.

use crate::autopilot::{MISSED_IN_A_ROW, STAND_IN};
use crate::origin;
use crate::seats::Player;
use crate::{By, Entry, Millis, Name, Now, Options, PlayerId, Refusal, Room, RoomEvent, TokenHash};
use game::{Commitment, Level, Salt, Seat, Seed};
use protocol::{Close, Forced, Origin, Pace, RawAction, Record, Review, RoomPhase};
use serde_json::Value;

/// Maximum approximate size of a room's journal in bytes, enough for more than two thousand games.
const MOST_WRITTEN: u64 = 64 << 20;

/// Maximum number of actions of one person in one game. Undoing as often as the rules allow would make games of
/// hundreds of thousands of actions, all of which every new client receives. Building every tower thirty times over
/// takes fewer than this. A player at the limit can only leave the seat to a bot, which undoes nothing.
const MOST_ACTS: u32 = 3000;

/// A request to the room. Tokens and seeds come with it, because the room has no randomness of its own.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the fields are documented in the protocol")]
pub enum Input {
    /// A client without a seat wants one. It is a person or a program.
    Sit { name: Name, token: TokenHash, salt: Option<Salt>, program: bool },
    /// A client joins with a name and a salt, possibly as a repetition of an earlier join.
    Join { name: Name, token: TokenHash, salt: Salt, program: bool },
    /// A player returned with a new salt.
    Salt { player: PlayerId, salt: Salt },
    /// A player wants another name.
    Rename { player: PlayerId, name: Name },
    /// A player acts in the game.
    Act { player: PlayerId, n: u32, action: RawAction },
    /// The host starts the game.
    Start { player: PlayerId },
    /// The host changes the options.
    Configure {
        player: PlayerId,
        game: Option<String>,
        rules: Option<Value>,
        clock: Option<Option<u32>>,
        forced: Option<Forced>,
        pace: Option<Pace>,
        starter: Option<Option<Seat>>,
    },
    /// The host adds a bot.
    AddBot { player: PlayerId, level: Level },
    /// A player asks for a bot to play for an absent player.
    Substitute { player: PlayerId, seat: Seat, level: Level },
    /// A player is connected again.
    Return { player: PlayerId },
    /// An automatic decision for a seat, as requested by [`Room::wants`].
    Play { seat: Seat, n: u32, action: RawAction, by: By },
    /// The host removes a player. The seed is for the next game, in case nobody is left.
    Remove { player: PlayerId, seat: Seat, seed: Seed },
    /// A player becomes a spectator.
    Stand { player: PlayerId },
    /// A player leaves for good. The seed is for the next game, in case nobody is left.
    Leave { player: PlayerId, seed: Seed },
    /// A player asks for a rematch.
    Rematch { player: PlayerId, seed: Seed },
    /// A player asks for a rematch with the deal of the finished game, whose record is given.
    SameDeal { player: PlayerId, seed: Seed, record: Box<Record> },
    /// The host wants a new deal for the next game after all.
    NewDeal { player: PlayerId },
    /// A player wants another seat of the earlier game.
    TakeChair { player: PlayerId, chair: Seat },
    /// A game of this room has been reviewed.
    Review { commitment: Commitment, review: Box<Review> },
    /// Time has passed. The seed is for the next game, in case everyone has asked for it.
    Tick { seed: Seed },
}

/// How an input is limited, and what becomes of the connections of a player who gives up a seat by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputClass {
    /// Budget of the room that what is written is charged to, or `None` for play.
    pub activity: Option<Activity>,
    /// The limits that apply.
    pub limit: InputLimit,
    /// How the player's connections are closed. With `None` they stay as spectators.
    pub close: Option<Close>,
}

/// Activity that can be repeated without playing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Taking and giving up seats.
    Seats,
    /// Configuring, starting and restarting.
    Table,
}

/// Which limits apply to an input. Each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InputLimit {
    /// None: it is not requested by a client, or it must always be possible, such as leaving.
    None,
    /// What the client may write.
    Written,
    /// The budget and the size of the room too, because it can be repeated without playing.
    Repeatable,
}

impl Input {
    /// Returns how the input is limited.
    pub fn class(&self) -> InputClass {
        use InputLimit::{None as Unlimited, Repeatable, Written};
        let (activity, limit) = match self {
            Input::Act { .. } => (None, Written),
            Input::Play { .. } => (None, Unlimited),
            // It is as long as the game before it, so it cannot be repeated without playing.
            Input::SameDeal { .. } => (None, Repeatable),
            Input::Start { .. }
            | Input::Configure { .. }
            | Input::AddBot { .. }
            | Input::Substitute { .. }
            | Input::NewDeal { .. }
            | Input::TakeChair { .. }
            | Input::Rename { .. }
            | Input::Rematch { .. } => (Some(Activity::Table), Repeatable),
            Input::Review { .. } => (Some(Activity::Table), Unlimited),
            Input::Sit { .. } | Input::Join { .. } | Input::Salt { .. } => (Some(Activity::Seats), Repeatable),
            // A player must join again before leaving again.
            Input::Return { .. }
            | Input::Remove { .. }
            | Input::Stand { .. }
            | Input::Leave { .. }
            | Input::Tick { .. } => (Some(Activity::Seats), Unlimited),
        };
        let close = match self {
            Input::Leave { .. } => Some(Close::Left),
            Input::Remove { .. } => Some(Close::Removed),
            _ => None,
        };
        InputClass { activity, limit, close }
    }
}

impl Room {
    /// Returns whether the journal has reached its quota, so that nothing new may start. A running game may be
    /// finished.
    pub(crate) fn is_full(&self) -> bool {
        self.written >= MOST_WRITTEN
    }

    /// Decides `input` and returns the entries to write and apply, in order. Either all of them take effect or none.
    pub fn decide(&self, input: Input, now: Now) -> Result<Vec<Entry>, Refusal> {
        let repeatable = input.class().limit == InputLimit::Repeatable;
        if self.is_full() && repeatable && !matches!(input, Input::Rematch { .. }) {
            return Err(Refusal::RoomFull);
        }
        let what = match input {
            Input::Sit { name, token, salt, program } => self.sit(&name, token, salt, None, program)?,
            Input::Join { name, token, salt, program } => self.join(name, token, salt, program)?,
            Input::Salt { player, salt } => self.salt(player, salt)?,
            Input::Rename { player, name } => self.rename(player, &name)?,
            Input::Act { player, n, action } => self.act(player, n, action)?,
            Input::Start { player } => self.start(player)?,
            Input::Configure { player, game, rules, clock, forced, pace, starter } => {
                // The pace of bots is not part of the game and may be changed while one is running.
                if (&game, &rules, clock, forced, starter) != (&None, &None, None, None, None) || pace.is_none() {
                    self.in_lobby()?;
                }
                self.host(player)?;
                let options = self.options.changed(game.as_deref(), rules.as_ref(), clock, forced, pace)?;
                self.configure(match starter {
                    Some(starter) => options.started_by(self.player_to_begin(starter)?),
                    None => options,
                })?
            }
            Input::AddBot { player, level } => self.add_bot(player, level)?,
            Input::Substitute { player, seat, level } => self.substitute(player, seat, level, now.steady)?,
            Input::Return { player } => self.give_back(player),
            Input::Play { seat, n, action, by } => self.play(seat, n, action, by)?,
            Input::Remove { player, seat, seed } => self.remove(player, seat, seed)?,
            Input::Stand { player } => self.stand(player)?,
            Input::Leave { player, seed } => self.leave(player, seed)?,
            Input::Rematch { player, seed } => self.rematch(player, seed)?,
            Input::SameDeal { player, seed, record } => self.same_deal(player, seed, record)?,
            Input::NewDeal { player } => self.new_deal(player)?,
            Input::TakeChair { player, chair } => self.take_chair(player, chair)?,
            Input::Review { commitment, review } => vec![RoomEvent::Reviewed { commitment, review }],
            Input::Tick { seed } => self.tick(seed, now.steady),
        };
        let decided = what.into_iter().map(|what| Entry::new(now.wall, what)).collect();
        Ok(self.with_checkpoint(decided, now.steady))
    }

    fn join(&self, name: Name, token: TokenHash, salt: Salt, program: bool) -> Result<Vec<RoomEvent>, Refusal> {
        self.in_lobby()?;
        if let Some(player) = self.came_as(&name, salt) {
            return Ok(vec![RoomEvent::Rejoined { player: player.id, token }]);
        }
        let asked = self.is_secret(salt).then(|| name.clone());
        self.sit(&name, token, Some(salt), asked, program)
    }

    fn sit(
        &self,
        name: &Name,
        token: TokenHash,
        salt: Option<Salt>,
        asked: Option<Name>,
        program: bool,
    ) -> Result<Vec<RoomEvent>, Refusal> {
        self.in_lobby()?;
        if !self.has_free_seat() {
            return Err(Refusal::TableFull);
        }
        let name = name.apart_from(self.seats.iter().map(|(_, player)| &player.name));
        let player = self.seats.next_id();
        let chair = self.chair_for(&name).map(|chair| RoomEvent::ChairTaken { player, chair });
        let sat = RoomEvent::Sat { player, name, token, salt, asked, program };
        Ok([sat].into_iter().chain(chair).collect())
    }

    fn salt(&self, player: PlayerId, salt: Salt) -> Result<Vec<RoomEvent>, Refusal> {
        let player = self.seated(player)?;
        // The salts of a running game, or a finished one still on the table, have already been used.
        let new = self.phase == RoomPhase::Lobby && player.salt != Some(salt);
        Ok(if new { vec![RoomEvent::Salted { player: player.id, salt }] } else { Vec::new() })
    }

    /// Renames a player, at any time because names are not part of the game. A name that is taken gets a number, as at
    /// joining.
    fn rename(&self, player: PlayerId, name: &Name) -> Result<Vec<RoomEvent>, Refusal> {
        let player = self.seated(player)?;
        let others = self.seats.iter().map(|(_, player)| player).filter(|other| other.id != player.id);
        let name = name.apart_from(others.map(|other| &other.name));
        let new = name != player.name;
        Ok(if new { vec![RoomEvent::Renamed { player: player.id, name }] } else { Vec::new() })
    }

    fn act(&self, player: PlayerId, n: u32, action: RawAction) -> Result<Vec<RoomEvent>, Refusal> {
        let seat = self.seats.seat_of(player).ok_or(Refusal::NotSeated)?;
        let mut what = self.give_back(player);
        what.extend(self.play(seat, n, action, By::Player)?);
        if n >= MOST_ACTS {
            return Err(Refusal::TooManyActs);
        }
        Ok(what)
    }

    fn play(&self, seat: Seat, n: u32, action: RawAction, by: By) -> Result<Vec<RoomEvent>, Refusal> {
        let game = self.game.as_ref().ok_or(Refusal::NoGame)?;
        let next = game.next(seat);
        // Checked first, so that an action repeated after a lost connection is reported as already accepted.
        if n < next {
            return Err(Refusal::AlreadyPlayed { n, next });
        }
        if n > next {
            return Err(Refusal::OutOfStep { n, next });
        }
        let action = game.state().check(seat, &action)?;
        let mut what = vec![RoomEvent::Acted { seat, action, by }];
        let player = self.seats.at(seat).ok_or(Refusal::NoSuchSeat)?;
        if by == By::Clock && player.missed + 1 >= MISSED_IN_A_ROW {
            what.push(RoomEvent::Substituted { player: player.id, level: STAND_IN });
        }
        Ok(what)
    }

    /// Ends a substitution: a player who is present plays for themselves.
    fn give_back(&self, player: PlayerId) -> Vec<RoomEvent> {
        let substituted = self.seats.get(player).filter(|player| player.stays() && player.bot.is_some());
        substituted.map(|player| RoomEvent::Returned { player: player.id }).into_iter().collect()
    }

    fn add_bot(&self, player: PlayerId, level: Level) -> Result<Vec<RoomEvent>, Refusal> {
        self.in_lobby()?;
        self.host(player)?;
        if !self.has_free_seat() {
            return Err(Refusal::TableFull);
        }
        let names = self.seats.iter().map(|(_, player)| &player.name);
        let name = Name::of_a_bot(names);
        let player = self.seats.next_id();
        let chair = self.chair_for_bot().map(|chair| RoomEvent::ChairTaken { player, chair });
        Ok([RoomEvent::BotSat { player, name, level }].into_iter().chain(chair).collect())
    }

    fn substitute(&self, player: PlayerId, seat: Seat, level: Level, now: Millis) -> Result<Vec<RoomEvent>, Refusal> {
        self.seated(player)?;
        if self.phase != RoomPhase::Playing {
            return Err(Refusal::NoGame);
        }
        let away = self.seats.at(seat).ok_or(Refusal::NoSuchSeat)?;
        if away.bot.is_some() {
            return Err(Refusal::IsBot);
        }
        if !self.is_long_away(away, now) {
            return Err(Refusal::NotAway);
        }
        Ok(vec![RoomEvent::Substituted { player: away.id, level }])
    }

    fn start(&self, player: PlayerId) -> Result<Vec<RoomEvent>, Refusal> {
        self.in_lobby()?;
        self.host(player)?;
        let (min, _) = self.table_size();
        if self.seats.len() < min {
            return Err(Refusal::TooFewPlayers { min });
        }
        Ok(vec![self.started()])
    }

    fn started(&self) -> RoomEvent {
        let rules_version = self.options.offer().version_for(self.options.rules());
        RoomEvent::Started { rules_version, starter: self.starter() }
    }

    /// Returns the player in the chosen starter's seat, or `None` for a random starter.
    fn player_to_begin(&self, starter: Option<Seat>) -> Result<Option<PlayerId>, Refusal> {
        let Some(seat) = starter else { return Ok(None) };
        if self.origin.is_some() {
            return Err(Refusal::BadOptions("the earlier game determines the starter".to_owned()));
        }
        self.seats.at(seat).map(|player| Some(player.id)).ok_or(Refusal::NoSuchSeat)
    }

    fn configure(&self, options: Options) -> Result<Vec<RoomEvent>, Refusal> {
        let max = options.offer().max;
        if self.seats.len() > max {
            return Err(Refusal::TooManyPlayers { max });
        }
        if options == self.options {
            return Ok(Vec::new());
        }
        // A different game, or different rules, cannot start from the earlier game's table.
        let other = options.offer().id != self.options.offer().id || options.rules() != self.options.rules();
        let dropped = (other && self.origin.is_some()).then_some(RoomEvent::OriginDropped {});
        Ok(dropped.into_iter().chain([RoomEvent::Configured { options }]).collect())
    }

    fn same_deal(&self, player: PlayerId, seed: Seed, record: Box<Record>) -> Result<Vec<RoomEvent>, Refusal> {
        let mut what = self.rematch(player, seed)?;
        let origin = Box::new(Origin { moment: None, record: *record });
        if !origin::is_near(&origin) {
            return Err(Refusal::TooLongAgo);
        }
        what.push(RoomEvent::OriginKept { origin });
        // Players who stay keep their seats, because the cards are dealt to seats.
        let stay = self.seats.iter().filter(|(_, player)| !player.gone);
        what.extend(stay.map(|(chair, player)| RoomEvent::ChairTaken { player: player.id, chair }));
        Ok(what)
    }

    fn new_deal(&self, player: PlayerId) -> Result<Vec<RoomEvent>, Refusal> {
        self.in_lobby()?;
        self.host(player)?;
        self.origin.as_ref().ok_or(Refusal::NoOrigin)?;
        Ok(vec![RoomEvent::OriginDropped {}])
    }

    /// Moves a player to a free seat of the earlier game, or swaps seats with a bot.
    fn take_chair(&self, player: PlayerId, chair: Seat) -> Result<Vec<RoomEvent>, Refusal> {
        self.in_lobby()?;
        let mover = self.seated(player)?;
        let origin = self.origin.as_ref().ok_or(Refusal::NoOrigin)?;
        if chair.index() >= origin.record.players.len() {
            return Err(Refusal::NoSuchSeat);
        }
        let taken = |player, chair| RoomEvent::ChairTaken { player, chair };
        match self.on_chair(chair) {
            Some(there) if there.id == player => Ok(Vec::new()),
            Some(there) if there.is_human() => Err(Refusal::ChairTaken),
            Some(bot) => {
                let left = mover.chair.map(|left| taken(bot.id, left));
                Ok([taken(player, chair)].into_iter().chain(left).collect())
            }
            None => Ok(vec![taken(player, chair)]),
        }
    }

    fn remove(&self, player: PlayerId, seat: Seat, seed: Seed) -> Result<Vec<RoomEvent>, Refusal> {
        self.host(player)?;
        let removed = self.seats.at(seat).filter(|player| !player.gone).ok_or(Refusal::NoSuchSeat)?;
        if self.phase == RoomPhase::Playing && !removed.is_human() {
            return Err(Refusal::IsBot);
        }
        Ok(self.without(removed.id, seed))
    }

    fn stand(&self, player: PlayerId) -> Result<Vec<RoomEvent>, Refusal> {
        self.in_lobby()?;
        let player = self.seated(player)?.id;
        Ok(self.gives_up(player))
    }

    fn leave(&self, player: PlayerId, seed: Seed) -> Result<Vec<RoomEvent>, Refusal> {
        Ok(self.without(self.seated(player)?.id, seed))
    }

    fn rematch(&self, player: PlayerId, seed: Seed) -> Result<Vec<RoomEvent>, Refusal> {
        self.seated(player)?;
        if self.phase != RoomPhase::Finished {
            return Err(Refusal::NotFinished);
        }
        Ok(vec![RoomEvent::Rematched { seed }])
    }

    fn tick(&self, seed: Seed, now: Millis) -> Vec<RoomEvent> {
        // Two steps, so that clients see the commitment of the next game before it starts.
        if self.starts_in(now) == Some(0) {
            return match self.phase {
                RoomPhase::Finished => vec![RoomEvent::Rematched { seed }],
                RoomPhase::Lobby | RoomPhase::Playing => vec![self.started()],
            };
        }
        // One at a time, because the next host depends on who is left.
        if let Some(player) = self.expired_seat(now) {
            return self.gives_up(player);
        }
        let host = self.seats.host().filter(|_| self.host_is_long_away(now));
        let heir = host.and_then(|host| self.heir(host));
        heir.map(|player| RoomEvent::HostPassed { player }).into_iter().collect()
    }

    /// A player gives up the seat, during a game to a bot. If they were host, another player becomes host.
    fn gives_up(&self, player: PlayerId) -> Vec<RoomEvent> {
        let mut what = vec![match self.phase {
            RoomPhase::Playing => RoomEvent::Replaced { player, level: STAND_IN },
            RoomPhase::Lobby | RoomPhase::Finished => RoomEvent::Left { player },
        }];
        if self.seats.host() == Some(player) {
            what.extend(self.heir(player).map(|player| RoomEvent::HostPassed { player }));
        }
        what
    }

    /// Removes a player. If the last person leaves, nobody can continue or ask for a rematch, so the room returns to
    /// the lobby.
    fn without(&self, player: PlayerId, seed: Seed) -> Vec<RoomEvent> {
        let a_human = self.seats.get(player).is_some_and(Player::is_human);
        let last = a_human && self.seats.after(player).next().is_none();
        if last && self.phase != RoomPhase::Lobby {
            return vec![RoomEvent::Rematched { seed }, RoomEvent::Left { player }];
        }
        self.gives_up(player)
    }

    fn in_lobby(&self) -> Result<(), Refusal> {
        if self.phase == RoomPhase::Lobby { Ok(()) } else { Err(Refusal::NotInLobby) }
    }

    pub(crate) fn seated(&self, player: PlayerId) -> Result<&Player, Refusal> {
        self.seats.get(player).filter(|player| player.stays()).ok_or(Refusal::NotSeated)
    }

    fn host(&self, player: PlayerId) -> Result<(), Refusal> {
        if self.seats.host() == Some(player) { Ok(()) } else { Err(Refusal::NotHost) }
    }
}
