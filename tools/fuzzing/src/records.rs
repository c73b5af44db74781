//! Records of finished games, as untrusted input of `rookery verify`.

use crate::Tried;
use room::{Moments, read_record, verify};

/// Reads and verifies a record.
pub fn try_one(bytes: &[u8]) -> Tried {
    let text = String::from_utf8_lossy(bytes);
    let Ok(record) = read_record(&text) else { return Tried { things: 1, taken: 0 } };
    let holds = verify(&record);
    let seen = Moments::of_record(record.clone()).map(|moments| moments.count());
    assert_eq!(seen, holds.clone().map(|()| record.acts.len() + 1), "a valid record can be replayed");
    let again = serde_json::to_string(&record).expect("a record has a JSON form");
    let again = read_record(&again).expect("a written record can be parsed");
    assert_eq!(verify(&again), holds, "a record changes when it is written again");
    Tried { things: 1, taken: 1 }
}
