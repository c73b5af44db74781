//! The page: the files of `web/`, embedded in a release binary and read from disk in a debug build.
//!
//! It does not know what the page does. Files have a path that identifies their content, so browsers may cache them
//! indefinitely. Only the small HTML that contains the path is requested each time.

mod chunks;
#[cfg(debug_assertions)]
mod joined;
mod lean;
#[cfg(test)]
mod listing;
mod modules;
mod packing;
mod source_map;

use crate::http::Refused;
use crate::links::Links;
use crate::shared::Shared;
use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::{
    ACCEPT_ENCODING, ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
#[cfg(not(debug_assertions))]
use chunks::Chunks;
use dashmap::DashMap;
use lean::lean;
use packing::Encoding;
use rust_embed::{EmbeddedFile, RustEmbed};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock, OnceLock};
use tower_http::compression::CompressionLayer;

#[derive(RustEmbed)]
#[folder = "../../web"]
#[include = "*.html"]
#[include = "*.js"]
#[include = "*.css"]
#[include = "*.json"]
#[include = "*.svg"]
#[include = "*.png"]
#[include = "*.webmanifest"]
#[exclude = "tests/*"]
#[exclude = "node_modules/*"]
#[exclude = "package*.json"]
#[exclude = "tsconfig.json"]
struct Web;

/// The page's files as compressed by the build script, sorted by path, with the encodings in the order of
/// [`Encoding::ALL`]. Empty in a debug build.
static PACKED_AT_BUILD: &[(&str, [&[u8]; 2])] = include!(concat!(env!("OUT_DIR"), "/packed.rs"));

/// The Content-Security-Policy: only our own files may be run, shown or connected to, and text cannot become markup
/// (trusted types).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// The page, before the values of a request are filled in.
const TEMPLATE: &str = "index.html";

/// The language that is used for texts that another one lacks.
const FALLBACK: &str = "en";

/// Returns the page's routes.
pub fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/", get(front))
        .route("/r/{code}", get(room))
        .route("/r/{code}/replay/{number}", get(replay))
        .route("/a/{version}/{*path}", get(file))
        .layer(CompressionLayer::new())
}

async fn front(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    html(&shared, &headers, "Rookery")
}

/// Serves the page of a room. The page itself asks whether the room exists: previews of links in messengers must
/// neither load rooms nor reveal which ones exist.
async fn room(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
) -> Response {
    // A path that is not valid UTF-8 is handled like any other wrong code.
    let code = code.ok().and_then(|Path(code)| crate::RoomCode::read(&code));
    let title = code.map_or_else(|| "Rookery".to_owned(), |code| format!("Rookery · {code}"));
    html(&shared, &headers, &title)
}

/// Serves the page of a replay. The page itself asks which game that is.
async fn replay(
    shared: State<Arc<Shared>>,
    headers: HeaderMap,
    game: Result<Path<(String, String)>, PathRejection>,
) -> Response {
    room(shared, headers, game.map(|Path((code, _))| Path(code))).await
}

fn html(shared: &Shared, headers: &HeaderMap, title: &str) -> Response {
    let Some(template) = text(TEMPLATE) else {
        return (StatusCode::NOT_FOUND, "this build carries no page\n").into_response();
    };
    let links = Links::of(shared, headers);
    let assets = format!("{}a/{}", links.base(), version());
    let language = preferred(headers);
    let page = template
        .replace("<html lang=\"en\">", &format!("<html lang=\"{language}\">"))
        .replace("{{image}}", &escape(&links.absolute(&format!("a/{}/icons/share.png", version()))))
        .replace("{{description}}", &escape(&words(&language, "front.lead")))
        .replace("{{assets}}", &escape(&assets))
        .replace("{{base}}", &escape(links.base()))
        .replace("{{title}}", &escape(title));
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-cache"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (VARY, "accept-language"),
    ];
    (headers, page).into_response()
}

async fn file(headers: HeaderMap, path: Result<Path<(String, String)>, PathRejection>) -> Response {
    let no_such_file =
        || Refused::new(StatusCode::NOT_FOUND, protocol::Code::NotFound, "no such file").into_response();
    let Ok(Path((wanted, path))) = path else { return no_such_file() };
    let Some(Sent { kind, data }) = sent(&path) else { return no_such_file() };
    // A page that was loaded before an update may request files that have changed since. It gets the new ones, but must
    // not cache them under the old path.
    let keep = if wanted == version() && !cfg!(debug_assertions) {
        "public, max-age=31536000, immutable"
    } else {
        REVALIDATE
    };
    let plain = [(CONTENT_TYPE, kind.as_str()), (CACHE_CONTROL, keep)];
    let mut validator = HeaderMap::new();
    if keep == REVALIDATE {
        let tag = etag(&data);
        if headers.get(IF_NONE_MATCH) == Some(&tag) {
            return (StatusCode::NOT_MODIFIED, [(CACHE_CONTROL, keep)], [(ETAG, tag)]).into_response();
        }
        validator.insert(ETAG, tag);
    }
    let Some(encoding) = accepted(&headers).filter(|_| packing::is_packed(&path)) else {
        return (plain, validator, data.into_owned()).into_response();
    };
    let packing = [(CONTENT_ENCODING, encoding.name()), (VARY, "accept-encoding")];
    (plain, packing, validator, packed(&path, data, encoding).await).into_response()
}

