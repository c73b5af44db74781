//! Which of the page's files are compressed, and how.

use std::io::Read;

/// Returns whether a file is compressed as a whole. Pictures are already compressed, and the HTML differs per visitor.
pub fn is_compressed(path: &str) -> bool {
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
    pub fn compress(self, mut file: &[u8]) -> Vec<u8> {
        let mut compressed = Vec::new();
        match self {
            Encoding::Brotli => {
                let best = brotli::enc::BrotliEncoderParams { size_hint: file.len(), ..Default::default() };
                brotli::BrotliCompress(&mut file, &mut compressed, &best).expect("writing to memory never fails");
            }
            Encoding::Gzip => {
                let mut reader = flate2::read::GzEncoder::new(file, flate2::Compression::best());
                reader.read_to_end(&mut compressed).expect("writing to memory never fails");
            }
        }
        compressed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_files_can_be_decompressed() {
        let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/main.js")).unwrap();
        let (compressed, mut read) = (Encoding::Brotli.compress(&file), Vec::new());
        assert!(compressed.len() < file.len() / 2);
        brotli::BrotliDecompress(&mut compressed.as_slice(), &mut read).unwrap();
        assert_eq!(read, file);
        let (compressed, mut read) = (Encoding::Gzip.compress(&file), Vec::new());
        assert!(compressed.len() < file.len() / 2);
        flate2::read::GzDecoder::new(compressed.as_slice()).read_to_end(&mut read).unwrap();
        assert_eq!(read, file);
    }

    #[test]
    fn pictures_and_html_are_not_compressed() {
        assert!(["main.js", "main.chunk.js", "i18n/en.json", "icons/icon.svg"].into_iter().all(is_compressed));
        assert!(!["index.html", "icons/share.png", "chunks.txt"].into_iter().any(is_compressed));
    }
}
