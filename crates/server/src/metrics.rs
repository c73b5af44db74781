//! The server's metrics for Prometheus. Every name and description is defined here and nowhere else. Each metric exists
//! from the start, so that a dashboard shows 0 instead of a missing value.
//!
//! This module does not know what it counts or who asks; `listen` serves it on the admin address.

use crate::limits::Limits;
use journal::ownership::Figures;
use metrics::{Counter, Gauge, Histogram, Unit, counter, gauge, histogram};
use metrics::{describe_counter, describe_gauge, describe_histogram, with_local_recorder};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusRecorder};
use protocol::Close;
use std::sync::Arc;
use std::time::Duration;

const REFUSALS: &str = "rookery_refusals_total";
const CUTS: &str = "rookery_cuts_total";
const CLOSES: &str = "rookery_closes_total";

/// Histogram buckets in seconds. Fixed buckets can be summed over time and over servers, unlike quantiles. One boundary
/// is at a bot's time limit, and one where people begin to notice a delay.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 5.0];

/// The metrics of one server.
pub struct Metrics {
    prometheus: Arc<PrometheusRecorder>,
    rooms: Gauge,
    sockets: Gauge,
    connections: Gauge,
    waiting: Gauge,
    rooms_owned: Gauge,
    relayed: Gauge,
    claims: Counter,
    fenced: Counter,
    lease_age: Gauge,
    pub rooms_opened: Counter,
    pub acts: Counter,
    slow_readers: Counter,
    pub chat_dropped: Counter,
    pub reviews: Counter,
    pub append: Histogram,
    pub thinking: Histogram,
}

impl Metrics {
    /// Creates the metrics, all at 0. Each server has its own recorder instead of the global one of the process, so
    /// that servers in one process do not share counters.
    pub fn new() -> Metrics {
        let prometheus = PrometheusBuilder::new().set_buckets(&BUCKETS).expect("the list of buckets is not empty");
        let prometheus = Arc::new(prometheus.build_recorder());
        let count = |name, about| {
            describe_counter!(name, about);
            counter!(name)
        };
        let level = |name, about| {
            describe_gauge!(name, about);
            gauge!(name)
        };
        let time = |name, about| {
            describe_histogram!(name, Unit::Seconds, about);
            histogram!(name)
        };
        with_local_recorder(&*prometheus, || {
            describe_counter!(REFUSALS, "Refused requests and messages, by code.");
            describe_counter!(CUTS, "Connections closed to enforce a limit, by limit.");
            describe_counter!(CLOSES, "WebSockets closed by the server, by code.");
            Metrics {
                prometheus: prometheus.clone(),
                rooms: level("rookery_rooms", "Rooms in memory."),
                sockets: level("rookery_sockets", "Open connections."),
                connections: level("rookery_connections", "Open connections other than WebSockets."),
                waiting: level("rookery_waiting_bytes", "Bytes waiting to be sent over WebSockets."),
                rooms_owned: level("rookery_rooms_owned", "Rooms owned by this server among several."),
                relayed: level("rookery_relayed_sockets", "Open connections relayed to other servers."),
                claims: count("rookery_claims_total", "Claimed rooms that no server owned any more."),
                fenced: count("rookery_fenced_appends_total", "Appends refused because another server owned the room."),
                lease_age: level("rookery_lease_age_seconds", "Time since the server's lease was last renewed."),
                rooms_opened: count("rookery_rooms_opened_total", "Rooms opened."),
                acts: count("rookery_acts_total", "Accepted acts of human players."),
                slow_readers: count(
                    "rookery_slow_readers_total",
                    "Connections closed because the client did not read or did not respond.",
                ),
                chat_dropped: count(
                    "rookery_chat_dropped_total",
                    "Chat lines dropped for clients that read too slowly.",
                ),
                reviews: count("rookery_reviews_total", "Reviewed games."),
                append: time("rookery_append_seconds", "Time to write an act to the journal."),
                thinking: time("rookery_thinking_seconds", "Time a bot took for a decision."),
            }
        })
    }

    /// Counts a refusal, by a code of the protocol.
    pub fn refused(&self, code: &'static str) {
        with_local_recorder(&*self.prometheus, || counter!(REFUSALS, "code" => code).increment(1));
    }

    /// Counts a connection that was closed to enforce a limit.
    pub fn cut(&self, bound: &'static str) {
        with_local_recorder(&*self.prometheus, || counter!(CUTS, "bound" => bound).increment(1));
    }

    /// Counts a WebSocket that was closed with this code. An unknown code comes from a newer server.
    pub fn closed(&self, code: u16) {
        if code == Close::TooSlow.code() {
            self.slow_readers.increment(1);
        }
        let code = Close::from_code(code).map_or("other".to_owned(), |close| close.code().to_string());
        with_local_recorder(&*self.prometheus, || counter!(CLOSES, "code" => code).increment(1));
    }

    /// Sorts measurements into their buckets. Until then the recorder keeps every sample, and it is not certain that
    /// anyone ever reads the metrics.
    pub fn upkeep(&self) {
        self.prometheus.handle().run_upkeep();
    }

    /// Sets the metrics of a server among several, for the next [`Metrics::render`].
    pub fn among(&self, rooms_owned: usize, relayed: usize, figures: Figures, lease_age: Duration) {
        self.rooms_owned.set(rooms_owned as f64);
        self.relayed.set(relayed as f64);
        self.claims.absolute(figures.claims);
        self.fenced.absolute(figures.fenced);
        self.lease_age.set(lease_age.as_secs_f64());
    }

    /// Returns all metrics in Prometheus's text format, with current values of the gauges.
    pub fn render(&self, rooms: usize, limits: &Limits) -> String {
        self.rooms.set(rooms as f64);
        self.sockets.set(limits.open_sockets() as f64);
        self.connections.set(limits.open_plain() as f64);
        self.waiting.set(limits.waiting() as f64);
        self.prometheus.handle().render()
    }
}

#[cfg(test)]
mod tests {
    use crate::{AppState, Cli};
    use clap::Parser;
    use journal::memory::Memory;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::runtime::Builder;

    #[test]
    fn metrics_that_are_never_read_take_no_memory() {
        const MINUTES: u64 = 50;
        const EACH: u64 = 50_000;
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let busy = || async {
            let state = AppState::new(Cli::parse_from(["rookery"]).config, Arc::new(Memory::default()));
            let keeping = tokio::spawn(crate::upkeep::run(state.rooms.clone()));
            for _ in 0..MINUTES {
                (0..EACH).for_each(|_| state.base.metrics.append.record(0.01));
                tokio::time::advance(Duration::from_secs(60)).await;
            }
            state.base.draining.cancel();
            keeping.await.unwrap();
            state
        };
        let mut state = None;
        let measured = allocation_counter::measure(|| state = Some(runtime.block_on(busy())));
        let samples = (MINUTES * EACH * size_of::<f64>() as u64) as i64;
        assert!(
            measured.bytes_current < samples / 5,
            "{} of {samples} bytes are still allocated",
            measured.bytes_current
        );
        let state = state.unwrap();
        let metrics = state.base.metrics.render(0, &state.base.limits);
        let count = format!("\nrookery_append_seconds_count {}\n", MINUTES * EACH);
        assert!(metrics.contains(&count), "{metrics}");
    }
}
