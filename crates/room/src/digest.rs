//! The digest of a record: hashes of the record and its parts when it was written, by which later changes are found and
//! located.
//!
//! It is a checksum and not a signature. A forger can compute a matching digest too, but a forged record must still
//! match the commitment, the rules and what the players' devices saw.

use protocol::{Record, RecordDigest};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Name of the field with the actions, which are compared one by one.
const ACTS: &str = "acts";
/// Name of the digest field.
const DIGEST: &str = "digest";
/// Number of hash bytes kept per part, enough to locate a change. The full hash detects it.
const MARK: usize = 4;

/// A changed part of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changed {
    /// The name of the field.
    pub part: String,
    /// The first changed action, counted from 0, if the field is `acts`.
    pub n: Option<usize>,
}

/// Computes the digest of a record.
pub(crate) fn digest_of(record: &Record) -> RecordDigest {
    let mut value = serde_json::to_value(record).expect("a record has string keys only");
    let parts = value.as_object_mut().expect("a record is an object");
    parts.remove(DIGEST);
    let whole = hex::encode(hash(&Value::Object(parts.clone())));
    let acts = parts.remove(ACTS).unwrap_or_default();
    let acts = acts.as_array().into_iter().flatten().map(mark).collect();
    let parts = parts.iter().map(|(name, part)| (name.clone(), mark(part))).collect();
    RecordDigest { whole, parts, acts }
}

/// Checks that the record is unchanged since its digest was made.
pub(crate) fn unchanged(record: &Record, digest: &RecordDigest) -> Result<(), Changed> {
    let now = digest_of(record);
    if now == *digest {
        return Ok(());
    }
    let itself = Changed { part: DIGEST.to_owned(), n: None };
    if now.whole == digest.whole {
        return Err(itself);
    }
    let mut names = now.parts.keys().chain(digest.parts.keys());
    if let Some(part) = names.find(|name| now.parts.get(*name) != digest.parts.get(*name)) {
        return Err(Changed { part: part.clone(), n: None });
    }
    let acts = 0..now.acts.len().max(digest.acts.len());
    let n = acts.into_iter().find(|n| now.acts.get(*n) != digest.acts.get(*n));
    Err(n.map_or(itself, |n| Changed { part: ACTS.to_owned(), n: Some(n) }))
}

fn mark(part: &Value) -> String {
    hex::encode(&hash(part)[..MARK])
}

fn hash(value: &Value) -> [u8; 32] {
    let mut text = String::new();
    write_canonical(value, &mut text);
    Sha256::digest(text).into()
}

/// Writes canonical JSON: no spaces, and the fields of an object sorted by name. The browser page writes the same
/// format.
fn write_canonical(value: &Value, into: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            write_list(into, ['{', '}'], fields, |(name, value), into| {
                into.push_str(&Value::from(name.as_str()).to_string());
                into.push(':');
                write_canonical(value, into);
            });
        }
        Value::Array(items) => write_list(into, ['[', ']'], items, write_canonical),
        leaf => into.push_str(&leaf.to_string()),
    }
}

fn write_list<T>(
    into: &mut String,
    [open, close]: [char; 2],
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(T, &mut String),
) {
    into.push(open);
    for (n, item) in items.into_iter().enumerate() {
        if n > 0 {
            into.push(',');
        }
        write(item, into);
    }
    into.push(close);
}
