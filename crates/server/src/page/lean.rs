//! Removes what only readers of the source need: comments, type casts, indentation, and line breaks of styles and
//! catalogues. That is a fifth of the transferred bytes. It handles lines instead of parsing JavaScript: it removes
//! comments that begin a line, and JSDoc comments within a line.

use std::borrow::Cow;

/// Returns the file to send. Lines of scripts keep their numbers, so that an error names the line of the source.
pub fn lean(path: &str, data: Cow<'static, [u8]>) -> Cow<'static, [u8]> {
    let Ok(text) = std::str::from_utf8(&data) else { return data };
    let lean = match path.rsplit_once('.') {
        Some((_, "js")) => without_comments(text, true),
        Some((_, "css")) => joined(&without_comments(text, false)),
        Some((_, "json")) => compact_json(text),
        _ => return data,
    };
    Cow::Owned(lean.into_bytes())
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

fn without_comments(text: &str, script: bool) -> String {
    let mut lean = String::with_capacity(text.len());
    let mut within = false;
    for line in text.lines() {
        let code = code_of(line, script, &mut within).trim_start();
        if script {
            push_without_casts(&mut lean, &with_tight_braces(code))
        } else {
            lean.push_str(&tightened(code))
        }
        lean.push('\n');
    }
    lean
}

/// Returns a line of styles without insignificant spaces. Before a colon a space is significant: `a :hover` is not
/// `a:hover`.
fn tightened(code: &str) -> String {
    let pairs = [(": ", ":"), ("; ", ";"), (", ", ","), (" {", "{"), ("{ ", "{"), (" }", "}")];
    pairs.iter().fold(code.to_owned(), |code, (loose, tight)| code.replace(loose, tight))
}

/// Returns a line of a script without the spaces inside braces. Imports and exports keep the form that
/// [`super::modules`] reads.
fn with_tight_braces(code: &str) -> Cow<'_, str> {
    if code.starts_with("import") || code.starts_with("export") {
        return code.into();
    }
    code.replace("{ ", "{").replace(" }", "}").into()
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
fn code_of<'a>(line: &'a str, script: bool, within: &mut bool) -> &'a str {
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
        // A cast before an expression, or no comment at all.
        _ if script && bare.starts_with("//") => "",
        _ => line,
    }
}

