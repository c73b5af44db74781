//! A bulkhead for CPU-bound work: journals are replayed on the runtime's blocking threads instead of the async workers,
//! and only a limited number at once. So games are not delayed, however many rooms are loaded at the same time.
//!
//! Fairness: callers that wait are served by address in turn (round robin), so one address delays another by one job.
//! Few callers of an address may wait, and those of a /48 may take half of the queue. On a full queue, a network with
//! fewer waiting callers takes the place of one with more. Callers that are limited elsewhere do not count.

use crate::client_addr::{ClientAddr, Network};
use crate::limits::table::Concurrent;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::{JoinError, spawn_blocking};

/// Limits how many jobs run at once. Further callers wait for a turn.
#[derive(Clone)]
pub struct Turns(Arc<Mutex<TurnQueue>>);

struct TurnQueue {
    /// Maximum number of waiting callers.
    most: Concurrent,
    /// Number of jobs that may start now.
    free: usize,
    /// Callers that wait, by address. The next turn is for the first address.
    waiting: VecDeque<WaitingClient>,
}

struct WaitingClient {
    /// `None` for the server's own work.
    client: Option<ClientAddr>,
    callers: VecDeque<Caller>,
}

struct Caller {
    granted: oneshot::Sender<()>,
    /// Whether it counts, and may be evicted.
    limited: bool,
}

impl WaitingClient {
    fn limited(&self) -> usize {
        self.callers.iter().filter(|caller| caller.limited).count()
    }
}

/// Permission to run a job. It is passed on when dropped.
pub struct Turn(Turns);

impl Turns {
    pub fn new(at_once: usize, most: Concurrent) -> Turns {
        Turns(Arc::new(Mutex::new(TurnQueue { most, free: at_once, waiting: VecDeque::new() })))
    }

    /// Waits for a turn, however many callers wait.
    pub async fn turn(&self, client: Option<ClientAddr>) -> Turn {
        self.wait(client, false).await.expect("a caller without limit is never refused or evicted")
    }

    /// Waits for a turn. Returns `None` if too many callers of this address or of its network are waiting, or if the
    /// queue is full (load shedding). On a full queue, the network with most callers loses its newest one to a network
    /// with fewer.
    pub async fn turn_unless_many(&self, client: Option<ClientAddr>) -> Option<Turn> {
        self.wait(client, true).await
    }

    #[cfg(test)]
    pub fn waiting(&self) -> usize {
        self.0.lock().waiting.iter().map(WaitingClient::limited).sum()
    }

    async fn wait(&self, client: Option<ClientAddr>, limited: bool) -> Option<Turn> {
        let granted = {
            let mut queue = self.0.lock();
            if queue.free > 0 {
                queue.free -= 1;
                return Some(Turn(self.clone()));
            }
            queue.join(client, limited)?
        };
        Waiter { turns: self.clone(), granted }.turn().await
    }
}

/// Whose callers are counted together: those of a /48, or of an IPv4 address. `None` is the server's own work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Group {
    Address(ClientAddr),
    Network(Network),
}

fn network_of(client: Option<ClientAddr>) -> Option<Group> {
    client.map(|client| client.network().map_or(Group::Address(client), Group::Network))
}

impl TurnQueue {
    /// Adds a caller. If `limited`, returns `None` if too many callers of its address or network are waiting or the
    /// queue is full.
    fn join(&mut self, client: Option<ClientAddr>, limited: bool) -> Option<oneshot::Receiver<()>> {
        // Callers that no longer wait do not count.
        for waiting in &mut self.waiting {
            waiting.callers.retain(|caller| !caller.granted.is_closed());
        }
        self.waiting.retain(|waiting| !waiting.callers.is_empty());
        if limited && !self.may_wait(client) {
            return None;
        }
        let (grant, granted) = oneshot::channel();
        let caller = Caller { granted: grant, limited };
        match self.waiting.iter_mut().find(|waiting| waiting.client == client) {
            Some(mine) => mine.callers.push_back(caller),
            None => self.waiting.push_back(WaitingClient { client, callers: VecDeque::from([caller]) }),
        }
        Some(granted)
    }

    /// Returns whether another caller may wait. On a full queue another caller loses its place for it.
    fn may_wait(&mut self, client: Option<ClientAddr>) -> bool {
        let mine = self.waiting.iter().find(|waiting| waiting.client == client);
        if mine.is_some_and(|mine| mine.limited() >= self.most.by_address) {
            return false;
        }
        let counts = self.count_by_network();
        let network = network_of(client);
        let of_network = counts.get(&network).copied().unwrap_or_default();
        let is_wide = matches!(network, Some(Group::Network(_)));
        if is_wide && of_network >= self.most.by_network() {
            return false;
        }
        counts.values().sum::<usize>() < self.most.server || self.evict_one_for(of_network, &counts)
    }

