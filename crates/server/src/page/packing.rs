//! Which of the page's files are sent packed, and how they are packed. The build script has this file too: it knows
//! neither the server nor what embeds the files.

use std::io::Read;

/// Whether a file is worth packing as a whole. Pictures are packed already, and the HTML differs from visitor to visitor.
pub fn is_packed(path: &str) -> bool {
    [".css", ".js", ".json", ".svg", ".webmanifest"].iter().any(|end| path.ends_with(end))
}

/// How a file is packed, the smallest first. Browsers read brotli only where nobody can listen, which plain http in a
/// home network is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// The smaller.
    Brotli,
    /// What everybody reads.
    Gzip,
}

impl Encoding {
    /// Both.
    pub const ALL: [Encoding; 2] = [Encoding::Brotli, Encoding::Gzip];

    /// Its name in HTTP's headers.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Brotli => "br",
            Encoding::Gzip => "gzip",
        }
    }

    /// The file packed as small as can be.
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
