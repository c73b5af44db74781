//! The HTTP API, and the upgrade to a room's WebSocket.

mod front;
mod hosts;
mod past;

use crate::address::Source;
use crate::handle::Handle;
use crate::limits::places::{Class, NoPlace, Place};
use crate::links::Links;
use crate::registry::{self, Location, NoEntry};
use crate::shared::Shared;
use crate::socket::Visitor;
use crate::websocket::{Upgrade, WebSocket};
use crate::{RoomCode, barred, nodes, page, socket};
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{ConnectInfo, DefaultBodyLimit, Path, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Extension, Json, Router};
use protocol::{
    Code, Failure, GameOffer, MAX_MESSAGE, OpenRoom, Origin, RecordDoubt, RoomOpened, RoomPhase, RoomView,
    SeatKey,
};
use qrcode::QrCode;
use qrcode::render::svg;
use room::{GAMES, Options, Refusal};
use serde::de::{self, DeserializeOwned};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;

/// Timeout for reading a request body and making the response.
const REQUEST: Duration = Duration::from_secs(10);
/// Maximum length of the key in a seat link. Ours are half as long.
const KEY: usize = 64;
/// Maximum number of requests waiting for a QR code.
const PICTURES_WAITING: usize = 64;

/// Response header with the code of a newly opened room.
const ROOM: HeaderName = HeaderName::from_static("x-rookery-room");

type SharedState = State<Arc<Shared>>;

/// Returns the routes for players.
pub fn app(shared: Arc<Shared>) -> Router {
    let routes = Router::new()
        .merge(page::routes())
        .route("/api/games", get(games))
        .route("/api/rooms", post(open_room))
        .route("/api/rooms/from", post(past::open_from))
        .route("/api/rooms/{code}", get(look))
        .route("/api/rooms/{code}/qr.svg", get(qr).post(seat_qr))
        .route("/api/rooms/{code}/record", get(record))
        .route("/api/rooms/{code}/records", get(past::all_records))
        .route("/api/rooms/{code}/book", get(past::book))
        .route("/api/rooms/{code}/book.csv", get(past::book_as_csv))
        .route("/api/rooms/{code}/games", get(past::games))
        .route("/api/rooms/{code}/games/{number}/record", get(past::record))
        .route("/api/rooms/{code}/games/{number}/moments", get(past::moments))
        .route("/api/rooms/{code}/games/{number}/review", get(past::review))
        .route("/api/moments", post(past::of_record))
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, REQUEST))
        .route("/ws/{code}", any(upgrade))
        .fallback(nowhere)
        .method_not_allowed_fallback(not_that_way)
        .layer(DefaultBodyLimit::max(MAX_MESSAGE));
    with_safe_headers(routes).layer(from_fn_with_state(shared.clone(), front::let_in)).with_state(shared)
}

