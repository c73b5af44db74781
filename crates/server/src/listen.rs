//! The accept loop and graceful shutdown. axum's `serve` has no header timeout, and its graceful shutdown does not wait
//! for WebSockets.

mod guarded;

use crate::app_state::AppState;
use crate::base::Base;
use crate::client_addr::{ClientAddr, is_proxy};
use crate::config::Admin;
use crate::http;
use crate::limits::connection_slots::{ConnectionSlot, ConnectionSlots};
use crate::limits::{admin_bounds, files, node_bounds};
use crate::nodes;
use crate::upkeep;
use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, Response};
use guarded::Guarded;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::SockRef;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

/// Protects against slow loris attacks: timeout for reading a request head.
const HEADERS: Duration = Duration::from_secs(5);
/// Maximum size of a request head, which also bounds the buffer for responses. Browsers send one or two KiB.
const HEAD: usize = 16 * 1024;
/// Maximum number of request headers. Browsers and proxies together send about thirty.
const MAX_HEADERS: usize = 64;
/// Time a stopping server has to release its rooms.
const GIVE_UP: Duration = Duration::from_millis(500);
/// Time a stopping server waits for connections to close.
const DRAIN: Duration = Duration::from_millis(3500);
/// Time a stopping server waits for the journal after that.
const FLUSH: Duration = Duration::from_millis(800);
/// A service manager expects a stopped server to exit within 5 s.
const _: () = assert!(GIVE_UP.as_millis() + DRAIN.as_millis() + FLUSH.as_millis() < 5000);
/// Backoff after a failed accept. The usual cause is a lack of file descriptors, and other connections need time to
/// close.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);
/// Length of the accept queue (backlog). After a restart all clients reconnect at once, and the kernel makes those that
/// do not fit wait a second before they retry.
const BACKLOG: u32 = 4096;
/// Send buffer (SO_SNDBUF): what the kernel buffers for a client that does not read. By default it grows to megabytes,
/// which would delay the detection of such clients.
const SEND_BUFFER: usize = 64 * 1024;

/// A running server.
pub struct Server {
    state: AppState,
    address: SocketAddr,
    admin: Option<SocketAddr>,
}

impl Server {
    /// Binds the addresses and starts to serve.
    pub async fn start(state: AppState) -> io::Result<Server> {
        let base = &state.base;
        if let Some(sentence) = files::too_few(base.config.max_sockets, base.files, base.config.nodes.node.is_some()) {
            tracing::warn!("{sentence}");
        }
        let listener = bind(base.config.listen)?;
        let address = listener.local_addr()?;
        let mut admin = None;
        if let Admin::On { address, .. } = &base.config.admin {
            let listener = bind(*address)?;
            admin = Some(listener.local_addr()?);
            let router = http::admin(state.clone());
            // Separate slots, so that monitoring gets in however many clients are connected.
            let slots = ConnectionSlots::new(admin_bounds());
            let slot = move |source| slots.accept(source);
            base.tasks.spawn(accept(base.clone(), listener, router, slot));
        }
        match state.cluster.membership() {
            Some(member) => {
                let listener = bind(member.listen)?;
                let slots = base.limits.slots_beside(node_bounds(&base.config, base.files));
                let slot = move |source| slots.accept(source);
                base.tasks.spawn(accept(base.clone(), listener, nodes::app(state.clone()), slot));
                nodes::check(base, &state.cluster, member).await.map_err(io::Error::other)?;
            }
            None => nodes::warn_alone(base).await,
        }
        base.tasks.spawn(nodes::report(state.rooms.clone(), state.cluster.clone()));
        base.tasks.spawn(nodes::compare_histories(base.clone(), state.cluster.clone()));
        let limits = base.limits.clone();
        let slot = move |source| limits.accept(source);
        base.tasks.spawn(accept(base.clone(), listener, http::app(state.clone()), slot));
        base.tasks.spawn(upkeep::run(state.rooms.clone()));
        Ok(Server { state, address, admin })
    }

    /// Returns the address for players.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address of the metrics, if they are served.
    pub fn admin(&self) -> Option<SocketAddr> {
        self.admin
    }

