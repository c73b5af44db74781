//! Joins the page's modules and styles into few files (bundling, code splitting): one for what every visitor needs, and
//! one for each feature that is loaded on demand. A hundred small files are easy to read but slow to fetch: each costs
//! a request, and they are not compressed together.
//!
//! Modules that are loaded later get a chunk for each dynamic import, unless the manifest lists several that share one.
//!
//! In a chunk each module is a function that runs once and returns its exports. So its names stay private, and it runs
//! after the modules it imports. A module is in one chunk only, and exists once.

use crate::manifest::{MANIFEST, Manifest, chunk_file};
use crate::module::{Export, LATER, Module, beside, relative};
use crate::script::{ends_needlessly, joins};
use crate::source_map::{Piece, source_map};
use std::collections::{BTreeMap, BTreeSet};

/// Additional suffix of a source map.
const MAP: &str = ".map";

/// Files to send by their paths: chunks and source maps.
pub type Chunks = BTreeMap<String, String>;

/// Returns all chunks of the page. `read` returns the minified text of a file by its path, and the manifest.
pub fn chunks(read: impl Fn(&str) -> Option<String>) -> Result<Chunks, String> {
    let manifest = Manifest::read(&read(MANIFEST).ok_or_else(|| format!("there is no {MANIFEST}"))?)?;
    let graph = Graph::new(manifest.scripts, manifest.lazy, &read)?;
    let lazy = graph.lazy.iter().flat_map(|(_, modules)| modules);
    if let Some(path) = graph.reach.keys().chain(lazy).find(|path| graph.home(path) != graph.head(path)) {
        return Err(format!("{path} is imported dynamically, but {} loads it anyway", graph.home(path)));
    }
    let mut homes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in graph.in_order()? {
        homes.entry(graph.home(path)).or_default().push(path);
    }
    let mut chunks = Chunks::new();
    for (home, paths) in &homes {
        let (code, map) = graph.join(home, paths)?;
        chunks.insert(graph.file(home) + MAP, map);
        chunks.insert(graph.file(home), code);
    }
    for (chunk, paths) in manifest.styles {
        let styles = paths.iter().map(|path| read(path).ok_or_else(|| format!("there is no stylesheet {path}")));
        chunks.insert(chunk, styles.collect::<Result<_, _>>()?);
    }
    Ok(chunks)
}

/// Returns the name of a module in chunks: its path as an identifier.
fn name(path: &str) -> String {
    format!("${}", path.strip_suffix(".js").unwrap_or(path).replace(['/', '-'], "_"))
}

type Paths = BTreeSet<String>;

/// The page's modules, and which of them are loaded when.
struct Graph {
    /// The scripts of the manifest: the modules of each, its entry point first.
    first: Vec<Vec<String>>,
    /// The lazy chunks of the manifest: the file and the modules of each. The first module stands for the chunk.
    lazy: Vec<(String, Vec<String>)>,
    modules: BTreeMap<String, Module>,
    /// For each entry point of a chunk, all modules it depends on.
    reach: BTreeMap<String, Paths>,
    /// For each entry point, the modules that are certainly loaded before it.
    before: BTreeMap<String, Paths>,
}

impl Graph {
    fn new(
        first: Vec<Vec<String>>,
        lazy: Vec<(String, Vec<String>)>,
        read: impl Fn(&str) -> Option<String>,
    ) -> Result<Graph, String> {
        let mut modules = BTreeMap::new();
        let mut heads: Paths = first.iter().map(|script| script[0].clone()).collect();
        let mut open: Vec<String> = first.concat();
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
        let mut graph = Graph { first, lazy, modules, reach: BTreeMap::new(), before: BTreeMap::new() };
        let mut listed = graph.lazy.iter().flat_map(|(_, modules)| modules);
        if let Some(unused) = listed.find(|path| !graph.modules.contains_key(*path)) {
            return Err(format!("{MANIFEST}: nothing imports {unused}"));
        }
        let heads: Paths = heads.iter().map(|head| graph.head(head).to_owned()).collect();
        graph.reach = heads.iter().map(|head| (head.clone(), graph.reached_from(head))).collect();
        graph.before = graph.surely_before();
        Ok(graph)
    }

