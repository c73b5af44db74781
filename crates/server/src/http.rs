//! What is answered over plain HTTP, and the way into a room's WebSocket.

use crate::address::Source;
use crate::handle::Handle;
use crate::links::Links;
use crate::registry::{self, Location, NoEntry};
use crate::shared::Shared;
use crate::{RoomCode, nodes, page, socket};
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Path, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use protocol::{
    Code, Failure, GameOffer, MAX_MESSAGE, OpenRoom, Record, RoomOpened, RoomPhase, RoomView, SeatKey,
};
use qrcode::QrCode;
use qrcode::render::svg;
use room::{GAMES, Options};
use serde::de::{self, DeserializeOwned};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;

/// A request whose body or answer takes longer than this is given up.
const REQUEST: Duration = Duration::from_secs(10);
/// The longest key a link to a seat may have; ours have half of that.
const KEY: usize = 64;
/// Read buffer per socket. It is filled with zeros before every look for something to read, so it has the size of what
/// is usually said; a longer message is read in several pieces. The default of 128 KiB would be most of what an idle player costs.
const READ_BUFFER: usize = 1024;
/// The most a socket may hold back unsent: one message, since each is flushed before the next. The largest is a
/// welcome, and a message that does not fit would keep its reader out for good: where mistakes are allowed, five
/// who retract at every turn make a history of megabytes.
const WRITE_BUFFER: usize = 16 * 1024 * 1024;

/// The header that names a room that was opened.
const ROOM: HeaderName = HeaderName::from_static("x-rookery-room");

type SharedState = State<Arc<Shared>>;

/// Everything players reach.
pub fn app(shared: Arc<Shared>) -> Router {
    let header = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
    };
    Router::new()
        .merge(page::routes())
        .route("/api/games", get(games))
        .route("/api/rooms", post(open_room))
        .route("/api/rooms/{code}", get(look))
        .route("/api/rooms/{code}/qr.svg", get(qr).post(seat_qr))
        .route("/api/rooms/{code}/record", get(record))
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, REQUEST))
        .route("/ws/{code}", any(upgrade))
        .fallback(nowhere)
        .method_not_allowed_fallback(not_that_way)
        .layer(DefaultBodyLimit::max(MAX_MESSAGE))
        .layer(header(CACHE_CONTROL, "no-store"))
        .layer(header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        // A room's address is its key: it must not travel to other sites.
        .layer(header(REFERRER_POLICY, "no-referrer"))
        .with_state(shared)
}

/// An answer that is an error.
#[derive(Debug)]
pub struct Refused(StatusCode, Failure);

impl Refused {
    pub fn new(status: StatusCode, code: Code, detail: impl Into<String>) -> Refused {
        Refused(status, Failure::new(code, detail.into()))
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.0, Json(self.1)).into_response()
    }
}

impl From<NoEntry> for Refused {
    fn from(no_entry: NoEntry) -> Refused {
        let (status, code) = match no_entry {
            NoEntry::Missing => (StatusCode::NOT_FOUND, Code::NoSuchRoom),
            NoEntry::Failed | NoEntry::Waiting => (StatusCode::SERVICE_UNAVAILABLE, Code::RoomUnreadable),
            NoEntry::Full => (StatusCode::SERVICE_UNAVAILABLE, Code::ServerFull),
            NoEntry::Stopping => (StatusCode::SERVICE_UNAVAILABLE, Code::Stopping),
        };
        Refused::new(status, code, no_entry.to_string())
    }
}

impl From<JsonRejection> for Refused {
    fn from(wrong: JsonRejection) -> Refused {
        let status = match wrong.status() {
            StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
            status => status,
        };
        Refused::new(status, Code::BadOptions, wrong.body_text())
    }
}

/// Reads a body. Serde would also read an object's fields from a list; the contract knows objects only.
fn object<T: DeserializeOwned>(body: Result<Json<Value>, JsonRejection>) -> Result<T, Refused> {
    let Json(body) = body?;
    let read =
        if body.is_object() { T::deserialize(body) } else { Err(de::Error::custom("expected an object")) };
    read.map_err(|wrong| Refused::new(StatusCode::BAD_REQUEST, Code::BadOptions, wrong.to_string()))
}

async fn games() -> Json<Vec<GameOffer>> {
    let offer = |game: &room::Offer| GameOffer {
        id: game.id.to_owned(),
        min: game.min,
        max: game.max,
        rules: game.default_rules(),
        options: game.options.iter().map(Into::into).collect(),
    };
    Json(GAMES.iter().map(offer).collect())
}

