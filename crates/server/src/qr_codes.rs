//! Renders QR codes, one at a time. Each takes a processor for milliseconds, which would delay games on the async
//! workers.

use crate::client_addr::ClientAddr;
use crate::limits::table::WAITING_REQUESTS;
use crate::turns::Turns;
use qrcode::QrCode;
use qrcode::render::svg;

/// Limits how many QR codes are rendered at once.
pub struct QrCodes(Turns);

/// Why there is no QR code.
pub enum NoPicture {
    /// Too many requests are waiting.
    Busy,
    /// The link does not fit a QR code.
    TooLong,
}

impl QrCodes {
    pub fn new() -> QrCodes {
        QrCodes(Turns::new(1, WAITING_REQUESTS))
    }

    /// Renders the QR code of a link as SVG for a client.
    pub async fn svg_of(&self, link: String, client: ClientAddr) -> Result<String, NoPicture> {
        let turn = self.0.turn_unless_many(Some(client)).await.ok_or(NoPicture::Busy)?;
        let draw = move || {
            let picture = QrCode::new(link).ok()?;
            Some(picture.render::<svg::Color>().min_dimensions(240, 240).build())
        };
        turn.work(draw).await.map_err(|_| NoPicture::Busy)?.ok_or(NoPicture::TooLong)
    }
}
