/// How much there is to see in something that happened, the least first. People look at it before anything else is played for
/// somebody; how long that takes is not known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Sight {
    /// A step of something that is seen as a whole, once it is done.
    Step,
    /// Something that changes little.
    Little,
    /// Something to follow.
    #[default]
    Plain,
    /// Something nobody expected, or that changes much.
    Striking,
}
