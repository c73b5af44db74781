//! Reasons for closing a connection.

/// Generates the enum, the list of its variants and their texts from one list, so that none can be forgotten.
macro_rules! closes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $reason:literal;)+) => {
        /// Close codes of the protocol, as sent in a WebSocket close frame.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Close {
            $($(#[$doc])* $name = $code,)+
        }

        impl Close {
            /// All variants, in the order of their codes.
            pub const ALL: &[Close] = &[$(Close::$name),+];

            /// Returns a short English text for developers.
            pub const fn reason(self) -> &'static str {
                match self {
                    $(Close::$name => $reason,)+
                }
            }
        }
    };
}

closes! {
    /// The client left.
    Left = 1000, "left";
    /// Invalid WebSocket frames.
    BadFrame = 1002, "not the WebSocket protocol";
    /// A message that is not text.
    NotText = 1003, "text messages only";
    /// Text that is not UTF-8.
    NotUtf8 = 1007, "not UTF-8";
    /// A message over [`crate::MAX_MESSAGE`].
    TooLong = 1009, "message over 4 KiB";
    /// The room cannot be shown because of a server error.
    Broken = 1011, "the room cannot be shown";
    /// The server restarts, or the room was reloaded. The client should reconnect.
    Restart = 1012, "restarting, come back";
    /// The server is at capacity and admits seated players first. The client should try later.
    TryLater = 1013, "too many connections, try later";
    /// The first message was bad or late.
    BadJoin = 4000, "bad or late first message";
    /// No seat has this token.
    BadToken = 4001, "no seat has this token";
    /// The seat is open on too many devices, and this was the oldest connection.
    TooManyPlaces = 4002, "open in too many places";
    /// The host removed the player from the table.
    Removed = 4003, "removed by the host";
    /// The client reads too slowly.
    TooSlow = 4008, "reading too slowly";
    /// Too many messages, or too many bad ones.
    TooMany = 4009, "too many messages";
    /// The room has been deleted because nobody opened it for too long.
    Expired = 4010, "room expired";
    /// The client uses another protocol version and must reload the page.
    OtherProtocol = 4011, "another protocol, reload";
}

impl Close {
    /// Returns the number in the close frame.
    pub const fn code(self) -> u16 {
        self as u16
    }

    /// Returns the variant with this number, or `None` if the protocol does not define it.
    pub fn from_code(code: u16) -> Option<Close> {
        Close::ALL.iter().copied().find(|close| close.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_codes_round_trip() {
        for close in Close::ALL {
            assert_eq!(Close::from_code(close.code()), Some(*close));
        }
        assert_eq!([1001, 4004, 0].map(Close::from_code), [None; 3]);
        assert!(Close::ALL.is_sorted_by(|one, next| one.code() < next.code()), "sorted by code");
    }
}
