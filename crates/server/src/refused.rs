//! The error response of the HTTP API, and how other errors become one.
//!
//! It does not know which request is refused.

use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use protocol::{Code, Failure, RecordDoubt};

/// An error response.
#[derive(Debug)]
pub struct Refused {
    status: StatusCode,
    pub code: Code,
    pub detail: String,
    /// What is wrong with a submitted record.
    doubt: Option<RecordDoubt>,
}

impl Refused {
    pub fn new(status: StatusCode, code: Code, detail: impl Into<String>) -> Refused {
        Refused { status, code, detail: detail.into(), doubt: None }
    }

    /// Returns whether the limit does not apply to the owner of a seat.
    pub fn is_waived_by_a_token(&self) -> bool {
        matches!(self.code, Code::TooManyMisses | Code::TooManyRequests)
    }

    pub fn doubting(self, doubt: RecordDoubt) -> Refused {
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

impl From<JsonRejection> for Refused {
    fn from(wrong: JsonRejection) -> Refused {
        let status = match wrong.status() {
            StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
            status => status,
        };
        Refused::new(status, Code::BadOptions, wrong.body_text())
    }
}

/// Load shedding: it is better to refuse now than to answer when the client no longer waits.
pub fn busy() -> Refused {
    let detail = "too many requests of this kind at the moment, try again";
    Refused::new(StatusCode::SERVICE_UNAVAILABLE, Code::Busy, detail)
}

pub fn too_many() -> Refused {
    let detail = "too many requests from this address, try again in a moment";
    Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyRequests, detail)
}
