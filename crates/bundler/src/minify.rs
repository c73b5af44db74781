//! Removes what only readers of the source need: comments, insignificant spaces, and line breaks of styles and
//! catalogues. That is a quarter of the transferred bytes. Scripts are handled in [`crate::script`].

use crate::script::minified;
use std::borrow::Cow;

/// Returns the file to send. Lines of scripts keep their numbers, so that an error names the line of the source.
pub fn minify(path: &str, data: Cow<'static, [u8]>) -> Cow<'static, [u8]> {
    let Ok(text) = std::str::from_utf8(&data) else { return data };
    let minified = match path.rsplit_once('.') {
        Some((_, "js")) => minified(text),
        Some((_, "css")) => joined(&without_comments(text)),
        Some((_, "json")) => compact_json(text),
        _ => return data,
    };
    Cow::Owned(minified.into_bytes())
}

/// Returns JSON without the white space outside of strings.
fn compact_json(text: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    text.chars()
        .filter(|&letter| {
            quoted ^= letter == '"' && !escaped;
            escaped = letter == '\\' && !escaped;
            quoted || !letter.is_ascii_whitespace()
        })
        .collect()
}

/// Returns styles without comments that begin a line, indentation and insignificant spaces.
fn without_comments(text: &str) -> String {
    let mut within = false;
    text.lines().map(|line| tightened(code_of(line, &mut within).trim_start()) + "\n").collect()
}

/// Returns a line of styles without insignificant spaces. Before a colon a space is significant: `a :hover` is not
/// `a:hover`.
fn tightened(code: &str) -> String {
    let pairs = [(": ", ":"), ("; ", ";"), (", ", ","), (" {", "{"), ("{ ", "{"), (" }", "}")];
    pairs.iter().fold(code.to_owned(), |code, (loose, tight)| code.replace(loose, tight))
}

/// Returns styles without insignificant line breaks, blank lines and last semicolons.
fn joined(styles: &str) -> String {
    let mut joined = String::with_capacity(styles.len());
    for line in styles.lines().filter(|line| !line.is_empty()) {
        if line.starts_with('}') {
            joined.truncate(joined.trim_end_matches(['\n', ';']).len());
        }
        joined.push_str(line);
        if !line.ends_with(['{', '}', ';', ',']) {
            joined.push('\n');
        }
    }
    joined
}

/// Returns the line without comments. `within` says whether a comment from an earlier line continues.
fn code_of<'a>(line: &'a str, within: &mut bool) -> &'a str {
    let bare = line.trim();
    if *within {
        let Some((_, code)) = bare.split_once("*/") else { return "" };
        *within = false;
        return code;
    }
    match bare.strip_prefix("/*").map(|comment| comment.split_once("*/")) {
        Some(None) => {
            *within = true;
            ""
        }
        Some(Some((_, ""))) => "",
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compressed_files;
    use std::fs;
    use std::path::Path;

    #[test]
    fn keeps_double_slashes_in_styles_and_other_files_unchanged() {
        assert_eq!(without_comments("/* Why. */\na { b: url(\n//x\n) }\n"), "\na{b:url(\n//x\n)}\n");
        assert_eq!(
            without_comments("  .a :hover, .b > c { margin: 0 calc(1px + 2px); grid: \"x y\" 1fr / 2fr; }\n"),
            ".a :hover,.b > c{margin:0 calc(1px + 2px);grid:\"x y\" 1fr / 2fr;}\n"
        );
        let picture = Cow::Borrowed("<svg>\n  <!-- // -->\n</svg>\n".as_bytes());
        assert_eq!(minify("icons/icon.svg", picture.clone()), picture);
    }

    #[test]
    fn removes_insignificant_line_breaks_from_styles() {
        let styles = "@layer game {\n\n  .a,\n  .b\n  .c {\n    color: red;\n    \
            margin: 0;\n  }\n  /* Why. */\n  d { e: f }\n}\n";
        let sent = minify("a.css", Cow::Borrowed(styles.as_bytes()));
        assert_eq!(sent, "@layer game{.a,.b\n.c{color:red;margin:0}d{e:f}}".as_bytes());
    }

    #[test]
    fn removes_white_space_outside_strings_from_catalogues() {
        let json = "{\n  \"a\": { \"one\": \"  //  \" },\n  \"b\": \"{x} \\n\"\n}\n";
        let minified = minify("i18n/en.json", Cow::Borrowed(json.as_bytes()));
        assert_eq!(minified, "{\"a\":{\"one\":\"  //  \"},\"b\":\"{x} \\n\"}".as_bytes());
        let quotes = r#"[ "\"a\\", "b c" ]"#;
        assert_eq!(compact_json(quotes), r#"["\"a\\","b c"]"#);
    }

    /// Since styles are handled line by line, no text in them may look like a comment or contain insignificant spaces.
    #[test]
    fn no_text_in_styles_is_changed() {
        let web = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"));
        let styles = compressed_files(web).unwrap();
        let styles: Vec<_> = styles.iter().filter(|path| path.ends_with(".css")).collect();
        assert!(styles.len() > 10, "found only {styles:?}");
        for path in styles {
            let minified = without_comments(&fs::read_to_string(web.join(path)).unwrap());
            for (i, line) in minified.lines().enumerate() {
                let at = format!("{path}:{}: {line}", i + 1);
                let opened = line.rfind("/*").is_some_and(|begin| !line[begin..].contains("*/"));
                assert!(!opened, "a comment begins after code and continues on the next line: {at}");
                let mut texts = line.split('"').skip(1).step_by(2);
                assert!(!texts.any(|text| tightened(text) != *text), "a text contains significant spaces: {at}");
            }
        }
    }
}
