//! The seats, their players, and the tokens by which players return.

use crate::presence::Presence;
use crate::{By, Millis, Name};
use game::{Level, Outcome, Salt, Seat};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Maximum number of valid tokens per seat.
const TOKENS: usize = 4;

/// Identifies a player for the lifetime of the room, while seats are renumbered in the lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlayerId(pub u32);

/// SHA-256 of a seat's token, which verifies the token but is useless to a reader of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenHash(#[serde(with = "hex::serde")] [u8; 32]);

impl TokenHash {
    /// Hashes a token.
    pub fn of(token: &str) -> TokenHash {
        TokenHash(Sha256::digest(token).into())
    }
}

/// A seated player. The serialised form is that of a checkpoint, so every field that is not skipped is stored. Views
/// define separately what others see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Player {
    /// Internal id.
    #[serde(rename = "player")]
    pub id: PlayerId,
    /// The public name.
    pub name: Name,
    /// Tokens by which the player returns. Empty for a bot.
    pub(crate) tokens: Vec<TokenHash>,
    /// The name requested at joining, as long as the player can be recognised by it together with the salt.
    pub(crate) asked: Option<Name>,
    /// Whether the client declared itself a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) program: bool,
    /// Level of the bot that plays this seat now: the bot's own, or that of a substitute.
    pub(crate) bot: Option<Level>,
    /// Number of consecutive timeouts.
    pub(crate) missed: u8,
    /// Secret until the game starts.
    pub(crate) salt: Option<Salt>,
    pub(crate) wins: u32,
    /// Whether the player wants another game. Like presence this is never stored.
    #[serde(skip)]
    pub(crate) ready: bool,
    /// The player's seat in the earlier game, if the next game starts from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) chair: Option<Seat>,
    /// Whether the player left after the end of a game that is still on the table. The rematch removes such players, so
    /// no checkpoint contains them.
    #[serde(skip)]
    pub(crate) gone: bool,
    #[serde(skip)]
    pub(crate) presence: Presence,
}

impl Player {
    /// Clears what is never stored, so that a checkpoint is equal before and after a round trip.
    pub(crate) fn written_down(self) -> Player {
        Player { ready: false, gone: false, presence: Presence::default(), ..self }
    }

    pub(crate) fn is_human(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// Adds a token for the same player. Earlier ones stay valid, except the oldest of too many, because it is unknown
    /// which of several welcomes will arrive.
    pub(crate) fn give_token(&mut self, token: TokenHash) {
        if self.tokens.len() == TOKENS {
            self.tokens.remove(0);
        }
        self.tokens.push(token);
    }

    /// Returns whether this is a person who has not left.
    pub(crate) fn stays(&self) -> bool {
        self.is_human() && !self.gone
    }
}

/// The players in seat order, without gaps.
#[derive(Debug, Clone, Default)]
pub struct Seats {
    players: Vec<Player>,
    host: Option<PlayerId>,
    next_id: u32,
}

impl Seats {
    /// Restores the seats from a checkpoint.
    pub(crate) fn restored(players: Vec<Player>, host: Option<PlayerId>, next_id: PlayerId) -> Seats {
        Seats { players, host, next_id: next_id.0 }
    }

    /// Returns the parts that a checkpoint stores.
    pub(crate) fn into_parts(self) -> (Vec<Player>, Option<PlayerId>, PlayerId) {
        let Seats { players, host, next_id } = self;
        (players, host, PlayerId(next_id))
    }

    pub(crate) fn len(&self) -> usize {
        self.players.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Seat, &Player)> + Clone {
        self.players.iter().enumerate().map(|(index, player)| (Seat::from(index), player))
    }

    /// Returns a player's seat, unless they left.
    pub fn seat_of(&self, id: PlayerId) -> Option<Seat> {
        self.iter().find(|(_, player)| player.id == id && !player.gone).map(|(seat, _)| seat)
    }

    /// Returns the player in a seat.
    pub fn at(&self, seat: Seat) -> Option<&Player> {
        self.players.get(seat.index())
    }

    /// Returns the player whose seat this token opens.
    pub fn by_token(&self, token: TokenHash) -> Option<&Player> {
        self.players.iter().find(|player| player.tokens.contains(&token) && !player.gone)
    }

    /// Returns the host, who may start and configure.
    pub fn host(&self) -> Option<PlayerId> {
        self.host
    }

