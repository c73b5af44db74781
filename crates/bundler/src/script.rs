//! Scripts without comments and insignificant spaces. It reads tokens only as far as it must to leave strings, template
//! literals and regular expressions unchanged. Each line of the source is one line of the result.

/// Returns the script to send. Lines keep their numbers, so that an error names the line of the source. Imports and
/// lists of exports keep the form that [`crate::module`] reads.
pub fn minified(text: &str) -> String {
    let mut within = false;
    text.lines().map(|line| minified_line(line, &mut within) + "\n").collect()
}

/// Returns whether the line break between two lines of a chunk can be left out. It can where the first line cannot end
/// a statement, or the second cannot begin one.
pub fn joins(line: &str, next: &str) -> bool {
    let (Some(last), Some(first)) = (line.chars().next_back(), next.chars().next()) else { return true };
    if ["++", "--"].iter().any(|both| line.ends_with(both) || next.starts_with(both)) || needs_space(last, first) {
        return false;
    }
    let continues = || {
        let word = line.rsplit(|letter| !is_word(letter)).next().unwrap_or_default();
        let ends = ["return", "throw", "break", "continue", "yield", "async"].contains(&word);
        !ends && ")]},;.?:&|=<>%^*([`/+-".contains(first)
    };
    ";,{([=>&|?:+-*%<!~^".contains(last) || continues()
}

/// Returns whether the last character of a line can be left out because of the next line: a comma before a closing
/// bracket, or a semicolon before a closing brace.
pub fn ends_needlessly(line: &str, next: &str) -> bool {
    line.ends_with(',') && next.starts_with([')', ']', '}']) || line.ends_with(';') && next.starts_with('}')
}

/// `within` says whether a comment from an earlier line continues.
fn minified_line(line: &str, within: &mut bool) -> String {
    let bare = line.trim();
    if !*within && ["import ", "export {", "} from "].iter().any(|list| bare.starts_with(list)) {
        return bare.to_owned();
    }
    let mut reader = Reader { rest: line, minified: String::new() };
    if *within && !reader.skip_past("*/") {
        return String::new();
    }
    *within = !reader.code(false);
    reader.minified
}

