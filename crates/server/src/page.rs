//! The page: the files of `web/`, carried inside a release binary and read from disk in a debug build.
//!
//! It knows nothing of what the page does. Files live under a path that names their content, so that browsers
//! may keep them for ever; only the small HTML that names the path is asked for each time.

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

/// The page's files as the build script packed them, in the order of their paths and of [`Encoding::ALL`]; none in a debug
/// build.
static PACKED_AT_BUILD: &[(&str, [&[u8]; 2])] = include!(concat!(env!("OUT_DIR"), "/packed.rs"));

/// The Content-Security-Policy: nothing but our own files runs, is shown or is spoken to, and no text becomes markup
/// (trusted types).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// The page without what is filled in for each who asks.
const TEMPLATE: &str = "index.html";

/// The language whose words stand in for those that another lacks.
const FALLBACK: &str = "en";

/// The page's own routes.
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

/// The page of a room. Whether there is such a room, the page asks by itself: a link that is pasted into a
/// messenger is looked at by programs that must neither open rooms nor learn which there are.
async fn room(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
) -> Response {
    // A path that is not even text is a wrong code like any other.
    let code = code.ok().and_then(|Path(code)| crate::RoomCode::read(&code));
    let title = code.map_or_else(|| "Rookery".to_owned(), |code| format!("Rookery · {code}"));
    html(&shared, &headers, &title)
}

/// The page of a game that is seen again. Which game that is, the page asks by itself, too.
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
    // A page loaded before an update asks for files that may have changed since: it gets them, but must not
    // keep them under the old name.
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

/// Browsers ask before they use their copy.
const REVALIDATE: &str = "no-cache";

/// Names the content in every encoding, hence a weak validator.
fn etag(data: &[u8]) -> HeaderValue {
    let tag = format!("W/\"{}\"", hex::encode(&Sha256::digest(data)[..16]));
    HeaderValue::try_from(tag).expect("hexadecimal digits are a valid header")
}

/// A file as it is sent, before it is packed.
struct Sent {
    kind: String,
    data: Cow<'static, [u8]>,
}

fn sent(path: &str) -> Option<Sent> {
    // Browsers run modules only with a charset they trust to be UTF-8.
    let text = |kind: &str| format!("{kind}; charset=utf-8");
    // The template is no page: only what is made of it has a policy of what may run.
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

/// Returns joined modules, or their source map. A debug build joins them again when one of them has changed.
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

/// The text of one module or stylesheet as it is sent.
fn module(path: &str) -> Option<String> {
    String::from_utf8(lean(path, Web::get(path)?.data).into_owned()).ok()
}

/// The smallest of what the browser reads.
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

/// The file packed as small as can be: done once for each content, where packing for each reader anew would have to be
/// quick.
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

/// A name for the content of all files together, as they are sent: a release that joins or shortens them in another way is another one.
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

/// The first language with a catalogue that the browser asks for.
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

/// One sentence of a catalogue, for programs that show a link without running the page.
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
