//! The suite against a server that keeps its promises, and against one that breaks them on the way.

mod liar;
mod lies;
mod removed;
