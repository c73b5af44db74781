//! Joins and packs the page's files into a release binary: done at the start or for the first visitor, it would take a small
//! machine seconds. A debug build reads `web/` as it is when asked, and joins and packs then.

#[path = "src/page/chunks.rs"]
mod chunks;
#[path = "src/page/lean.rs"]
mod lean;
#[path = "src/page/listing.rs"]
mod listing;
#[path = "src/page/modules.rs"]
mod modules;
#[path = "src/page/packing.rs"]
mod packing;
#[path = "src/page/source_map.rs"]
mod source_map;

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/page");
    let web = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../web");
    let out = env::var("OUT_DIR").expect("set by cargo");
    let mut table = String::new();
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        let mut files = BTreeMap::new();
        for path in listing::packed(&web)? {
            let file = web.join(&path);
            // Its folder as well, for files yet to come; but not `web/` itself, which holds all that the tests install.
            println!("cargo::rerun-if-changed={}", file.display());
            if let Some((folder, _)) = path.rsplit_once('/') {
                println!("cargo::rerun-if-changed={}", web.join(folder).display());
            }
            let lean = lean::lean(&path, fs::read(&file)?.into());
            files.insert(path, lean.into_owned());
        }
        let module = |path: &str| String::from_utf8(files.get(path)?.clone()).ok();
        let chunks = chunks::chunks(module).map_err(io::Error::other)?;
        files.extend(chunks.into_iter().map(|(path, text)| (path, text.into_bytes())));
        files.retain(|path, _| packing::is_packed(path));
        for (number, (path, data)) in files.iter().enumerate() {
            table += &format!("({path:?}, [");
            for encoding in packing::Encoding::ALL {
                let packed = Path::new(&out).join(format!("{number}.{}", encoding.name()));
                fs::write(&packed, encoding.pack(data))?;
                table += &format!("include_bytes!({packed:?}), ");
            }
            table += "]),\n";
        }
    }
    fs::write(Path::new(&out).join("packed.rs"), format!("&[\n{table}]\n"))
}
