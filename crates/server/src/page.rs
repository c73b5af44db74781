//! The page: the files of `web/`, embedded in a release binary and read from disk in a debug build.
//!
//! It does not know what the page does. Files have a path that identifies their content, so browsers may cache them
//! indefinitely. Only the small HTML that contains the path is requested each time.

#[cfg(debug_assertions)]
mod joined;

use crate::Config;
use crate::accept_encoding::accepted;
use crate::app_state::AppState;
use crate::base::Base;
use crate::links::Links;
use crate::refused::Refused;
use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header::{
    ACCEPT_ENCODING, ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bundler::{Encoding, MANIFEST, is_compressed, minify};
use dashmap::DashMap;
use rust_embed::{EmbeddedFile, RustEmbed};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock, OnceLock};
use tokio::sync::OnceCell;
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
#[include = "chunks.txt"]
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

/// The folder of the catalogues, each named after its language. Parts of the page and games have folders in it.
const CATALOGUES: &str = "i18n/";

/// The folder in which each language has all of its texts in one file. It is made on request.
const ALL_TEXTS: &str = "i18n/all/";

/// The language that is used for texts that another one lacks.
const FALLBACK: &str = "en";

/// Returns the page's routes.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/", get(front))
        .route("/r/{code}", get(room))
        .route("/r/{code}/replay/{number}", get(replay))
        .route("/a/{version}/{*path}", get(file))
        .layer(CompressionLayer::new())
        .layer(from_fn(name_the_encoding))
}

/// Leaves only the chosen encoding in `Accept-Encoding`, so that the compression layer chooses as we do.
async fn name_the_encoding(mut request: Request, next: Next) -> Response {
    let chosen = accepted(request.headers());
    match chosen {
        Some(encoding) => {
            request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static(encoding.name()));
        }
        None => drop(request.headers_mut().remove(ACCEPT_ENCODING)),
    }
    next.run(request).await
}

async fn front(State(base): State<Arc<Base>>, headers: HeaderMap) -> Response {
    html(&base.config, &headers, "Rookery")
}

/// Serves the page of a room. The page itself asks whether the room exists: previews of links in messengers must
/// neither load rooms nor reveal which ones exist.
async fn room(
    State(base): State<Arc<Base>>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
) -> Response {
    // A path that is not valid UTF-8 is handled like any other wrong code.
    let code = code.ok().and_then(|Path(code)| crate::RoomCode::read(&code));
    let title = code.map_or_else(|| "Rookery".to_owned(), |code| format!("Rookery · {code}"));
    html(&base.config, &headers, &title)
}

/// Serves the page of a replay. The page itself asks which game that is.
async fn replay(
    base: State<Arc<Base>>,
    headers: HeaderMap,
    game: Result<Path<(String, String)>, PathRejection>,
) -> Response {
    room(base, headers, game.map(|Path((code, _))| Path(code))).await
}

