//! Why a connection is closed.

/// Writes the enum, the list of all its variants and their words from one list, so that none can be left out of another.
macro_rules! closes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $reason:literal;)+) => {
        /// The codes of the contract, as they go into a WebSocket's close frame.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Close {
            $($(#[$doc])* $name = $code,)+
        }

        impl Close {
            /// Every one of them, in the order of their numbers.
            pub const ALL: &[Close] = &[$(Close::$name),+];

            /// A few English words for developers.
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
    /// A message that is not text.
    NotText = 1003, "text messages only";
    /// Text that is not UTF-8.
    NotUtf8 = 1007, "not UTF-8";
    /// A message over [`crate::MAX_MESSAGE`].
    TooLong = 1009, "message over 4 KiB";
    /// The room cannot be shown, for a reason of the server's own.
    Broken = 1011, "the room cannot be shown";
    /// The server restarts or the room was set up anew: come back.
    Restart = 1012, "restarting, come back";
    /// Places are short, and whoever has a seat comes first: come back later.
    TryLater = 1013, "too many connections, try later";
    /// The first message was bad or late.
    BadJoin = 4000, "bad or late first message";
    /// No seat has this token.
    BadToken = 4001, "no seat has this token";
    /// The seat was opened in too many places; this was the oldest.
    TooManyPlaces = 4002, "open in too many places";
    /// The host took the player from the table.
    Removed = 4003, "removed by the host";
    /// The client reads too slowly.
    TooSlow = 4008, "reading too slowly";
    /// Too many messages, or too many bad ones.
    TooMany = 4009, "too many messages";
    /// The room is gone: nobody opened it for too long.
    Expired = 4010, "room expired";
    /// Another protocol: reload the page.
    OtherProtocol = 4011, "another protocol, reload";
}

impl Close {
    /// The number in the close frame.
    pub const fn code(self) -> u16 {
        self as u16
    }

    /// The one with this number; none if it is not of the contract.
    pub fn from_code(code: u16) -> Option<Close> {
        Close::ALL.iter().copied().find(|close| close.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_read_as_what_it_was_written_for() {
        for close in Close::ALL {
            assert_eq!(Close::from_code(close.code()), Some(*close));
        }
        assert_eq!([1001, 4004, 0].map(Close::from_code), [None; 3]);
        assert!(Close::ALL.is_sorted_by(|one, next| one.code() < next.code()), "in their order");
    }
}
