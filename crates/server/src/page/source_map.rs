//! Which line of which module each line of a chunk was, in the form that browsers' developer tools read (source map, version 3): an error in
//! a chunk is then shown at the line somebody wrote.

/// The map of a chunk whose lines were these lines of these sources, from 0; a line that nobody wrote was none.
pub fn source_map(sources: &[String], lines: &[Option<(usize, usize)>]) -> String {
    let mut mappings = String::new();
    let (mut source, mut number) = (0, 0);
    for line in lines {
        // Each is told as what it differs by from the one before: column, source, line, column.
        if let Some(at) = *line {
            mappings.push('A');
            push_vlq(&mut mappings, at.0 as i64 - source);
            push_vlq(&mut mappings, at.1 as i64 - number);
            mappings.push('A');
            (source, number) = (at.0 as i64, at.1 as i64);
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
    fn each_line_names_the_one_it_was() {
        let map = source_map(
            &["a.js".to_owned(), "b.js".to_owned()],
            &[None, Some((0, 4)), Some((0, 5)), None, Some((1, 0))],
        );
        let map: serde_json::Value = serde_json::from_str(&map).unwrap();
        assert_eq!(map["mappings"], ";AAIA;AACA;;ACLA;");
        assert_eq!(map["sources"][1], "b.js");
    }
}