    fn count_by_network(&self) -> HashMap<Option<Group>, usize> {
        let mut counts = HashMap::new();
        for waiting in &self.waiting {
            *counts.entry(network_of(waiting.client)).or_default() += waiting.limited();
        }
        counts
    }

    /// Evicts the newest caller of the network with most callers, from its address with most, for a network with
    /// `count` callers. Returns false if that would not be fair.
    fn evict_one_for(&mut self, count: usize, counts: &HashMap<Option<Group>, usize>) -> bool {
        let weight = |waiting: &WaitingClient| (counts[&network_of(waiting.client)], waiting.limited());
        let Some(greediest) = self.waiting.iter_mut().max_by_key(|waiting| weight(waiting)) else {
            return false;
        };
        if weight(greediest).0 <= count + 1 {
            return false;
        }
        let newest = greediest.callers.iter().rposition(|caller| caller.limited);
        newest.map(|newest| greediest.callers.remove(newest));
        self.waiting.retain(|waiting| !waiting.callers.is_empty());
        true
    }

    /// Returns the next caller, from each address in turn.
    fn next(&mut self) -> Option<Caller> {
        let mut waiting = self.waiting.pop_front()?;
        let next = waiting.callers.pop_front();
        if !waiting.callers.is_empty() {
            self.waiting.push_back(waiting);
        }
        next
    }
}

/// A caller that waits for a turn.
struct Waiter {
    turns: Turns,
    granted: oneshot::Receiver<()>,
}

impl Waiter {
    /// Returns the turn, or `None` if the caller was evicted.
    async fn turn(mut self) -> Option<Turn> {
        (&mut self.granted).await.ok().map(|()| Turn(self.turns.clone()))
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        // A turn that was granted at the moment the caller was cancelled is passed on.
        self.granted.close();
        if self.granted.try_recv().is_ok() {
            drop(Turn(self.turns.clone()));
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut queue = self.0.0.lock();
        while let Some(next) = queue.next() {
            if next.granted.send(()).is_ok() {
                return;
            }
        }
        queue.free += 1;
    }
}

impl Turn {
    /// Runs the work on a blocking thread. Fails only if the work panics or the server stops. If the caller is
    /// cancelled, only the result is lost: the turn stays with the work, so the limit is never exceeded.
    pub async fn work<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, JoinError> {
        let done = spawn_blocking(move || {
            let done = work();
            drop(self);
            done
        });
        done.await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client_addr::client;
    use crate::limits::table::{WAITING_REQUESTS, WAITING_REVIEWS};
    use std::pin::{Pin, pin};
    use std::sync::mpsc;
    use std::time::Duration;
    use tokio::time::timeout;

    /// Polls the future for a moment, and returns its output if it is done.
    async fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Option<F::Output> {
        timeout(Duration::from_millis(1), future).await.ok()
    }

    fn address(last: usize) -> Option<ClientAddr> {
        Some(client(&format!("192.0.2.{last}")))
    }

    /// Returns a household (/64) of a network (/48).
    fn household(network: usize, n: usize) -> Option<ClientAddr> {
        Some(client(&format!("2001:db8:{network:x}:{n:x}::1")))
    }

    type Waiting<'a> = Vec<Pin<Box<dyn Future<Output = Option<Turn>> + 'a>>>;

    /// Adds a caller of each of these addresses, and returns those that wait.
    async fn wait_of<'a>(turns: &'a Turns, clients: impl IntoIterator<Item = Option<ClientAddr>>) -> Waiting<'a> {
        let mut waiting = Waiting::new();
        for client in clients {
            let mut caller: Pin<Box<dyn Future<Output = _>>> = Box::pin(turns.turn_unless_many(client));
            match poll(caller.as_mut()).await {
                Some(refused) => assert!(refused.is_none(), "nobody gets a turn"),
                None => waiting.push(caller),
            }
        }
        waiting
    }

    /// Returns how many of these callers have lost their place.
    async fn evicted(waiting: &mut Waiting<'_>) -> usize {
        let mut evicted = 0;
        for caller in waiting {
            evicted += usize::from(matches!(poll(caller.as_mut()).await, Some(None)));
        }
        evicted
    }

