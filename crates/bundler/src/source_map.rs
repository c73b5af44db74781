//! Source maps (version 3), which browsers' developer tools read: they show an error in a chunk at its line in the
//! original module.

/// A piece of a line: the column where it begins, and its source and line there, all from 0. `from` is `None` for
/// generated code.
#[derive(Clone, Copy)]
pub struct Piece {
    pub column: usize,
    pub from: Option<(usize, usize)>,
}

/// Returns the source map of a chunk whose lines consist of these pieces of these sources.
pub fn source_map(sources: &[String], lines: &[Vec<Piece>]) -> String {
    let mut mappings = String::new();
    let (mut source, mut number) = (0, 0);
    for line in lines {
        let mut column = 0;
        for (nth, piece) in line.iter().enumerate() {
            if nth > 0 {
                mappings.push(',');
            }
            // Each number is the difference to the previous one: column, source, line, column in the source.
            push_vlq(&mut mappings, piece.column as i64 - column);
            column = piece.column as i64;
            if let Some((of, at)) = piece.from.map(|(of, at)| (of as i64, at as i64)) {
                push_vlq(&mut mappings, of - source);
                push_vlq(&mut mappings, at - number);
                push_vlq(&mut mappings, 0);
                (source, number) = (of, at);
            }
        }
        mappings.push(';');
    }
    // The page's paths are plain ASCII, so `Debug` prints the list as valid JSON.
    format!(r#"{{"version":3,"sources":{sources:?},"names":[],"mappings":"{mappings}"}}"#)
}

/// Appends a number as base64 VLQ: five bits per digit, lowest first, with the sign as the lowest bit.
fn push_vlq(text: &mut String, number: i64) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut left = number.unsigned_abs() << 1 | u64::from(number < 0);
    loop {
        let goes_on = left > 31;
        text.push(DIGITS[(left & 31) as usize | usize::from(goes_on) << 5].into());
        left >>= 5;
        if !goes_on {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_numbers_as_base64_vlq() {
        for (number, written) in [(0, "A"), (1, "C"), (-1, "D"), (15, "e"), (16, "gB"), (-16, "hB"), (1000, "w+B")] {
            let mut text = String::new();
            push_vlq(&mut text, number);
            assert_eq!(text, written, "{number}");
        }
    }

    #[test]
    fn maps_each_piece_to_its_original_line() {
        let piece = |column, from| Piece { column, from };
        let map = source_map(
            &["a.js".to_owned(), "b.js".to_owned()],
            &[vec![piece(0, None), piece(3, Some((0, 4))), piece(10, Some((0, 5)))], vec![piece(0, Some((1, 0)))]],
        );
        let map: serde_json::Value = serde_json::from_str(&map).unwrap();
        assert_eq!(map["mappings"], "A,GAIA,OACA;ACLA;");
        assert_eq!(map["sources"][1], "b.js");
    }
}
