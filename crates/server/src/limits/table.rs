//! Every limit of the server with its value. The code reads the constants; a test compares the
//! budgets in `docs/security.md` with them.
//!
//! A limit per address applies to an IPv4 address or an IPv6 /64, and [`NETWORK`](super::NETWORK) times as much to a
//! /48, unless the row says otherwise.

use super::bucket::Limit;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Burst of requests, in seconds of `--requests-per-second`: a class that opens the page at the same moment requests
/// some two thousand files.
pub const REQUESTS_BURST_SECONDS: u64 = 10;
/// Requests that cost more than a file, such as looking at a room or drawing a QR code. Everyone in a class looks at
/// their room when they open it.
pub const COSTLY_REQUESTS: Limit = Limit::per_second(20, 400);
/// Joins. All players who may be seated behind one address reconnect together after a restart.
pub const JOINS: Limit = Limit::per_second(50, 1200);
/// Burst of messages of a connection, in seconds of `--acts-per-second`: enough for a player who taps quickly, or whose
/// connection stalled.
pub const MESSAGES_BURST_SECONDS: u64 = 4;
/// Pings and pongs of a connection. Libraries ping at most once a second, and each of our pings is answered by one
/// pong.
pub const CONTROL_FRAMES: Limit = Limit::per_second(5, 50);
/// Continuation frames of a connection.
pub const CONTINUATION_FRAMES: Limit = Limit::per_second(32, 256);
/// Frames of one message. Browsers send one, and libraries that split messages do so at some kilobytes.
pub const FRAMES_OF_A_MESSAGE: u32 = 64;
/// Chat lines and reactions. This suffices for a class that chats without a pause.
pub const CHAT_LINES: Limit = Limit::per_second(20, 400);
pub const CHAT_BYTES: Limit = Limit::per_second(16 << 10, 256 << 10);
/// Chat lines of all clients together. Each is written before it is sent.
pub const ALL_CHAT_LINES: Limit = Limit::per_second(1000, 4000);
/// Reviews: more than the games anyone plays, and a few minutes of the bots' spare time.
pub const REVIEWS: Limit = Limit::new(40, HOUR);
/// Bytes of journal. 25 people who play all day behind one address write a tenth of this.
pub const WRITTEN_BYTES: Limit = Limit::new(512 << 20, DAY);

/// Microseconds of replaying journals to load rooms: enough to load all rooms of one address many times over after a
/// restart. It refills at a tenth of a processor.
pub const LOADING_MICROS: Limit = Limit::new(20_000_000, Duration::from_secs(200));
/// Microseconds of replaying journals and records for requests, including the bytes sent.
pub const REPLAYING_MICROS: Limit = Limit::new(20_000_000, Duration::from_secs(200));
/// Bytes sent to a client for one microsecond of its quota, about what a processor compresses and sends.
pub const BYTES_PER_MICRO: u64 = 32;
/// Microseconds that bots and hints think for one address, per thread of the bots. It refills at half of these threads.
/// Beyond it bots answer without searching, and hints are refused.
pub const THINKING_MICROS: Limit = Limit::new(120_000_000, Duration::from_secs(240));
/// Time reserved for a hint while it waits. Few take longer.
pub const HINT: Duration = Duration::from_secs(1);

/// Rooms one address may be in at once: enough for a class of 25 with two tabs each, all in different rooms.
pub const ROOMS_ENTERED: usize = 64;
/// Connections with a seat that one address may have for each one without. A player with a seat was admitted before,
/// and is admitted again when strangers are not.
pub const SEATED_PER_STRANGER: usize = 5;
/// Divisor of the limit: this fraction of it may connect beyond the limit to present a seat token.
pub const UNVERIFIED_DIVISOR: usize = 4;
/// Connections that are not WebSockets, of the whole server. They are short-lived, so the oldest are evicted when there
/// are more.
pub const PLAIN_CONNECTIONS: usize = 2500;

/// A limit of concurrent operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Concurrent {
    pub by_address: usize,
    pub server: usize,
}

impl Concurrent {
    /// Maximum of a /48: half of the server's.
    pub const fn by_network(self) -> usize {
        self.server / 2
    }
}

/// Open streams of single games: enough for a class of 25 that watches its games again.
pub const GAME_STREAMS: Concurrent = Concurrent { by_address: 8, server: 32 };
/// Streams of all records of a room that are open or wait. Only so many are open, because each holds a journal in
/// memory, which has at most 64 MiB.
pub const ROOM_STREAMS: Concurrent = Concurrent { by_address: 1, server: 32 };
pub const OPEN_ROOM_STREAMS: usize = 2;
/// Requests that wait until a record is made or a QR code is drawn, which takes milliseconds. A class behind one
/// address asks at the same moment, but its requests for the same record or list wait as one. On a full queue a network
/// that has fewer waiting takes the place of one that has more.
pub const WAITING_REQUESTS: Concurrent = Concurrent { by_address: 4, server: 64 };
/// Reviews that wait, each of which takes seconds. The queue is as fair.
pub const WAITING_REVIEWS: Concurrent = Concurrent { by_address: 4, server: 16 };

