//! Tests of the chaos suite against a correct server, and against one whose messages are falsified.

mod liar;
mod lies;
mod removed;
