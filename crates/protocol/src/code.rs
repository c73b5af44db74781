//! Why something is refused, as a code that goes over the wire; words are the client's.
//!
//! A game's own reasons are its own (`game::Refusal`).

/// Writes the enum, the list of all its variants and their names on the wire from one list, so that none can be left out.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)+) => {
        /// The codes of the contract, in answers over HTTP and in the messages `rejected` and `error`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code {
            $($(#[$doc])* $name,)+
        }

        impl Code {
            /// Every one of them.
            pub const ALL: &[Code] = &[$(Code::$name),+];

            /// The code as it goes over the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Code::$name => $text,)+
                }
            }
        }
    };
}

codes! {
    /// Not a message of the contract.
    BadMessage = "bad_message",
    /// Over the connection's rate limit.
    TooFast = "too_fast",
    /// The journal cannot be written now.
    CannotWrite = "cannot_write",

    /// Only the host may do that.
    NotHost = "not_host",
    /// Only in the lobby.
    NotInLobby = "not_in_lobby",
    /// Only after the end of a game.
    NotFinished = "not_finished",
    /// The game needs more players.
    TooFewPlayers = "too_few_players",
    /// The game seats fewer players.
    TooManyPlayers = "too_many_players",
    /// All seats are taken.
    TableFull = "table_full",
    /// Somebody else sits there.
    ChairTaken = "chair_taken",
    /// No earlier game is begun with here.
    NoOrigin = "no_origin",
    /// Earlier games behind this one are too many or too long to be begun with once more.
    TooLongAgo = "too_long_ago",
    /// Nobody sits there.
    NoSuchSeat = "no_such_seat",
    /// No game is on.
    NoGame = "no_game",
    /// Only for seated players.
    NotSeated = "not_seated",
    /// Already seated.
    AlreadySeated = "already_seated",
    /// Not a name fit to be shown.
    BadName = "bad_name",
    /// Not a line of chat fit to be shown.
    BadChat = "bad_chat",
    /// Options that do not exist; over HTTP also a body that is not of the contract.
    BadOptions = "bad_options",
    /// They are here, or have not been away for long enough.
    NotAway = "not_away",
    /// More acts than any game needs.
    TooManyActs = "too_many_acts",
    /// The room's journal is as long as it may be.
    RoomFull = "room_full",
    /// Too much was asked of the room at once, or too much was said in it.
    RoomBusy = "room_busy",
    /// Too much was written down for this address in a day.
    TooMuchWritten = "too_much_written",
    /// As many watch the room as may.
    TooManyWatchers = "too_many_watchers",
    /// The host lets them not talk.
    Muted = "muted",
    /// Nobody of this id watches.
    NoSuchWatcher = "no_such_watcher",
    /// No hint: not the only person at the table, or nothing to decide.
    NoHint = "no_hint",
    /// A bot plays that seat.
    IsBot = "is_bot",
    /// An act of this number was accepted before.
    AlreadyPlayed = "already_played",
    /// An act ahead of its number.
    OutOfStep = "out_of_step",

    /// Another site's page asks (CSRF).
    ForeignOrigin = "foreign_origin",
    /// No room of this code.
    NoSuchRoom = "no_such_room",
    /// No such path.
    NotFound = "not_found",
    /// No game was played to its end in this room.
    NoRecord = "no_record",
    /// A game is on.
    GameOn = "game_on",
    /// The room has no game of this number.
    NoSuchGame = "no_such_game",
    /// The game has no such moment, or it is its end.
    NoSuchMoment = "no_such_moment",
    /// Nobody at the table has asked for a review of this game.
    NoReview = "no_review",
    /// What was sent is not the record of a game, or it does not hold.
    BadRecord = "bad_record",
    /// Not with this method.
    BadMethod = "bad_method",
    /// The link does not fit into a QR code.
    LinkTooLong = "link_too_long",
    /// Not a proper upgrade.
    NotWebsocket = "not_websocket",
    /// No host is named, or more than one, or what is none.
    BadHost = "bad_host",
    /// Too many requests from this address.
    TooManyRequests = "too_many_requests",
    /// Too many rooms opened from this address, or it is in too many at once.
    TooManyRooms = "too_many_rooms",
    /// Too many wrong codes tried from this address.
    TooManyMisses = "too_many_misses",
    /// Too many connections, from this address or in all.
    TooManySockets = "too_many_sockets",
    /// The server holds as many rooms as it may.
    ServerFull = "server_full",
    /// Too many wait for the same kind of work.
    Busy = "busy",
    /// The server is on its way out.
    Stopping = "stopping",
    /// The room's journal cannot be read now.
    RoomUnreadable = "room_unreadable",
    /// People cannot play here now.
    NotReady = "not_ready",
}
