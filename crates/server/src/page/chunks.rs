//! Joins the page's modules and styles into few files (bundling, code splitting): one for what every visitor needs, and
//! one for each feature that is loaded on demand. A hundred small files are easy to read but slow to fetch: each costs
//! a request, and they are not compressed together.
//!
//! In a chunk each module is a function that runs once and returns its exports. So its names stay private, and it runs
//! after the modules it imports. A module is in one chunk only, and exists once.

use super::modules::{Export, LATER, Module, beside, relative};
use super::source_map::{Piece, source_map};
use std::collections::{BTreeMap, BTreeSet};

/// Runs before everything else, in a chunk of its own with its imports.
const EARLY: &str = "early.js";
/// The page's entry point.
const MAIN: &str = "main.js";
/// Used by the table of every game, and therefore loaded with the page instead of with each game.
const EVERY_GAME: [&str; 2] = ["offers.js", "won.js"];

/// The styles of every page, in cascade order, and the file they are joined into.
const STYLES: [&str; 3] = ["styles/base.css", "styles/screens.css", "styles/table.css"];
const STYLE: &str = "styles/page.chunk.css";

/// Suffix of a chunk's file, which replaces the `.js` of its first module.
const ENDS: &str = ".chunk.js";
/// Additional suffix of a source map.
const MAP: &str = ".map";

/// Files to send by their paths: chunks and source maps.
pub type Chunks = BTreeMap<String, String>;

/// Returns all chunks of the page. `read` returns the text of a file without comments, by its path.
pub fn chunks(read: impl Fn(&str) -> Option<String>) -> Result<Chunks, String> {
    let graph = Graph::of(&read)?;
    let mut homes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for path in graph.in_order()? {
        homes.entry(graph.home(path)).or_default().push(path);
    }
    let mut chunks = Chunks::new();
    for (home, paths) in &homes {
        let (code, map) = graph.join(home, paths)?;
        chunks.insert(file(home), code);
        chunks.insert(file(home) + MAP, map);
    }
    let styles = STYLES.map(|path| read(path).ok_or_else(|| format!("there is no stylesheet {path}")));
    chunks.insert(STYLE.to_owned(), styles.into_iter().collect::<Result<_, _>>()?);
    Ok(chunks)
}

/// Returns the file of the chunk with this first module.
fn file(head: &str) -> String {
    head.strip_suffix(".js").unwrap_or(head).to_owned() + ENDS
}

/// Returns the name of a module in chunks.
fn name(path: &str) -> String {
    format!("${}", path.strip_suffix(".js").unwrap_or(path).replace('/', "_"))
}

type Paths = BTreeSet<String>;

/// The page's modules, and which of them are loaded when.
struct Graph {
    modules: BTreeMap<String, Module>,
    /// For each entry point of a chunk, all modules it depends on.
    reach: BTreeMap<String, Paths>,
    /// For each entry point, the modules that are certainly loaded before it.
    before: BTreeMap<String, Paths>,
}

impl Graph {
    fn of(read: impl Fn(&str) -> Option<String>) -> Result<Graph, String> {
        let mut modules = BTreeMap::new();
        let mut heads = Paths::from([EARLY.to_owned(), MAIN.to_owned()]);
        let mut open: Vec<String> = heads.iter().cloned().chain(EVERY_GAME.map(str::to_owned)).collect();
        while let Some(path) = open.pop() {
            if modules.contains_key(&path) {
                continue;
            }
            let text = read(&path).ok_or_else(|| format!("there is no module {path}"))?;
            let module = Module::read(&path, &text)?;
            heads.extend(module.later.iter().cloned());
            open.extend(module.imports.iter().map(|(path, _)| path).chain(&module.later).cloned());
            modules.insert(path, module);
        }
        let mut graph = Graph { modules, reach: BTreeMap::new(), before: BTreeMap::new() };
        graph.reach = heads.iter().map(|head| (head.clone(), graph.reached_from(head))).collect();
        graph.before = graph.surely_before();
        Ok(graph)
    }

