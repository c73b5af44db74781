//! Why an action is refused: a code that clients translate, and a text for developers.

/// A reason for refusing an action, with its code on the wire. `Display` is for developers.
pub trait IllegalAction: std::error::Error + Sized + Send + Sync + 'static {
    /// All reasons.
    const ALL: &'static [Self];

    /// Returns the stable code that clients translate.
    fn code(&self) -> &'static str;

    /// Returns all codes, for documentation and translation.
    fn codes() -> Vec<&'static str> {
        Self::ALL.iter().map(IllegalAction::code).collect()
    }
}

/// Declares a game's `IllegalAction` enum, one row per reason: name, code and text. `IllegalAction::ALL` is generated
/// from the same rows and therefore complete.
///
/// ```
/// use game::IllegalAction as _;
///
/// game::refusals! {
///     /// The game has ended.
///     GameOver, "game_over", "the game is over";
///     /// Another seat is asked.
///     NotYourTurn, "not_your_turn", "it is another seat's turn";
/// }
///
/// assert_eq!(IllegalAction::NotYourTurn.code(), "not_your_turn");
/// assert_eq!(IllegalAction::GameOver.to_string(), "the game is over");
/// assert_eq!(IllegalAction::codes(), ["game_over", "not_your_turn"]);
/// ```
#[macro_export]
macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident, $code:literal, $text:literal;)+) => {
        /// A reason for refusing an action.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum IllegalAction {
            $($(#[$doc])* $name,)+
        }

        impl $crate::IllegalAction for IllegalAction {
            const ALL: &'static [IllegalAction] = &[$(IllegalAction::$name),+];

            fn code(&self) -> &'static str {
                match self {
                    $(IllegalAction::$name => $code,)+
                }
            }
        }

        impl std::error::Error for IllegalAction {}

        impl std::fmt::Display for IllegalAction {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $(IllegalAction::$name => $text,)+
                })
            }
        }
    };
}
