//! What is asked of games that were played, or are: the list, the record of each, and each moment by moment. All of it is
//! read from the journal, so whichever server is asked answers, and no room is woken.

use super::{
    Refused, SharedState, asks_for_a_replay, bad_options, busy, known, may_open, of_our_own_page, opened,
};
use crate::RoomCode;
use crate::address::Source;
use crate::limits::Account;
use crate::moments::{Opening, body};
use crate::records::{BookForm, NotMade};
use crate::registry::NoEntry;
use crate::shared::Shared;
use axum::body::Body;
use axum::extract::{ConnectInfo, FromRequestParts, Path, Request, State};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Json, RequestPartsExt};
use futures_util::StreamExt;
use protocol::{Code, Moment, OpenRoomFrom, Origin, RecordDoubt};
use room::{Doubt, Moments, NoRecord, Options, Which};
use serde::Serialize;
use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The largest record that is read: more than the longest game makes, with all acts that five people may do in one.
pub const RECORD: usize = 2 << 20;
/// How long a body may take to begin, and the rate at which it must come from then on: 4 KB a second.
const GRACE: Duration = Duration::from_secs(3);
const BYTES_PER_MS: usize = 4;
/// How much of what a stranger sent is quoted back.
const QUOTED: usize = 300;

/// A room whose past is asked for, and by whom: what is asked for costs a journal that is read, and there is such a room.
pub struct OfRoom {
    source: Source,
    code: RoomCode,
}

/// One of its games. A number that is none is that of no game.
pub struct OfGame {
    source: Source,
    code: RoomCode,
    which: Which,
}

impl FromRequestParts<Arc<Shared>> for OfRoom {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<OfRoom, Refused> {
        let code = parts.extract::<Path<Vec<String>>>().await;
        let code = code.map(|Path(steps)| Path(steps.into_iter().next().unwrap_or_default()));
        let source = asking(parts, shared).await?;
        Ok(OfRoom { source, code: known(shared, source, code).await? })
    }
}

impl FromRequestParts<Arc<Shared>> for OfGame {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<OfGame, Refused> {
        let OfRoom { source, code } = OfRoom::from_request_parts(parts, shared).await?;
        let steps = parts.extract::<Path<(String, String)>>().await.ok();
        let which = steps.and_then(|Path((_, number))| match &*number {
            "last" => Some(Which::Last),
            number => number.parse().ok().map(Which::Number),
        });
        Ok(OfGame { source, code, which: which.ok_or(NoRecord::Missing)? })
    }
}

/// Who asks for what a journal is played again for.
async fn asking(parts: &mut Parts, shared: &Shared) -> Result<Source, Refused> {
    let peer = parts.extract::<ConnectInfo<SocketAddr>>().await;
    let ConnectInfo(peer) = peer.expect("whoever serves says where connections come from");
    asks_for_a_replay(shared, peer, &parts.headers)
}

/// All games of a room.
pub async fn games(State(shared): SharedState, OfRoom { source, code }: OfRoom) -> Result<Response, Refused> {
    Ok(json(shared.records.games(&shared, code, source).await?))
}

/// The record of one of them.
pub async fn record(
    State(shared): SharedState,
    OfGame { source, code, which }: OfGame,
) -> Result<Response, Refused> {
    Ok(json(shared.records.of(&shared, code, which, source).await??))
}

/// One of them moment by moment.
pub async fn moments(
    State(shared): SharedState,
    OfGame { source, code, which }: OfGame,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let opening = shared.openings.open(source).ok_or_else(busy)?;
    let read = move |lines: Vec<String>| room::moments_of(&lines, which);
    let moments = shared.records.read(&shared, code, Some(source), read).await?.ok_or(NoRecord::Missing)?;
    Ok(lines(shared, opening, moments.map(sure), &headers))
}

/// What the strongest bot made of one of them, if somebody at the table has asked.
pub async fn review(
    State(shared): SharedState,
    OfGame { source, code, which }: OfGame,
) -> Result<Response, Refused> {
    let read = move |lines: Vec<String>| room::review_of(&lines, which);
    let review = shared.records.read(&shared, code, Some(source), read).await??.ok_or_else(|| {
        let detail = "nobody at the table has asked for a review of this game";
        Refused::new(StatusCode::NOT_FOUND, Code::NoReview, detail)
    })?;
    Ok(Json(review).into_response())
}

