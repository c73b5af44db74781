//! Prepares the files of `web/` for sending: removes comments and insignificant spaces, joins modules and styles into few
//! files, and compresses. The server's build script does so for a release, and a debug build of the server on request.
//!
//! It knows neither the server nor what the page does, and it handles lines instead of parsing JavaScript. A page that
//! it cannot bundle is reported with the file and line.

mod chunks;
mod compression;
mod files;
mod manifest;
mod minify;
mod module;
mod script;
mod source_map;

pub use chunks::{Chunks, chunks};
pub use compression::{Encoding, is_compressed};
pub use files::compressed_files;
pub use manifest::MANIFEST;
pub use minify::minify;