async fn open_room(
    State(shared): SharedState,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    body: Result<Json<Value>, JsonRejection>,
) -> Result<Response, Refused> {
    of_our_own_page(&shared, &headers)?;
    let wanted: OpenRoom = object(body)?;
    let options = Options::new(&wanted.game, wanted.rules.as_ref(), wanted.clock, wanted.forced);
    let options = options
        .map_err(|wrong| Refused::new(StatusCode::BAD_REQUEST, Code::BadOptions, wrong.to_string()))?;
    if shared.draining.is_cancelled() {
        return Err(NoEntry::Stopping.into());
    }
    if !shared.limits.may_open(source(&shared, peer, &headers)) {
        let detail = "too many rooms opened from this address, try later";
        return Err(Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyRooms, detail));
    }
    if !shared.registry.has_place(shared.config.max_rooms) {
        return Err(NoEntry::Full.into());
    }
    let code = registry::open(&shared, options).await.map_err(|error| {
        // The journal itself tells what is the matter, once.
        tracing::debug!(%error, "cannot write a new room");
        Refused::new(StatusCode::SERVICE_UNAVAILABLE, Code::CannotWrite, "the journal cannot be written now")
    })?;
    shared.metrics.rooms_opened.increment(1);
    let opened = RoomOpened { code: code.to_string(), path: format!("/r/{code}") };
    // For a balancer that sends whoever comes to the room to the server that has it.
    Ok((StatusCode::CREATED, [(ROOM, opened.code.clone())], Json(opened)).into_response())
}

async fn look(
    State(shared): SharedState,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
) -> Result<Response, Refused> {
    match find(&shared, source(&shared, peer, &headers), code).await? {
        (_, Location::Here(room)) => Ok(Json(show(&room).await?).into_response()),
        (code, Location::There(peer)) => nodes::look(&shared, &peer, code).await,
    }
}

/// The room as everyone sees it.
pub async fn show(room: &Handle) -> Result<RoomView, Refused> {
    // A room put away at this very moment is as good as one that cannot be read: ask again.
    room.look().await.map_err(|_| NoEntry::Failed.into())
}

/// The last finished game, with what the server had committed to.
async fn record(
    State(shared): SharedState,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
) -> Result<Response, Refused> {
    match find(&shared, source(&shared, peer, &headers), code).await? {
        (code, Location::Here(room)) => {
            let phase = show(&room).await?.phase;
            Ok(Json(last_record(&shared, code, phase).await?).into_response())
        }
        (code, Location::There(peer)) => nodes::record(&shared, &peer, code).await,
    }
}

/// The last finished game of a room in this phase, as it is written.
pub async fn last_record(shared: &Shared, code: RoomCode, phase: RoomPhase) -> Result<Record, Refused> {
    if phase == RoomPhase::Playing {
        return Err(Refused::new(
            StatusCode::CONFLICT,
            Code::GameOn,
            "a game is on; its record is for after its end",
        ));
    }
    // A long evening is thousands of entries: only one record at a time is made of what is read, or many would fill the memory.
    let turn = shared.records.turn().await;
    let lines = shared.journal.read(code.as_str()).await.map_err(|error| {
        tracing::debug!(%error, "cannot read a room for its record");
        NoEntry::Failed
    })?;
    let made = turn.work(move || room::last_record(&lines.unwrap_or_default()));
    let record = made.await.map_err(|_| NoEntry::Failed)?.map_err(|error| {
        tracing::error!(room = %code, %error, "cannot make the record of a room");
        NoEntry::Failed
    })?;
    let none = || Refused::new(StatusCode::NOT_FOUND, Code::NoRecord, "no game was played to its end here");
    record.ok_or_else(none)
}

/// The join link as a picture for the phone next to you.
async fn qr(
    State(shared): SharedState,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
) -> Result<Response, Refused> {
    let code = known(&shared, source(&shared, peer, &headers), code).await?;
    picture_of(&Links::of(&shared, &headers).absolute(&format!("r/{code}")))
}

/// The link to one's own seat as a picture for one's other device. The key comes in the body, for addresses are
/// written down on the way.
async fn seat_qr(
    State(shared): SharedState,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
    body: Result<Json<Value>, JsonRejection>,
) -> Result<Response, Refused> {
    of_our_own_page(&shared, &headers)?;
    let code = known(&shared, source(&shared, peer, &headers), code).await?;
    let SeatKey { key } = object(body)?;
    if !(1..=KEY).contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(Refused::new(StatusCode::BAD_REQUEST, Code::BadOptions, "a key is letters and digits"));
    }
    picture_of(&Links::of(&shared, &headers).absolute(&format!("r/{code}#k={key}")))
}

