//! Streams earlier games moment by moment or record by record. Each piece is made when the reader has taken the
//! previous one (backpressure), off the async workers and in turn with the records. The number of streams and their
//! duration are limited.
//!
//! A piece is compressed where it is made, on a blocking thread and charged to the client. tower-http's compression
//! layer would compress on the async workers, uncharged, and hide the compressed size, by which sending is charged.
//!
//! It does not know what a line contains.

use crate::client_addr::ClientAddr;
use crate::records::Records;
use axum::body::{Body, Bytes};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use serde::Serialize;
use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Maximum duration of a stream. The longest takes a second to make; the rest is for slow connections.
const OPEN: Duration = Duration::from_secs(60);
/// Number of bytes made at a time.
const PIECE: usize = 64 * 1024;

/// Streams the items to a client as JSON lines, gzip-compressed if the client accepts that, because lines are very
/// similar. If an item cannot be made, the body breaks off. The slot is released at the end.
pub fn body<Line: Serialize, Failure: Error + Send + Sync + 'static>(
    records: Arc<Records>,
    client: ClientAddr,
    slot: impl Send + 'static,
    told: impl Iterator<Item = Result<Line, Failure>> + Send + 'static,
    packed: bool,
) -> Body {
    let until = Instant::now() + OPEN;
    let maker = Maker { told, packing: packed.then(|| GzEncoder::new(Vec::new(), Compression::fast())) };
    Body::from_stream(stream::try_unfold((Some(maker), slot), move |(maker, slot)| {
        let records = records.clone();
        async move {
            let Some(maker) = maker else { return Ok(None) };
            if Instant::now() > until {
                return Err(io::Error::from(io::ErrorKind::TimedOut));
            }
            let (piece, rest) = records.next_piece(client, move || maker.piece()).await?;
            Ok(Some((piece, (rest, slot))))
        }
    }))
}

struct Maker<Told> {
    told: Told,
    packing: Option<GzEncoder<Vec<u8>>>,
}

impl<Line, Failure, Told> Maker<Told>
where
    Line: Serialize,
    Failure: Error + Send + Sync + 'static,
    Told: Iterator<Item = Result<Line, Failure>>,
{
    /// Makes the next piece, and returns the rest of the stream (`None` after the last piece).
    fn piece(mut self) -> io::Result<(Bytes, Option<Self>)> {
        let mut lines = Vec::with_capacity(PIECE + PIECE / 4);
        while lines.len() < PIECE {
            let Some(line) = self.told.next() else {
                let last = self.pack(lines, true)?;
                return Ok((last, None));
            };
            serde_json::to_writer(&mut lines, &line.map_err(io::Error::other)?)?;
            lines.push(b'\n');
        }
        Ok((self.pack(lines, false)?, Some(self)))
    }

    fn pack(&mut self, lines: Vec<u8>, last: bool) -> io::Result<Bytes> {
        let Some(packing) = &mut self.packing else { return Ok(lines.into()) };
        packing.write_all(&lines)?;
        if last {
            packing.try_finish()?;
        } else {
            packing.flush()?;
        }
        Ok(std::mem::take(packing.get_mut()).into())
    }
}
