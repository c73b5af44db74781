//! One module of the page as text: what it imports and what it exports, and its lines without either.
//! It knows lines, not JavaScript: an import or an export begins its line and ends with it, as all of the page's do, and what it does not
//! know it names instead of guessing.

use std::collections::BTreeSet;

/// What a module's text says of others.
pub struct Module {
    /// The modules it imports at once: where each is, and the names it takes, as a pattern of a declaration; none where it only wants it to run.
    pub imports: Vec<(String, String)>,
    /// The modules it imports when it needs them.
    pub later: BTreeSet<String>,
    /// The names it exports, and what each stands for.
    pub exports: Vec<(String, Export)>,
    /// Its lines that are neither empty nor imports, with their numbers from 0.
    pub lines: Vec<(usize, String)>,
}

/// What an exported name stands for.
#[derive(Debug, PartialEq)]
pub enum Export {
    /// Something of its own by the same name.
    Own,
    /// What another module exports by the same name.
    Of(String),
}

/// What stands before the path of a module that is imported later.
pub const LATER: &str = "import('";

impl Module {
    /// Reads a module without its comments. What it cannot read is named, with its line.
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

    /// What is left of the line: the declaration, if it is one.
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
        // What can be given another value later would have to be looked up each time: there is no such export.
        let declared = ["const ", "function ", "async function ", "class "]
            .iter()
            .find_map(|kind| text.strip_prefix(kind))?;
        let name: String = declared.chars().take_while(|letter| is_name(&letter.to_string())).collect();
        (!name.is_empty()).then(|| self.exports.push((name, Export::Own)))?;
        Some(Some(text.to_owned()))
    }
}

/// `{ a, b as c }` of an import, as what a declaration takes out of an object; `* as name` is all of it.
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

/// The path that `wanted` means in the file `path`; both below `web/`.
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

/// How the file `path` names the file `other`.
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