/// Bytes queued for one connection. A single message always fits, otherwise the welcome of a long game would lock its
/// client out.
pub const WAITING_BY_CONNECTION: usize = 2 << 20;
/// Bytes queued for one address: the welcomes of a few hundred clients that reconnect at once, or of a few in the
/// longest games. The bodies of requests have a quota of the same size.
pub const WAITING_BY_ADDRESS: usize = 16 << 20;
pub const WAITING_SERVER: usize = 64 << 20;
/// Fairness: the second half of the server's quota is reserved for addresses with at most this much queued whose
/// network has at most eight times as much. So one network can use at most the first half.
pub const WAITING_MODEST: usize = 1 << 20;
/// A message of this size always fits if nothing else is queued for the connection. So a client that reads loses
/// nothing because of others that do not.
pub const WAITING_ALWAYS: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use crate::limits::NETWORK;
    use clap::Parser;

    const DOCUMENT: &str = include_str!("../../../../docs/security.md");

    /// Formats a number as the document does: 1,200 or 16 KiB.
    fn number(n: u64) -> String {
        match n {
            n if n >= 1 << 30 && n.is_multiple_of(1 << 30) => format!("{} GiB", n >> 30),
            n if n >= 1 << 20 && n.is_multiple_of(1 << 20) => format!("{} MiB", n >> 20),
            n if n >= 16 << 10 && n.is_multiple_of(1 << 10) => format!("{} KiB", n >> 10),
            n if n >= 1000 => format!("{},{:03}", n / 1000, n % 1000),
            n => n.to_string(),
        }
    }

    /// Formats a limit as the rate per second and the burst.
    fn rate(limit: Limit) -> String {
        let per_second = limit.burst as f64 / limit.refill.as_secs_f64();
        format!("{}; {}", number(per_second as u64), number(limit.burst))
    }

    /// Formats a quota of processor time.
    fn cpu(limit: Limit, each: &str) -> String {
        let seconds = limit.burst as f64 / 1e6;
        format!("{seconds} s{each}, then {}", seconds / limit.refill.as_secs_f64())
    }

    /// Compares a row of the budgets with what each column must start with.
    #[track_caller]
    fn row(name: &str, address: &str, network: &str, server: &str) {
        let row = DOCUMENT.lines().find(|line| line.starts_with(&format!("| {name} |")));
        let row = row.unwrap_or_else(|| panic!("docs/security.md has no budget `{name}`"));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        for (column, expected) in [(3, address), (4, network), (6, server)] {
            assert!(cells[column].starts_with(expected), "{name}: `{}` should be `{expected}`", cells[column]);
        }
    }

    #[track_caller]
    fn rate_row(name: &str, limit: Limit, server: &str) {
        row(name, &rate(limit), &rate(limit.times(NETWORK)), server);
    }

    #[test]
    fn the_documented_budgets_are_the_real_limits() {
        let config = Cli::parse_from(["rookery"]).config;
        let requests = u64::from(config.requests_per_second);
        rate_row("requests a second; at once", Limit::per_second(requests, REQUESTS_BURST_SECONDS * requests), "");
        rate_row("of them for records, games, rooms, QR codes", COSTLY_REQUESTS, "");
        rate_row("joins a second; at once", JOINS, "");
        rate_row("chat lines a second; at once", CHAT_LINES, &rate(ALL_CHAT_LINES));
        rate_row("chat bytes a second; at once", CHAT_BYTES, "");
        let half = |limit: Concurrent| limit.by_network().to_string();
        let waiting = |limit: Concurrent| [limit.by_address, limit.server].map(|n| n.to_string());
        for (name, limit) in
            [("of them waiting for a record or a QR code", WAITING_REQUESTS), ("reviews waiting", WAITING_REVIEWS)]
        {
            let [address, server] = waiting(limit);
            row(name, &address, &half(limit), &server);
        }
        for (name, limit) in
            [("replays being read", GAME_STREAMS), ("whole rooms being downloaded or waiting", ROOM_STREAMS)]
        {
            let [address, server] = waiting(limit);
            row(name, &address, &half(limit), &server);
        }
        row("reviews in an hour", "40", "320", "");
        assert_eq!(REVIEWS, Limit::new(40, HOUR));
        let time = "time for loading rooms, and for past games with sending";
        assert_eq!(LOADING_MICROS, REPLAYING_MICROS);
        row(time, &cpu(LOADING_MICROS, " each"), &cpu(LOADING_MICROS.times(NETWORK), ""), "");
        row(
            "time for bots and hints, per thread of the bots",
            &cpu(THINKING_MICROS, ""),
            &cpu(THINKING_MICROS.times(NETWORK), ""),
            "",
        );
        let [connections, waiting] = [PLAIN_CONNECTIONS, WAITING_SERVER].map(|n| number(n as u64));
        row("connections that are not WebSockets", &config.connections_per_ip.to_string(), "", &connections);
        row("messages that wait to be sent", &number(WAITING_BY_ADDRESS as u64), "", &waiting);
        row("rooms in memory", &ROOMS_ENTERED.to_string(), &(ROOMS_ENTERED as u64 * NETWORK).to_string(), "");
        let written = |limit: Limit| format!("{} a day", number(limit.burst));
        row("journal", &written(WRITTEN_BYTES), &written(WRITTEN_BYTES.times(NETWORK)), "");
    }
}
