//! The parts of one server. A handler receives those that it uses.

use crate::base::Base;
use crate::client_addr::ClientAddr;
use crate::clock::Clock;
use crate::cluster::Cluster;
use crate::qr_codes::QrCodes;
use crate::records::Records;
use crate::rooms::Rooms;
use crate::thinkers::Mind;
use crate::{Config, RoomCode};
use axum::extract::FromRef;
use journal::Journal;
use std::sync::Arc;

/// The parts of one server.
#[derive(Clone)]
pub struct AppState {
    pub(crate) base: Arc<Base>,
    pub(crate) rooms: Arc<Rooms>,
    /// The finished games.
    pub(crate) records: Arc<Records>,
    /// The other servers that use the same journal.
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) qr_codes: Arc<QrCodes>,
}

impl AppState {
    /// Creates the parts of a server with this configuration and journal.
    pub fn new(config: Config, journal: Arc<dyn Journal>) -> AppState {
        let clock = Clock::start(journal.running_ms());
        AppState::with(config, journal, clock, |thinking, level, seed, budget| thinking(level, seed, budget))
    }

    /// Creates the parts with another clock and another implementation of bots.
    pub fn with(config: Config, journal: Arc<dyn Journal>, clock: Clock, mind: Mind) -> AppState {
        // Invalid flags were refused at startup.
        let membership = config.nodes.membership().ok().flatten();
        let base = Arc::new(Base::new(config, journal, clock));
        let records = Arc::new(Records::new(base.journal.clone(), base.limits.clone()));
        AppState {
            rooms: Arc::new(Rooms::new(base.clone(), records.clone(), mind)),
            records,
            cluster: Arc::new(Cluster::new(membership)),
            qr_codes: Arc::new(QrCodes::new()),
            base,
        }
    }

    /// Returns whether this address has a connection in the room, here or relayed to another server.
    pub(crate) fn is_in(&self, source: ClientAddr, code: RoomCode) -> bool {
        self.base.limits.rooms.is_in(source, code) || self.cluster.relays_into(source, code)
    }
}

impl FromRef<AppState> for Arc<Base> {
    fn from_ref(state: &AppState) -> Arc<Base> {
        state.base.clone()
    }
}

impl FromRef<AppState> for Arc<Rooms> {
    fn from_ref(state: &AppState) -> Arc<Rooms> {
        state.rooms.clone()
    }
}

impl FromRef<AppState> for Arc<Records> {
    fn from_ref(state: &AppState) -> Arc<Records> {
        state.records.clone()
    }
}

impl FromRef<AppState> for Arc<Cluster> {
    fn from_ref(state: &AppState) -> Arc<Cluster> {
        state.cluster.clone()
    }
}
