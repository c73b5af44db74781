//! The HTTP API: its routes, and the answers that are about one room or about the server.
//!
//! It does not know what a room does, nor how it is found.

mod front;
mod hosts;
mod open;
mod origin;
mod past;
mod qr;
mod request;
mod upgrade;

use crate::app_state::AppState;
use crate::base::Base;
use crate::refused::Refused;
use crate::registry::Location;
use crate::room_info;
use crate::{nodes, page};
use axum::extract::rejection::PathRejection;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use protocol::{Code, GameOffer, MAX_MESSAGE};
use request::{asks_for_a_replay, asks_much, find};
use room::GAMES;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;

/// Timeout for reading a request body and making the response.
const REQUEST: Duration = Duration::from_secs(10);

/// Returns the routes for players.
pub fn app(state: AppState) -> Router {
    let routes = Router::new()
        .merge(page::routes())
        .route("/api/games", get(games))
        .route("/api/rooms", post(open::open_room))
        .route("/api/rooms/from", post(past::open_from))
        .route("/api/rooms/{code}", get(look))
        .route("/api/rooms/{code}/qr.svg", get(qr::qr).post(qr::seat_qr))
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
        .route("/ws/{code}", any(upgrade::upgrade))
        .fallback(nowhere)
        .method_not_allowed_fallback(not_that_way)
        .layer(DefaultBodyLimit::max(MAX_MESSAGE));
    with_safe_headers(routes).layer(from_fn_with_state(state.base.clone(), front::let_in)).with_state(state)
}