    #[tokio::test]
    async fn abandoned_work_keeps_its_turn_until_it_is_done() {
        let turns = Turns::new(1, WAITING_REVIEWS);
        let (go_on, told) = mpsc::channel::<()>();
        let turn = turns.turn(None).await;
        assert!(poll(pin!(turn.work(move || told.recv()))).await.is_none(), "the work is still blocked");
        assert!(poll(pin!(turns.turn(None))).await.is_none(), "it still occupies the only turn");
        go_on.send(()).unwrap();
        assert_eq!(turns.turn(None).await.work(|| 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn panicking_work_releases_its_turn() {
        let turns = Turns::new(1, WAITING_REVIEWS);
        assert!(turns.turn(None).await.work(|| panic!("on purpose")).await.is_err());
        assert_eq!(turns.turn(None).await.work(|| 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn a_granted_turn_is_passed_on_if_the_caller_is_cancelled() {
        let turns = Turns::new(1, WAITING_REVIEWS);
        let working = turns.turn(None).await;
        let mut first = Box::pin(turns.turn(address(1)));
        let mut second = Box::pin(turns.turn(address(2)));
        assert!(poll(first.as_mut()).await.is_none() && poll(second.as_mut()).await.is_none());
        drop(working);
        drop(first);
        drop(poll(second.as_mut()).await.expect("the turn was passed on"));
        assert_eq!(turns.0.lock().free, 1);
    }

    #[tokio::test]
    async fn limits_waiting_callers_per_address_and_serves_addresses_in_turn() {
        let turns = Turns::new(1, WAITING_REVIEWS);
        let working = turns.turn(None).await;
        let mut waiting = Vec::new();
        for last in [1, 1, 1, 1, 1, 2] {
            let mut caller = Box::pin(turns.turn_unless_many(address(last)));
            match poll(caller.as_mut()).await {
                Some(refused) => assert!(refused.is_none() && last == 1, "a fifth caller may not wait"),
                None => waiting.push((last, caller)),
            }
        }
        assert_eq!(waiting.len(), WAITING_REVIEWS.by_address + 1);
        drop(working);
        let mut served = Vec::new();
        while !waiting.is_empty() {
            for i in 0..waiting.len() {
                if let Some(turn) = poll(waiting[i].1.as_mut()).await {
                    served.push(waiting.remove(i).0);
                    drop(turn.expect("it gets a turn"));
                    break;
                }
            }
        }
        assert_eq!(served, [1, 2, 1, 1, 1], "the other address waits for one job only");
    }

    #[tokio::test]
    async fn a_full_queue_still_admits_an_address_with_fewer_callers() {
        let turns = Turns::new(1, WAITING_REVIEWS);
        let _working = turns.turn(None).await;
        let addresses = WAITING_REVIEWS.server / WAITING_REVIEWS.by_address;
        let all = (0..WAITING_REVIEWS.server).map(|n| address(n % addresses));
        let mut waiting = wait_of(&turns, all).await;
        assert_eq!(waiting.len(), WAITING_REVIEWS.server);
        assert_eq!(wait_of(&turns, [address(200)]).await.len(), 1, "the newcomer waits");
        assert_eq!(evicted(&mut waiting).await, 1, "one caller of an address with many lost its place");
    }

    #[tokio::test]
    async fn a_network_may_have_half_of_the_waiting_callers() {
        let turns = Turns::new(1, WAITING_REQUESTS);
        let _working = turns.turn(None).await;
        let mut waiting = wait_of(&turns, (0..WAITING_REQUESTS.server).map(|n| household(1, n))).await;
        assert_eq!(waiting.len(), WAITING_REQUESTS.server / 2, "one caller of each household");
        assert_eq!(wait_of(&turns, [address(1), household(2, 1)]).await.len(), 2);
        assert_eq!(evicted(&mut waiting).await, 0);
    }

    #[tokio::test]
    async fn callers_that_are_limited_elsewhere_neither_count_nor_are_evicted() {
        let turns = Turns::new(1, WAITING_REVIEWS);
        let working = turns.turn(None).await;
        let mut streams = Vec::new();
        for _ in 0..WAITING_REVIEWS.server {
            let mut stream = Box::pin(turns.turn(address(1)));
            assert!(poll(stream.as_mut()).await.is_none());
            streams.push(stream);
        }
        let requests = wait_of(&turns, (0..WAITING_REVIEWS.server).map(|n| address(1 + n / 4))).await;
        assert_eq!(requests.len(), WAITING_REVIEWS.server);
        assert_eq!(wait_of(&turns, [address(200)]).await.len(), 1, "a newcomer takes the place of a request");
        drop(requests);
        drop(working);
        for stream in streams {
            drop(stream.await);
        }
    }

    #[tokio::test]
    async fn networks_that_fill_the_queue_make_place_for_a_newcomer() {
        let turns = Turns::new(1, WAITING_REQUESTS);
        let working = turns.turn(None).await;
        let all = (0..WAITING_REQUESTS.server).map(|n| household(n % 2, n));
        let mut waiting = wait_of(&turns, all).await;
        assert_eq!(waiting.len(), WAITING_REQUESTS.server, "one caller of each household");
        let newcomers = wait_of(&turns, [address(1), household(2, 1), address(2)]).await;
        assert_eq!(newcomers.len(), 3);
        assert_eq!(evicted(&mut waiting).await, newcomers.len());
        drop(waiting);
        drop(working);
        for newcomer in newcomers {
            assert!(newcomer.await.is_some(), "it gets its turn");
        }
    }
}
