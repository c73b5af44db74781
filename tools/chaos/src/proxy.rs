//! A TCP proxy between clients and servers that delays, throttles, freezes or cuts connections at any byte, in both
//! directions. The faults of a connection are drawn for its address and number. Global faults hit all connections at
//! once. The proxy does not interpret the bytes.

use crate::balancer::{Balancer, TRIES};
use crate::dice::{For, SeededRandom};
use crate::plan::{ChaosPlan, FaultKind};
use client::scripted::socket_at;
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::task::AbortOnDropHandle;

/// Largest chunk to forward at once.
const CHUNK: usize = 4096;

/// Faults of all connections.
#[derive(Debug, Clone, Copy)]
struct BadNetwork {
    /// Number of global cuts. Each one ends all connections that were open before it.
    cuts: u64,
    /// Whether the last cut used RST.
    rst: bool,
    /// Nothing is forwarded until this time.
    frozen: Instant,
}

/// Faults of one connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Fate {
    delay: Duration,
    /// Bytes per second.
    throttle: Option<u32>,
    /// Number of bytes, both directions together, after which the connection is cut, and whether with RST.
    cut: Option<(u64, bool)>,
    /// Number of bytes after which the connection freezes, and for how long.
    freeze: Option<(u64, Duration)>,
}

impl Fate {
    fn drawn(dice: &mut SeededRandom, kinds: &[FaultKind]) -> Fate {
        let has = |kind| kinds.contains(&kind);
        let delay = (dice.one_in(4), dice.ms(1..120));
        let throttle = (dice.one_in(8), dice.between(8_000..60_000));
        // Many connections are cut before the upgrade, and many in the middle of a welcome.
        let far = *dice.pick(&[600, 6_000, 60_000, 400_000]);
        let cut = (dice.one_in(2), (u64::from(dice.between(0..far)), dice.one_in(2)));
        let freeze = (dice.one_in(4), (u64::from(dice.between(0..far)), dice.ms(200..12_000)));
        Fate {
            delay: if delay.0 && has(FaultKind::Delay) { delay.1 } else { Duration::ZERO },
            throttle: (throttle.0 && has(FaultKind::Throttle)).then_some(throttle.1),
            cut: (cut.0 && has(FaultKind::Cut)).then_some(cut.1),
            freeze: (freeze.0 && has(FaultKind::Freeze)).then_some(freeze.1),
        }
    }
}

/// The proxy. It stops when this is dropped.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<ProxyState>,
    _accepting: AbortOnDropHandle<()>,
}

struct ProxyState {
    seed: u64,
    kinds: Vec<FaultKind>,
    balancer: Balancer,
    storm: watch::Sender<BadNetwork>,
    /// Set when no more faults are to be injected.
    calm: AtomicBool,
    lines: AtomicU64,
    counts: Mutex<HashMap<FaultKind, u64>>,
}

impl Proxy {
    /// Starts a proxy in front of these servers.
    pub async fn start(plan: &ChaosPlan, upstream: Vec<SocketAddr>) -> io::Result<Proxy> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let storm = BadNetwork { cuts: 0, rst: false, frozen: Instant::now() };
        let shared = Arc::new(ProxyState {
            seed: plan.seed,
            kinds: plan.faults.clone(),
            balancer: Balancer::before(upstream),
            storm: watch::channel(storm).0,
            calm: AtomicBool::new(false),
            lines: AtomicU64::new(0),
            counts: Mutex::default(),
        });
        let accepting = tokio::spawn(accept(listener, shared.clone()));
        Ok(Proxy { address, shared, _accepting: AbortOnDropHandle::new(accepting) })
    }

    /// Returns the address that clients connect to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Cuts all connections.
    pub fn cut_all(&self, rst: bool) {
        self.shared.storm.send_modify(|storm| (storm.cuts, storm.rst) = (storm.cuts + 1, rst));
    }

    /// Forwards nothing for a while.
    pub fn freeze_all(&self, still: Duration) {
        self.shared.storm.send_modify(|storm| storm.frozen = Instant::now() + still);
    }

    /// Stops injecting faults and forwards everything at once.
    pub fn calm_down(&self) {
        self.shared.calm.store(true, Ordering::Relaxed);
        self.shared.storm.send_modify(|storm| storm.frozen = Instant::now());
    }

    /// Returns how often each fault of a single connection occurred.
    pub fn counts(&self) -> HashMap<FaultKind, u64> {
        self.shared.counts.lock().expect("not poisoned").clone()
    }

    /// Returns how many connections were accepted.
    pub fn lines(&self) -> u64 {
        self.shared.lines.load(Ordering::Relaxed)
    }
}

