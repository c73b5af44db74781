//! Chat messages. Like an entry, a message is first decided, then written by the caller, and only then shown. But it is
//! not an entry: only the last messages are shown, so only those are kept, each in a slot of a ring buffer that a later
//! message overwrites. Chat therefore does not grow a room's journal.
//!
//! Up to version 0.1 every message was an entry (`chatted`), and checkpoints contained the last of them. Those are
//! shown until newer messages have replaced them.

use crate::name::piles_up_marks;
use crate::{Name, Now, PlayerId, Refusal, Room};
use protocol::ChatLine;
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

/// Number of messages that are kept and shown to a new client.
const LINES: usize = 50;

/// Maximum length in characters (grapheme clusters).
const MAX_CHARACTERS: usize = 500;

/// Maximum length in bytes, because one grapheme cluster may have thousands. 500 characters fit in every script, but
/// 500 composite emoji may not.
const MAX_BYTES: usize = 2000;

/// Maximum number of combining marks on a letter, against "Zalgo text". Pointed Hebrew has three.
const MAX_MARKS: usize = 4;

/// Current version of the message format. Older versions stay readable, and newer ones are skipped.
const VERSION: u32 = 1;

/// A chat message as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    v: u32,
    /// Number of messages before it in this room, because the slots of the ring do not show which is the oldest.
    n: u64,
    #[serde(flatten)]
    line: ChatLine,
}

impl Said {
    /// Returns the slot it is stored in.
    pub fn slot(&self) -> u8 {
        (self.n % LINES as u64) as u8
    }

    /// Serialises the message for storage.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("lines have string keys only")
    }

    /// Parses a stored message of this or an earlier version.
    fn read(note: &str) -> Option<Said> {
        serde_json::from_str(note).ok().filter(|said: &Said| said.v <= VERSION)
    }
}

/// The last messages, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chat {
    lines: Vec<ChatLine>,
    /// Number of leading messages that come from entries of the journal.
    from_entries: usize,
    /// Number of messages ever stored in the ring.
    said: u64,
}

impl Chat {
    /// Creates the chat from journal entries, which contained every message up to version 0.1.
    pub(crate) fn of_entries(lines: Vec<ChatLine>) -> Chat {
        Chat { from_entries: lines.len(), lines, said: 0 }
    }

    /// Returns the messages that come from entries and are still shown.
    pub(crate) fn into_those_of_entries(mut self) -> Vec<ChatLine> {
        self.lines.truncate(self.from_entries);
        self.lines
    }

    /// Adds a message from an entry.
    pub(crate) fn push_of_entry(&mut self, line: ChatLine) {
        self.push(line);
        self.from_entries = self.lines.len();
    }

    fn push(&mut self, line: ChatLine) {
        if self.lines.len() == LINES {
            self.lines.remove(0);
            self.from_entries = self.from_entries.saturating_sub(1);
        }
        self.lines.push(line);
    }
}

impl Room {
    /// Validates a message and returns it in the form to be stored.
    pub fn say(&self, player: Option<PlayerId>, name: &Name, text: &str, now: Now) -> Result<Said, Refusal> {
        let text = line(text).ok_or(Refusal::BadChat)?;
        let seat = player.and_then(|player| self.seats.seat_of(player));
        let line = ChatLine { seat, name: name.to_string(), text, at: now.wall.0 };
        Ok(Said { v: VERSION, n: self.chat.said, line })
    }

    /// Adds a message that has been stored to the chat.
    pub fn hear(&mut self, said: Said) {
        self.chat.said = said.n.saturating_add(1);
        self.chat.push(said.line);
    }

    /// Restores the stored messages and returns how many could not be read. Unreadable chat does not prevent a room
    /// from opening.
    pub fn recall(&mut self, notes: &[String]) -> usize {
        let mut all: Vec<Said> = notes.iter().filter_map(|note| Said::read(note)).collect();
        let unreadable = notes.len() - all.len();
        all.sort_by_key(|said| said.n);
        all.into_iter().for_each(|said| self.hear(said));
        unreadable
    }

    /// Returns the last messages.
    pub fn chat(&self) -> &[ChatLine] {
        &self.chat.lines
    }
}

/// Cleans up a message, or returns `None` if it is empty or too long. Line breaks and control characters from pasted
/// text are replaced or removed rather than refused, because users cannot see them.
fn line(text: &str) -> Option<String> {
    let line: String = text.replace("\r\n", " ").chars().filter_map(shown).collect();
    let fits = line.len() <= MAX_BYTES && line.graphemes(true).count() <= MAX_CHARACTERS;
    (fits && !line.trim().is_empty() && !piles_up_marks(&line, MAX_MARKS)).then_some(line)
}

/// Returns the replacement for a character, or `None` to remove it.
fn shown(c: char) -> Option<char> {
    match c {
        // Line breaks and tabs become spaces.
        '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(' '),
        // Bidi spoofing: embeddings, overrides and isolates would reorder the text that the page shows after them. The
        // marks that right-to-left text needs (LRM, RLM, ALM) reorder nothing, and joiners hold emoji together, so both
        // stay.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        _ if c.is_control() => None,
        _ => Some(c),
    }
}
