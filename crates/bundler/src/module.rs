//! One module of the page as text: its imports and exports, and its other lines. It handles lines instead of parsing
//! JavaScript: an import or export begins a line and has no other code beside it, as all of the page's are. Only a list
//! of names in braces may span several lines. Anything else is reported instead of guessed.

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
        let mut module = Module { imports: Vec::new(), later: BTreeSet::new(), exports: Vec::new(), lines: Vec::new() };
        let mut lines = text.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            let unknown = || format!("{path}:{}: cannot be joined with other modules: {line}", number + 1);
            let mut statement = line.to_owned();
            if ["import {", "export {"].iter().any(|list| line.starts_with(list)) {
                while !statement.ends_with(';') {
                    let (_, rest) = lines.next().ok_or_else(unknown)?;
                    statement = statement + " " + rest;
                }
            }
            if let Some(import) = statement.strip_prefix("import ") {
                module.import(path, import).ok_or_else(unknown)?;
            } else if let Some(export) = statement.strip_prefix("export ") {
                if let Some(code) = module.export(path, export).ok_or_else(unknown)? {
                    module.lines.push((number, code));
                }
            } else if !line.is_empty() {
                module.lines.push((number, statement));
            }
        }
        for (_, line) in &module.lines {
            let later = line.split(LATER).skip(1).filter_map(|rest| rest.split_once('\''));
            module.later.extend(later.map(|(wanted, _)| beside(path, wanted)));
        }
        Ok(module)
    }

    fn import(&mut self, path: &str, text: &str) -> Option<()> {
        let (names, wanted) = match text.rsplit_once(" from ") {
            Some((names, wanted)) => (pattern(names)?, wanted),
            None => (String::new(), text),
        };
        self.imports.push((beside(path, quoted(wanted)?), names));
        Some(())
    }

    /// Reads an export. Returns the rest of the line if it is a declaration.
    fn export(&mut self, path: &str, text: &str) -> Option<Option<String>> {
        if text.starts_with('{') {
            let (list, other) = match text.rsplit_once(" from ") {
                Some((list, wanted)) => (list, Some(beside(path, quoted(wanted)?))),
                None => (text.strip_suffix(';')?, None),
            };
            if let Some(other) = &other {
                self.imports.push((other.clone(), String::new()));
            }
            for name in names_in(list)? {
                let stands_for = other.clone().map_or(Export::Own, Export::Of);
                self.exports.push((is_name(name).then(|| name.to_owned())?, stands_for));
            }
            return Some(None);
        }
        // An export that can be reassigned would have to be looked up on each use, so it is not supported.
        let declared =
            ["const ", "function ", "async function ", "class "].iter().find_map(|kind| text.strip_prefix(kind))?;
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
    let bindings = names_in(names)?.into_iter().map(|name| match name.split_once(" as ") {
        Some((name, here)) => (is_name(name) && is_name(here)).then(|| format!("{name}:{here}")),
        None => is_name(name).then(|| name.to_owned()),
    });
    Some(format!("{{{}}}", bindings.collect::<Option<Vec<_>>>()?.join(",")))
}

/// Splits a list in braces, in which a comma may follow the last name.
fn names_in(list: &str) -> Option<Vec<&str>> {
    let names = list.strip_prefix('{')?.strip_suffix('}')?.trim();
    Some(names.strip_suffix(',').unwrap_or(names).split(',').map(str::trim).collect())
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
    fn reads_imports_and_exports_of_a_module() {
        let text = "\nimport { a, b as c } from './x.js';\nimport * as d from '../y.js';\nimport './z.js';\n\n\
            export const one = 1;\nexport async function two() {\nawait import('./later.js');\n}\n\
            export { three };\nexport { four, five } from './w.js';\n";
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
            [("one", &Export::Own), ("two", &Export::Own), ("three", &Export::Own), ("four", &of()), ("five", &of())]
        );
        assert_eq!(module.lines[0], (5, "const one = 1;".to_owned()));
        assert_eq!(module.lines.len(), 4, "{:?}", module.lines);
    }

    #[test]
    fn reads_lists_of_several_lines() {
        let text = "import {\na,\nb as c,\n} from './x.js';\nimport { d,\n\ne } from './y.js';\n\
            go();\nexport {\nf,\ng\n};\nexport {\nh,\n} from './z.js';\nend();\n";
        let module = Module::read("here.js", text).unwrap();
        let import = |path: &str, names: &str| (path.to_owned(), names.to_owned());
        assert_eq!(module.imports, [import("x.js", "{a,b:c}"), import("y.js", "{d,e}"), import("z.js", "")]);
        let own = |name: &str| (name.to_owned(), Export::Own);
        assert_eq!(module.exports, [own("f"), own("g"), ("h".to_owned(), Export::Of("z.js".to_owned()))]);
        assert_eq!(module.lines, [(7, "go();".to_owned()), (15, "end();".to_owned())]);
    }

    #[test]
    fn reports_unsupported_lines_with_their_number() {
        for line in [
            "export let changing = 1;",
            "export default 1;",
            "export * from './x.js';",
            "import x from './x.js';",
            "import {",
            "import { } from './x.js';",
            "import { a, , b } from './x.js';",
            "import { a b } from './x.js';",
            "import { a } from './x.js'; go();",
            "export { a as b };",
            "export { a }; go();",
            "export {",
            "export const { a } = b;",
        ] {
            let refused = Module::read("a.js", &format!("\n{line}\n")).err().expect("an unsupported line");
            assert!(refused.starts_with("a.js:2: ") && refused.ends_with(line), "{refused}");
        }
    }

    #[test]
    fn resolves_relative_paths_in_both_directions() {
        for (from, to, name) in [
            ("main.js", "dom.js", "./dom.js"),
            ("main.js", "games/towers/index.js", "./games/towers/index.js"),
            ("games/towers/end.js", "main.js", "../../main.js"),
            ("games/towers/end.js", "games/towers/index.js", "./index.js"),
            ("games/towers/end.js", "games/index.js", "../index.js"),
            ("replay/book.js", "screens/ending.js", "../screens/ending.js"),
        ] {
            assert_eq!(relative(from, to), name);
            assert_eq!(beside(from, name), to);
        }
    }
}
