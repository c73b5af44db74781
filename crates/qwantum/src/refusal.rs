//! Why an act is refused. The codes are for clients, which have their own words; the texts are for developers.

use thiserror::Error;

/// A reason to refuse an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The game has ended.
    #[error("the game is over")]
    GameOver,
    /// Another seat is active, and this act is the active player's.
    #[error("it is another seat's turn")]
    NotYourTurn,
    /// This act belongs to another step of the turn.
    #[error("this act is not for this step of the turn")]
    WrongPhase,
    /// A re-roll of nothing.
    #[error("a re-roll names at least one die")]
    NoDice,
    /// A re-roll that names a die more than once.
    #[error("a re-roll names a die only once")]
    DieTwice,
    /// A re-roll of something that is no die.
    #[error("dice are numbered from 0 to 6")]
    NoSuchDie,
    /// Another roll after the re-roll, or after the dice were kept.
    #[error("a turn has one re-roll, which is used or given up")]
    NoRerollLeft,
    /// One of a row's first four numbers that does not rise.
    #[error("before the thick line a number must be higher than the one before it")]
    MustBeHigher,
    /// One of a row's last two numbers that does not fall.
    #[error("after the thick line a number must be lower than the one before it")]
    MustBeLower,
    /// A row with six numbers.
    #[error("this row is full")]
    RowFull,
    /// In the shared step, the colour the active player used.
    #[error("the active player has used this colour")]
    ColorUsed,
    /// A choice for the shared step of a turn that is over.
    #[error("the choices of that turn have been counted")]
    AlreadyCounted,
}

impl game::Refusal for Refusal {
    fn code(&self) -> &'static str {
        match self {
            Refusal::GameOver => "game_over",
            Refusal::NotYourTurn => "not_your_turn",
            Refusal::WrongPhase => "wrong_phase",
            Refusal::NoDice => "no_dice",
            Refusal::DieTwice => "die_twice",
            Refusal::NoSuchDie => "no_such_die",
            Refusal::NoRerollLeft => "no_reroll_left",
            Refusal::MustBeHigher => "must_be_higher",
            Refusal::MustBeLower => "must_be_lower",
            Refusal::RowFull => "row_full",
            Refusal::ColorUsed => "color_used",
            Refusal::AlreadyCounted => "already_counted",
        }
    }
}
