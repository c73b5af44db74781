/// How much an event gives players to look at, least first. The room waits accordingly before it plays the next
/// automatic action. Durations are not defined here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Sight {
    /// One step of a sequence that is shown as a whole once it is complete.
    Step,
    /// A small change.
    Little,
    /// A change that players want to follow.
    #[default]
    Plain,
    /// A surprising or far-reaching change.
    Striking,
}
