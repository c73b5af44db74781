//! Journals that change some methods of another journal. Examples and benchmarks include this file by its path.

/// Implements methods of `Journal` and `Ownership` by calling those of a field: `forward!(inner: open read)`.
macro_rules! forward {
    ($to:tt: $($method:ident)+) => { $(forward!(@$method $to);)+ };
    // The methods of `Journal`.
    (@append_lines $to:tt) => {
        forward!(@fn $to append_lines(
            room: &'a str, after: journal::Cursor, lines: journal::Lines, running_ms: u64
        ) -> Result<journal::Cursor, journal::AppendError>);
    };
    (@note $to:tt) => {
        forward!(@fn $to note(
            room: &'a str, at: journal::Cursor, slot: u8, note: String, running_ms: u64
        ) -> Result<(), journal::AppendError>);
    };
    (@open $to:tt) => {
        forward!(@fn $to open(
            room: &'a str, running_ms: u64
        ) -> Result<Option<journal::Opened>, journal::JournalError>);
    };
    (@read $to:tt) => {
        forward!(@fn $to read(room: &'a str) -> Result<Option<Vec<String>>, journal::JournalError>);
    };
    (@exists $to:tt) => {
        forward!(@fn $to exists(room: &'a str) -> Result<bool, journal::JournalError>);
    };
    (@touch $to:tt) => {
        forward!(@fn $to touch(room: &'a str, running_ms: u64) -> Result<(), journal::JournalError>);
    };
    (@forget_unopened $to:tt) => {
        forward!(@fn $to forget_unopened(
            before_ms: u64, keep: Vec<String>
        ) -> Result<Vec<String>, journal::JournalError>);
    };
    (@running_ms $to:tt) => { fn running_ms(&self) -> u64 { self.$to.running_ms() } };
    (@ran $to:tt) => { forward!(@fn $to ran(running_ms: u64) -> Result<(), journal::JournalError>); };
    (@probe $to:tt) => { forward!(@fn $to probe() -> Result<(), journal::JournalError>); };
    (@close $to:tt) => { forward!(@fn $to close() -> ()); };
    // The methods of `Ownership`.
    (@elsewhere $to:tt) => {
        forward!(@fn $to elsewhere(
            room: &'a str
        ) -> Result<Option<journal::ownership::Peer>, journal::JournalError>);
    };
    (@release $to:tt) => { forward!(@fn $to release(room: &'a str) -> Result<(), journal::JournalError>); };
    (@release_all $to:tt) => { forward!(@fn $to release_all() -> Result<u64, journal::JournalError>); };
    (@report $to:tt) => { fn report(&self, load: journal::ownership::Load) { self.$to.report(load); } };
    (@nodes $to:tt) => {
        forward!(@fn $to nodes() -> Result<Vec<journal::ownership::Node>, journal::JournalError>);
    };
    (@figures $to:tt) => { fn figures(&self) -> journal::ownership::Figures { self.$to.figures() } };
    (@fn $to:tt $name:ident($($argument:ident: $type:ty),*) -> $answer:ty) => {
        fn $name<'a>(&'a self, $($argument: $type),*) -> journal::Pending<'a, $answer> {
            self.$to.$name($($argument),*)
        }
    };
}
pub(crate) use forward;
