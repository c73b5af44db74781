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
    #[error("somebody else sits there")]
    ChairTaken,
    #[error("no earlier game is begun with here")]
    NoOrigin,
    #[error("the earlier games are too many, or too long, to be begun with once more")]
    TooLongAgo,
    #[error("nobody sits there")]
    NoSuchSeat,
    #[error("no game is on")]
    NoGame,
    #[error("a game is on")]
    GameOn,
    #[error("only for seated players")]
    NotSeated,
    #[error("already seated")]
    AlreadySeated,
    #[error("1–20 characters that can be shown")]
    BadName,
    #[error("too many names at once; try again in a while")]
    TooManyNames,
    #[error("1–500 characters, 2,000 bytes at most, with few marks on a letter")]
    BadChat,
    #[error("{0}")]
    BadOptions(String),
    #[error("they are here, or have not been away for long enough")]
    NotAway,
    #[error("too many games were reviewed for this address in the last hour")]
    TooManyReviews,
    #[error("a hint is for who decides now and plays with bots only")]
    NoHint,
    #[error("a bot plays that seat")]
    IsBot,
    #[error("the host has muted them")]
    Muted,
    #[error("nobody of that id watches")]
    NoSuchWatcher,
    #[error("no game needs so many acts of one player; a bot can play on")]
    TooManyActs,
    #[error("this room has written all it may; open another")]
    RoomFull,
    #[error("too much of that in this room at once; try again in a while")]
    RoomBusy,
    #[error("too much was written from this address today")]
    TooMuchWritten,
    #[error("too much is said from this address at once; try again in a moment")]
    TooMuchSaid,
    #[error("too many reactions at once; try again in a moment")]
    TooManyReactions,
    #[error("act {n} was accepted before; the next is {next}")]
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
            Refusal::TooManyReviews => Code::TooManyRequests,
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
