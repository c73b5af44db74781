//! Requests about finished and running games: the list of games, their records, and their moments. Everything is read
//! from the journal, so any server can answer, and no room is loaded.

use super::open::{bad_options, may_open, opened};
use super::origin::of_our_own_page;
use super::request::{asks_for_a_replay, known};
use crate::RoomCode;
use crate::accept_encoding::accepts;
use crate::app_state::AppState;
use crate::base::Base;
use crate::client_addr::ClientAddr;
use crate::limits::{Account, Limits};
use crate::moments::body;
use crate::records::{BookForm, NotMade, Records};
use crate::refused::Refused;
use crate::refused::busy;
use crate::rooms::Rooms;
use axum::body::Body;
use axum::extract::{ConnectInfo, FromRequestParts, Path, Request, State};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Json, RequestPartsExt};
use bundler::Encoding;
use futures_util::StreamExt;
use protocol::{Code, Moment, OpenRoomFrom, Origin, RecordDoubt};
use room::{Doubt, LastReview, Moments, NoRecord, Options, Which};
use serde::Serialize;
use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Maximum size of a submitted record. The longest game, with every act that five players can make, is shorter.
pub const RECORD: usize = 2 << 20;
/// Time until a body must begin to arrive, and the minimum rate after that: 4 KB per second.
const GRACE: Duration = Duration::from_secs(3);
const BYTES_PER_MS: usize = 4;
/// Maximum number of characters of a client's input that an error message quotes.
const QUOTED: usize = 300;

/// A request about the history of an existing room, and its client address. The limits for replaying a journal have
/// been checked.
pub struct OfRoom {
    source: ClientAddr,
    code: RoomCode,
}

/// A request about one game of a room. A number that cannot be parsed is refused as a missing game.
pub struct OfGame {
    source: ClientAddr,
    code: RoomCode,
    which: Which,
}

impl FromRequestParts<AppState> for OfRoom {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<OfRoom, Refused> {
        let code = parts.extract::<Path<Vec<String>>>().await;
        let code = code.map(|Path(steps)| Path(steps.into_iter().next().unwrap_or_default()));
        let source = asking(parts, &state.base).await?;
        Ok(OfRoom { source, code: known(state, source, code).await? })
    }
}

impl FromRequestParts<AppState> for OfGame {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<OfGame, Refused> {
        let OfRoom { source, code } = OfRoom::from_request_parts(parts, state).await?;
        let steps = parts.extract::<Path<(String, String)>>().await.ok();
        let which = steps.and_then(|Path((_, number))| match &*number {
            "last" => Some(Which::Last),
            number => number.parse().ok().map(Which::Number),
        });
        Ok(OfGame { source, code, which: which.ok_or(NoRecord::Missing)? })
    }
}

/// Returns the client address of a request that replays a journal, if its limits allow it.
async fn asking(parts: &mut Parts, base: &Base) -> Result<ClientAddr, Refused> {
    let peer = parts.extract::<ConnectInfo<SocketAddr>>().await;
    let ConnectInfo(peer) = peer.expect("the listener adds the peer address to each request");
    asks_for_a_replay(base, peer, &parts.headers)
}

/// Lists all games of a room.
pub async fn games(State(records): State<Arc<Records>>, OfRoom { source, code }: OfRoom) -> Result<Response, Refused> {
    Ok(json(records.games(code, source).await?))
}

/// Returns the record of a game.
pub async fn record(
    State(records): State<Arc<Records>>,
    OfGame { source, code, which }: OfGame,
) -> Result<Response, Refused> {
    Ok(json(records.of(code, which, source).await??))
}

/// Streams the moments of a game.
pub async fn moments(
    State(base): State<Arc<Base>>,
    State(records): State<Arc<Records>>,
    OfGame { source, code, which }: OfGame,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let slot = base.limits.game_streams.open(source).ok_or_else(busy)?;
    let read = move |lines: Vec<String>| room::moments_of(&lines, which);
    let moments = records.read(code, source, read).await?.ok_or(NoRecord::Missing)?;
    Ok(lines(records, source, slot, moments.map(sure), &headers))
}

