//! Why a room refuses.

use crate::games::ActRefusal;

/// A refusal is a value: it goes back to whoever asked, and nobody else notices.
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
    #[error("nobody sits there")]
    NoSuchSeat,
    #[error("no game is on")]
    NoGame,
    #[error("only for seated players")]
    NotSeated,
    #[error("already seated")]
    AlreadySeated,
    #[error("1–20 visible characters")]
    BadName,
    #[error("1–500 characters")]
    BadChat,
    #[error("{0}")]
    BadOptions(String),
    #[error("they are here, or have not been away for long enough")]
    NotAway,
    #[error("a bot plays that seat")]
    IsBot,
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
    /// The stable code a client words in its own language.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::NotHost => "not_host",
            Refusal::NotInLobby => "not_in_lobby",
            Refusal::NotFinished => "not_finished",
            Refusal::TooFewPlayers { .. } => "too_few_players",
            Refusal::TooManyPlayers { .. } => "too_many_players",
            Refusal::TableFull => "table_full",
            Refusal::NoSuchSeat => "no_such_seat",
            Refusal::NoGame => "no_game",
            Refusal::NotSeated => "not_seated",
            Refusal::AlreadySeated => "already_seated",
            Refusal::BadName => "bad_name",
            Refusal::BadChat => "bad_chat",
            Refusal::BadOptions(_) => "bad_options",
            Refusal::NotAway => "not_away",
            Refusal::IsBot => "is_bot",
            Refusal::AlreadyPlayed { .. } => "already_played",
            Refusal::OutOfStep { .. } => "out_of_step",
            Refusal::BadAct(_) => "bad_message",
            Refusal::Rules { code, .. } => code,
        }
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