    /// Returns the lazy chunk of the manifest that lists this module.
    fn lazy_chunk(&self, path: &str) -> Option<&(String, Vec<String>)> {
        self.lazy.iter().find(|(_, modules)| modules.iter().any(|module| module == path))
    }

    /// Returns the module that stands for the chunk of an entry point: the first of a lazy chunk, or the module itself.
    fn head<'a>(&'a self, path: &'a str) -> &'a str {
        self.lazy_chunk(path).map_or(path, |(_, modules)| &modules[0])
    }

    /// Returns the file of the chunk with this first module.
    fn file(&self, home: &str) -> String {
        self.lazy_chunk(home).map_or_else(|| chunk_file(home), |(file, _)| file.clone())
    }

    /// Returns the modules that an entry point brings. Those that a module of a lazy chunk needs come with that chunk.
    fn reached_from(&self, head: &str) -> Paths {
        let mut reached = Paths::new();
        let script = self.first.iter().find(|script| script[0] == head);
        let script = script.or_else(|| self.lazy_chunk(head).map(|(_, modules)| modules));
        let mut open = script.map_or(vec![head], |script| script.iter().map(String::as_str).collect());
        while let Some(path) = open.pop() {
            if reached.insert(path.to_owned()) && (self.lazy_chunk(path).is_none() || self.head(path) == head) {
                open.extend(self.modules[path].imports.iter().map(|(path, _)| path.as_str()));
            }
        }
        reached
    }