fn html(config: &Config, headers: &HeaderMap, title: &str) -> Response {
    let Some(template) = text(TEMPLATE) else {
        return (StatusCode::NOT_FOUND, "this build contains no page\n").into_response();
    };
    let links = Links::of(config, headers);
    let assets = format!("{}a/{}", links.base(), version());
    let language = preferred(headers);
    let page = template
        .replace("{{language}}", &language)
        .replace("{{image}}", &escape(&links.absolute(&format!("a/{}/icons/share.png", version()))))
        .replace("{{description}}", &escape(&words(&language, "front.lead")))
        .replace("{{noscript}}", &escape(&words(&language, "noscript")))
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
    let no_such_file = || Refused::new(StatusCode::NOT_FOUND, protocol::Code::NotFound, "no such file").into_response();
    let Ok(Path((wanted, mut path))) = path else { return no_such_file() };
    // A page of an earlier version looks for a text where it was then, so it gets all texts wherever it looks.
    if wanted != version()
        && path.starts_with(CATALOGUES)
        && let Some(name) = path.rsplit('/').next()
    {
        path = format!("{ALL_TEXTS}{name}");
    }
    let Some(ServedFile { kind, data }) = served_file(&path) else { return no_such_file() };
    // A page that was loaded before an update may request files that have changed since. It gets the new ones, but must
    // not cache them under the old path.
    let keep =
        if wanted == version() && !cfg!(debug_assertions) { "public, max-age=31536000, immutable" } else { REVALIDATE };
    let plain = [(CONTENT_TYPE, kind.as_str()), (CACHE_CONTROL, keep)];
    let mut validator = HeaderMap::new();
    if keep == REVALIDATE {
        let tag = etag(&data);
        if headers.get(IF_NONE_MATCH) == Some(&tag) {
            return (StatusCode::NOT_MODIFIED, [(CACHE_CONTROL, keep)], [(ETAG, tag)]).into_response();
        }
        validator.insert(ETAG, tag);
    }
    let Some(encoding) = accepted(&headers).filter(|_| is_compressed(&path)) else {
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
    HeaderValue::try_from(tag).expect("hex digits are a valid header")
}

/// A file to send, before compression.
struct ServedFile {
    kind: String,
    data: Cow<'static, [u8]>,
}

fn served_file(path: &str) -> Option<ServedFile> {
    // Browsers run modules only with a charset they trust to be UTF-8.
    let text = |kind: &str| format!("{kind}; charset=utf-8");
    // The template is not served itself: only the page made from it has a Content-Security-Policy.
    let Some(file) = Web::get(path).filter(|_| ![TEMPLATE, MANIFEST].contains(&path)) else {
        let kind = match path.rsplit_once('.') {
            Some((_, "js")) => text("text/javascript"),
            Some((_, "css")) => text("text/css"),
            _ => "application/json".to_owned(),
        };
        return Some(ServedFile { kind, data: all_texts(path).or_else(|| chunk(path))? });
    };
    let kind = match file.metadata.mimetype() {
        kind if kind.starts_with("text/") => text(kind),
        kind => kind.to_owned(),
    };
    Some(ServedFile { kind, data: minify(path, file.data) })
}

/// Returns all texts of a language, for a path in [`ALL_TEXTS`].
fn all_texts(path: &str) -> Option<Cow<'static, [u8]>> {
    let name = path.strip_prefix(ALL_TEXTS)?;
    let mut all = Map::new();
    for path in Web::iter().filter(|path| path.starts_with(CATALOGUES) && path.rsplit('/').next() == Some(name)) {
        all.extend(serde_json::from_slice::<Map<String, Value>>(&Web::get(&path)?.data).ok()?);
    }
    (!all.is_empty()).then(|| Value::Object(all).to_string().into_bytes().into())
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
        static CHUNKS: LazyLock<bundler::Chunks> =
            LazyLock::new(|| bundler::chunks(module).expect("the build has joined the same page"));
        Some(CHUNKS.get(path)?.as_bytes().into())
    }
}

/// Returns the text of a module or stylesheet as it is sent.
fn module(path: &str) -> Option<String> {
    String::from_utf8(minify(path, Web::get(path)?.data).into_owned()).ok()
}

/// Compresses a file as much as possible. This is done once for each content, which later requests wait for: compressing
/// for every request would have to be quick.
async fn packed(path: &str, data: Cow<'static, [u8]>, encoding: Encoding) -> Bytes {
    /// The compressed form of each content, by its hash.
    type Packed = DashMap<([u8; 32], Encoding), Arc<OnceCell<Bytes>>>;
    static PACKED: LazyLock<Packed> = LazyLock::new(DashMap::new);
    if let Ok(at) = PACKED_AT_BUILD.binary_search_by_key(&path, |(path, _)| path) {
        return Bytes::from_static(PACKED_AT_BUILD[at].1[encoding as usize]);
    }
    let content = (Sha256::digest(&data).into(), encoding);
    let packed = PACKED.entry(content).or_default().clone();
    let pack = || async {
        let packed = tokio::task::spawn_blocking(move || encoding.compress(&data));
        Bytes::from(packed.await.expect("packing does not panic"))
    };
    packed.get_or_init(pack).await.clone()
}

