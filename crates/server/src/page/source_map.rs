//! Which line of which module each line of a chunk was, in the form that browsers' developer tools read (source map, version 3): an error in
//! a chunk is then shown at the line somebody wrote.

/// A piece of a line: where it begins, and which line of which source it was, all from 0; what nobody wrote was none.
#[derive(Clone, Copy)]
pub struct Piece {
    pub column: usize,
    pub from: Option<(usize, usize)>,
}

/// The map of a chunk whose lines are made of these pieces of these sources.
pub fn source_map(sources: &[String], lines: &[Vec<Piece>]) -> String {
    let mut mappings = String::new();
    let (mut source, mut number) = (0, 0);
    for line in lines {
        let mut column = 0;
        for (nth, piece) in line.iter().enumerate() {
            if nth > 0 {
                mappings.push(',');
            }
            // Each number is told as what it differs by from the one before: column, source, line, column there.
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
    // Paths of the page are plain letters, and a list of them reads the same in JSON.
    format!(r#"{{"version":3,"sources":{sources:?},"names":[],"mappings":"{mappings}"}}"#)
}

/// A number in base 64, five bits a digit, the lowest first, its sign as the lowest bit.
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
    fn numbers_are_written_as_browsers_read_them() {
        for (number, written) in
            [(0, "A"), (1, "C"), (-1, "D"), (15, "e"), (16, "gB"), (-16, "hB"), (1000, "w+B")]
        {
            let mut text = String::new();
            push_vlq(&mut text, number);
            assert_eq!(text, written, "{number}");
        }
    }

    #[test]
    fn each_piece_names_the_line_it_was() {
        let piece = |column, from| Piece { column, from };
        let map = source_map(
            &["a.js".to_owned(), "b.js".to_owned()],
            &[
                vec![piece(0, None), piece(3, Some((0, 4))), piece(10, Some((0, 5)))],
                vec![piece(0, Some((1, 0)))],
            ],
        );
        let map: serde_json::Value = serde_json::from_str(&map).unwrap();
        assert_eq!(map["mappings"], "A,GAIA,OACA;ACLA;");
        assert_eq!(map["sources"][1], "b.js");
    }
}
