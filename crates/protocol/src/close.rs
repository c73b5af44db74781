//! Why a connection is closed.

/// The codes of the contract, as they go into a WebSocket's close frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum Close {
    /// The client left.
    Left = 1000,
    /// A message that is not text.
    NotText = 1003,
    /// Text that is not UTF-8.
    NotUtf8 = 1007,
    /// A message over [`crate::MAX_MESSAGE`].
    TooLong = 1009,
    /// The room cannot be shown, for a reason of the server's own.
    Broken = 1011,
    /// The server restarts or the room was set up anew: come back.
    Restart = 1012,
    /// The first message was bad or late.
    BadJoin = 4000,
    /// No seat has this token.
    BadToken = 4001,
    /// The seat was opened in too many places; this was the oldest.
    TooManyPlaces = 4002,
    /// The host took the player from the table.
    Removed = 4003,
    /// The client reads too slowly.
    TooSlow = 4008,
    /// Too many messages, or too many bad ones.
    TooMany = 4009,
    /// The room is gone: nobody opened it for too long.
    Expired = 4010,
    /// Another protocol: reload the page.
    OtherProtocol = 4011,
}

impl Close {
    /// The number in the close frame.
    pub const fn code(self) -> u16 {
        self as u16
    }

    /// A few English words for developers.
    pub const fn reason(self) -> &'static str {
        match self {
            Close::Left => "left",
            Close::NotText => "text messages only",
            Close::NotUtf8 => "not UTF-8",
            Close::TooLong => "message over 4 KiB",
            Close::Broken => "the room cannot be shown",
            Close::Restart => "restarting, come back",
            Close::BadJoin => "bad or late first message",
            Close::BadToken => "no seat has this token",
            Close::TooManyPlaces => "open in too many places",
            Close::Removed => "removed by the host",
            Close::TooSlow => "reading too slowly",
            Close::TooMany => "too many messages",
            Close::Expired => "room expired",
            Close::OtherProtocol => "another protocol, reload",
        }
    }
}
