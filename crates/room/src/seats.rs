//! Who sits where, and by which tokens they come back.

use crate::presence::Presence;
use crate::{By, Millis, Name};
use game::{Level, Outcome, Salt, Seat};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// How many tokens of one seat work at a time.
const TOKENS: usize = 4;

/// Names a player for as long as the room lives, while seats are renumbered in the lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlayerId(pub u32);

/// SHA-256 of a seat's token: enough to know the token by, and useless to whoever reads the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenHash(#[serde(with = "hex::serde")] [u8; 32]);

impl TokenHash {
    /// The hash of a token.
    pub fn of(token: &str) -> TokenHash {
        TokenHash(Sha256::digest(token).into())
    }
}

/// Somebody with a seat. As a checkpoint holds them: a field that is not skipped is written down. What others see of them is a
/// view's to say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Player {
    /// For the room's own use.
    #[serde(rename = "player")]
    pub id: PlayerId,
    /// As everyone sees it.
    pub name: Name,
    /// By any of these they come back; none for a bot, whose seat nobody can come back to.
    pub(crate) tokens: Vec<TokenHash>,
    /// What they asked to be called, as long as that and their salt tell who they are.
    pub(crate) asked: Option<Name>,
    /// They said that they are a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) program: bool,
    /// The level of the bot that plays this seat now: its own, or for a player who is away.
    pub(crate) bot: Option<Level>,
    /// How often in a row the clock decided for them.
    pub(crate) missed: u8,
    /// Secret until the game starts.
    pub(crate) salt: Option<Salt>,
    pub(crate) wins: u32,
    /// They have said that they want another game. Like presence it is never written down.
    #[serde(skip)]
    pub(crate) ready: bool,
    /// Whose place of the earlier game they have, where the next one begins with one: its seat then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) chair: Option<Seat>,
    /// They left after the end of a game whose table still shows them; the rematch goes on without them, and so no
    /// checkpoint has them.
    #[serde(skip)]
    pub(crate) gone: bool,
    #[serde(skip)]
    pub(crate) presence: Presence,
}

impl Player {
    /// Without what is never written down, so that a checkpoint is the same before and after it was.
    pub(crate) fn written_down(self) -> Player {
        Player { ready: false, gone: false, presence: Presence::default(), ..self }
    }

    pub(crate) fn is_human(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// Another token for the same person. Those given before go on working, but for the oldest of too many: which of
    /// several welcomes arrives, and when, nobody here can know.
    pub(crate) fn give_token(&mut self, token: TokenHash) {
        if self.tokens.len() == TOKENS {
            self.tokens.remove(0);
        }
        self.tokens.push(token);
    }

    /// A human who has not left.
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
    /// Seats as a checkpoint holds them.
    pub(crate) fn restored(players: Vec<Player>, host: Option<PlayerId>, next_id: PlayerId) -> Seats {
        Seats { players, host, next_id: next_id.0 }
    }

    /// What a checkpoint holds of them.
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

    /// Where a player sits, unless they left.
    pub fn seat_of(&self, id: PlayerId) -> Option<Seat> {
        self.iter().find(|(_, player)| player.id == id && !player.gone).map(|(seat, _)| seat)
    }

    /// The player in a seat.
    pub fn at(&self, seat: Seat) -> Option<&Player> {
        self.players.get(seat.index())
    }

    /// The player whose seat this token is for.
    pub fn by_token(&self, token: TokenHash) -> Option<&Player> {
        self.players.iter().find(|player| player.tokens.contains(&token) && !player.gone)
    }

    /// Who may start and configure.
    pub fn host(&self) -> Option<PlayerId> {
        self.host
    }

    /// The player of this id, who may have left a finished game.
    pub fn get(&self, id: PlayerId) -> Option<&Player> {
        self.players.iter().find(|player| player.id == id)
    }

    pub(crate) fn get_mut(&mut self, id: PlayerId) -> Option<&mut Player> {
        self.players.iter_mut().find(|player| player.id == id)
    }

    pub(crate) fn next_id(&self) -> PlayerId {
        PlayerId(self.next_id)
    }

    /// Those who come to be host after `id`, the nearest clockwise first.
    pub(crate) fn after(&self, id: PlayerId) -> impl Iterator<Item = &Player> {
        let start = self.players.iter().position(|player| player.id == id).map_or(0, |index| index + 1);
        let (before, after) = self.players.split_at(start.min(self.players.len()));
        after.iter().chain(before).filter(move |player| player.id != id && player.stays())
    }

    /// Whether any human at the table is connected.
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

    /// A bot takes the seat over for good.
    pub(crate) fn replace(&mut self, id: PlayerId, level: Level) {
        if let Some(player) = self.get_mut(id) {
            player.tokens.clear();
            (player.salt, player.bot, player.program, player.ready) = (None, Some(level), false, false);
        }
        self.host = self.host.filter(|host| *host != id);
    }

    /// What was wanted has come about: nobody wants another game yet.
    pub(crate) fn lower_hands(&mut self) {
        self.players.iter_mut().for_each(|player| player.ready = false);
    }

    /// Everyone plays for themselves again.
    pub(crate) fn dismiss_substitutes(&mut self) {
        for player in self.players.iter_mut().filter(|player| player.is_human()) {
            (player.bot, player.missed) = (None, 0);
        }
    }

    pub(crate) fn remove(&mut self, id: PlayerId) {
        self.players.retain(|player| player.id != id);
    }

    /// A player has this place of the earlier game from now on. Everyone sits in the order of these places; so once all are
    /// taken, each has the very seat that went with theirs.
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