/// Browsers must revalidate their copy before they use it.
const REVALIDATE: &str = "no-cache";

/// Returns a weak ETag: it identifies the content in every encoding.
fn etag(data: &[u8]) -> HeaderValue {
    let tag = format!("W/\"{}\"", hex::encode(&Sha256::digest(data)[..16]));
    HeaderValue::try_from(tag).expect("hexadecimal digits are a valid header")
}

/// A file to send, before compression.
struct Sent {
    kind: String,
    data: Cow<'static, [u8]>,
}

fn sent(path: &str) -> Option<Sent> {
    // Browsers run modules only with a charset they trust to be UTF-8.
    let text = |kind: &str| format!("{kind}; charset=utf-8");
    // The template is not served itself: only the page made from it has a Content-Security-Policy.
    let Some(file) = Web::get(path).filter(|_| path != TEMPLATE) else {
        let kind = match path.rsplit_once('.') {
            Some((_, "js")) => text("text/javascript"),
            Some((_, "css")) => text("text/css"),
            _ => "application/json".to_owned(),
        };
        return Some(Sent { kind, data: chunk(path)? });
    };
    let kind = match file.metadata.mimetype() {
        kind if kind.starts_with("text/") => text(kind),
        kind => kind.to_owned(),
    };
    Some(Sent { kind, data: lean(path, file.data) })
}

/// Returns a chunk of joined modules, or its source map. A debug build joins them again when one of them has changed.
fn chunk(path: &str) -> Option<Cow<'static, [u8]>> {
    #[cfg(debug_assertions)]
    return match &joined::latest().chunks {
        Ok(chunks) => Some(chunks.get(path)?.clone().into_bytes().into()),
        // The developer who broke a module reads the reason in the browser's console.
        Err(why) => Some(format!("throw new Error({why:?});\n").into_bytes().into()),
    };
    #[cfg(not(debug_assertions))]
    {
        static CHUNKS: LazyLock<Chunks> =
            LazyLock::new(|| chunks::chunks(module).expect("the page was joined when it was built"));
        Some(CHUNKS.get(path)?.as_bytes().into())
    }
}

/// Returns the text of a module or stylesheet as it is sent.
fn module(path: &str) -> Option<String> {
    String::from_utf8(lean(path, Web::get(path)?.data).into_owned()).ok()
}

/// Returns the most compact encoding that the browser accepts.
fn accepted(headers: &HeaderMap) -> Option<Encoding> {
    let read = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let reads = |name: &str| {
        read.split(',').any(|one| {
            let (one, weight) = one.split_once(';').unwrap_or((one, ""));
            let refused = weight.trim().strip_prefix("q=").is_some_and(|weight| weight.parse() == Ok(0.0));
            one.trim() == name && !refused
        })
    };
    Encoding::ALL.into_iter().find(|encoding| reads(encoding.name()))
}

/// Compresses a file as much as possible. This is done once for each content; compressing for every request would have
/// to be quick.
async fn packed(path: &str, data: Cow<'static, [u8]>, encoding: Encoding) -> Bytes {
    static PACKED: LazyLock<DashMap<([u8; 32], Encoding), Bytes>> = LazyLock::new(DashMap::new);
    if let Ok(at) = PACKED_AT_BUILD.binary_search_by_key(&path, |(path, _)| path) {
        return Bytes::from_static(PACKED_AT_BUILD[at].1[encoding as usize]);
    }
    let content = (Sha256::digest(&data).into(), encoding);
    if let Some(packed) = PACKED.get(&content) {
        return packed.clone();
    }
    let packed = tokio::task::spawn_blocking(move || encoding.pack(&data));
    let packed = Bytes::from(packed.await.expect("packing does not panic"));
    PACKED.insert(content, packed.clone());
    packed
}

/// Returns an identifier of the content of all files as they are sent. It also changes if a release joins or shortens
/// them differently.
fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let mut paths: Vec<_> = Web::iter().collect();
        paths.sort();
        let mut hash = Sha256::new();
        for path in paths {
            hash.update(path.as_bytes());
            hash.update(
                Web::get(&path).map(|file: EmbeddedFile| file.metadata.sha256_hash()).unwrap_or_default(),
            );
        }
        for (path, packed) in PACKED_AT_BUILD {
            hash.update(path.as_bytes());
            hash.update(packed[0]);
        }
        hex::encode(&hash.finalize()[..8])
    })
}

