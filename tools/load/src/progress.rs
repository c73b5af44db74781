//! A status line on the terminal for long runs. Does nothing if standard error is not a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// The status line. It disappears when this is dropped.
pub struct Spinner(ProgressBar);

impl Spinner {
    /// Creates an empty line.
    pub fn new() -> Spinner {
        let style = ProgressStyle::with_template("{msg}").expect("the template is our own");
        Spinner(ProgressBar::new_spinner().with_style(style))
    }

    /// Replaces the text. This may be called any number of times, because the terminal is redrawn at most twenty times
    /// a second.
    pub fn say(&self, words: String) {
        self.0.set_message(words);
        self.0.tick();
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
