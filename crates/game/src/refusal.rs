//! Why an action is refused: a code that clients translate, and a text for developers.

/// A reason for refusing an action, with its code on the wire. `Display` is for developers.
pub trait Refusal: std::error::Error + Sized + Send + Sync + 'static {
    /// All reasons.
    const ALL: &'static [Self];

    /// Returns the stable code that clients translate.
    fn code(&self) -> &'static str;

    /// Returns all codes, for documentation and translation.
    fn codes() -> Vec<&'static str> {
        Self::ALL.iter().map(Refusal::code).collect()
    }
}

/// Declares a game's `Refusal` enum, one row per reason: name, code and text. `Refusal::ALL` is generated from the
/// same rows and therefore complete.
///
/// ```
/// use game::Refusal as _;
///
/// game::refusals! {
///     /// The game has ended.
///     GameOver, "game_over", "the game is over";
///     /// Another seat is asked.
///     NotYourTurn, "not_your_turn", "it is another seat's turn";
/// }
///
/// assert_eq!(Refusal::NotYourTurn.code(), "not_your_turn");
/// assert_eq!(Refusal::GameOver.to_string(), "the game is over");
/// assert_eq!(Refusal::codes(), ["game_over", "not_your_turn"]);
/// ```
#[macro_export]
macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident, $code:literal, $text:literal;)+) => {
        /// A reason for refusing an action.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Refusal {
            $($(#[$doc])* $name,)+
        }

        impl $crate::Refusal for Refusal {
            const ALL: &'static [Refusal] = &[$(Refusal::$name),+];

            fn code(&self) -> &'static str {
                match self {
                    $(Refusal::$name => $code,)+
                }
            }
        }

        impl std::error::Error for Refusal {}

        impl std::fmt::Display for Refusal {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $(Refusal::$name => $text,)+
                })
            }
        }
    };
}