/// Appends a line without its type casts: JSDoc comments that only the type checker needs.
fn push_without_casts(lean: &mut String, mut code: &str) {
    while let Some((before, (_, after))) =
        code.split_once("/** ").and_then(|(before, rest)| Some((before, rest.split_once(" */")?)))
    {
        lean.push_str(before);
        code = after.strip_prefix(' ').unwrap_or(after);
    }
    lean.push_str(code);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    #[test]
    fn comments_that_begin_their_line_go_and_lines_stay() {
        let source = "// Why.\n/**\n * @param {string} x\n */\nconst a = 1; // Kept.\n  /** One line. */\n  /** @type {any} */ (b).c = 'http://x';\n/* Two\n lines. */ go();\n";
        let lean = without_comments(source, true);
        assert_eq!(lean, "\n\n\n\nconst a = 1; // Kept.\n\n(b).c = 'http://x';\n\ngo();\n");
    }

    #[test]
    fn casts_and_indentation_go_too() {
        let source = "  f((/** @type {Event} */ event) => /** @type {any} */ (event).x, 2 /* Kept. */);\n";
        assert_eq!(without_comments(source, true), "f((event) => (event).x, 2 /* Kept. */);\n");
    }

    #[test]
    fn braces_of_scripts_are_tight_but_for_imports() {
        let source = "import { a } from './a.js';\nf({ a, b: { c } });\n";
        assert_eq!(without_comments(source, true), "import { a } from './a.js';\nf({a, b: {c}});\n");
    }

    /// Spaces inside braces are insignificant in code, but not in string literals.
    #[test]
    fn no_text_of_the_page_has_a_space_inside_a_brace() {
        let mut files = Vec::new();
        sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web")), &mut files);
        let mut texts = 0;
        for file in files.iter().filter(|file| file.extension().is_some_and(|kind| kind == "js")) {
            let source = fs::read_to_string(file).unwrap();
            let mut within = false;
            for line in source.lines() {
                for text in texts_of(code_of(line, true, &mut within)) {
                    texts += 1;
                    let spaced = text.contains("{ ") || text.contains(" }");
                    assert!(!spaced, "{}: {text:?} in {line}", file.display());
                }
            }
        }
        assert!(texts > 1000, "the texts should be found: {texts}");
    }

    /// Returns the string literals of a line; of a template literal, the parts between its expressions.
    fn texts_of(code: &str) -> Vec<String> {
        let mut texts = Vec::new();
        let mut open: Option<(char, String)> = None;
        // Number of open braces within an expression of a template literal.
        let mut depth = 0;
        let mut letters = code.chars();
        while let Some(letter) = letters.next() {
            match &mut open {
                None if matches!(letter, '\'' | '"' | '`') => open = Some((letter, String::new())),
                None => {}
                Some(_) if depth > 0 => depth += i32::from(letter == '{') - i32::from(letter == '}'),
                Some((quote, _)) if letter == *quote => texts.extend(open.take().map(|(_, text)| text)),
                Some(('`', text)) if letter == '{' && text.ends_with('$') => depth = 1,
                Some((_, text)) => {
                    text.push(letter);
                    if letter == '\\' {
                        text.extend(letters.next());
                    }
                }
            }
        }
        texts
    }

    #[test]
    fn styles_have_no_comments_of_one_slash_pair_and_other_files_stay() {
        assert_eq!(without_comments("/* Why. */\na { b: url(\n//x\n) }\n", false), "\na{b:url(\n//x\n)}\n");
        assert_eq!(
            without_comments(
                "  .a :hover, .b > c { margin: 0 calc(1px + 2px); grid: \"x y\" 1fr / 2fr; }\n",
                false
            ),
            ".a :hover,.b > c{margin:0 calc(1px + 2px);grid:\"x y\" 1fr / 2fr;}\n"
        );
        let picture = Cow::Borrowed("<svg>\n  <!-- // -->\n</svg>\n".as_bytes());
        assert_eq!(lean("icons/icon.svg", picture.clone()), picture);
    }

    #[test]
    fn styles_are_joined_where_a_line_break_means_nothing() {
        let styles = "@layer game {\n\n  .a,\n  .b\n  .c {\n    color: red;\n    margin: 0;\n  }\n  /* Why. */\n  d { e: f }\n}\n";
        let sent = lean("a.css", Cow::Borrowed(styles.as_bytes()));
        assert_eq!(sent, "@layer game{.a,.b\n.c{color:red;margin:0}d{e:f}}".as_bytes());
    }

    #[test]
    fn catalogues_lose_the_white_space_outside_their_strings() {
        let json = "{\n  \"a\": { \"one\": \"  //  \" },\n  \"b\": \"{x} \\n\"\n}\n";
        let lean = lean("i18n/en.json", Cow::Borrowed(json.as_bytes()));
        assert_eq!(lean, "{\"a\":{\"one\":\"  //  \"},\"b\":\"{x} \\n\"}".as_bytes());
        let quotes = r#"[ "\"a\\", "b c" ]"#;
        assert_eq!(compact_json(quotes), r#"["\"a\\","b c"]"#);
    }

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = entry.file_name().unwrap().to_string_lossy().into_owned();
            if entry.is_dir() && !["tests", "node_modules"].contains(&name.as_str()) {
                sources(&entry, found);
            } else if name.ends_with(".js") || name.ends_with(".css") {
                found.push(entry);
            }
        }
    }

    /// Since `lean` handles lines only, no text of the page may look like a comment without being one.
    #[test]
    fn the_page_has_no_text_over_several_lines_in_which_a_comment_could_seem_to_begin() {
        let mut files = Vec::new();
        sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web")), &mut files);
        assert!(files.len() > 40, "the page should be found");
        for file in files {
            let script = file.extension().is_some_and(|kind| kind == "js");
            for (i, line) in without_comments(&fs::read_to_string(&file).unwrap(), script).lines().enumerate()
            {
                let at = format!("{}:{}: {line}", file.display(), i + 1);
                assert!(line.matches('`').count() % 2 == 0, "a template over several lines: {at}");
                let opened = line.rfind("/*").is_some_and(|begin| !line[begin..].contains("*/"));
                assert!(!opened, "a comment that begins after code and goes on: {at}");
                assert!(!line.contains("/**"), "a text that looks like a cast: {at}");
                let texts: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
                assert!(
                    script || !texts.iter().any(|text| tightened(text) != **text),
                    "a text with spaces of its own: {at}"
                );
            }
        }
    }
}