    fn reached_from(&self, head: &str) -> Paths {
        let mut reached = Paths::new();
        let with = if head == MAIN { &EVERY_GAME[..] } else { &[] };
        let mut open: Vec<&str> = with.iter().copied().chain([head]).collect();
        while let Some(path) = open.pop() {
            if reached.insert(path.to_owned()) {
                open.extend(self.modules[path].imports.iter().map(|(path, _)| path.as_str()));
            }
        }
        reached
    }

    /// Returns for each entry point the modules that are certainly loaded before it: those that every importer brings
    /// along or has loaded before. Starts with all modules and removes some until nothing changes (fixed point).
    fn surely_before(&self) -> BTreeMap<String, Paths> {
        let all: Paths = self.modules.keys().cloned().collect();
        let first = |head: &str| [EARLY, MAIN].contains(&head);
        let begin = |head: &String| (head.clone(), if first(head) { Paths::new() } else { all.clone() });
        let mut before: BTreeMap<String, Paths> = self.reach.keys().map(begin).collect();
        loop {
            let mut next = before.clone();
            for head in self.reach.keys().filter(|head| !first(head)) {
                let mut there = all.clone();
                for (importer, _) in self.modules.iter().filter(|(_, module)| module.later.contains(head)) {
                    for (by, reached) in self.reach.iter().filter(|(_, reached)| reached.contains(importer)) {
                        there.retain(|path| reached.contains(path) || before[by].contains(path));
                    }
                }
                next.insert(head.clone(), there);
            }
            if next == before {
                return before;
            }
            before = next;
        }
    }

    /// Returns the first module of the chunk that contains this module: the only entry point that brings it, or the
    /// module itself if several do.
    fn home(&self, path: &str) -> String {
        if let Some(first) = [EARLY, MAIN].into_iter().find(|head| self.reach[*head].contains(path)) {
            return first.to_owned();
        }
        let brings = |head: &&String| self.reach[*head].contains(path) && !self.before[*head].contains(path);
        match self.reach.keys().filter(brings).collect::<Vec<_>>()[..] {
            [only] if !self.reach.contains_key(path) => only.clone(),
            _ => path.to_owned(),
        }
    }

    /// Returns all modules, each after its imports.
    fn in_order(&self) -> Result<Vec<&str>, String> {
        fn visit<'a>(
            graph: &'a Graph,
            path: &'a str,
            way: &mut Vec<&'a str>,
            order: &mut Vec<&'a str>,
        ) -> Result<(), String> {
            if order.contains(&path) {
                return Ok(());
            }
            if way.contains(&path) {
                return Err(format!("modules import each other in a circle: {} → {path}", way.join(" → ")));
            }
            way.push(path);
            for (import, _) in &graph.modules[path].imports {
                visit(graph, import, way, order)?;
            }
            way.pop();
            order.push(path);
            Ok(())
        }
        let mut order = Vec::new();
        for path in self.modules.keys() {
            visit(self, path, &mut Vec::new(), &mut order)?;
        }
        Ok(order)
    }

    /// Returns the code of a chunk and its source map.
    fn join(&self, home: &str, paths: &[&str]) -> Result<(String, String), String> {
        let mut text = Text::default();
        let imports = paths.iter().flat_map(|path| &self.modules[*path].imports).map(|(path, _)| path);
        let mut others: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for import in imports.filter(|import| self.home(import) != home) {
            others.entry(self.home(import)).or_default().insert(name(import));
        }
        for (other, names) in others {
            let names: Vec<_> = names.into_iter().collect();
            text.push(
                &format!("import{{{}}}from'{}';", names.join(","), relative(home, &file(&other))),
                None,
            );
        }
        for (source, path) in paths.iter().enumerate() {
            let module = &self.modules[*path];
            text.push(&format!("export const {}=(()=>{{", name(path)), None);
            for (import, names) in module.imports.iter().filter(|(_, names)| !names.is_empty()) {
                text.push(&format!("const {names}={};", name(import)), None);
            }
            for (number, line) in &module.lines {
                // `import.meta` depends on the folder of the file that contains it.
                if line.contains("import.meta") && relative(path, home) != format!("./{home}") {
                    return Err(format!(
                        "{path}:{}: import.meta would mean another folder in {home}",
                        number + 1
                    ));
                }
                text.push(&moved(line, path, home), Some((source, *number)));
            }
            let exports = module.exports.iter().map(|(export, what)| match what {
                Export::Own => export.clone(),
                Export::Of(other) => format!("{export}:{}.{export}", name(other)),
            });
            text.push(&format!("return{{{}}}}})();", exports.collect::<Vec<_>>().join(",")), None);
        }
        // Dynamic imports of the first module receive its exports.
        let exports: Vec<_> = self.modules[home].exports.iter().map(|(export, _)| export.as_str()).collect();
        if !exports.is_empty() {
            text.push(&format!("export const{{{}}}={};", exports.join(","), name(home)), None);
        }
        let own = file(home);
        let own = own.rsplit('/').next().unwrap_or(&own);
        text.push(&format!("//# sourceMappingURL={own}{MAP}"), None);
        let sources: Vec<_> = paths.iter().map(|path| relative(home, path)).collect();
        Ok((text.code, source_map(&sources, &text.lines)))
    }
}