fn picture_of(link: &str) -> Result<Response, Refused> {
    let picture = QrCode::new(link).map_err(|_| {
        Refused::new(StatusCode::INTERNAL_SERVER_ERROR, Code::LinkTooLong, "the link does not fit a QR code")
    })?;
    let svg = picture.render::<svg::Color>().min_dimensions(240, 240).build();
    Ok(([(CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}

async fn upgrade(
    State(shared): SharedState,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, Refused> {
    of_our_own_page(&shared, &headers)?;
    let source = source(&shared, peer, &headers);
    let (code, location) = find_or_wait(&shared, source, code).await?;
    let upgrade = upgrade.map_err(|wrong| match wrong.status() {
        StatusCode::METHOD_NOT_ALLOWED => not_with_this_method(),
        status => Refused::new(status, Code::NotWebsocket, wrong.body_text()),
    })?;
    let place = shared.limits.socket(source).ok_or_else(|| {
        let detail = "too many connections, from this address or in all";
        Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManySockets, detail)
    })?;
    // The socket outlives this request; the token keeps a stopping server waiting for its goodbye.
    let token = shared.tasks.token();
    Ok(sized(upgrade).on_upgrade(move |ws| async move {
        match location {
            Some(Location::Here(room)) => socket::serve(ws, shared, code, room, place).await,
            Some(Location::There(_)) | None => nodes::serve(ws, shared, code, source, place).await,
        }
        drop(token);
    }))
}

/// An upgrade whose socket keeps no more memory than it needs.
pub fn sized(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    upgrade
        .read_buffer_size(READ_BUFFER)
        // Every message is flushed by itself: to gather several first would only keep memory.
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER)
        .max_message_size(socket::MAX_FRAME)
        .max_frame_size(socket::MAX_FRAME)
}

/// Liveness: the process runs and answers. Whoever watches it restarts what does not, which mends neither a full disk
/// nor a server that is stopping anyway, so nothing else is looked at.
async fn alive() -> &'static str {
    "well\n"
}

/// Readiness: whether people can play here now.
async fn ready(State(shared): SharedState) -> Result<&'static str, Refused> {
    match shared.is_well().await {
        Ok(()) => Ok("well\n"),
        Err(why) => Err(Refused::new(StatusCode::SERVICE_UNAVAILABLE, Code::NotReady, why)),
    }
}

async fn nowhere() -> Refused {
    Refused::new(StatusCode::NOT_FOUND, Code::NotFound, "nothing is here")
}

async fn not_that_way() -> Refused {
    not_with_this_method()
}

fn not_with_this_method() -> Refused {
    Refused::new(StatusCode::METHOD_NOT_ALLOWED, Code::BadMethod, "not with this method")
}

/// The room of this code, woken if need be and no other server has it.
async fn find(
    shared: &Arc<Shared>,
    source: Source,
    code: Result<Path<String>, PathRejection>,
) -> Result<(RoomCode, Location), Refused> {
    let enter = |code| async move { Ok((code, registry::enter(shared, code).await?)) };
    counting_misses(shared, source, code, enter).await
}

/// The same for whoever can wait: no location if the room is there and changes servers just now.
async fn find_or_wait(
    shared: &Arc<Shared>,
    source: Source,
    code: Result<Path<String>, PathRejection>,
) -> Result<(RoomCode, Option<Location>), Refused> {
    let enter = |code| async move {
        match registry::enter(shared, code).await {
            Err(NoEntry::Waiting) => Ok((code, None)),
            entered => Ok((code, Some(entered?))),
        }
    };
    counting_misses(shared, source, code, enter).await
}

/// The code, if there is such a room; it is not woken for that.
async fn known(
    shared: &Shared,
    source: Source,
    code: Result<Path<String>, PathRejection>,
) -> Result<RoomCode, Refused> {
    let exists = |code| async move { registry::exists(shared, code).await.map(|()| code) };
    counting_misses(shared, source, code, exists).await
}

/// Rate limit of guesses: whoever asks for too many rooms that are not there is told nothing for a while.
async fn counting_misses<T, Looking: Future<Output = Result<T, NoEntry>>>(
    shared: &Shared,
    source: Source,
    code: Result<Path<String>, PathRejection>,
    look: impl FnOnce(RoomCode) -> Looking,
) -> Result<T, Refused> {
    let limits = &shared.limits;
    let barred = || {
        let detail = "too many wrong codes from this address, try in a minute";
        Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyMisses, detail)
    };
    if !limits.may_look(source) {
        return Err(barred());
    }
    // A path that is not even text is a wrong code like any other.
    let room = match code.ok().and_then(|Path(code)| RoomCode::read(&code)) {
        Some(code) => look(code).await,
        None => Err(NoEntry::Missing),
    };
    // A race otherwise: guesses sent side by side have all passed the first look before one of them is counted.
    let missing = matches!(room, Err(NoEntry::Missing));
    let may_be_told = if missing { limits.missed(source) } else { limits.may_look(source) };
    if !may_be_told {
        return Err(barred());
    }
    room.map_err(Refused::from)
}

fn source(shared: &Shared, peer: SocketAddr, headers: &HeaderMap) -> Source {
    Source::of(peer.ip(), headers, &shared.config.trust_proxy)
}

/// CSRF and cross-site WebSocket hijacking: a browser says which site a request comes from, and another site's pages may
/// not act for our players. Programs that are no browsers send no Origin.
fn of_our_own_page(shared: &Shared, headers: &HeaderMap) -> Result<(), Refused> {
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
    let site = origin.as_ref().and_then(Uri::authority);
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let public = shared.config.public_url.as_ref();
    let same_host = site.is_some_and(|site| Some(site.as_str()) == host);
    let same_public = origin.as_ref().is_some_and(|origin| {
        public.is_some_and(|public| {
            public.authority() == origin.authority() && public.scheme() == origin.scheme()
        })
    });
    if same_host || same_public {
        return Ok(());
    }
    Err(Refused::new(StatusCode::FORBIDDEN, Code::ForeignOrigin, "requests from other sites are refused"))
}
