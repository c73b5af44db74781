//! Joins and compresses the page's files at build time for a release binary. At startup this would take seconds on a
//! small machine. A debug build reads `web/` and compresses on request.

use bundler::{Encoding, MANIFEST};
use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let web = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../web");
    let out = env::var("OUT_DIR").expect("set by cargo");
    let mut table = String::new();
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        let mut files = BTreeMap::new();
        let manifest = [MANIFEST.to_owned()];
        for path in bundler::compressed_files(&web)?.into_iter().chain(manifest) {
            let file = web.join(&path);
            // Watch the folder too, for new files, but not `web/` itself, which contains what the tests install.
            println!("cargo::rerun-if-changed={}", file.display());
            if let Some((folder, _)) = path.rsplit_once('/') {
                println!("cargo::rerun-if-changed={}", web.join(folder).display());
            }
            let minified = bundler::minify(&path, fs::read(&file)?.into());
            files.insert(path, minified.into_owned());
        }
        let module = |path: &str| String::from_utf8(files.get(path)?.clone()).ok();
        let chunks = bundler::chunks(module).map_err(io::Error::other)?;
        files.extend(chunks.into_iter().map(|(path, text)| (path, text.into_bytes())));
        files.retain(|path, _| bundler::is_compressed(path));
        for (number, (path, data)) in files.iter().enumerate() {
            table += &format!("({path:?}, [");
            for encoding in Encoding::ALL {
                let packed = Path::new(&out).join(format!("{number}.{}", encoding.name()));
                fs::write(&packed, encoding.compress(data))?;
                table += &format!("include_bytes!({packed:?}), ");
            }
            table += "]),\n";
        }
    }
    fs::write(Path::new(&out).join("packed.rs"), format!("&[\n{table}]\n"))
}