/// Returns the strongest bot's review of a game, if a player has asked for one. A room in memory knows that of its last
/// game, so that the journal need not be read.
pub async fn review(
    State(rooms): State<Arc<Rooms>>,
    OfGame { source, code, which }: OfGame,
) -> Result<Response, Refused> {
    let last = match rooms.loaded.open_room(code).filter(|_| which == Which::Last) {
        Some(room) => room.last_review().await.unwrap_or(LastReview::Unknown),
        None => LastReview::Unknown,
    };
    let review = match last {
        LastReview::Made(review) => Some(review),
        LastReview::NotMade => None,
        LastReview::Unknown => {
            let read = move |lines: Vec<String>| room::review_of(&lines, which);
            rooms.records.read(code, source, read).await??.map(Arc::new)
        }
    };
    let review = review.ok_or_else(|| {
        let detail = "no player has asked for a review of this game";
        Refused::new(StatusCode::NOT_FOUND, Code::NoReview, detail)
    })?;
    Ok(Json(&*review).into_response())
}

/// Streams the moments of a submitted record, after verifying it.
pub async fn of_record(
    State(base): State<Arc<Base>>,
    State(records): State<Arc<Records>>,
    request: Request,
) -> Result<Response, Refused> {
    let (mut head, body) = request.into_parts();
    of_our_own_page(&base.config, &head.headers)?;
    let source = asking(&mut head, &base).await?;
    let text = match text_of(&base.limits, source, &head.headers, body).await {
        Ok(text) => text,
        Err(not_read) => return not_read.into(),
    };
    // Opened after the body is read: a body that never arrives must not block a slot for others.
    let slot = base.limits.game_streams.open(source).ok_or_else(busy)?;
    let (text, _bytes) = text.into_parts();
    let check = move || room::read_record(&text).and_then(Moments::of_record);
    let moments = records.work(source, check).await??;
    Ok(lines(records, source, slot, moments.map(sure), &head.headers))
}

/// Returns the results of all games of a room (the book) as JSON.
pub async fn book(State(records): State<Arc<Records>>, OfRoom { source, code }: OfRoom) -> Result<Response, Refused> {
    Ok(json(records.book(code, BookForm::Json, source).await?))
}

/// Returns the book of a room as CSV.
pub async fn book_as_csv(
    State(records): State<Arc<Records>>,
    OfRoom { source, code }: OfRoom,
) -> Result<Response, Refused> {
    let csv = records.book(code, BookForm::Csv, source).await?;
    Ok(([(CONTENT_TYPE, "text/csv; charset=utf-8")], csv).into_response())
}

/// Streams all records of a room, one per line.
pub async fn all_records(
    State(base): State<Arc<Base>>,
    State(records): State<Arc<Records>>,
    OfRoom { source, code }: OfRoom,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let slot = base.limits.room_streams.open(source).ok_or_else(busy)?;
    // Each stream holds a journal in memory, so only few run at once, and the addresses that wait take turns.
    let turn = records.turn_for_whole_room(source).await?;
    let all = records.read(code, source, room::records_of).await?;
    Ok(lines(records, source, (slot, turn), all, &headers))
}

/// Opens a room that starts from an earlier game: from its table at some moment, or with the same deal.
pub async fn open_from(State(rooms): State<Arc<Rooms>>, request: Request) -> Result<Response, Refused> {
    let base = &*rooms.base;
    let (mut head, body) = request.into_parts();
    of_our_own_page(&base.config, &head.headers)?;
    let source = asking(&mut head, base).await?;
    let text = match text_of(&base.limits, source, &head.headers, body).await {
        Ok(text) => text,
        Err(not_read) => return not_read.into(),
    };
    // Opened after the body is read, so that a body that never arrives blocks no slot.
    let _slot = base.limits.game_streams.open(source).ok_or_else(busy)?;
    let (text, _bytes) = text.into_parts();
    let read = move || wanted_origin(&text);
    let (options, origin) = rooms.records.work(source, read).await??;
    // Checked last, so that only valid requests count as opened rooms.
    may_open(&rooms, source)?;
    opened(&rooms, source, options, Some(Box::new(origin))).await
}

fn wanted_origin(text: &str) -> Result<(Options, Origin), Refused> {
    let wanted: OpenRoomFrom<'_> = serde_json::from_str(text).map_err(|wrong| {
        let detail: String = wrong.to_string().chars().take(QUOTED).collect();
        Refused::new(StatusCode::BAD_REQUEST, Code::BadOptions, detail)
    })?;
    let record = room::read_record(wanted.record.get())?;
    let origin = room::origin_of(record, wanted.moment)?;
    let options = room::options_of(&origin, wanted.clock, wanted.forced).map_err(bad_options)?;
    Ok((options, origin))
}

/// A request body, and the account of the memory it uses.
struct Text {
    text: String,
    bytes: Account,
}

