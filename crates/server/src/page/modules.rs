//! One module of the page as text: its imports and exports, and its other lines. It handles lines instead of parsing
//! JavaScript: an import or export is on a line of its own, as all of the page's are, and anything else is reported
//! instead of guessed.

use std::collections::BTreeSet;

/// The imports, exports and other lines of a module.
pub struct Module {
    /// Static imports: the path of each module, and the imported names as a destructuring pattern (empty if it is
    /// imported only to run).
    pub imports: Vec<(String, String)>,
    /// Dynamic imports.
    pub later: BTreeSet<String>,
    /// The exported names, and what each refers to.
    pub exports: Vec<(String, Export)>,
    /// The lines that are neither empty nor imports, with their numbers from 0.
    pub lines: Vec<(usize, String)>,
}

/// What an exported name refers to.
#[derive(Debug, PartialEq)]
pub enum Export {
    /// An item of this module with the same name.
    Own,
    /// An export of another module with the same name.
    Of(String),
}

/// The code before the path of a dynamic import.
pub const LATER: &str = "import('";

impl Module {
    /// Reads a module without comments. Fails with the file and line of what cannot be read.
    pub fn read(path: &str, text: &str) -> Result<Module, String> {
        let mut module =
            Module { imports: Vec::new(), later: BTreeSet::new(), exports: Vec::new(), lines: Vec::new() };
        for (number, line) in text.lines().enumerate() {
            let unknown = || format!("{path}:{}: cannot be joined with other modules: {line}", number + 1);
            if let Some(import) = line.strip_prefix("import ") {
                module.import(path, import).ok_or_else(unknown)?;
            } else if let Some(export) = line.strip_prefix("export ") {
                if let Some(code) = module.export(path, export).ok_or_else(unknown)? {
                    module.lines.push((number, code));
                }
            } else if !line.is_empty() {
                module.lines.push((number, line.to_owned()));
            }
        }
        for (_, line) in &module.lines {
            let later = line.split(LATER).skip(1).filter_map(|rest| rest.split_once('\''));
            module.later.extend(later.map(|(wanted, _)| beside(path, wanted)));
        }
        Ok(module)
    }

    fn import(&mut self, path: &str, text: &str) -> Option<()> {
        let (names, wanted) = match text.split_once(" from ") {
            Some((names, wanted)) => (pattern(names)?, wanted),
            None => (String::new(), text),
        };
        self.imports.push((beside(path, quoted(wanted)?), names));
        Some(())
    }

    /// Reads an export. Returns the rest of the line if it is a declaration.
    fn export(&mut self, path: &str, text: &str) -> Option<Option<String>> {
        if let Some(list) = text.strip_prefix("{ ") {
            let (names, rest) = list.split_once(" }")?;
            let other = match rest.strip_prefix(" from ") {
                Some(wanted) => Some(beside(path, quoted(wanted)?)),
                None => (rest == ";").then_some(None)?,
            };
            if let Some(other) = &other {
                self.imports.push((other.clone(), String::new()));
            }
            for name in names.split(", ") {
                let stands_for = other.clone().map_or(Export::Own, Export::Of);
                self.exports.push((is_name(name).then(|| name.to_owned())?, stands_for));
            }
            return Some(None);
        }
        // An export that can be reassigned would have to be looked up on each use, so it is not supported.
        let declared = ["const ", "function ", "async function ", "class "]
            .iter()
            .find_map(|kind| text.strip_prefix(kind))?;
        let name: String = declared.chars().take_while(|letter| is_name(&letter.to_string())).collect();
        (!name.is_empty()).then(|| self.exports.push((name, Export::Own)))?;
        Some(Some(text.to_owned()))
    }
}

/// Converts the names of an import, such as `{ a, b as c }`, to a destructuring pattern. `* as name` becomes the name.
fn pattern(names: &str) -> Option<String> {
    if let Some(name) = names.strip_prefix("* as ") {
        return is_name(name).then(|| name.to_owned());
    }
    let names = names.strip_prefix("{ ")?.strip_suffix(" }")?;
    Some(format!("{{{}}}", names.replace(" as ", ":").replace(", ", ",")))
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix("'")?.strip_suffix("';")
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_$".contains(letter))
}

/// Resolves `wanted` relative to the file `path`. Both are below `web/`.
pub fn beside(path: &str, wanted: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in wanted.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the path of the file `other` relative to the file `path`.
pub fn relative(path: &str, other: &str) -> String {
    let folders = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
    let (from, to) = (folders(path), folders(other));
    let shared = from[..from.len() - 1].iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = from.len() - 1 - shared;
    let before = if up == 0 { "./".to_owned() } else { "../".repeat(up) };
    before + &to[shared..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_says_what_it_imports_and_exports() {
        let text = "\nimport { a, b as c } from './x.js';\nimport * as d from '../y.js';\nimport './z.js';\n\nexport const one = 1;\nexport async function two() {\nawait import('./later.js');\n}\nexport { three };\nexport { four, five } from './w.js';\n";
        let module = Module::read("screens/here.js", text).unwrap();
        let import = |path: &str, names: &str| (path.to_owned(), names.to_owned());
        assert_eq!(
            module.imports,
            [
                import("screens/x.js", "{a,b:c}"),
                import("y.js", "d"),
                import("screens/z.js", ""),
                import("screens/w.js", "")
            ]
        );
        assert_eq!(module.later, BTreeSet::from(["screens/later.js".to_owned()]));
        let of = || Export::Of("screens/w.js".to_owned());
        let exports: Vec<_> = module.exports.iter().map(|(name, what)| (name.as_str(), what)).collect();
        assert_eq!(
            exports,
            [
                ("one", &Export::Own),
                ("two", &Export::Own),
                ("three", &Export::Own),
                ("four", &of()),
                ("five", &of())
            ]
        );
        assert_eq!(module.lines[0], (5, "const one = 1;".to_owned()));
        assert_eq!(module.lines.len(), 4, "{:?}", module.lines);
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_line() {
        for line in [
            "export let changing = 1;",
            "export default 1;",
            "export * from './x.js';",
            "import x from './x.js';",
            "import {",
            "export const { a } = b;",
        ] {
            let refused =
                Module::read("a.js", &format!("\n{line}\n")).err().expect("a line that is not known");
            assert!(refused.starts_with("a.js:2: ") && refused.ends_with(line), "{refused}");
        }
    }

    #[test]
    fn paths_lead_from_one_file_to_another_and_back() {
        for (from, to, name) in [
            ("main.js", "dom.js", "./dom.js"),
            ("main.js", "games/towers/index.js", "./games/towers/index.js"),
            ("games/towers/end.js", "main.js", "../../main.js"),
            ("games/towers/end.js", "games/towers/index.js", "./index.js"),
            ("games/towers/end.js", "games/index.js", "../index.js"),
            ("past/more.js", "screens/ending.js", "../screens/ending.js"),
        ] {
            assert_eq!(relative(from, to), name);
            assert_eq!(beside(from, name), to);
        }
    }
}
