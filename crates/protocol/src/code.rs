//! Codes for refused requests on the wire, which clients translate.
//!
//! Games define their own reasons (`game::IllegalAction`).

/// Generates the enum, the list of its variants and their names on the wire from one list, so that none can be
/// forgotten.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)+) => {
        /// Codes of the protocol, used in HTTP responses and in the messages `rejected` and `error`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code {
            $($(#[$doc])* $name,)+
        }

        impl Code {
            /// All variants.
            pub const ALL: &[Code] = &[$(Code::$name),+];

            /// Returns the code as it is sent over the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Code::$name => $text,)+
                }
            }
        }
    };
}

codes! {
    /// Not a message of the protocol.
    BadMessage = "bad_message",
    /// Over the connection's rate limit.
    TooFast = "too_fast",
    /// The journal cannot be written at the moment.
    CannotWrite = "cannot_write",

    /// Only the host may do this.
    NotHost = "not_host",
    /// Only possible in the lobby.
    NotInLobby = "not_in_lobby",
    /// Only possible after the end of a game.
    NotFinished = "not_finished",
    /// The game needs more players.
    TooFewPlayers = "too_few_players",
    /// The game allows fewer players.
    TooManyPlayers = "too_many_players",
    /// All seats are taken.
    TableFull = "table_full",
    /// Another player has this seat of the earlier game.
    ChairTaken = "chair_taken",
    /// This lobby does not continue an earlier game.
    NoOrigin = "no_origin",
    /// The chain of earlier games behind this one is too long to start from it again.
    TooLongAgo = "too_long_ago",
    /// The seat is empty or does not exist.
    NoSuchSeat = "no_such_seat",
    /// No game is running.
    NoGame = "no_game",
    /// Only for seated players.
    NotSeated = "not_seated",
    /// The client already has a seat.
    AlreadySeated = "already_seated",
    /// The name is not allowed.
    BadName = "bad_name",
    /// The chat message is not allowed.
    BadChat = "bad_chat",
    /// Options that do not exist, or an HTTP body that does not match the protocol.
    BadOptions = "bad_options",
    /// The player is connected or has not been away long enough.
    NotAway = "not_away",
    /// More actions than any game needs.
    TooManyActs = "too_many_acts",
    /// The room's journal has reached its size limit.
    RoomFull = "room_full",
    /// Over the room's rate limit for requests or chat.
    RoomBusy = "room_busy",
    /// This address has used up its daily write quota.
    TooMuchWritten = "too_much_written",
    /// The room has reached its spectator limit.
    TooManyWatchers = "too_many_watchers",
    /// The host has muted this spectator.
    Muted = "muted",
    /// No spectator has this id.
    NoSuchWatcher = "no_such_watcher",
    /// No hint is available: other people play too, or there is nothing to decide.
    NoHint = "no_hint",
    /// A bot plays this seat.
    IsBot = "is_bot",
    /// An action with this number was accepted before.
    AlreadyPlayed = "already_played",
    /// An action with a number that is not due yet.
    OutOfStep = "out_of_step",

    /// The request comes from a page of another site (CSRF).
    ForeignOrigin = "foreign_origin",
    /// No room has this code.
    NoSuchRoom = "no_such_room",
    /// No such path.
    NotFound = "not_found",
    /// No game has been finished in this room.
    NoRecord = "no_record",
    /// A game is running.
    GameOn = "game_on",
    /// The room has no game with this number.
    NoSuchGame = "no_such_game",
    /// The game has no such moment, or it is the final one.
    NoSuchMoment = "no_such_moment",
    /// Nobody at the table has requested a review of this game.
    NoReview = "no_review",
    /// The upload is not a game record, or the record is not valid.
    BadRecord = "bad_record",
    /// The method is not allowed.
    BadMethod = "bad_method",
    /// The link does not fit into a QR code.
    LinkTooLong = "link_too_long",
    /// Not a valid WebSocket upgrade.
    NotWebsocket = "not_websocket",
    /// The `Host` header is missing, repeated or invalid.
    BadHost = "bad_host",
    /// Too many requests from this address.
    TooManyRequests = "too_many_requests",
    /// This address has opened too many rooms or is in too many at once.
    TooManyRooms = "too_many_rooms",
    /// This address has tried too many wrong room codes.
    TooManyMisses = "too_many_misses",
    /// Too many connections, from this address or in total.
    TooManySockets = "too_many_sockets",
    /// The server has reached its room limit.
    ServerFull = "server_full",
    /// The queue for this kind of work is full.
    Busy = "busy",
    /// The server is shutting down.
    Stopping = "stopping",
    /// The room's journal cannot be read at the moment.
    RoomUnreadable = "room_unreadable",
    /// The server failed to do this, and logged why.
    Internal = "internal",
    /// The server is not ready for players.
    NotReady = "not_ready",
}
