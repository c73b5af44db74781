//! Structure-aware fuzzing: builds messages of the contract from arbitrary bytes, in any order, with valid, almost
//! valid or absurd values. What cannot be guessed, such as a token or a legal action, is taken from what the sender
//! received.

use crate::mutate::Mutator;
use game::Luck;
use serde_json::{Value, json};

/// Bytes as a source of decisions. When they are used up, every decision is the first choice.
pub struct Source<'a> {
    bytes: &'a [u8],
}

impl<'a> Source<'a> {
    /// Creates a source from these bytes.
    pub fn new(bytes: &'a [u8]) -> Source<'a> {
        Source { bytes }
    }

    /// Returns whether all bytes are used up.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        *first
    }

    /// Returns a number below `n`, which must be small.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n.max(1)
    }

    /// Returns one of the elements, or `None` if there are none.
    pub fn pick<'b, T>(&mut self, from: &'b [T]) -> Option<&'b T> {
        from.get(self.below(from.len()))
    }

    /// Returns true in one of `n` cases.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }
}

/// What a sender has received and others cannot guess.
#[derive(Debug, Clone, Default)]
pub struct KnownState {
    /// Number of their next action.
    pub next: u32,
    /// Their legal actions, as listed by the server.
    pub acts: Vec<Value>,
    /// Tokens of this or another seat, of this or another room.
    pub tokens: Vec<String>,
}

/// Names of the players with whom most sessions begin. Two are equal.
pub const FRIENDS: [&str; 4] = ["Ana", "Bea", "Ana", "Łukasz"];

const NAMES: [&str; 12] = [
    "Ana",
    "ana",
    "Bea",
    "Łukasz",
    "Ana 2",
    "عمر",
    "Zoë 🎲",
    "",
    "   ",
    "\u{202e}evil",
    "a\u{301}\u{302}\u{303}",
    "a name that is far too long to be one",
];

const REACTIONS: [&str; 7] = ["clap", "laugh", "wow", "think", "ouch", "heart", "dance"];