fn text(path: &str) -> Option<String> {
    String::from_utf8(Web::get(path)?.data.into_owned()).ok()
}

/// Returns the first language the browser asks for that has a catalogue.
fn preferred(headers: &HeaderMap) -> String {
    let wanted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let tags = wanted.split(',').filter_map(|range| range.split([';', '-']).next());
    tags.map(|tag| tag.trim().to_ascii_lowercase())
        .find(|tag| {
            tag.bytes().all(|letter| letter.is_ascii_lowercase()) && Web::get(&catalogue(tag)).is_some()
        })
        .unwrap_or_else(|| FALLBACK.to_owned())
}

fn catalogue(language: &str) -> String {
    format!("i18n/{language}.json")
}

/// Returns a text of a catalogue, for programs that preview a link without running the page.
fn words(language: &str, key: &str) -> String {
    let find = |language: &str| -> Option<String> {
        let words: Value = serde_json::from_str(&text(&catalogue(language))?).ok()?;
        words.get(key)?.as_str().map(str::to_owned)
    };
    find(language).or_else(|| find(FALLBACK)).unwrap_or_default()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_release_carries_every_file_that_is_sent_packed() {
        let mut sent: Vec<_> = Web::iter().filter(|path| packing::is_packed(path)).collect();
        sent.sort();
        assert!(sent.len() > 50, "{sent:?}");
        let web = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
        assert_eq!(listing::packed(&web).unwrap(), sent, "what the build packs, and what is sent");
        let carried = PACKED_AT_BUILD.iter().map(|(path, _)| *path);
        if cfg!(debug_assertions) {
            assert_eq!(carried.count(), 0, "a page that is being written is packed as it is");
        } else {
            let (chunks, files): (Vec<_>, Vec<_>) = carried.partition(|path| Web::get(path).is_none());
            assert_eq!(files, sent);
            assert!(chunks.contains(&"main.chunk.js") && chunks.iter().all(|path| chunk(path).is_some()));
        }
    }

    #[test]
    fn modules_are_sent_joined_and_one_by_one() {
        let data = |path: &str| String::from_utf8(sent(path).expect(path).data.into_owned()).unwrap();
        assert!(data("main.chunk.js").contains("$dom=") && !data("dom.js").contains("$dom"));
        assert!(data("main.chunk.js.map").contains("\"./dom.js\""));
        assert!(sent("main.chunk.js").unwrap().kind.starts_with("text/javascript"));
        assert!(sent("dom.chunk.js").is_none(), "what is in another chunk has none of its own");
    }

    #[tokio::test]
    async fn a_browser_that_has_the_file_is_not_sent_it_again() {
        let ask = async |tag: Option<HeaderValue>| {
            let headers = HeaderMap::from_iter(tag.map(|tag| (IF_NONE_MATCH, tag)));
            file(headers, Ok(Path(("earlier".to_owned(), "main.chunk.js".to_owned())))).await
        };
        let first = ask(None).await;
        assert_eq!(first.status(), StatusCode::OK);
        let tag = first.headers()[ETAG].clone();
        let again = ask(Some(tag)).await;
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert!(axum::body::to_bytes(again.into_body(), 1).await.unwrap().is_empty());
        let changed = ask(Some(HeaderValue::from_static("W/\"00\""))).await;
        assert_eq!(changed.status(), StatusCode::OK);
    }

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let file = Web::get("main.js").expect("the page").data;
        let (packed, mut unpacked) = (Encoding::Brotli.pack(&file), Vec::new());
        assert!(packed.len() < file.len() / 2);
        brotli::BrotliDecompress(&mut packed.as_slice(), &mut unpacked).unwrap();
        assert_eq!(unpacked, *file);
        let (packed, mut unpacked) = (Encoding::Gzip.pack(&file), Vec::new());
        assert!(packed.len() < file.len() / 2);
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, *file);
    }

    #[test]
    fn a_browser_gets_the_smallest_packing_it_reads() {
        let asked =
            |words: &str| accepted(&HeaderMap::from_iter([(ACCEPT_ENCODING, words.parse().unwrap())]));
        assert_eq!(asked("gzip, deflate, br, zstd"), Some(Encoding::Brotli));
        assert_eq!(asked("gzip, deflate"), Some(Encoding::Gzip));
        assert_eq!(asked("br;q=0.5,gzip"), Some(Encoding::Brotli));
        assert_eq!(asked("br;q=0, gzip;q=1.0"), Some(Encoding::Gzip));
        assert_eq!(asked("identity"), None);
        assert_eq!(accepted(&HeaderMap::new()), None);
    }
}
