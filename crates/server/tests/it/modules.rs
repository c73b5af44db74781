//! The top-level modules of the server form no import cycle, so that each can be read after those it uses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Adds the modules that the files below this path import, without those of their unit tests.
fn add_imports(path: &Path, imports: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            add_imports(&entry.unwrap().path(), imports);
        }
        return;
    }
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    for (_, rest) in code.match_indices("crate::").map(|(at, found)| code.split_at(at + found.len())) {
        let names = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default(),
            None => rest.split(|letter: char| !letter.is_ascii_lowercase() && letter != '_').next().unwrap_or_default(),
        };
        imports.extend(names.split(',').map(|name| name.trim().split("::").next().unwrap_or_default().to_owned()));
    }
}

#[test]
fn the_modules_of_the_server_form_no_import_cycle() {
    let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if !["lib", "main"].contains(&name.as_str()) {
            add_imports(&path, modules.entry(name).or_default());
        }
    }
    let known: BTreeSet<String> = modules.keys().cloned().collect();
    for (name, imports) in &mut modules {
        imports.retain(|import| known.contains(import) && import != name);
    }
    assert!(modules.len() > 20 && modules["http"].contains("socket"), "{modules:?}");
    // Modules whose imports are all removed are removed in turn. What remains is part of a cycle.
    while let Some(free) = modules.iter().find(|(_, imports)| imports.is_empty()).map(|(name, _)| name.clone()) {
        modules.remove(&free);
        modules.values_mut().for_each(|imports| {
            imports.remove(&free);
        });
    }
    assert!(modules.is_empty(), "these modules import each other, or one that does: {modules:#?}");
}
