//! Which of the page's files are sent packed, and how they are packed. The build script has this file too: it knows
//! neither the server nor what embeds the files.

/// Whether a file is worth packing as a whole. Pictures are packed already, and the HTML differs from visitor to visitor.
pub fn is_packed(path: &str) -> bool {
    [".css", ".js", ".json", ".svg", ".webmanifest"].iter().any(|end| path.ends_with(end))
}

/// The file packed as small as can be.
pub fn pack(mut file: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let best = brotli::enc::BrotliEncoderParams { size_hint: file.len(), ..Default::default() };
    brotli::BrotliCompress(&mut file, &mut packed, &best).expect("memory does not fail");
    packed
}