    /// Returns for each entry point the modules that are certainly loaded before it: those that every importer brings
    /// along or has loaded before. Starts with all modules and removes some until nothing changes (fixed point).
    fn surely_before(&self) -> BTreeMap<String, Paths> {
        let all: Paths = self.modules.keys().cloned().collect();
        let first = |head: &str| self.first.iter().any(|script| script[0] == head);
        let begin = |head: &String| (head.clone(), if first(head) { Paths::new() } else { all.clone() });
        let mut before: BTreeMap<String, Paths> = self.reach.keys().map(begin).collect();
        loop {
            let mut next = before.clone();
            for head in self.reach.keys().filter(|head| !first(head)) {
                let mut there = all.clone();
                for (importer, _) in
                    self.modules.iter().filter(|(_, module)| module.later.iter().any(|path| self.head(path) == head))
                {
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

    /// Returns the first module of the chunk that contains this module: that of its lazy chunk, the only entry point
    /// that brings it, or the module itself if several do.
    fn home<'a>(&'a self, path: &'a str) -> &'a str {
        let mut first = self.first.iter().map(|script| script[0].as_str());
        if let Some(first) = first.find(|head| self.reach[*head].contains(path)) {
            return first;
        }
        if self.lazy_chunk(path).is_some() {
            return self.head(path);
        }
        let brings = |head: &&String| self.reach[*head].contains(path) && !self.before[*head].contains(path);
        match self.reach.keys().filter(brings).collect::<Vec<_>>()[..] {
            [only] if !self.reach.contains_key(path) => only,
            _ => path,
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
        let mut text = ChunkText::default();
        let file = self.file(home);
        let imports = paths.iter().flat_map(|path| &self.modules[*path].imports).map(|(path, _)| path);
        let mut others: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for import in imports.filter(|import| self.home(import) != home) {
            others.entry(self.home(import)).or_default().insert(name(import));
        }
        for (other, names) in others {
            let names: Vec<_> = names.into_iter().collect();
            text.push(&format!("import{{{}}}from'{}';", names.join(","), relative(&file, &self.file(other))), None);
        }
        for (source, path) in paths.iter().enumerate() {
            let module = &self.modules[*path];
            text.push(&format!("export const {}=(()=>{{", name(path)), None);
            let named = module.imports.iter().filter(|(_, names)| !names.is_empty());
            let imports: Vec<_> = named.map(|(import, names)| format!("{names}={}", name(import))).collect();
            if let Some(first) = imports.first() {
                let space = if first.starts_with('{') { "" } else { " " };
                text.push(&format!("const{space}{};", imports.join(",")), None);
            }
            for (number, line) in &module.lines {
                // `import.meta` depends on the folder of the file that contains it.
                if line.contains("import.meta") && relative(path, &file) != format!("./{file}") {
                    return Err(format!("{path}:{}: import.meta would refer to another folder in {home}", number + 1));
                }
                text.push(&self.moved(line, path, &file), Some((source, *number)));
            }
            let exports = module.exports.iter().map(|(export, what)| match what {
                Export::Own => export.clone(),
                Export::Of(other) => format!("{export}:{}.{export}", name(other)),
            });
            text.push(&format!("return{{{}}}}})();", exports.collect::<Vec<_>>().join(",")), None);
        }
        // Dynamic imports of the first module receive its exports. Those of a lazy chunk choose the module themselves.
        let exports: Vec<_> = self.modules[home].exports.iter().map(|(export, _)| export.as_str()).collect();
        if !exports.is_empty() && self.lazy_chunk(home).is_none() {
            text.push(&format!("export const{{{}}}={};", exports.join(","), name(home)), None);
        }
        let own = file.rsplit('/').next().unwrap_or(&file);
        text.push(&format!("//# sourceMappingURL={own}{MAP}"), None);
        text.code.push('\n');
        let sources: Vec<_> = paths.iter().map(|path| relative(&file, path)).collect();
        Ok((text.code, source_map(&sources, &text.lines)))
    }

    /// Returns a line with the paths of its dynamic imports relative to the chunk `file`.
    fn moved(&self, line: &str, path: &str, file: &str) -> String {
        let mut parts = line.split(LATER);
        let mut moved = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (wanted, rest) = part.split_once("')").unwrap_or((part, ""));
            let wanted = beside(path, wanted);
            moved += LATER;
            moved += &relative(file, &self.file(self.head(&wanted)));
            moved += "')";
            if self.lazy_chunk(&wanted).is_some() {
                moved += &format!(".then(c=>c.{})", name(&wanted));
            }
            moved += rest;
        }
        moved
    }
}

/// The code of a chunk while it is built.
#[derive(Default)]
struct ChunkText {
    code: String,
    /// The pieces of each line: where each begins, and its line in the source.
    lines: Vec<Vec<Piece>>,
    /// Where the last piece begins in `code`.
    last: usize,
    /// Length of the last line in UTF-16 code units, as browsers count.
    column: usize,
}

impl ChunkText {
    fn push(&mut self, line: &str, from: Option<(usize, usize)>) {
        if self.lines.is_empty() {
            self.lines.push(Vec::new());
        } else if !joins(&self.code[self.last..], line) {
            self.code.push('\n');
            self.lines.push(Vec::new());
            self.column = 0;
        } else if ends_needlessly(&self.code, line) {
            self.code.pop();
            self.column -= 1;
        }
        self.lines.last_mut().expect("a line was added above").push(Piece { column: self.column, from });
        self.last = self.code.len();
        self.code.push_str(line);
        self.column += line.encode_utf16().count();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn joined(files: &[(&str, &str)]) -> Result<Chunks, String> {
        let manifest = "preload.chunk.js: preload.js\nmain.chunk.js: main.js\nall.chunk.css: a.css b.css\n";
        let always = [(MANIFEST, manifest), ("preload.js", ""), ("main.js", ""), ("a.css", ""), ("b.css", "")];
        let files: Vec<_> = files.iter().copied().chain(always).collect();
        chunks(|path| files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned()))
    }

    fn names(chunks: &Chunks) -> Vec<&str> {
        chunks.keys().filter(|path| path.ends_with(".js")).map(String::as_str).collect()
    }

    #[test]
    fn names_modules_by_their_paths() {
        assert_eq!(name("dom.js"), "$dom");
        assert_eq!(name("session/room-state.js"), "$session_room_state");
    }

    #[test]
    fn joins_modules_that_load_together_into_one_file() {
        let chunks = joined(&[
            (
                "main.js",
                "import { two as second } from './two.js';\nconsole.log(second);\n\
                 void import('./lazy/one.js');\n",
            ),
            ("two.js", "export const two = 2;\n"),
            (
                "lazy/one.js",
                "import { two } from '../two.js';\nimport { help } from './help.js';\n\
                 export const one = () => help(two);\n",
            ),
            ("lazy/help.js", "export function help(x) {\nreturn x;\n}\n"),
        ])
        .unwrap();
        assert_eq!(names(&chunks), ["lazy/one.chunk.js", "main.chunk.js", "preload.chunk.js"]);
        let main = &chunks["main.chunk.js"];
        assert!(main.contains("export const $two=(()=>{const two = 2;return{two}})();"), "{main}");
        assert!(
            main.contains("const{two:second}=$two;console.log(second);void import('./lazy/one.chunk.js');"),
            "{main}"
        );
        assert!(main.find("$two=").unwrap() < main.find("$main=").unwrap(), "imported modules run first: {main}");
        assert_eq!(
            chunks["lazy/one.chunk.js"],
            "import{$two}from'../main.chunk.js';\
             export const $lazy_help=(()=>{function help(x) {return x}\nreturn{help}})();\
             export const $lazy_one=(()=>{const{two}=$two,{help}=$lazy_help;\
             const one = () => help(two);return{one}})();\
             export const{one}=$lazy_one;//# sourceMappingURL=one.chunk.js.map\n"
        );
    }

    #[test]
    fn shared_modules_get_a_chunk_unless_one_loads_first() {
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
            ["a.chunk.js", "b.chunk.js", "main.chunk.js", "preload.chunk.js", "shared.chunk.js", "under.chunk.js"]
        );
        assert!(chunks["a.chunk.js"].contains("$base="));
        assert!(chunks["under.chunk.js"].contains("import{$base}from'./a.chunk.js';"));
    }

    #[test]
    fn modules_of_a_lazy_chunk_share_a_file() {
        let files = [
            (MANIFEST, "main.chunk.js: main.js\nlazy x/late.chunk.js: a/one.js b/two.js\n"),
            (
                "main.js",
                "export const parts = {\none: async () => (await import('./a/one.js')).one,\n\
                 two: () => import('./b/two.js'),\nthree: () => import('./three.js'),\n};\n",
            ),
            ("a/one.js", "import { help } from './help.js';\nexport const one = help;\n"),
            ("a/help.js", "export const help = 1;\n"),
            ("b/two.js", "export const one = 2;\n"),
            ("three.js", "import { one } from './a/one.js';\nexport const three = one;\n"),
        ];
        let chunks = joined(&files).unwrap();
        assert_eq!(names(&chunks), ["main.chunk.js", "three.chunk.js", "x/late.chunk.js"]);
        let main = &chunks["main.chunk.js"];
        assert!(main.contains("(await import('./x/late.chunk.js').then(c=>c.$a_one)).one"), "{main}");
        assert!(main.contains("import('./x/late.chunk.js').then(c=>c.$b_two)"), "{main}");
        assert!(main.contains("import('./three.chunk.js')"), "{main}");
        assert_eq!(
            chunks["x/late.chunk.js"],
            "export const $a_help=(()=>{const help = 1;return{help}})();\
             export const $a_one=(()=>{const{help}=$a_help;const one = help;return{one}})();\
             export const $b_two=(()=>{const one = 2;return{one}})();//# sourceMappingURL=late.chunk.js.map\n"
        );
        // Who imports a module of a lazy chunk loads the chunk, with what the module needs.
        assert!(chunks["three.chunk.js"].starts_with("import{$a_one}from'./x/late.chunk.js';"));
        let map = &chunks["x/late.chunk.js.map"];
        assert!(map.contains("../a/one.js") && map.contains("../b/two.js"), "{map}");
    }

    #[test]
    fn joins_styles_in_order() {
        let chunks = joined(&[
            (MANIFEST, "page.chunk.css: base.css table.css\nprint.chunk.css: print.css\n"),
            ("table.css", "b{}\n"),
            ("base.css", "a{}\n"),
            ("print.css", "c{}\n"),
        ])
        .unwrap();
        assert_eq!(chunks.into_values().collect::<Vec<_>>(), ["a{}\nb{}\n", "c{}\n"]);
    }

    #[test]
    fn scripts_of_the_manifest_bring_along_their_modules() {
        let chunks = joined(&[
            (MANIFEST, "preload.chunk.js: preload.js\nmain.chunk.js: main.js often.js\n"),
            ("preload.js", "import './both.js';\n"),
            ("main.js", "import './both.js';\nvoid import('./lazy.js');\n"),
            ("often.js", "import './help.js';\n"),
            ("lazy.js", "import './often.js';\n"),
            ("both.js", ""),
            ("help.js", ""),
        ])
        .unwrap();
        assert_eq!(names(&chunks), ["lazy.chunk.js", "main.chunk.js", "preload.chunk.js"]);
        assert!(chunks["preload.chunk.js"].contains("$both="), "the first script has what several import");
        assert!(chunks["main.chunk.js"].starts_with("import{$both}from'./preload.chunk.js';"));
        assert!(chunks["main.chunk.js"].contains("$often=") && chunks["main.chunk.js"].contains("$help="));
        assert!(chunks["lazy.chunk.js"].starts_with("import{$often}from'./main.chunk.js';"));
    }

    #[test]
    fn maps_lines_after_an_import_of_several_lines() {
        let module = "import {\none,\ntwo as second,\n} from './a.js';\ngo(one, second);\n";
        let chunks = joined(&[("main.js", module), ("a.js", "export const one = 1, two = 2;\n")]);
        let chunks = chunks.unwrap();
        assert!(chunks["main.chunk.js"].contains("const{one,two:second}=$a;go(one, second);"));
        let single = "import { one, two as second } from './a.js';\n\n\n\ngo(one, second);\n";
        let same = joined(&[("main.js", single), ("a.js", "export const one = 1, two = 2;\n")]);
        assert_eq!(chunks, same.unwrap());
    }

    #[test]
    fn reports_modules_that_cannot_be_joined() {
        let circle = joined(&[("main.js", "import './a.js';\n"), ("a.js", "import './main.js';\n")]);
        assert_eq!(circle.unwrap_err(), "modules import each other in a circle: a.js → main.js → a.js");
        let missing = joined(&[("main.js", "import './a.js';\n")]);
        assert_eq!(missing.unwrap_err(), "there is no module a.js");
        let meta = joined(&[("main.js", "import './a/b.js';\n"), ("a/b.js", "go(import.meta.url);\n")]);
        assert_eq!(meta.unwrap_err(), "a/b.js:1: import.meta would refer to another folder in main.js");
        let twice = joined(&[("main.js", "import './a.js';\nvoid import('./a.js');\n"), ("a.js", "")]);
        assert_eq!(twice.unwrap_err(), "a.js is imported dynamically, but main.js loads it anyway");
        let style = joined(&[(MANIFEST, "page.chunk.css: none.css\n")]);
        assert_eq!(style.unwrap_err(), "there is no stylesheet none.css");
        let script = joined(&[(MANIFEST, "none.chunk.js: none.js\n")]);
        assert_eq!(script.unwrap_err(), "there is no module none.js");
        let lazy = |module| {
            let manifest = format!("main.chunk.js: main.js\nlazy late.chunk.js: {module}\n");
            joined(&[(MANIFEST, &manifest), ("main.js", "import './a.js';\n"), ("a.js", "")]).unwrap_err()
        };
        assert_eq!(lazy("none.js"), "chunks.txt: nothing imports none.js");
        assert_eq!(lazy("a.js"), "a.js is imported dynamically, but main.js loads it anyway");
        assert_eq!(chunks(|_| None).unwrap_err(), "there is no chunks.txt");
    }

    #[test]
    fn joins_the_page_into_few_files_without_import_cycles() {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
        let minify = |path: &str, data: Vec<u8>| crate::minify(path, data.into()).into_owned();
        let read =
            |path: &str| std::fs::read(web.join(path)).ok().and_then(|data| String::from_utf8(minify(path, data)).ok());
        let chunks = chunks(read).unwrap();
        let names = names(&chunks);
        assert!((10..30).contains(&names.len()), "{names:?}");
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