    /// Returns the player with this id, who may have left a finished game.
    pub fn get(&self, id: PlayerId) -> Option<&Player> {
        self.players.iter().find(|player| player.id == id)
    }

    pub(crate) fn get_mut(&mut self, id: PlayerId) -> Option<&mut Player> {
        self.players.iter_mut().find(|player| player.id == id)
    }

    pub(crate) fn next_id(&self) -> PlayerId {
        PlayerId(self.next_id)
    }

    /// Returns the candidates for host after `id`, nearest clockwise first.
    pub(crate) fn after(&self, id: PlayerId) -> impl Iterator<Item = &Player> {
        let start = self.players.iter().position(|player| player.id == id).map_or(0, |index| index + 1);
        let (before, after) = self.players.split_at(start.min(self.players.len()));
        after.iter().chain(before).filter(move |player| player.id != id && player.stays())
    }

    /// Returns whether any person at the table is connected.
    pub(crate) fn somebody_is_here(&self) -> bool {
        self.players.iter().any(|player| player.stays() && player.presence.connected())
    }

    pub(crate) fn sit(&mut self, id: PlayerId, name: Name, token: TokenHash) -> &mut Player {
        self.host.get_or_insert(id);
        let player = self.push(id, name);
        player.give_token(token);
        player
    }

    pub(crate) fn sit_bot(&mut self, id: PlayerId, name: Name, level: Level) {
        self.push(id, name).bot = Some(level);
    }

    fn push(&mut self, id: PlayerId, name: Name) -> &mut Player {
        self.next_id = id.0 + 1;
        self.players.push(Player {
            id,
            name,
            tokens: Vec::new(),
            asked: None,
            program: false,
            bot: None,
            missed: 0,
            salt: None,
            wins: 0,
            ready: false,
            chair: None,
            gone: false,
            presence: Presence::default(),
        });
        self.players.last_mut().expect("just pushed")
    }

    pub(crate) fn forget_what_was_asked(&mut self) {
        self.players.iter_mut().for_each(|player| player.asked = None);
    }

    /// Gives the seat to a bot for good.
    pub(crate) fn replace(&mut self, id: PlayerId, level: Level) {
        if let Some(player) = self.get_mut(id) {
            player.tokens.clear();
            (player.salt, player.bot, player.program, player.ready) = (None, Some(level), false, false);
        }
        self.host = self.host.filter(|host| *host != id);
    }

    /// Resets all requests for another game, because one is starting.
    pub(crate) fn lower_hands(&mut self) {
        self.players.iter_mut().for_each(|player| player.ready = false);
    }

    /// Ends all substitutions of people by bots.
    pub(crate) fn dismiss_substitutes(&mut self) {
        for player in self.players.iter_mut().filter(|player| player.is_human()) {
            (player.bot, player.missed) = (None, 0);
        }
    }

    pub(crate) fn remove(&mut self, id: PlayerId) {
        self.players.retain(|player| player.id != id);
    }

    /// Gives a player this seat of the earlier game. Players are kept in the order of these seats, so once all are
    /// taken, everyone has the matching seat number.
    pub(crate) fn take_chair(&mut self, id: PlayerId, chair: Seat) {
        if let Some(player) = self.get_mut(id) {
            player.chair = Some(chair);
        }
        self.players.sort_by_key(|player| (player.chair.is_none(), player.chair));
    }

    pub(crate) fn leave_chairs(&mut self) {
        self.players.iter_mut().for_each(|player| player.chair = None);
    }

    pub(crate) fn drop_gone(&mut self) {
        self.players.retain(|player| !player.gone);
    }

    pub(crate) fn set_host(&mut self, host: Option<PlayerId>) {
        self.host = host;
    }

    pub(crate) fn salts(&self) -> impl Iterator<Item = Option<Salt>> {
        self.players.iter().map(|player| player.salt)
    }

    pub(crate) fn count_wins(&mut self, outcome: &Outcome) {
        for winner in &outcome.winners {
            self.players[winner.index()].wins += 1;
        }
    }

    pub(crate) fn count_missed(&mut self, seat: Seat, by: By) {
        if let Some(player) = self.players.get_mut(seat.index()) {
            player.missed = match by {
                By::Player => 0,
                By::Clock => player.missed.saturating_add(1),
                By::Bot | By::Force => player.missed,
            };
        }
    }

    pub(crate) fn all_away(&mut self, now: Millis) {
        for player in &mut self.players {
            player.presence = Presence::away_since(now);
        }
    }
}
