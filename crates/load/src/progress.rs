//! One line on a terminal that says how far a long run has come; nothing where standard error is no terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// The line. It is gone when this is.
pub struct Progress(ProgressBar);

impl Progress {
    /// An empty line.
    pub fn new() -> Progress {
        let style = ProgressStyle::with_template("{msg}").expect("the template is our own");
        Progress(ProgressBar::new_spinner().with_style(style))
    }

    /// Says something else. It may be said as often as one likes: the terminal is drawn on twenty times a second at the
    /// most.
    pub fn say(&self, words: String) {
        self.0.set_message(words);
        self.0.tick();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
