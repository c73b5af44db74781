//! Which compression a client accepts (`Accept-Encoding`), for everything that is sent compressed.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_ENCODING;
use bundler::Encoding;

/// Returns the most compact encoding that the client accepts.
pub fn accepted(headers: &HeaderMap) -> Option<Encoding> {
    Encoding::ALL.into_iter().find(|encoding| accepts(headers, *encoding))
}

/// Returns whether the client accepts this encoding. One with a weight of 0 is refused (RFC 9110, 12.4.2).
pub fn accepts(headers: &HeaderMap, encoding: Encoding) -> bool {
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        let weight = weight.trim();
        let weight = weight.strip_prefix("q=").or_else(|| weight.strip_prefix("Q="));
        let is_refused = weight.is_some_and(|weight| weight.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case(encoding.name()) && !is_refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_the_smallest_encoding_the_browser_accepts() {
        let asked = |words: &str| accepted(&HeaderMap::from_iter([(ACCEPT_ENCODING, words.parse().unwrap())]));
        assert_eq!(asked("gzip, deflate, br, zstd"), Some(Encoding::Brotli));
        assert_eq!(asked("gzip, deflate"), Some(Encoding::Gzip));
        assert_eq!(asked("br;q=0.5,gzip"), Some(Encoding::Brotli));
        assert_eq!(asked("br;q=0, gzip;q=1.0"), Some(Encoding::Gzip));
        assert_eq!(asked("BR ; Q=0.000, GZIP"), Some(Encoding::Gzip));
        assert_eq!(asked("br; q=0, gzip; q=0.0"), None);
        assert_eq!(asked("identity"), None);
        assert_eq!(accepted(&HeaderMap::new()), None);
    }
}
