//! Reasons for refusing a request to a room.

use crate::games::ActRefusal;
use protocol::Code;

/// A refusal, which is returned only to the requester.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each variant's message is its documentation")]
pub enum Refusal {
    #[error("only the host may do that")]
    NotHost,
    #[error("only in the lobby")]
    NotInLobby,
    #[error("only after the end of a game")]
    NotFinished,
    #[error("the game needs {min} players or more")]
    TooFewPlayers { min: usize },
    #[error("the game seats {max} players at most")]
    TooManyPlayers { max: usize },
    #[error("all seats are taken")]
    TableFull,
    #[error("another player has that chair")]
    ChairTaken,
    #[error("this room does not begin with an earlier game")]
    NoOrigin,
    #[error("too many nested earlier games, or they are too long")]
    TooLongAgo,
    #[error("there is no player in that seat")]
    NoSuchSeat,
    #[error("no game is in progress")]
    NoGame,
    #[error("a game is in progress")]
    GameOn,
    #[error("only for seated players")]
    NotSeated,
    #[error("already seated")]
    AlreadySeated,
    #[error("a name has 1–20 printable characters")]
    BadName,
    #[error("too many name changes; try again later")]
    TooManyNames,
    #[error("a message has 1–500 characters, at most 2,000 bytes, and few combining marks per letter")]
    BadChat,
    #[error("{0}")]
    BadOptions(String),
    #[error("the player is connected, or has not been away for long enough")]
    NotAway,
    #[error("too many games were reviewed for this address in the last hour")]
    TooManyReviews,
    #[error("too many hints were computed for this address; try again in a minute")]
    TooManyHints,
    #[error("too many games were replayed for this address; try again in a moment")]
    TooManyReplays,
    #[error("hints are only for a player who must act and plays with bots only")]
    NoHint,
    #[error("a bot plays that seat")]
    IsBot,
    #[error("the host has muted you")]
    Muted,
    #[error("no watcher has this id")]
    NoSuchWatcher,
    #[error("too many acts by one player in this game; a bot can take over")]
    TooManyActs,
    #[error("this room's journal is full; open another room")]
    RoomFull,
    #[error("too many changes in this room; try again later")]
    RoomBusy,
    #[error("too much was written from this address today")]
    TooMuchWritten,
    #[error("too many chat messages from this address; try again in a moment")]
    TooMuchSaid,
    #[error("too many reactions; try again in a moment")]
    TooManyReactions,
    #[error("act {n} was already accepted; the next is {next}")]
    AlreadyPlayed { n: u32, next: u32 },
    #[error("act {n} is ahead; the next is {next}")]
    OutOfStep { n: u32, next: u32 },
    #[error("not an act of this game: {0}")]
    BadAct(String),
    #[error("{detail}")]
    Rules { code: &'static str, detail: String },
}

impl Refusal {
    /// Returns the stable code that clients translate.
    pub fn code(&self) -> &'static str {
        let code = match self {
            Refusal::NotHost => Code::NotHost,
            Refusal::NotInLobby => Code::NotInLobby,
            Refusal::NotFinished => Code::NotFinished,
            Refusal::ChairTaken => Code::ChairTaken,
            Refusal::NoOrigin => Code::NoOrigin,
            Refusal::TooLongAgo => Code::TooLongAgo,
            Refusal::TooFewPlayers { .. } => Code::TooFewPlayers,
            Refusal::TooManyPlayers { .. } => Code::TooManyPlayers,
            Refusal::TableFull => Code::TableFull,
            Refusal::NoSuchSeat => Code::NoSuchSeat,
            Refusal::NoGame => Code::NoGame,
            Refusal::GameOn => Code::GameOn,
            Refusal::NotSeated => Code::NotSeated,
            Refusal::AlreadySeated => Code::AlreadySeated,
            Refusal::BadName => Code::BadName,
            Refusal::BadChat => Code::BadChat,
            Refusal::BadOptions(_) => Code::BadOptions,
            Refusal::NotAway => Code::NotAway,
            Refusal::TooManyReviews | Refusal::TooManyHints | Refusal::TooManyReplays => Code::TooManyRequests,
            Refusal::NoHint => Code::NoHint,
            Refusal::IsBot => Code::IsBot,
            Refusal::Muted => Code::Muted,
            Refusal::NoSuchWatcher => Code::NoSuchWatcher,
            Refusal::TooManyActs => Code::TooManyActs,
            Refusal::RoomFull => Code::RoomFull,
            Refusal::RoomBusy => Code::RoomBusy,
            Refusal::TooMuchWritten => Code::TooMuchWritten,
            Refusal::TooMuchSaid | Refusal::TooManyReactions | Refusal::TooManyNames => Code::TooFast,
            Refusal::AlreadyPlayed { .. } => Code::AlreadyPlayed,
            Refusal::OutOfStep { .. } => Code::OutOfStep,
            Refusal::BadAct(_) => Code::BadMessage,
            Refusal::Rules { code, .. } => return code,
        };
        code.as_str()
    }
}

impl From<ActRefusal> for Refusal {
    fn from(refusal: ActRefusal) -> Refusal {
        match refusal {
            ActRefusal::Malformed(detail) => Refusal::BadAct(detail),
            ActRefusal::Forbidden { code, detail } => Refusal::Rules { code, detail },
        }
    }
}
