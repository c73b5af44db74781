//! The manifest: the chunks that `index.html` loads first, and which modules share a chunk that is loaded later.
//! Developers of the page edit it in `web/`.

/// Path of the manifest below `web/`. It is read for bundling but not sent.
pub const MANIFEST: &str = "chunks.txt";

/// Suffix of a chunk of modules, which replaces the `.js` of its first module.
const SCRIPT: &str = ".chunk.js";
/// Suffix of a chunk of styles.
const STYLE: &str = ".chunk.css";

/// Prefix of a line for a chunk that is loaded later.
const LAZY: &str = "lazy ";

/// The chunks of the page that are not left to the bundler.
#[derive(Debug, Default, PartialEq)]
pub struct Manifest {
    /// The modules of each script. The first one is its entry point.
    pub scripts: Vec<Vec<String>>,
    /// The file of each script that is loaded later, and the modules that share it.
    pub lazy: Vec<(String, Vec<String>)>,
    /// The file of each joined stylesheet, and its styles in cascade order.
    pub styles: Vec<(String, Vec<String>)>,
}

impl Manifest {
    /// Reads a manifest. Each line names a chunk and, after a colon, its files. Lines that begin with `#` are comments,
    /// those that begin with `lazy` are chunks that are loaded later.
    pub fn read(text: &str) -> Result<Manifest, String> {
        let mut manifest = Manifest::default();
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |why: &str| format!("{MANIFEST}:{}: {why}: {line}", number + 1);
            let (chunk, files) = line.split_once(": ").ok_or_else(|| wrong("expected `chunk: files`"))?;
            let files: Vec<String> = files.split_whitespace().map(str::to_owned).collect();
            let first = files.first().ok_or_else(|| wrong("the chunk has no files"))?;
            if let Some(chunk) = chunk.strip_prefix(LAZY) {
                if !chunk.ends_with(SCRIPT) {
                    return Err(wrong("a lazy chunk ends in .chunk.js"));
                }
                if let Some(twice) = files.iter().find(|file| manifest.lazy.iter().any(|(_, all)| all.contains(file))) {
                    return Err(wrong(&format!("{twice} is in another chunk already")));
                }
                manifest.lazy.push((chunk.to_owned(), files));
            } else if chunk.ends_with(STYLE) {
                manifest.styles.push((chunk.to_owned(), files));
            } else if chunk == chunk_file(first) {
                manifest.scripts.push(files);
            } else {
                return Err(wrong("a chunk is named after its first module, or ends in .chunk.css"));
            }
        }
        Ok(manifest)
    }
}

/// Returns the file of the chunk with this first module.
pub fn chunk_file(module: &str) -> String {
    module.strip_suffix(".js").unwrap_or(module).to_owned() + SCRIPT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_scripts_and_styles() {
        let text = "# Why.\n\npreload.chunk.js: preload.js\nmain.chunk.js: main.js  a/b.js\nc.chunk.css: d.css e.css\n\
                    lazy x/late.chunk.js: x/c.js y/d.js\n";
        let list = |files: &[&str]| files.iter().map(|file| (*file).to_owned()).collect::<Vec<_>>();
        let manifest = Manifest::read(text).unwrap();
        assert_eq!(manifest.scripts, [list(&["preload.js"]), list(&["main.js", "a/b.js"])]);
        assert_eq!(manifest.lazy, [("x/late.chunk.js".to_owned(), list(&["x/c.js", "y/d.js"]))]);
        assert_eq!(manifest.styles, [("c.chunk.css".to_owned(), list(&["d.css", "e.css"]))]);
    }

    #[test]
    fn reports_wrong_lines_with_their_number() {
        for (line, why) in [
            ("main.js", "expected `chunk: files`"),
            ("main.chunk.js: ", "the chunk has no files"),
            ("first.chunk.js: main.js", "a chunk is named after its first module, or ends in .chunk.css"),
            ("lazy late.css: a.css", "a lazy chunk ends in .chunk.js"),
            ("lazy late.chunk.js: ", "the chunk has no files"),
            ("main.css: main.js", "a chunk is named after its first module, or ends in .chunk.css"),
        ] {
            let refused = Manifest::read(&format!("# Why.\n{line}\n")).unwrap_err();
            assert_eq!(refused, format!("chunks.txt:2: {why}: {line}"));
        }
        let twice = Manifest::read("lazy a.chunk.js: a.js b.js\nlazy b.chunk.js: b.js\n").unwrap_err();
        assert_eq!(twice, "chunks.txt:2: b.js is in another chunk already: lazy b.chunk.js: b.js");
    }
}