/// Returns a line with the paths of its dynamic imports relative to the chunk.
fn moved(line: &str, path: &str, home: &str) -> String {
    let mut parts = line.split(LATER);
    let mut moved = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (wanted, rest) = part.split_once('\'').unwrap_or((part, ""));
        moved += LATER;
        moved += &relative(home, &file(&beside(path, wanted)));
        moved += "'";
        moved += rest;
    }
    moved
}

/// The code of a chunk while it is built.
#[derive(Default)]
struct Text {
    code: String,
    /// The pieces of each line: where each begins, and its line in the source.
    lines: Vec<Vec<Piece>>,
    /// Length of the last line so far in UTF-16 code units, as browsers count, or 0 if the next piece begins a line.
    column: usize,
}

impl Text {
    fn push(&mut self, line: &str, from: Option<(usize, usize)>) {
        if self.column == 0 {
            self.lines.push(Vec::new());
        }
        self.lines.last_mut().expect("begun above").push(Piece { column: self.column, from });
        self.code.push_str(line);
        self.column += line.encode_utf16().count();
        // After these characters the next line can follow directly. Two slashes may begin a comment, which would
        // swallow it.
        if !line.ends_with([';', ',', '{', '(', '[']) || line.contains("//") {
            self.code.push('\n');
            self.column = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn joined(files: &[(&str, &str)]) -> Result<Chunks, String> {
        let always = [EARLY, MAIN].into_iter().chain(EVERY_GAME).chain(STYLES).map(|path| (path, ""));
        let files: Vec<_> = files.iter().copied().chain(always).collect();
        chunks(|path| files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned()))
    }

    fn names(chunks: &Chunks) -> Vec<&str> {
        chunks.keys().filter(|path| path.ends_with(".js")).map(String::as_str).collect()
    }

    #[test]
    fn modules_that_come_together_are_one_file() {
        let chunks = joined(&[
            ("main.js", "import { two as second } from './two.js';\nconsole.log(second);\nvoid import('./lazy/one.js');\n"),
            ("two.js", "export const two = 2;\n"),
            ("lazy/one.js", "import { two } from '../two.js';\nimport { help } from './help.js';\nexport const one = () => help(two);\n"),
            ("lazy/help.js", "export function help(x) {\nreturn x;\n}\n"),
        ])
        .unwrap();
        assert_eq!(names(&chunks), ["early.chunk.js", "lazy/one.chunk.js", "main.chunk.js"]);
        let main = &chunks["main.chunk.js"];
        assert!(main.contains("export const $two=(()=>{const two = 2;return{two}})();"), "{main}");
        assert!(
            main.contains("const {two:second}=$two;console.log(second);void import('./lazy/one.chunk.js');"),
            "{main}"
        );
        assert!(
            main.find("$two=").unwrap() < main.find("$main=").unwrap(),
            "what is imported runs first: {main}"
        );
        assert_eq!(
            chunks["lazy/one.chunk.js"],
            "import{$two}from'../main.chunk.js';export const $lazy_help=(()=>{function help(x) {return x;}\nreturn{help}})();\
             export const $lazy_one=(()=>{const {two}=$two;const {help}=$lazy_help;const one = () => help(two);return{one}})();\
             export const{one}=$lazy_one;//# sourceMappingURL=one.chunk.js.map\n"
        );
    }

    #[test]
    fn what_several_bring_is_a_file_of_its_own_unless_one_is_there_before_the_others() {
        let chunks = joined(&[
            ("main.js", "void import('./a.js');\nvoid import('./b.js');\n"),
            ("a.js", "import './shared.js';\nimport './base.js';\nvoid import('./under.js');\n"),
            ("b.js", "import './shared.js';\n"),
            ("under.js", "import './base.js';\n"),
            ("base.js", ""),
            ("shared.js", ""),
        ])
        .unwrap();
        assert_eq!(
            names(&chunks),
            [
                "a.chunk.js",
                "b.chunk.js",
                "early.chunk.js",
                "main.chunk.js",
                "shared.chunk.js",
                "under.chunk.js"
            ]
        );
        assert!(chunks["a.chunk.js"].contains("$base="));
        assert!(chunks["under.chunk.js"].contains("import{$base}from'./a.chunk.js';"));
    }

    #[test]
    fn styles_follow_each_other() {
        let chunks = joined(&[
            ("styles/table.css", "c{}\n"),
            ("styles/base.css", "a{}\n"),
            ("styles/screens.css", "b{}\n"),
        ]);
        assert_eq!(chunks.unwrap()[STYLE], "a{}\nb{}\nc{}\n");
    }

    #[test]
    fn what_cannot_be_joined_is_said() {
        let circle = joined(&[("main.js", "import './a.js';\n"), ("a.js", "import './main.js';\n")]);
        assert_eq!(circle.unwrap_err(), "modules import each other in a circle: a.js → main.js → a.js");
        let missing = joined(&[("main.js", "import './a.js';\n")]);
        assert_eq!(missing.unwrap_err(), "there is no module a.js");
        let meta = joined(&[("main.js", "import './a/b.js';\n"), ("a/b.js", "go(import.meta.url);\n")]);
        assert_eq!(meta.unwrap_err(), "a/b.js:1: import.meta would mean another folder in main.js");
    }

    #[test]
    fn the_page_is_joined_into_few_files_that_import_each_other_in_no_circle() {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
        let lean = |path: &str, data: Vec<u8>| super::super::lean::lean(path, data.into()).into_owned();
        let read = |path: &str| {
            std::fs::read(web.join(path)).ok().and_then(|data| String::from_utf8(lean(path, data)).ok())
        };
        let chunks = chunks(read).unwrap();
        let names = names(&chunks);
        assert!((20..60).contains(&names.len()), "{names:?}");
        // The chunks can be ordered so that each follows all of its imports.
        let mut left: BTreeMap<&str, Vec<String>> = names
            .iter()
            .map(|path| {
                let imports = chunks[*path].split(';').take_while(|part| part.starts_with("import{"));
                (*path, imports.map(|line| beside(path, line.split('\'').nth(1).unwrap())).collect())
            })
            .collect();
        while !left.is_empty() {
            let before = left.len();
            let waiting: Vec<String> = left.keys().map(|path| (*path).to_owned()).collect();
            left.retain(|_, imports| imports.iter().any(|import| waiting.contains(import)));
            assert!(left.len() < before, "chunks import each other in a circle: {left:?}");
        }
    }
}
