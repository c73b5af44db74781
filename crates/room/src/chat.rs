//! What people say to each other: a line is decided, noted by the caller, and only then heard, as an entry is. It is no
//! entry: only the last lines are shown, so only those are kept, each in a slot of a ring buffer that a later line is
//! written over. A room does not grow by talking.
//!
//! Up to version 0.1 every line was an entry (`chatted`), and checkpoints had the last of them. Those are shown until newer
//! lines have taken their place.

use crate::name::piles_up_marks;
use crate::{Name, Now, PlayerId, Refusal, Room};
use protocol::ChatLine;
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

/// How many lines a newcomer is shown, and so how many are kept.
const LINES: usize = 50;

/// The longest line of chat, in characters as people count them.
const MAX_CHARACTERS: usize = 500;

/// The same in bytes: what people count as one character may have thousands. 500 characters fit in every script; of 500
/// pictographs made of several, not all do.
const MAX_BYTES: usize = 2000;

/// "Zalgo text", as in names. Pointed Hebrew has three marks on a letter.
const MAX_MARKS: usize = 4;

/// The form lines are noted in now. Older forms stay readable for ever; a newer one is left out.
const VERSION: u32 = 1;

/// A line as it is noted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    v: u32,
    /// How many were said before it in this room: the slots of a ring do not tell which is the oldest.
    n: u64,
    #[serde(flatten)]
    line: ChatLine,
}

impl Said {
    /// The slot it goes into.
    pub fn slot(&self) -> u8 {
        (self.n % LINES as u64) as u8
    }

    /// The line as it is noted.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("lines have string keys only")
    }

    /// Reads what was noted by this or an older Rookery.
    fn read(note: &str) -> Option<Said> {
        serde_json::from_str(note).ok().filter(|said: &Said| said.v <= VERSION)
    }
}

/// The last lines, the oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chat {
    lines: Vec<ChatLine>,
    /// How many of them, the first, come from entries of the journal.
    from_entries: usize,
    /// How many were ever noted.
    said: u64,
}

impl Chat {
    /// As the entries of a journal have it, which up to version 0.1 held every line.
    pub(crate) fn of_entries(lines: Vec<ChatLine>) -> Chat {
        Chat { from_entries: lines.len(), lines, said: 0 }
    }

    /// What of it comes from entries and is still shown.
    pub(crate) fn into_those_of_entries(mut self) -> Vec<ChatLine> {
        self.lines.truncate(self.from_entries);
        self.lines
    }

    /// An entry says that somebody said something.
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
    /// What somebody wants to say, as it is to be noted.
    pub fn say(&self, player: Option<PlayerId>, name: &Name, text: &str, now: Now) -> Result<Said, Refusal> {
        let text = line(text).ok_or(Refusal::BadChat)?;
        let seat = player.and_then(|player| self.seats.seat_of(player));
        let line = ChatLine { seat, name: name.to_string(), text, at: now.wall.0 };
        Ok(Said { v: VERSION, n: self.chat.said, line })
    }

    /// A line that was noted is heard.
    pub fn hear(&mut self, said: Said) {
        self.chat.said = said.n.saturating_add(1);
        self.chat.push(said.line);
    }

    /// What was noted in this room is heard again; answers how many notes could not be read. Nobody is kept out of a game
    /// because of what was said at it.
    pub fn recall(&mut self, notes: &[String]) -> usize {
        let mut all: Vec<Said> = notes.iter().filter_map(|note| Said::read(note)).collect();
        let unreadable = notes.len() - all.len();
        all.sort_by_key(|said| said.n);
        all.into_iter().for_each(|said| self.hear(said));
        unreadable
    }

    /// The last lines said.
    pub fn chat(&self) -> &[ChatLine] {
        &self.chat.lines
    }
}

/// The line as everyone is shown it, or none if nothing is left to say or it is too long. What was pasted with line
/// breaks or stray control characters is said all the same: who pasted it could not see them and could not mend it.
fn line(text: &str) -> Option<String> {
    let line: String = text.replace("\r\n", " ").chars().filter_map(shown).collect();
    let fits = line.len() <= MAX_BYTES && line.graphemes(true).count() <= MAX_CHARACTERS;
    (fits && !line.trim().is_empty() && !piles_up_marks(&line, MAX_MARKS)).then_some(line)
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
