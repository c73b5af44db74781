//! Why an act is refused: name, code and text. The codes are for clients, which have their own words; the texts are for
//! developers.

game::refusals! {
    /// The game has ended.
    GameOver, "game_over", "the game is over";
    /// Another seat is active, and this act is the active player's.
    NotYourTurn, "not_your_turn", "it is another seat's turn";
    /// This act belongs to another step of the turn.
    WrongPhase, "wrong_phase", "this act is not for this step of the turn";
    /// A re-roll of nothing.
    NoDice, "no_dice", "a re-roll names at least one die";
    /// A re-roll that names a die more than once.
    DieTwice, "die_twice", "a re-roll names a die only once";
    /// A re-roll of something that is no die.
    NoSuchDie, "no_such_die", "dice are numbered from 0 to 6";
    /// Another roll after the re-roll, or after the dice were kept.
    NoRerollLeft, "no_reroll_left", "a turn has one re-roll, which is used or given up";
    /// One of a row's first four numbers that does not rise.
    MustBeHigher, "must_be_higher", "before the thick line a number must be higher than the one before it";
    /// One of a row's last two numbers that does not fall.
    MustBeLower, "must_be_lower", "after the thick line a number must be lower than the one before it";
    /// A row with six numbers.
    RowFull, "row_full", "this row is full";
    /// In the shared step, the colour the active player used.
    ColorUsed, "color_used", "the active player has used this colour";
    /// A choice for the shared step of a turn that is over.
    AlreadyCounted, "already_counted", "the choices of that turn have been counted";
}