async fn accept(listener: TcpListener, shared: Arc<ProxyState>) {
    let mut numbers: HashMap<IpAddr, u64> = HashMap::new();
    // The connections end with this task.
    let mut lines = JoinSet::new();
    loop {
        let Ok((stream, from)) = listener.accept().await else {
            // Too many files are open. Wait until some are closed.
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        while lines.try_join_next().is_some() {}
        let number = numbers.entry(from.ip()).or_default();
        *number += 1;
        shared.lines.fetch_add(1, Ordering::Relaxed);
        let (shared, number) = (shared.clone(), *number);
        lines.spawn(async move { serve(&shared, stream, from.ip(), number).await });
    }
}

async fn serve(shared: &ProxyState, mut near: TcpStream, from: IpAddr, number: u64) {
    let name = match from {
        IpAddr::V4(from) => u64::from(from.to_bits()),
        IpAddr::V6(_) => 0,
    };
    let mut dice = SeededRandom::new(shared.seed, For::Wire, name, number);
    let fate = Fate::drawn(&mut dice, &shared.kinds);
    let Some((server, mut far)) = shared.connect(from, &mut dice).await else {
        let _ = near.set_zero_linger();
        return;
    };
    let _ = (near.set_nodelay(true), far.set_nodelay(true));
    if !shared.calm.load(Ordering::Relaxed) {
        let count = |kind, there: bool| there.then(|| shared.count(kind));
        count(FaultKind::Delay, !fate.delay.is_zero());
        count(FaultKind::Throttle, fate.throttle.is_some());
    }
    let line = LineOnItsWay { shared, fate, passed: AtomicU64::new(0) };
    let (up, down) = (near.split(), far.split());
    let rst = tokio::select! {
        rst = line.struck() => Some(rst),
        () = shared.balancer.goes_down(server) => Some(true),
        rst = async {
            tokio::select! {
                rst = line.pass(up.0, down.1) => rst,
                rst = line.pass(down.0, up.1) => rst,
            }
        } => rst,
    };
    // `None` means that one side closed the connection, so the other is closed as well.
    match rst {
        Some(true) => {
            let _ = (near.set_zero_linger(), far.set_zero_linger());
        }
        Some(false) | None => {
            let _ = (near.shutdown().await, far.shutdown().await);
        }
    }
}

/// Connects from the given loopback address, if the system has it.
pub async fn connect_from(from: IpAddr, to: SocketAddr) -> io::Result<TcpStream> {
    match socket_at(from) {
        Ok(socket) => socket.connect(to).await,
        Err(_) => TcpStream::connect(to).await,
    }
}

impl ProxyState {
    /// Connects to a server, and returns its index with the connection.
    async fn connect(&self, from: IpAddr, dice: &mut SeededRandom) -> Option<(usize, TcpStream)> {
        let mut refused = None;
        for _ in 0..TRIES {
            let (server, address) = self.balancer.choose(dice, refused);
            if let Ok(far) = connect_from(from, address).await {
                return Some((server, far));
            }
            refused = Some(server);
        }
        None
    }

    fn count(&self, kind: FaultKind) {
        *self.counts.lock().expect("not poisoned").entry(kind).or_default() += 1;
    }
}

struct LineOnItsWay<'a> {
    shared: &'a ProxyState,
    fate: Fate,
    /// Bytes forwarded, both directions together.
    passed: AtomicU64,
}