    /// Stops accepting, asks all clients to reconnect, and flushes the journal.
    pub async fn stop(self) {
        let base = &self.state.base;
        // Release the rooms first: other servers can then claim them as soon as clients reconnect. No client
        // is disconnected before.
        match timeout(GIVE_UP, base.journal.ownership().release_all()).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::debug!(%error, "cannot release the rooms"),
            Err(_) => tracing::debug!("timed out while releasing the rooms"),
        }
        base.draining.cancel();
        base.tasks.close();
        if timeout(DRAIN, base.tasks.wait()).await.is_err() {
            tracing::warn!("some connections did not close in time");
        }
        // Everything acknowledged is already on disk, and a disk that hangs must not keep the process alive.
        let flushed = async {
            base.note_running().await;
            base.journal.close().await;
        };
        if timeout(FLUSH, flushed).await.is_err() {
            tracing::warn!("the journal could not be closed in time");
        }
    }
}

/// Returns whether the wall clock is past 1970. The HTTP library cannot format an earlier date.
pub fn is_clock_set() -> bool {
    SystemTime::now() >= UNIX_EPOCH
}

/// Makes the HTTP library read the wall clock once on this thread. The library caches a date per thread and panics if
/// the first date it reads is before 1970. If the clock is set back later, the library only keeps the cached date.
pub fn read_date() {
    if !is_clock_set() {
        return;
    }
    let service = service_fn(|_: Request<Incoming>| async { Ok::<_, Infallible>(Response::new(String::new())) });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(tokio::io::empty()), service);
    let _ = pin!(connection).poll(&mut Context::from_waker(Waker::noop()));
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    listen(address).map_err(|error| {
        let advice = match error.kind() {
            io::ErrorKind::AddrInUse => "stop the other program or choose another address",
            io::ErrorKind::PermissionDenied => "choose a port above 1023",
            io::ErrorKind::AddrNotAvailable => "choose an address this machine has",
            _ => "choose another address",
        };
        let sentence = format!("cannot listen on {address}: {error}; {advice} with --listen, --admin or --node-listen");
        io::Error::new(error.kind(), sentence)
    })
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // After a restart, closed connections still occupy the port. On other systems than Unix this option would let two
    // servers share the port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

async fn accept(
    base: Arc<Base>,
    listener: TcpListener,
    app: Router,
    slot: impl Fn(Option<ClientAddr>) -> Arc<ConnectionSlot>,
) {
    loop {
        let accepted = tokio::select! {
            () = base.draining.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                // Every connection is counted before a byte of it is read. Behind a proxy, the client address is known
                // only from each request.
                let trusted = &base.config.trust_proxy;
                let own = !is_proxy(peer.ip(), trusted);
                let slot = slot(own.then(|| ClientAddr::of(peer.ip(), &HeaderMap::new(), trusted)));
                base.tasks.spawn(connection(base.clone(), stream, peer, app.clone(), slot));
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(ACCEPT_AGAIN).await;
            }
        }
    }
}

async fn connection(base: Arc<Base>, stream: TcpStream, peer: SocketAddr, app: Router, slot: Arc<ConnectionSlot>) {
    // Disable Nagle's algorithm: acts are small and players wait for them.
    let _ = stream.set_nodelay(true);
    let _ = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER);
    let (app, its_slot) = (TowerToHyperService::new(app), slot.clone());
    // Added to each request instead of by a layer, which would wrap every route again for every connection.
    let app = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(its_slot.clone());
        app.call(request)
    });
    let stream = Guarded::new(stream, slot.clone());
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // Runs from the end of one request to the end of the next request's head, so it is also the idle timeout.
        .header_read_timeout(HEADERS)
        .max_buf_size(HEAD)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), app)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        _ = slot.called() => {
            base.metrics.cut("connections");
            return;
        }
        () = base.draining.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        if stalled(&error) {
            base.metrics.cut("stalled");
        } else if error.is_parse_too_large() {
            base.metrics.cut("head");
        }
        tracing::trace!(%error, "a connection ended with an error");
    }
}

/// Returns whether a connection was closed because the client did not read the response.
fn stalled(error: &hyper::Error) -> bool {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|source| source.kind() == io::ErrorKind::TimedOut)
}