/// Returns whether two characters would become one token without a space between them.
fn needs_space(last: char, first: char) -> bool {
    match last {
        '+' | '-' => first == last,
        '/' => first == '/' || first == '*',
        '0'..='9' if first == '.' => true,
        _ => is_word(last) && is_word(first),
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// Reads one line.
struct Reader<'a> {
    rest: &'a str,
    minified: String,
}

impl Reader<'_> {
    /// Copies code up to the end of the line, or to the closing brace that ends an expression of a template literal.
    /// Returns whether it was complete: `false` if a comment continues on the next line.
    fn code(&mut self, in_template: bool) -> bool {
        let mut depth = 0;
        let mut spaced = false;
        while let Some(letter) = self.rest.chars().next() {
            if letter.is_whitespace() {
                self.rest = &self.rest[letter.len_utf8()..];
                spaced = true;
                continue;
            }
            if self.rest.starts_with("//") {
                return true;
            }
            if self.rest.starts_with("/*") {
                if !self.skip_past("*/") {
                    return false;
                }
                spaced = true;
                continue;
            }
            if std::mem::take(&mut spaced)
                && self.minified.chars().next_back().is_some_and(|last| needs_space(last, letter))
            {
                self.minified.push(' ');
            }
            match letter {
                '\'' | '"' => self.literal(letter),
                '`' => self.template(),
                '/' if self.begins_expression() => self.regular_expression(),
                '}' if in_template && depth == 0 => {
                    self.copy();
                    return true;
                }
                _ => {
                    depth += i32::from(letter == '{') - i32::from(letter == '}');
                    self.copy();
                }
            }
        }
        true
    }

    /// Copies one character.
    fn copy(&mut self) {
        let mut letters = self.rest.chars();
        self.minified.extend(letters.next());
        self.rest = letters.as_str();
    }

    /// Copies a string with these quotes.
    fn literal(&mut self, quote: char) {
        self.copy();
        while let Some(letter) = self.rest.chars().next() {
            self.copy();
            match letter {
                '\\' => self.copy(),
                letter if letter == quote => return,
                _ => {}
            }
        }
    }

    /// Copies a template literal. The code of its expressions is minified too.
    fn template(&mut self) {
        self.copy();
        while let Some(letter) = self.rest.chars().next() {
            if self.rest.starts_with("${") {
                self.copy();
                self.copy();
                self.code(true);
                continue;
            }
            self.copy();
            match letter {
                '\\' => self.copy(),
                '`' => return,
                _ => {}
            }
        }
    }

    /// Copies a regular expression. A slash in a character class does not end it.
    fn regular_expression(&mut self) {
        self.copy();
        let mut in_class = false;
        while let Some(letter) = self.rest.chars().next() {
            self.copy();
            match letter {
                '\\' => self.copy(),
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => return,
                _ => {}
            }
        }
    }

    /// Returns whether an expression can begin here, so that a slash is no division.
    fn begins_expression(&self) -> bool {
        let before = self.minified.trim_end();
        let word = before.rsplit(|letter| !is_word(letter)).next().unwrap_or_default();
        match before.chars().next_back() {
            Some(last) if is_word(last) => {
                ["return", "typeof", "case", "in", "of", "void", "await", "else", "throw"].contains(&word)
            }
            Some(last) => !")]}\'\"`/".contains(last),
            None => true,
        }
    }

    /// Skips everything up to the end of this text. Returns whether it was found.
    fn skip_past(&mut self, text: &str) -> bool {
        let found = self.rest.split_once(text).map(|(_, rest)| rest);
        self.rest = found.unwrap_or_default();
        found.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compressed_files;
    use std::fs;
    use std::path::Path;

    #[test]
    fn removes_comments_but_keeps_line_numbers() {
        let source = "// Why.\n/**\n * @param {string} x\n */\n\
            const a = 1; // Why.\n  /** One line. */\n  /** @type {any} */ (b).c = 'http://x';\n\
            /* Two\n lines. */ go();\nf(/* Two\n lines. */ 1);\n";
        assert_eq!(minified(source), "\n\n\n\nconst a=1;\n\n(b).c='http://x';\n\ngo();\nf(\n1);\n");
    }

    #[test]
    fn removes_insignificant_spaces() {
        for (line, short) in [
            ("  f((/** @type {Event} */ event) => event.x, { a: [1, 2] });", "f((event)=>event.x,{a:[1,2]});"),
            ("export const a = async (b) => await b;", "export const a=async(b)=>await b;"),
            ("if (a in b) return 'x';", "if(a in b)return'x';"),
            ("a = b + +c - -d + e++ + f;", "a=b+ +c- -d+e++ +f;"),
            ("const ä = 1 .toFixed();", "const ä=1 .toFixed();"),
        ] {
            assert_eq!(minified_line(line, &mut false), short);
        }
    }

    #[test]
    fn keeps_texts_and_regular_expressions() {
        for (line, short) in [
            (r#"f('a  b', "c  // d", 'e \' /* f */');"#, r#"f('a  b',"c  // d",'e \' /* f */');"#),
            ("f(`a  ${ b + `c  ${ { d: 1 }.d }` }  // e`);", "f(`a  ${b+`c  ${{d:1}.d}`}  // e`);"),
            ("a.match(/[/ '] {2}\\/ /g, b / c / d);", "a.match(/[/ '] {2}\\/ /g,b/c/d);"),
            ("return / a'/.test(b) ? (c) / 2 : d[0] / 2;", "return/ a'/.test(b)?(c)/2:d[0]/2;"),
        ] {
            assert_eq!(minified_line(line, &mut false), short);
        }
    }

    #[test]
    fn keeps_imports_and_lists_of_exports() {
        for line in ["import { a } from './a.js';", "export { a, b };", "} from './a.js';"] {
            assert_eq!(minified_line(line, &mut false), line);
        }
    }

    #[test]
    fn joins_lines_where_no_statement_can_end() {
        for (line, next) in [
            ("a=", "b;"),
            ("f(", "a,"),
            ("a", ".b"),
            ("a", "?b"),
            ("(a)=>", "b"),
            ("a", "+b"),
            ("}", ")"),
            ("a;", "b;"),
        ] {
            assert!(joins(line, next), "{line} | {next}");
        }
        for (line, next) in [
            ("a", "b"),
            ("f()", "g()"),
            ("a", "++b"),
            ("a++", "+b"),
            ("a+", "+b"),
            ("return", "(a)"),
            ("}", "a"),
            ("a", "{"),
        ] {
            assert!(!joins(line, next), "{line} | {next}");
        }
    }

    #[test]
    fn leaves_out_commas_and_semicolons_before_closing_brackets() {
        for (line, next) in [("a,", ")"), ("b:1,", "});"), ("c,", "],"), ("f();", "}")] {
            assert!(joins(line, next) && ends_needlessly(line, next), "{line} | {next}");
        }
        for (line, next) in [("a,", "b)"), ("a;", ")"), ("f();", "g();"), ("a", "}")] {
            assert!(!ends_needlessly(line, next), "{line} | {next}");
        }
    }

    /// Without its semicolon, a loop with an empty body would not end before the closing brace.
    #[test]
    fn no_loop_of_the_page_has_an_empty_body() {
        let web = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"));
        for path in compressed_files(web).unwrap().iter().filter(|path| path.ends_with(".js")) {
            let script = minified(&fs::read_to_string(web.join(path)).unwrap());
            // The end of `do { … } while (…);` needs no semicolon.
            for (i, line) in script.lines().enumerate().filter(|(_, line)| !line.starts_with("}while(")) {
                let empty = line.match_indices("while(").chain(line.match_indices("for(")).any(|(begin, _)| {
                    let mut depth = 0;
                    let closing = line[begin..].find(|letter| {
                        depth += i32::from(letter == '(') - i32::from(letter == ')');
                        letter == ')' && depth == 0
                    });
                    closing.is_some_and(|closing| &line[begin + closing..] == ");")
                });
                assert!(!empty, "{path}:{}: {line}", i + 1);
            }
        }
    }

    /// A template literal that spans lines would lose its line breaks and indentation.
    #[test]
    fn no_template_literal_of_the_page_spans_lines() {
        let web = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"));
        let scripts = compressed_files(web).unwrap();
        let scripts: Vec<_> = scripts.iter().filter(|path| path.ends_with(".js")).collect();
        assert!(scripts.len() > 40, "found only {scripts:?}");
        for path in scripts {
            for (i, line) in minified(&fs::read_to_string(web.join(path)).unwrap()).lines().enumerate() {
                assert!(line.matches('`').count() % 2 == 0, "{path}:{}: {line}", i + 1);
            }
        }
    }
}