impl Text {
    fn into_parts(self) -> (String, Account) {
        (self.text, self.bytes)
    }
}

/// Why a body was not read.
enum NotRead {
    Refused(Refused),
    /// The body came too slowly.
    Slow,
}

impl From<Refused> for NotRead {
    fn from(refused: Refused) -> NotRead {
        NotRead::Refused(refused)
    }
}

impl From<NotRead> for Result<Response, Refused> {
    fn from(not_read: NotRead) -> Result<Response, Refused> {
        match not_read {
            NotRead::Refused(refused) => Err(refused),
            NotRead::Slow => Ok(StatusCode::REQUEST_TIMEOUT.into_response()),
        }
    }
}

/// Reads a body as it arrives. Only received bytes count for the address, and the body must keep a minimum rate: a
/// client that sends one byte and waits takes nothing from others.
async fn text_of(limits: &Limits, source: ClientAddr, headers: &HeaderMap, body: Body) -> Result<Text, NotRead> {
    let too_large = || {
        let detail = format!("a record may have at most {RECORD} bytes");
        let refused = Refused::new(StatusCode::PAYLOAD_TOO_LARGE, Code::BadRecord, detail);
        refused.doubting(RecordDoubt::TooLarge {})
    };
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > RECORD as u64) {
        return Err(too_large().into());
    }
    let (account, begun) = (limits.body_account(source), Instant::now());
    let (mut body, mut read) = (body.into_data_stream(), Vec::new());
    loop {
        let due = begun + GRACE + Duration::from_millis((read.len() / BYTES_PER_MS) as u64);
        let piece = match timeout_at(due, body.next()).await {
            Err(_) => return Err(NotRead::Slow),
            Ok(None) => break,
            // A client whose connection broke does not see this error.
            Ok(Some(piece)) => piece.map_err(|_| too_large())?,
        };
        if read.len() + piece.len() > RECORD {
            return Err(too_large().into());
        }
        if !account.take(piece.len()) {
            return Err(busy().into());
        }
        read.extend_from_slice(&piece);
    }
    let text = String::from_utf8(read);
    let text = text.map_err(|_| Refused::from(Doubt::Unreadable("it is not text".to_owned())))?;
    Ok(Text { text, bytes: account })
}

fn json(text: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, "application/json")], text.into()).into_response()
}

/// Wraps a moment in a `Result`. Producing a moment cannot fail.
fn sure(moment: Moment) -> Result<Moment, Infallible> {
    Ok(moment)
}

fn lines<Line: Serialize, Failure: Error + Send + Sync + 'static>(
    records: Arc<Records>,
    client: ClientAddr,
    slot: impl Send + 'static,
    told: impl Iterator<Item = Result<Line, Failure>> + Send + 'static,
    headers: &HeaderMap,
) -> Response {
    let packed = accepts(headers, Encoding::Gzip);
    let kind = [(CONTENT_TYPE, "application/x-ndjson"), (VARY, "accept-encoding")];
    let packing = packed.then_some([(CONTENT_ENCODING, "gzip")]);
    let body = body(records, client, slot, told, packed);
    match packing {
        Some(packing) => (kind, packing, body).into_response(),
        None => (kind, body).into_response(),
    }
}

impl From<NoRecord> for Refused {
    fn from(none: NoRecord) -> Refused {
        let (status, code) = match none {
            NoRecord::Missing => (StatusCode::NOT_FOUND, Code::NoSuchGame),
            NoRecord::Left => (StatusCode::NOT_FOUND, Code::NoRecord),
            NoRecord::On => (StatusCode::CONFLICT, Code::GameOn),
        };
        Refused::new(status, code, none.to_string())
    }
}

impl From<Doubt> for Refused {
    fn from(doubt: Doubt) -> Refused {
        let detail: String = doubt.to_string().chars().take(QUOTED).collect();
        let (status, code) = match doubt {
            Doubt::NoMoment => (StatusCode::NOT_FOUND, Code::NoSuchMoment),
            _ => (StatusCode::BAD_REQUEST, Code::BadRecord),
        };
        Refused::new(status, code, detail).doubting(doubt.told())
    }
}

impl From<NotMade> for Refused {
    fn from(not_made: NotMade) -> Refused {
        let status = match not_made {
            NotMade::Busy | NotMade::Unreadable => StatusCode::SERVICE_UNAVAILABLE,
            NotMade::OtherGame => StatusCode::CONFLICT,
            NotMade::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Refused::new(status, not_made.code(), not_made.to_string())
    }
}
