//! Which of the page's files are compressed, and how. The build script includes this file too, so it depends neither on
//! the server nor on the embedded files.

use std::io::Read;

/// Returns whether a file is compressed as a whole. Pictures are already compressed, and the HTML differs per visitor.
pub fn is_packed(path: &str) -> bool {
    [".css", ".js", ".json", ".svg", ".webmanifest"].iter().any(|end| path.ends_with(end))
}

/// Compression formats, most compact first. Browsers accept brotli only over https, which home networks often
/// do not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// The more compact one.
    Brotli,
    /// The one that every browser accepts.
    Gzip,
}

impl Encoding {
    /// Both formats, most compact first.
    pub const ALL: [Encoding; 2] = [Encoding::Brotli, Encoding::Gzip];

    /// Returns the name in HTTP headers.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Brotli => "br",
            Encoding::Gzip => "gzip",
        }
    }

    /// Compresses a file as much as possible.
    pub fn pack(self, mut file: &[u8]) -> Vec<u8> {
        let mut packed = Vec::new();
        match self {
            Encoding::Brotli => {
                let best = brotli::enc::BrotliEncoderParams { size_hint: file.len(), ..Default::default() };
                brotli::BrotliCompress(&mut file, &mut packed, &best).expect("memory does not fail");
            }
            Encoding::Gzip => {
                let mut reader = flate2::read::GzEncoder::new(file, flate2::Compression::best());
                reader.read_to_end(&mut packed).expect("memory does not fail");
            }
        }
        packed
    }
}