/// Returns the routes of the admin address.
pub fn admin(shared: Arc<Shared>) -> Router {
    let routes = Router::new().route("/metrics", get(metrics)).route("/api/nodes", get(nodes::list));
    with_safe_headers(routes)
        .layer(header(CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"))
        .layer(from_fn_with_state(shared.clone(), front::let_in_at_admin))
        .with_state(shared)
}

fn header(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}

/// Adds the security headers of every response.
fn with_safe_headers(routes: Router<Arc<Shared>>) -> Router<Arc<Shared>> {
    routes
        .layer(header(CACHE_CONTROL, "no-store"))
        .layer(header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        // A room's URL grants access to it, so it must not be sent to other sites.
        .layer(header(REFERRER_POLICY, "no-referrer"))
}

async fn metrics(State(shared): SharedState) -> String {
    let rooms = shared.registry.len();
    // A server releases a room when it leaves memory, so the rooms in memory are the rooms it owns.
    let figures = shared.journal.ownership().figures();
    shared.metrics.among(rooms, shared.nodes.relayed(), figures, shared.lease.age());
    shared.metrics.render(rooms, &shared.limits)
}

/// An error response.
#[derive(Debug)]
pub struct Refused {
    status: StatusCode,
    code: Code,
    detail: String,
    /// What is wrong with a submitted record.
    doubt: Option<RecordDoubt>,
}

impl Refused {
    pub fn new(status: StatusCode, code: Code, detail: impl Into<String>) -> Refused {
        Refused { status, code, detail: detail.into(), doubt: None }
    }

    fn doubting(self, doubt: RecordDoubt) -> Refused {
        Refused { doubt: Some(doubt), ..self }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Refused { status, code, detail, doubt } = self;
        // The middleware reads the code for the metrics.
        (status, Extension(code), Json(Failure::new(code, detail).with_doubt(doubt))).into_response()
    }
}

impl From<NoEntry> for Refused {
    fn from(no_entry: NoEntry) -> Refused {
        let (status, code) = match no_entry {
            NoEntry::Missing => (StatusCode::NOT_FOUND, Code::NoSuchRoom),
            NoEntry::Failed | NoEntry::Waiting => (StatusCode::SERVICE_UNAVAILABLE, Code::RoomUnreadable),
            NoEntry::Full => (StatusCode::SERVICE_UNAVAILABLE, Code::ServerFull),
            NoEntry::TooMuchWoken => (StatusCode::TOO_MANY_REQUESTS, Code::TooManyRequests),
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

/// Parses a request body. Serde would also accept an object's fields as a list; the protocol allows objects only.
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
    let options = options.map_err(bad_options)?.at_pace(wanted.pace);
    let source = source(&shared, peer, &headers);
    may_open(&shared, source)?;
    opened(&shared, source, options, None).await
}

fn bad_options(wrong: Refusal) -> Refused {
    Refused::new(StatusCode::BAD_REQUEST, Code::BadOptions, wrong.to_string())
}

/// Checks whether the client may open another room, and counts it as opened.
fn may_open(shared: &Shared, source: Source) -> Result<(), Refused> {
    if shared.draining.is_cancelled() {
        return Err(NoEntry::Stopping.into());
    }
    if !shared.written.has_any(source, shared.clock.running()) {
        let detail = "too much was written from this address today";
        return Err(Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooMuchWritten, detail));
    }
    if !shared.limits.may_open(source) {
        let detail = "too many rooms opened from this address, try later";
        return Err(Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyRooms, detail));
    }
    if !shared.registry.has_place(shared.config.max_rooms) {
        return Err(NoEntry::Full.into());
    }
    Ok(())
}

async fn opened(
    shared: &Shared,
    source: Source,
    options: Options,
    origin: Option<Box<Origin>>,
) -> Result<Response, Refused> {
    let code = registry::open(shared, source, options, origin).await.map_err(|error| {
        // The journal itself logs the cause, once.
        tracing::debug!(%error, "cannot write a new room");
        Refused::new(StatusCode::SERVICE_UNAVAILABLE, Code::CannotWrite, "the journal cannot be written now")
    })?;
    shared.metrics.rooms_opened.increment(1);
    let opened = RoomOpened { code: code.to_string(), path: format!("/r/{code}") };
    // Lets a load balancer route later requests for the room to the server that owns it.
    Ok((StatusCode::CREATED, [(ROOM, opened.code.clone())], Json(opened)).into_response())
}

async fn look(
    State(shared): SharedState,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
) -> Result<Response, Refused> {
    let source = asks_much(&shared, peer, &headers)?;
    match find(&shared, source, code).await? {
        (_, Location::Here(room)) => Ok(Json(show(&room).await?).into_response()),
        (code, Location::There(peer)) => nodes::look(&shared, &peer, code).await,
    }
}

/// Returns the public view of the room.
pub async fn show(room: &Handle) -> Result<RoomView, Refused> {
    // The room was unloaded at this moment. The client can retry, as for a room that cannot be read.
    room.look().await.map_err(|_| NoEntry::Failed.into())
}

/// Returns the record of the last finished game, with the server's commitment.
async fn record(
    State(shared): SharedState,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
) -> Result<Response, Refused> {
    let source = asks_for_a_replay(&shared, peer, &headers)?;
    match find(&shared, source, code).await? {
        (code, Location::Here(room)) => last_record(&shared, code, &show(&room).await?, Some(source)).await,
        (code, Location::There(peer)) => nodes::record(&shared, &peer, code).await,
    }
}

/// Returns the record of the last finished game of the room with this view.
pub async fn last_record(
    shared: &Shared,
    code: RoomCode,
    view: &RoomView,
    source: Option<Source>,
) -> Result<Response, Refused> {
    if view.phase == RoomPhase::Playing {
        return Err(Refused::new(
            StatusCode::CONFLICT,
            Code::GameOn,
            "a game is on; its record is for after its end",
        ));
    }
    match shared.records.last(shared, code, view, source).await {
        Ok(Some(record)) => Ok(([(CONTENT_TYPE, "application/json")], record).into_response()),
        Ok(None) => {
            let detail = "no game was played to its end here";
            Err(Refused::new(StatusCode::NOT_FOUND, Code::NoRecord, detail))
        }
        Err(not_made) => Err(not_made.into()),
    }
}

/// Returns a QR code of the join link.
async fn qr(
    State(shared): SharedState,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
) -> Result<Response, Refused> {
    let source = asks_much(&shared, peer, &headers)?;
    let code = known(&shared, source, code).await?;
    picture_of(&shared, Links::of(&shared, &headers).absolute(&format!("r/{code}"))).await
}

/// Returns a QR code of the link to the client's own seat, for a second device. The key is in the body, because URLs
/// are logged on the way.
async fn seat_qr(
    State(shared): SharedState,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
    body: Result<Json<Value>, JsonRejection>,
) -> Result<Response, Refused> {
    of_our_own_page(&shared, &headers)?;
    let source = asks_much(&shared, peer, &headers)?;
    let code = known(&shared, source, code).await?;
    let SeatKey { key } = object(body)?;
    if !(1..=KEY).contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(Refused::new(StatusCode::BAD_REQUEST, Code::BadOptions, "a key is letters and digits"));
    }
    picture_of(&shared, Links::of(&shared, &headers).absolute(&format!("r/{code}#k={key}"))).await
}

/// Renders a QR code off the async workers and one at a time, so that it does not delay games.
async fn picture_of(shared: &Shared, link: String) -> Result<Response, Refused> {
    let turn = shared.pictures.turn_unless(PICTURES_WAITING).await.ok_or_else(busy)?;
    let draw = move || {
        let picture = QrCode::new(link).ok()?;
        Some(picture.render::<svg::Color>().min_dimensions(240, 240).build())
    };
    let svg = turn.work(draw).await.map_err(|_| busy())?.ok_or_else(|| {
        let detail = "the link does not fit a QR code";
        Refused::new(StatusCode::INTERNAL_SERVER_ERROR, Code::LinkTooLong, detail)
    })?;
    Ok(([(CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}

async fn upgrade(
    State(shared): SharedState,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(place): Extension<Arc<Place>>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
    upgrade: Result<Upgrade, Refused>,
) -> Result<Response, Refused> {
    of_our_own_page(&shared, &headers)?;
    let source = source(&shared, peer, &headers);
    let wanted = code.as_ref().ok().and_then(|Path(code)| RoomCode::read(code));
    let found = match find_or_wait(&shared, source, code).await {
        Ok((code, location)) => Some((code, location)),
        // A barred address is upgraded whatever the code: only the first message shows whether it has a seat token.
        Err(refused) if refused.code == Code::TooManyMisses && upgrade.is_ok() => None,
        Err(refused) => return Err(refused),
    };
    let upgrade = upgrade?;
    let class = place.upgrade(source).map_err(|NoPlace| {
        let detail = "too many connections, from this address or in all";
        Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManySockets, detail)
    })?;
    let (answer, socket) = upgrade.accept();
    let visitor = Visitor { source, place, in_vestibule: class == Class::Vestibule };
    // The socket outlives this request, and shutdown waits for its closing handshake.
    match found {
        Some((code, location)) => {
            shared.tasks.spawn(serve(socket, shared.clone(), code, location, visitor));
        }
        None => {
            let task = shared.clone();
            shared.tasks.spawn(async move {
                if let Some(ws) = socket.await {
                    barred::serve(ws, task, wanted, visitor).await;
                }
            });
        }
    }
    Ok(answer)
}

/// Serves a WebSocket until it ends.
async fn serve<Opening: Future<Output = Option<WebSocket>>>(
    socket: Opening,
    shared: Arc<Shared>,
    code: RoomCode,
    location: Option<Location>,
    visitor: Visitor,
) {
    let Some(ws) = socket.await else { return };
    match location {
        Some(Location::Here(room)) => socket::serve(ws, shared, code, room, visitor).await,
        // Boxed: a task has the size of its largest branch, and a relay is twice as large as a socket.
        Some(Location::There(_)) | None => Box::pin(nodes::serve(ws, shared, code, visitor)).await,
    }
}

/// Liveness: the process runs and responds. A supervisor restarts the process on failure, which repairs neither a full
/// disk nor a server that is stopping, so nothing else is checked.
async fn alive() -> &'static str {
    "well\n"
}

/// Readiness: whether games can be played here now.
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

/// Load shedding: it is better to refuse now than to answer when the client no longer waits.
fn busy() -> Refused {
    let detail = "too many ask for this at the moment, try again";
    Refused::new(StatusCode::SERVICE_UNAVAILABLE, Code::Busy, detail)
}

fn not_with_this_method() -> Refused {
    Refused::new(StatusCode::METHOD_NOT_ALLOWED, Code::BadMethod, "not with this method")
}

/// Finds the room with this code, and loads it if no server has it.
async fn find(
    shared: &Arc<Shared>,
    source: Source,
    code: Result<Path<String>, PathRejection>,
) -> Result<(RoomCode, Location), Refused> {
    let enter = |code| async move { Ok((code, registry::enter(shared, code, Some(source)).await?)) };
    counting_misses(shared, source, code, enter).await
}

/// Finds the room for a client that can wait. The location is `None` while the room moves between servers.
async fn find_or_wait(
    shared: &Arc<Shared>,
    source: Source,
    code: Result<Path<String>, PathRejection>,
) -> Result<(RoomCode, Option<Location>), Refused> {
    let enter = |code| async move {
        match registry::enter(shared, code, Some(source)).await {
            Err(NoEntry::Waiting) => Ok((code, None)),
            entered => Ok((code, Some(entered?))),
        }
    };
    counting_misses(shared, source, code, enter).await
}

/// Returns the code if the room exists, without loading the room.
async fn known(
    shared: &Shared,
    source: Source,
    code: Result<Path<String>, PathRejection>,
) -> Result<RoomCode, Refused> {
    let exists = |code| async move { registry::exists(shared, code).await.map(|()| code) };
    counting_misses(shared, source, code, exists).await
}

/// Rate limit for guessing codes: an address that asks for too many missing rooms gets no answers for a while.
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
    // A path that is not valid UTF-8 is handled like any other wrong code.
    let code = code.ok().and_then(|Path(code)| RoomCode::read(&code));
    if let Some(code) = code
        && shared.is_in(source, code)
    {
        // An address with a connection in the room learns nothing from this answer.
        return look(code).await.map_err(Refused::from);
    }
    if !limits.may_look(source) {
        return Err(barred());
    }
    let room = match code {
        Some(code) => look(code).await,
        None => Err(NoEntry::Missing),
    };
    // Checked again to avoid a race: parallel guesses all pass the first check before one of them is counted.
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

/// Returns the client address of a costly request, if its rate limit allows it.
fn asks_much(shared: &Shared, peer: SocketAddr, headers: &HeaderMap) -> Result<Source, Refused> {
    let source = source(shared, peer, headers);
    if shared.limits.may_ask_much(source) { Ok(source) } else { Err(too_many()) }
}

/// Returns the client address of a request that replays a journal, if its limits allow it.
fn asks_for_a_replay(shared: &Shared, peer: SocketAddr, headers: &HeaderMap) -> Result<Source, Refused> {
    let source = asks_much(shared, peer, headers)?;
    if shared.may_replay(source) { Ok(source) } else { Err(too_many()) }
}

fn too_many() -> Refused {
    let detail = "too many requests from this address, try in a moment";
    Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyRequests, detail)
}

/// Protects against CSRF and cross-site WebSocket hijacking: browsers send the origin of a request, and pages of other
/// sites may not act for our players. Clients that are not browsers send no `Origin`.
fn of_our_own_page(shared: &Shared, headers: &HeaderMap) -> Result<(), Refused> {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else { return Ok(()) };
    let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
    // There must be exactly one origin, with a web scheme and a host. If a proxy says that the page was loaded over
    // https, http is refused.
    let secure = headers.get("x-forwarded-proto").is_some_and(|proto| proto == "https");
    let web = |scheme: &str| scheme == "https" || (scheme == "http" && !secure);
    let origin = origin.filter(|origin| origin.scheme_str().is_some_and(web) && origins.next().is_none());
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
    Err(front::foreign())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cli, Server};
    use clap::Parser;
    use client::{Answer, Deployment, Request};
    use journal::memory::Memory;

    /// Starts a server with the default limits, and returns its shared state too.
    async fn server() -> (Arc<Shared>, Deployment) {
        let flags = ["rookery", "--listen", "127.0.0.1:0", "--admin", "off"];
        let shared = Shared::new(Cli::parse_from(flags).config, Arc::new(Memory::default()));
        let server = Server::start(shared.clone()).await.unwrap();
        (shared, Deployment::at(server.address()))
    }

    async fn open(server: &Deployment) -> Answer {
        let request = Request::post("/api/rooms").header(CONTENT_TYPE, "application/json");
        server.send(request.body(r#"{"game":"towers"}"#.to_owned()).unwrap()).await.unwrap()
    }

    fn here() -> Source {
        Source::of([127, 0, 0, 1].into(), &HeaderMap::new(), &[])
    }

    #[tokio::test]
    async fn rooms_that_are_opened_count_for_what_an_address_has_written_in_a_day() {
        let (shared, server) = server().await;
        assert_eq!(open(&server).await.status, StatusCode::CREATED);
        let spent = shared.written.spent(here(), 0);
        assert!(spent > 100, "{spent} bytes");
        shared.written.spend(here(), 1 << 30, shared.clock.running());
        let refused = open(&server).await;
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
        assert!(refused.body.contains("too_much_written"), "{}", refused.body);
    }

    #[tokio::test]
    async fn journals_are_played_again_for_one_address_for_so_long_and_no_longer() {
        let (shared, server) = server().await;
        let mut codes = Vec::new();
        for _ in 0..2 {
            let opened: RoomOpened = serde_json::from_str(&open(&server).await.body).unwrap();
            codes.push(opened.code);
        }
        let get = async |path: &str| server.get(path).await.unwrap().status.as_u16();
        assert_eq!(get(&format!("/api/rooms/{}", codes[0])).await, 200);
        assert!(shared.worked.spent(here(), 0) > 0, "to wake a room is counted");
        shared.worked.tidy(shared.clock.running() + 1_000_000);
        assert_eq!(get(&format!("/api/rooms/{}/games", codes[1])).await, 200);
        assert!(shared.worked.spent(here(), 0) > 0, "to look back is counted");
        shared.worked.spend(here(), 60_000_000, shared.clock.running());
        assert_eq!(get(&format!("/api/rooms/{}", codes[0])).await, 200, "a room that is awake costs nothing");
        let asleep = &codes[1];
        for path in ["", "/record", "/games", "/games/last/record", "/games/last/moments"] {
            assert_eq!(get(&format!("/api/rooms/{asleep}{path}")).await, 429, "{path}");
        }
        let of_record = Request::post("/api/moments").body(r#"{"record_version":1}"#.to_owned());
        assert_eq!(server.send(of_record.unwrap()).await.unwrap().status, StatusCode::TOO_MANY_REQUESTS);
        let upgrade = server.connect(asleep).await;
        assert!(matches!(upgrade.err(), Some(client::ClientError::NoUpgrade(status)) if status == 429));
        // Another address can load it.
        let other = Source::of([192, 0, 2, 1].into(), &HeaderMap::new(), &[]);
        let code = RoomCode::read(asleep).unwrap();
        assert!(registry::enter(&shared, code, Some(other)).await.is_ok());
        assert!(shared.worked.spent(other, 0) > 0);
    }

    #[test]
    fn a_connections_task_is_small() {
        fn size_of<A, B, C, D, E, Task>(_: impl Fn(A, B, C, D, E) -> Task) -> usize {
            std::mem::size_of::<Task>()
        }
        let task = size_of(serve::<std::future::Ready<Option<WebSocket>>>);
        assert!(task <= 3456, "{task} bytes for each of ten thousand who are silent");
    }
}
