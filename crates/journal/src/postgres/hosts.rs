//! Connects to the database. All hosts are tried concurrently, each with its own timeout, and the one with the newest
//! history is used.
//!
//! A host that accepts connections but never answers therefore does not block the others, and the order of hosts does
//! not decide between an old primary and the new one.

use super::address::{Address, Host};
use super::database_error::reason;
use super::history::{HostState, Newest, Outdated};
use crate::ownership::History;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::lookup_host;
use tokio::sync::{Notify, mpsc};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long to wait for the other hosts once one is usable. At the start, when no history is known, they get their
/// whole timeout.
const OTHERS: Duration = Duration::from_millis(300);

/// A connection to the chosen host.
pub(super) struct Connected {
    pub(super) client: Client,
    /// Ends the connection.
    pub(super) hung_up: Arc<Notify>,
    /// `None` before the tables exist.
    pub(super) history: Option<History>,
    driver: JoinHandle<String>,
    _guard: AbortOnDrop,
}

impl Connected {
    /// Splits the connection into its client, the handle that ends it, and a future that resolves when it has ended.
    pub(super) fn split(self, newest: Arc<Newest>) -> (Client, Arc<Notify>, impl Future<Output = String>) {
        let Connected { client, hung_up, history, driver, _guard } = self;
        let ended = async move {
            let _guard = _guard;
            tokio::select! {
                ended = driver => ended.unwrap_or_else(|_| "the connection was closed".to_owned()),
                () = newest.superseded(history) => "it failed over".to_owned(),
            }
        };
        (client, hung_up, ended)
    }
}

/// Why no host can be used.
pub(super) enum NoHost {
    /// A connection error, or an error from PostgreSQL.
    Failed(tokio_postgres::Error),
    /// All hosts that answer are read-only.
    ReadOnly(&'static str),
    /// The writable hosts have an older history.
    Outdated(String),
    /// No answer.
    Silent,
    /// The address cannot be used.
    Address(String),
}

impl NoHost {
    pub(super) fn reason(&self) -> String {
        match self {
            NoHost::Failed(error) => reason(error),
            NoHost::ReadOnly(why) => (*why).to_owned(),
            NoHost::Outdated(why) | NoHost::Address(why) => why.clone(),
            NoHost::Silent => "it does not answer".to_owned(),
        }
    }