impl LineOnItsWay<'_> {
    /// Waits for a global cut, and returns whether it uses RST.
    async fn struck(&self) -> bool {
        let mut storm = self.shared.storm.subscribe();
        let cuts = storm.borrow().cuts;
        match storm.wait_for(|storm| storm.cuts > cuts).await {
            Ok(storm) => storm.rst,
            Err(_) => true,
        }
    }

    /// Forwards one direction until it ends. Returns whether the cut uses RST if the connection is to be cut.
    async fn pass(&self, mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) -> Option<bool> {
        let mut chunk = [0; CHUNK];
        loop {
            let length = from.read(&mut chunk).await.ok().filter(|length| *length > 0)?;
            let before = self.passed.fetch_add(length as u64, Ordering::Relaxed);
            let reached = |at: u64| (before..before + length as u64).contains(&at);
            let calm = self.shared.calm.load(Ordering::Relaxed);
            if !calm {
                sleep(self.fate.delay).await;
                if let Some(rate) = self.fate.throttle {
                    sleep(Duration::from_secs_f64(length as f64 / f64::from(rate))).await;
                }
                if let Some((at, still)) = self.fate.freeze
                    && reached(at)
                {
                    self.shared.count(FaultKind::Freeze);
                    self.wait(Instant::now() + still).await;
                }
                if let Some((at, rst)) = self.fate.cut
                    && reached(at)
                {
                    self.shared.count(FaultKind::Cut);
                    let _ = to.write_all(&chunk[..(at - before) as usize]).await;
                    return Some(rst);
                }
            }
            let frozen = self.shared.storm.borrow().frozen;
            self.wait(frozen).await;
            to.write_all(&chunk[..length]).await.ok()?;
        }
    }

    /// Waits until `until`, or until faults end.
    async fn wait(&self, until: Instant) {
        let mut storm = self.shared.storm.subscribe();
        let calm = storm.wait_for(|_| self.shared.calm.load(Ordering::Relaxed));
        tokio::select! {
            () = sleep_until(until) => {}
            _ = calm => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fate_of_a_connection_depends_on_its_address_and_number() {
        let fate = |number| Fate::drawn(&mut SeededRandom::new(7, For::Wire, 1, number), FaultKind::ALL);
        assert_eq!(fate(3), fate(3));
        assert!((0..10).any(|number| fate(number) != fate(3)));
        let none = |number| Fate::drawn(&mut SeededRandom::new(7, For::Wire, 1, number), &[]);
        assert!((0..50).all(|number| none(number) == Fate::default()));
    }

    /// A proxy in front of an echo server.
    async fn echo(faults: &[FaultKind]) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (mut from, mut to) = stream.split();
                    let _ = tokio::io::copy(&mut from, &mut to).await;
                });
            }
        });
        let plan = ChaosPlan {
            seed: 7,
            time: Duration::ZERO,
            tables: 0,
            faults: faults.to_vec(),
            singly: false,
            patience: Duration::ZERO,
            memory: 0,
        };
        Proxy::start(&plan, vec![address]).await.unwrap()
    }

    #[tokio::test]
    async fn a_connection_that_is_not_cut_delivers_everything() {
        let proxy = echo(&[]).await;
        let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
        let sent = vec![42; 3 * CHUNK];
        stream.write_all(&sent).await.unwrap();
        let mut heard = vec![0; sent.len()];
        stream.read_exact(&mut heard).await.unwrap();
        assert_eq!(heard, sent);
    }

    #[tokio::test]
    async fn a_storm_cuts_every_open_connection_and_no_later_one() {
        let proxy = echo(&[]).await;
        let mut lines = Vec::new();
        for _ in 0..3 {
            let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
            stream.write_all(b"there?").await.unwrap();
            stream.read_exact(&mut [0; 6]).await.unwrap();
            lines.push(stream);
        }
        proxy.cut_all(true);
        for mut stream in lines {
            let end = stream.read(&mut [0; 1]).await;
            assert!(end.is_err(), "an RST, not {end:?}");
        }
        let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
        stream.write_all(b"again!").await.unwrap();
        stream.read_exact(&mut [0; 6]).await.unwrap();
    }

    #[tokio::test]
    async fn connections_are_cut_at_the_planned_byte() {
        let proxy = echo(&[FaultKind::Cut]).await;
        let mut cut = 0;
        for number in 1..=60 {
            let fate = Fate::drawn(
                &mut SeededRandom::new(7, For::Wire, u64::from(0x7f00_0001_u32), number),
                &[FaultKind::Cut],
            );
            let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
            // Each round trip is twenty bytes and there are 40, so a cut after 800 bytes is not reached.
            let mut passed = true;
            for _ in 0..40 {
                let said = stream.write_all(b"0123456789").await.is_ok();
                passed = said && stream.read_exact(&mut [0; 10]).await.is_ok();
                if !passed {
                    break;
                }
            }
            assert_eq!(passed, fate.cut.is_none_or(|(at, _)| at >= 800), "connection {number}: {fate:?}");
            cut += u64::from(!passed);
        }
        assert!(cut > 0 && proxy.counts()[&FaultKind::Cut] == cut);
    }
}