/// Returns the text of one message, which is mostly valid.
pub fn message(source: &mut Source, told: &KnownState) -> String {
    let seat = source.below(8);
    let level = ["easy", "normal", "hard", "godlike"][usize::from(!source.once_in(5)) * source.below(4)];
    let message = match source.below(35) {
        0..8 => act(source, told),
        8..10 => json!({"type": "start"}),
        10 => json!({"type": "chat", "text": text(source)}),
        11..13 => configure(source),
        13..15 => json!({"type": "add_bot", "level": level}),
        15 => json!({"type": "remove", "seat": seat}),
        16 => json!({"type": "substitute", "seat": seat, "level": level}),
        17 => json!({"type": "sit"}),
        18 => json!({"type": "stand"}),
        19 => json!({"type": "rematch"}),
        20 => json!({"type": "handover"}),
        21 => json!({"type": "leave"}),
        22 => json!({"type": "ping", "t": number(source)}),
        23 => json!({"type": "mute", "watcher": seat, "muted": source.once_in(2)}),
        24 => json!({"type": "remove_watcher", "watcher": seat}),
        25 => json!({"type": "same_deal"}),
        26 => json!({"type": "new_deal"}),
        27 => json!({"type": "take_chair", "chair": seat}),
        28 => json!({"type": "review"}),
        29 => json!({"type": "hint"}),
        30 => json!({"type": "ready", "ready": source.once_in(2)}),
        31 => json!({"type": "react", "reaction": REACTIONS[source.below(REACTIONS.len())]}),
        32 => json!({"type": "hurry"}),
        33 => json!({"type": "rename", "name": NAMES[source.below(NAMES.len())]}),
        _ => join(source, told),
    };
    let text = message.to_string();
    // Almost valid messages get furthest into the parser.
    if source.once_in(12) {
        let corpus = [text.into_bytes()];
        let bytes = Mutator::new(&corpus, Luck::branch(source.word())).case();
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    text
}

/// Returns a first message, with which a client may or may not be admitted.
pub fn join(source: &mut Source, told: &KnownState) -> Value {
    let mut join = json!({"type": "join", "name": NAMES[source.below(NAMES.len())]});
    if source.once_in(3) {
        // There are few different salts, so that some are repeated.
        join["salt"] = json!(format!("{:02x}", source.byte() % 5).repeat(16));
    }
    if source.once_in(3) && !told.tokens.is_empty() {
        join["token"] = json!(source.pick(&told.tokens));
    }
    if source.once_in(4) {
        join["watch"] = json!(true);
    }
    if source.once_in(16) {
        let odd = ["token", "salt", "watch", "protocol", "name", "colour"];
        join[odd[source.below(odd.len())]] = value(source);
    }
    join
}

fn act(source: &mut Source, told: &KnownState) -> Value {
    // Mostly listed actions, because all others are refused.
    let listed = source.pick(&told.acts).cloned();
    let action = match (listed, source.below(8)) {
        (Some(listed), 2..) => listed,
        (Some(mut listed), 1) => {
            if let Some(fields) = listed.as_object_mut()
                && let Some(field) = fields.values_mut().last()
            {
                *field = value(source);
            }
            listed
        }
        _ => {
            let kinds = ["bid", "pass", "take", "build", "finish", "undo", "retract", "roll", "keep", "enter", "skip"];
            json!({"type": kinds[source.below(kinds.len())], "count": value(source)})
        }
    };
    let n = match source.below(10) {
        0 => source.word(),
        1 => told.next.wrapping_add(1),
        2 => told.next.wrapping_sub(1),
        _ => told.next,
    };
    json!({"type": "act", "n": n, "action": action})
}

fn configure(source: &mut Source) -> Value {
    let mut configure = json!({"type": "configure"});
    if source.once_in(2) {
        configure["game"] = json!(room::GAMES.get(source.below(room::GAMES.len() + 1)).map_or("chess", |game| game.id));
    }
    if source.once_in(3) {
        configure["rules"] = match source.below(4) {
            0 => json!({"mistakes": "allowed"}),
            1 => json!({"mistakes": "prevented"}),
            2 => json!({}),
            _ => value(source),
        };
    }
    if source.once_in(3) {
        configure["clock"] = if source.once_in(2) { Value::Null } else { number(source) };
    }
    if source.once_in(3) {
        configure["forced"] = json!(["auto", "ask", "never"][source.below(3)]);
    }
    if source.once_in(3) {
        configure["pace"] = json!(["calm", "normal", "brisk", "slow"][source.below(4)]);
    }
    configure
}

fn text(source: &mut Source) -> String {
    let piece = ["hello", "🎲", "\u{202e}", "a\u{301}", "\n", "\u{0}", " ", "ė"][source.below(8)];
    piece.repeat([1, 2, 40, 499, 500, 501, 0][source.below(7)])
}

fn number(source: &mut Source) -> Value {
    match source.below(8) {
        0 => json!(u64::MAX),
        1 => json!(i64::MIN),
        2 => json!(1.5),
        3 => json!(-1),
        4 => json!(3600),
        5 => json!(10),
        _ => json!(source.word()),
    }
}

/// Returns an arbitrary value without deep nesting.
fn value(source: &mut Source) -> Value {
    match source.below(8) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!([]),
        3 => json!({}),
        4 => json!(text(source)),
        5 => json!([{"tower": "sand", "value": number(source)}, number(source)]),
        6 => json!({"type": "bid", "count": {"deep": [[[[[]]]]]}}),
        _ => number(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::ClientMessage;

    #[test]
    fn most_forged_messages_are_valid_and_every_kind_is_forged() {
        let mut luck = Luck::branch(3);
        let told = KnownState { acts: vec![json!({"type": "pass"})], tokens: vec!["abc".to_owned()], next: 4 };
        let mut kinds = std::collections::BTreeSet::new();
        let mut read = 0;
        for _ in 0..2000 {
            let bytes: Vec<u8> = (0..64).map(|_| luck.word() as u8).collect();
            let text = message(&mut Source::new(&bytes), &told);
            if ClientMessage::read(&text).is_ok() {
                read += 1;
                let message: Value = serde_json::from_str(&text).unwrap();
                kinds.insert(message["type"].as_str().unwrap().to_owned());
            }
        }
        assert!(read > 1200, "only {read} of 2000 can be read");
        assert_eq!(kinds.len(), 25, "{kinds:?}");
    }
}