/// Returns the routes of the admin address.
pub fn admin(state: AppState) -> Router {
    let routes = Router::new().route("/metrics", get(metrics)).route("/api/nodes", get(nodes::list));
    with_safe_headers(routes)
        .layer(header(CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"))
        .layer(from_fn_with_state(state.base.clone(), front::let_in_at_admin))
        .with_state(state)
}

fn header(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}

/// Adds the security headers of every response.
fn with_safe_headers(routes: Router<AppState>) -> Router<AppState> {
    routes
        .layer(header(CACHE_CONTROL, "no-store"))
        .layer(header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        // A room's URL grants access to it, so it must not be sent to other sites.
        .layer(header(REFERRER_POLICY, "no-referrer"))
}

async fn metrics(State(state): State<AppState>) -> String {
    let (base, rooms) = (&state.base, state.rooms.loaded.len());
    // A server releases a room when it leaves memory, so the rooms in memory are the rooms it owns.
    let figures = base.journal.ownership().figures();
    base.metrics.among(rooms, state.cluster.relayed(), figures, base.lease.age());
    base.metrics.render(rooms, &base.limits)
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

async fn look(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
) -> Result<Response, Refused> {
    let source = asks_much(&state.base, peer, &headers)?;
    match find(&state, source, code).await? {
        (_, Location::Here(room)) => Ok(Json(room_info::show(&room).await?).into_response()),
        (code, Location::There(peer)) => nodes::look(&state, &peer, code, source).await,
    }
}

/// Returns the record of the last finished game, with the server's commitment.
async fn record(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
) -> Result<Response, Refused> {
    let source = asks_for_a_replay(&state.base, peer, &headers)?;
    match find(&state, source, code).await? {
        (code, Location::Here(room)) => {
            room_info::last_record(&state.records, code, &room_info::show(&room).await?, source).await
        }
        (code, Location::There(peer)) => nodes::record(&state, &peer, code, source).await,
    }
}

/// Liveness: the process runs and responds. A supervisor restarts the process on failure, which repairs neither a full
/// disk nor a server that is stopping, so nothing else is checked.
async fn alive() -> &'static str {
    "well\n"
}

/// Readiness: whether games can be played here now.
async fn ready(State(base): State<Arc<Base>>) -> Result<&'static str, Refused> {
    match base.is_well().await {
        Ok(()) => Ok("well\n"),
        Err(why) => Err(Refused::new(StatusCode::SERVICE_UNAVAILABLE, Code::NotReady, why)),
    }
}

async fn nowhere() -> Refused {
    Refused::new(StatusCode::NOT_FOUND, Code::NotFound, "not found")
}

async fn not_that_way() -> Refused {
    Refused::new(StatusCode::METHOD_NOT_ALLOWED, Code::BadMethod, "method not allowed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RoomCode;
    use crate::client_addr::{ClientAddr, client as client_at};
    use crate::limits::CpuQuota;
    use crate::limits::table;
    use crate::registry;
    use crate::{Cli, Server};
    use axum::http::header::CONTENT_TYPE;
    use clap::Parser;
    use client::{Answer, Deployment, Join, Request};
    use journal::memory::Memory;
    use protocol::{Close, RoomOpened};
    use serde_json::Value;

    /// Starts a server with the default limits, and returns its parts too.
    async fn server() -> (AppState, Deployment) {
        server_with(Arc::new(Memory::default())).await
    }

    async fn server_with(journal: Arc<Memory>) -> (AppState, Deployment) {
        let flags = ["rookery", "--listen", "127.0.0.1:0", "--admin", "off"];
        let state = AppState::new(Cli::parse_from(flags).config, journal);
        let server = Server::start(state.clone()).await.unwrap();
        (state, Deployment::at(server.address()))
    }

    async fn open(server: &Deployment) -> Answer {
        let request = Request::post("/api/rooms").header(CONTENT_TYPE, "application/json");
        server.send(request.body(r#"{"game":"towers"}"#.to_owned()).unwrap()).await.unwrap()
    }

    fn here() -> ClientAddr {
        client_at("127.0.0.1")
    }

    #[tokio::test]
    async fn opening_rooms_counts_towards_the_daily_write_quota() {
        let (state, server) = server().await;
        assert_eq!(open(&server).await.status, StatusCode::CREATED);
        state.base.limits.wrote(here(), table::WRITTEN_BYTES.burst - 100);
        let refused = open(&server).await;
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
        assert!(refused.body.contains("too_much_written"), "{}", refused.body);
    }

    #[tokio::test]
    async fn limits_replay_time_per_address() {
        let (state, server) = server().await;
        let mut codes = Vec::new();
        for _ in 0..2 {
            let opened: RoomOpened = serde_json::from_str(&open(&server).await.body).unwrap();
            codes.push(opened.code);
        }
        let get = async |path: &str| server.get(path).await.unwrap().status.as_u16();
        assert_eq!(get(&format!("/api/rooms/{}", codes[0])).await, 200);
        assert!(state.base.limits.was_charged(here(), CpuQuota::Loading), "loading a room is counted");
        assert_eq!(get(&format!("/api/rooms/{}/games", codes[1])).await, 200);
        assert!(state.base.limits.was_charged(here(), CpuQuota::Replaying), "replaying past games is counted");
        for quota in [CpuQuota::Loading, CpuQuota::Replaying] {
            state.base.limits.worked(here(), quota, Duration::from_secs(60));
        }
        assert_eq!(get(&format!("/api/rooms/{}", codes[0])).await, 200, "a loaded room costs nothing");
        let unloaded = &codes[1];
        for path in ["", "/record", "/games", "/games/last/record", "/games/last/moments"] {
            assert_eq!(get(&format!("/api/rooms/{unloaded}{path}")).await, 429, "{path}");
        }
        let of_record = Request::post("/api/moments").body(r#"{"record_version":1}"#.to_owned());
        assert_eq!(server.send(of_record.unwrap()).await.unwrap().status, StatusCode::TOO_MANY_REQUESTS);
        // Another address can load it.
        let other = client_at("192.0.2.1");
        let code = RoomCode::read(unloaded).unwrap();
        assert!(registry::enter(&state.rooms, code, (other, CpuQuota::Loading)).await.is_ok());
        assert!(state.base.limits.was_charged(other, CpuQuota::Loading));
    }

    #[tokio::test]
    async fn a_seat_token_pays_nothing_for_loading_its_room() {
        let journal = Arc::new(Memory::default());
        let (_, before) = server_with(journal.clone()).await;
        let opened: RoomOpened = serde_json::from_str(&open(&before).await.body).unwrap();
        let welcome = before.connect(&opened.code).await.unwrap().join(Join::named("Ana")).await.unwrap();
        let token = serde_json::from_str::<Value>(&welcome).unwrap()["you"]["token"].as_str().unwrap().to_owned();

        // Another server on the same journal has not loaded the room yet.
        let (state, after) = server_with(journal).await;
        state.base.limits.worked(here(), CpuQuota::Loading, Duration::from_secs(60));
        let mut stranger = after.connect(&opened.code).await.unwrap();
        let refused = stranger.join(Join::named("Zoe")).await.unwrap();
        assert!(refused.contains("too_many_requests"), "{refused}");
        assert_eq!(stranger.hear().await.unwrap_err().close(), Some(Close::TryLater));

        let welcome = after.connect(&opened.code).await.unwrap().join(Join::back(&token)).await.unwrap();
        assert!(welcome.contains("welcome"), "{welcome}");
    }
}
