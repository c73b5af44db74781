//! Reasons for refusing an action: name, code and text. Clients translate the codes. The texts are for developers.

game::refusals! {
    /// The game has ended.
    GameOver, "game_over", "the game is over";
    /// Only the active player may do this, and another seat is active.
    NotYourTurn, "not_your_turn", "it is another seat's turn";
    /// The action belongs to another step of the turn.
    WrongPhase, "wrong_phase", "this action belongs to another step of the turn";
    /// A re-roll without dice.
    NoDice, "no_dice", "a re-roll must name at least one die";
    /// A re-roll that names a die more than once.
    DieTwice, "die_twice", "a re-roll must name each die only once";
    /// A re-roll of a die that does not exist.
    NoSuchDie, "no_such_die", "dice are numbered from 0 to 6";
    /// Another roll after the re-roll, or after the dice were kept.
    NoRerollLeft, "no_reroll_left", "the re-roll of this turn has been used or given up";
    /// A number among a row's first four that does not rise.
    MustBeHigher, "must_be_higher", "before the thick line a number must be higher than the one before it";
    /// A number among a row's last two that does not fall.
    MustBeLower, "must_be_lower", "after the thick line a number must be lower than the one before it";
    /// A row with six numbers.
    RowFull, "row_full", "this row is full";
    /// In the shared step, the colour the active player has already used.
    ColorUsed, "color_used", "the active player has used this colour";
    /// A choice for the shared step of a turn that is over.
    AlreadyCounted, "already_counted", "the choices of that turn have been counted";
}