    /// Returns the priority of a reason, to report the most informative one of several hosts.
    fn weight(&self) -> u8 {
        match self {
            NoHost::Silent => 0,
            NoHost::Failed(error) if error.as_db_error().is_none() => 1,
            NoHost::ReadOnly(_) => 2,
            NoHost::Failed(_) => 3,
            NoHost::Outdated(_) | NoHost::Address(_) => 4,
        }
    }
}

/// A host that answered.
struct Reached {
    /// Its position in the address.
    place: usize,
    name: String,
    client: Client,
    hung_up: Arc<Notify>,
    driver: JoinHandle<String>,
    guard: AbortOnDrop,
    found: HostState,
}

type HostResult = Result<Reached, NoHost>;

/// Connects to the writable host with the newest history. `settings` are run on each session first.
pub(super) async fn connect(address: &Address, settings: &str, newest: &Newest) -> Result<Connected, NoHost> {
    let tls = address.tls().map_err(NoHost::Address)?;
    let limit = address.limit();
    let (tell, mut told) = mpsc::unbounded_channel();
    let mut trying = JoinSet::new();
    for host in address.hosts() {
        let attempt = Attempt { limit, tls: tls.clone(), settings: settings.to_owned(), tell: tell.clone() };
        trying.spawn(attempt.try_host(host, address.clone()));
    }
    drop(tell);

    let wait = if newest.get().is_some() || !newest.is_compared() { OTHERS } else { limit };
    // Each attempt has its own timeout. This one covers a name that is never resolved.
    let mut deadline = Instant::now() + limit * 2;
    let (mut reached, mut failed): (Vec<Reached>, Option<NoHost>) = (Vec::new(), None);
    let mut fail = |why: NoHost| {
        if failed.as_ref().is_none_or(|last| last.weight() <= why.weight()) {
            failed = Some(why);
        }
    };
    loop {
        let tried: HostResult = tokio::select! {
            tried = told.recv() => match tried {
                Some(tried) => tried,
                None => break,
            },
            () = sleep_until(deadline) => break,
        };
        match tried {
            Ok(host) => match (host.found.read_only, newest.judge(&host.found)) {
                (Some(why), _) => fail(NoHost::ReadOnly(why)),
                (None, Err(why)) => {
                    refuse(newest, &host, why).await;
                    fail(NoHost::Outdated(format!("{}: {why}", host.name)));
                }
                (None, Ok(())) => {
                    deadline = deadline.min(Instant::now() + wait);
                    reached.push(host);
                }
            },
            Err(why) => fail(why),
        }
    }
    let Some(chosen) = choose(reached, newest.is_compared()) else {
        return Err(failed.unwrap_or(NoHost::Silent));
    };
    let Reached { name, client, hung_up, driver, guard, found, .. } = chosen;
    let history = timeout(limit, found.settle(&client)).await.map_err(|_| NoHost::Silent)?.map_err(NoHost::Failed)?;
    if history.is_some_and(|history| !newest.learn(history)) {
        return Err(NoHost::Outdated(format!("{name}: a newer history was found")));
    }
    Ok(Connected { client, hung_up, history, driver, _guard: guard })
}

async fn refuse(newest: &Newest, host: &Reached, why: Outdated) {
    let refused = newest.refuse(&host.name, &host.client, &host.found, why);
    let _ = timeout(OTHERS, refused).await;
}

/// Returns the host with the highest timeline of the system that the first host belongs to. Among equals the first
/// named wins.
fn choose(mut reached: Vec<Reached>, compared: bool) -> Option<Reached> {
    reached.sort_by_key(|host| host.place);
    if !compared {
        return reached.into_iter().next();
    }
    let first = reached.first()?.found;
    let of_system = reached.iter().enumerate().filter(|(_, host)| host.found.is_same_system(&first));
    let (newest, _) = of_system.max_by_key(|(n, host)| (host.found.timeline(), std::cmp::Reverse(*n)))?;
    Some(reached.swap_remove(newest))
}

/// What every attempt needs.
#[derive(Clone)]
struct Attempt {
    limit: Duration,
    tls: MakeRustlsConnect,
    settings: String,
    tell: mpsc::UnboundedSender<HostResult>,
}

impl Attempt {
    /// Tries all addresses of one host concurrently.
    async fn try_host(self, host: Host, address: Address) {
        let mut trying = JoinSet::new();
        match host.to_resolve.clone() {
            None => {
                let config = address.config_for(&host, None);
                trying.spawn(self.try_one(host, config));
            }
            Some((name, port)) => match timeout(self.limit, lookup_host((name, port))).await {
                Ok(Ok(found)) => {
                    for found in found {
                        let config = address.config_for(&host, Some(found.ip()));
                        trying.spawn(self.clone().try_one(host.clone(), config));
                    }
                }
                // Connecting fails in the same way and produces its own error message.
                Ok(Err(_)) => {
                    let config = address.config_for(&host, None);
                    trying.spawn(self.try_one(host, config));
                }
                Err(_) => {
                    let _ = self.tell.send(Err(NoHost::Silent));
                }
            },
        }
        trying.join_all().await;
    }

    async fn try_one(self, host: Host, config: Config) {
        let reached = timeout(self.limit, reach(host, config, self.tls, &self.settings)).await;
        let tried = reached.map_err(|_| NoHost::Silent).and_then(|reached| reached.map_err(NoHost::Failed));
        // The receiver may have stopped waiting.
        let _ = self.tell.send(tried);
    }
}

/// Performs the whole handshake with one host and queries its state.
async fn reach(
    host: Host,
    config: Config,
    tls: MakeRustlsConnect,
    settings: &str,
) -> Result<Reached, tokio_postgres::Error> {
    let (client, connection) = config.connect(tls).await?;
    let hung_up = Arc::new(Notify::new());
    let over = hung_up.clone();
    let driver = tokio::spawn(async move {
        tokio::select! {
            ended = connection => match ended {
                Ok(()) => "it closed the connection".to_owned(),
                Err(error) => reason(&error),
            },
            () = over.notified() => "it does not answer".to_owned(),
        }
    });
    let guard = AbortOnDrop(driver.abort_handle());
    client.batch_execute(settings).await?;
    let found = HostState::on(&client).await?;
    Ok(Reached { place: host.place, name: host.name, client, hung_up, driver, guard, found })
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