/// The same of a record from anywhere, once it is known to hold.
pub async fn of_record(State(shared): SharedState, request: Request) -> Result<Response, Refused> {
    let (mut head, body) = request.into_parts();
    of_our_own_page(&shared, &head.headers)?;
    let source = asking(&mut head, &shared).await?;
    let text = match text_of(&shared, source, &head.headers, body).await {
        Ok(text) => text,
        Err(not_read) => return not_read.into(),
    };
    // After the body is read: a body that never comes must not keep anybody else from reading a game.
    let opening = shared.openings.open(source).ok_or_else(busy)?;
    let (text, _bytes) = text.into_parts();
    let turn = shared.records.turn_unless_many().await.ok_or_else(busy)?;
    let check = move || room::read_record(&text).and_then(Moments::of_record);
    let moments = turn.work(shared.paid_by(Some(source), check)).await.map_err(|_| busy())??;
    Ok(lines(shared, opening, moments.map(sure), &head.headers))
}

/// The book of a room.
pub async fn book(State(shared): SharedState, OfRoom { source, code }: OfRoom) -> Result<Response, Refused> {
    Ok(json(shared.records.book(&shared, code, BookForm::Json, source).await?))
}

/// The same as a table for a spreadsheet.
pub async fn book_as_csv(
    State(shared): SharedState,
    OfRoom { source, code }: OfRoom,
) -> Result<Response, Refused> {
    let csv = shared.records.book(&shared, code, BookForm::Csv, source).await?;
    Ok(([(CONTENT_TYPE, "text/csv; charset=utf-8")], csv).into_response())
}

/// All records of a room in one file, one on each line.
pub async fn all_records(
    State(shared): SharedState,
    OfRoom { source, code }: OfRoom,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let opening = shared.whole_rooms.open(source).ok_or_else(busy)?;
    let records = shared.records.read(&shared, code, Some(source), room::records_of).await?;
    Ok(lines(shared, opening, records, &headers))
}

/// A new room that begins with an earlier game: with its table at some moment, or with its deal.
pub async fn open_from(State(shared): SharedState, request: Request) -> Result<Response, Refused> {
    let (mut head, body) = request.into_parts();
    of_our_own_page(&shared, &head.headers)?;
    let source = asking(&mut head, &shared).await?;
    let text = match text_of(&shared, source, &head.headers, body).await {
        Ok(text) => text,
        Err(not_read) => return not_read.into(),
    };
    // After the body is read, as above.
    let _opening = shared.openings.open(source).ok_or_else(busy)?;
    let (text, _bytes) = text.into_parts();
    let turn = shared.records.turn_unless_many().await.ok_or_else(busy)?;
    let (options, origin) =
        turn.work(shared.paid_by(Some(source), move || wanted_origin(&text))).await.map_err(|_| busy())??;
    // Only what can be opened counts as opened.
    may_open(&shared, source)?;
    opened(&shared, source, options, Some(Box::new(origin))).await
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

/// A body that was read, and the account of the memory it takes.
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
    /// It came too slowly.
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

/// Reads a body as it comes. Only bytes that arrived are counted for the address, and the body has a minimum rate: a client that
/// sends a byte and waits takes nothing from others.
async fn text_of(shared: &Shared, source: Source, headers: &HeaderMap, body: Body) -> Result<Text, NotRead> {
    let too_large = || {
        let detail = format!("a record has {RECORD} bytes at most");
        let refused = Refused::new(StatusCode::PAYLOAD_TOO_LARGE, Code::BadRecord, detail);
        refused.doubting(RecordDoubt::TooLarge {})
    };
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > RECORD as u64) {
        return Err(too_large().into());
    }
    let (account, begun) = (shared.limits.body_account(source), Instant::now());
    let (mut body, mut read) = (body.into_data_stream(), Vec::new());
    loop {
        let due = begun + GRACE + Duration::from_millis((read.len() / BYTES_PER_MS) as u64);
        let piece = match timeout_at(due, body.next()).await {
            Err(_) => return Err(NotRead::Slow),
            Ok(None) => break,
            // A connection that breaks hears no answer.
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

/// A moment can always be told.
fn sure(moment: Moment) -> Result<Moment, Infallible> {
    Ok(moment)
}

fn lines<Line: Serialize, Failure: Error + Send + Sync + 'static>(
    shared: Arc<Shared>,
    opening: Opening,
    told: impl Iterator<Item = Result<Line, Failure>> + Send + 'static,
    headers: &HeaderMap,
) -> Response {
    let reads = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let packed = reads.split(',').any(|one| one.split(';').next().is_some_and(|one| one.trim() == "gzip"));
    let kind = [(CONTENT_TYPE, "application/x-ndjson"), (VARY, "accept-encoding")];
    let packing = packed.then_some([(CONTENT_ENCODING, "gzip")]);
    let body = body(shared, opening, told, packed);
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
        match not_made {
            NotMade::Busy => busy(),
            NotMade::Failed => NoEntry::Failed.into(),
        }
    }
}
