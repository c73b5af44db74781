//! What people may say: one line, without characters that nobody sees and that reach beyond it.

use unicode_segmentation::UnicodeSegmentation;

/// The longest line of chat, in characters as people count them.
const MAX_CHARACTERS: usize = 500;

/// The line as everyone is shown it, or none if nothing is left to say or it is too long. What was pasted with line
/// breaks or stray control characters is said all the same: who pasted it could not see them and could not mend it.
pub fn line(text: &str) -> Option<String> {
    let line: String = text.replace("\r\n", " ").chars().filter_map(shown).collect();
    let fits = !line.trim().is_empty() && line.graphemes(true).count() <= MAX_CHARACTERS;
    fits.then_some(line)
}

/// What stands for a character in a line.
fn shown(c: char) -> Option<char> {
    match c {
        // What breaks a line or jumps within it becomes a space.
        '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(' '),
        // Bidi spoofing: embeddings, overrides and isolates turn round whatever the page shows after them. The marks that right-to-left
        // text needs (LRM, RLM, ALM) turn nothing round, and joiners hold pictographs together: both stay.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        _ if c.is_control() => None,
        _ => Some(c),
    }
}
