//! Why an act is refused: a code for clients, which have their own words, and a text for developers.

/// A reason to refuse, with the code that goes over the wire. Its `Display` is for developers.
pub trait Refusal: std::error::Error + Sized + Send + Sync + 'static {
    /// Every reason there is.
    const ALL: &'static [Self];

    /// The stable code a client words in its own language.
    fn code(&self) -> &'static str;

    /// Every code there is, for whoever documents or translates them.
    fn codes() -> Vec<&'static str> {
        Self::ALL.iter().map(Refusal::code).collect()
    }
}

/// Declares a game's `Refusal`, a row a reason: its name, its code and its text. So no list of them can forget one.
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
        /// A reason to refuse an act.
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