/// Returns an identifier of the content of all files as they are sent. It also changes if a release joins or shortens
/// them differently. The page reads its own version from the path of its files, and welcomes name the server's.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let mut paths: Vec<_> = Web::iter().filter(|path| path != MANIFEST).collect();
        paths.sort();
        let mut hash = Sha256::new();
        for path in paths {
            hash.update(path.as_bytes());
            hash.update(Web::get(&path).map(|file: EmbeddedFile| file.metadata.sha256_hash()).unwrap_or_default());
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
        .find(|tag| tag.bytes().all(|letter| letter.is_ascii_lowercase()) && Web::get(&catalogue(tag)).is_some())
        .unwrap_or_else(|| FALLBACK.to_owned())
}

fn catalogue(language: &str) -> String {
    format!("{CATALOGUES}{language}.json")
}

/// Returns a text of a catalogue, for programs that preview a link and browsers that do not run the page.
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

    #[test]
    fn a_release_contains_every_packed_file() {
        let mut sent: Vec<_> = Web::iter().filter(|path| is_compressed(path)).collect();
        sent.sort();
        assert!(sent.len() > 50, "{sent:?}");
        let web = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
        assert_eq!(bundler::compressed_files(&web).unwrap(), sent, "the build packs the files that are sent packed");
        let carried = PACKED_AT_BUILD.iter().map(|(path, _)| *path);
        if cfg!(debug_assertions) {
            assert_eq!(carried.count(), 0, "a debug build packs on request");
        } else {
            let (chunks, files): (Vec<_>, Vec<_>) = carried.partition(|path| Web::get(path).is_none());
            assert_eq!(files, sent);
            assert!(chunks.contains(&"main.chunk.js") && chunks.iter().all(|path| chunk(path).is_some()));
        }
    }

    #[test]
    fn sends_modules_joined_and_individually() {
        let data = |path: &str| String::from_utf8(served_file(path).expect(path).data.into_owned()).unwrap();
        assert!(data("main.chunk.js").contains("$dom=") && !data("dom.js").contains("$dom"));
        assert!(data("main.chunk.js.map").contains("\"./dom.js\""));
        assert!(served_file("main.chunk.js").unwrap().kind.starts_with("text/javascript"));
        assert!(served_file("dom.chunk.js").is_none(), "a module of another chunk has no chunk of its own");
        assert!(served_file(TEMPLATE).is_none() && served_file(MANIFEST).is_none());
    }

    #[tokio::test]
    async fn concurrent_requests_compress_a_file_once() {
        let data = "a text that no other test compresses ".repeat(1000).into_bytes();
        let packings = (0..20).map(|_| packed("i18n/all/none.json", data.clone().into(), Encoding::Gzip));
        let answers = futures_util::future::join_all(packings).await;
        assert!(answers.iter().all(|answer| answer.as_ptr() == answers[0].as_ptr()));
    }

    #[tokio::test]
    async fn sends_all_texts_to_a_page_of_an_earlier_version() {
        let texts = async |version: &str, path: &str| {
            let answer = file(HeaderMap::new(), Ok(Path((version.to_owned(), path.to_owned())))).await;
            assert_eq!(answer.status(), StatusCode::OK, "{path}");
            let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap();
            serde_json::from_slice::<Map<String, Value>>(&body).unwrap()
        };
        // The second file existed in an earlier version only.
        for path in ["i18n/pl.json", "i18n/lesson/pl.json"] {
            let all = texts("earlier", path).await;
            let keys = ["rookery", "lobby.start", "towers.pass", "lesson.towers.pass"];
            assert!(keys.iter().all(|key| all.contains_key(*key)), "{path}");
        }
        let own = texts(version(), "i18n/pl.json").await;
        assert!(own.contains_key("rookery") && !own.contains_key("towers.pass"));
    }

    #[tokio::test]
    async fn does_not_send_a_cached_file_again() {
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
}
