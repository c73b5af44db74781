//! Tests of several servers on one database, with a real PostgreSQL. Behaviour common to all journals is tested in the
//! contract tests.

use super::*;
use pgtest::{Disk, PostgresCluster};
use std::time::Instant;
use tokio::task::JoinSet;
use tokio::time::sleep;

fn at(address: &str, node: Option<&str>) -> DatabaseSettings {
    DatabaseSettings {
        address: address.parse().unwrap(),
        node: node.map(ToOwned::to_owned),
        version: "test".to_owned(),
    }
}

pub(super) async fn server(address: &str, node: &str) -> Postgres {
    Postgres::open(at(address, Some(node))).await.unwrap()
}

fn lines(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|&entry| entry.to_owned()).collect()
}

/// Retries until the answer is `Some`, for at most a minute.
pub(super) async fn until<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}: not within a minute");
        sleep(Duration::from_millis(20)).await;
    }
}

/// Tries to open a room that exists. Fails with the server that owns it, if there is one.
async fn claimed(server: &Postgres, room: &str) -> Result<(), Option<Peer>> {
    match server.open(room, 0).await {
        Ok(opened) => {
            assert!(opened.is_some(), "the room exists");
            Ok(())
        }
        Err(JournalError::Elsewhere(owner)) => Err(owner),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_room_of_another_server_can_be_read_but_not_written() {
    let address = PostgresCluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    let cursor = one.append("a", Cursor::START, lines(&["1"]), 0).await.unwrap();

    let Err(Some(peer)) = claimed(&two, "a").await else { panic!("the first server owns the room") };
    assert_eq!(peer.address.as_deref(), Some("http://one"));
    assert_eq!(two.elsewhere("a").await, Ok(Some(peer)));
    assert_eq!(one.elsewhere("a").await, Ok(None));
    assert_eq!(two.read("a").await, Ok(Some(lines(&["1"]))));
    assert_eq!(two.exists("a").await, Ok(true));

    assert_eq!(two.append("a", cursor, lines(&["2"]), 0).await, Err(AppendError::Fenced));
    let taken = two.append("a", Cursor::START, lines(&["2"]), 0).await;
    assert!(matches!(taken, Err(AppendError::Conflict { .. })), "{taken:?}");
    assert_eq!(two.note("a", cursor, 0, "hello".to_owned(), 0).await, Err(AppendError::Fenced));
    assert_eq!(two.figures(), Figures { claims: 0, fenced: 2 });
    assert!(one.append("a", cursor, lines(&["2"]), 0).await.is_ok());
    assert_eq!(two.read("a").await, Ok(Some(lines(&["1", "2"]))));
    one.close().await;
    two.close().await;
}

#[tokio::test]
async fn a_released_room_cannot_be_written_by_its_former_owner() {
    let address = PostgresCluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    let cursor = one.append("a", Cursor::START, lines(&["1"]), 0).await.unwrap();
    one.release("a").await.unwrap();
    assert_eq!(one.append("a", cursor, lines(&["2"]), 0).await, Err(AppendError::Fenced), "the room has no owner");

    assert_eq!(claimed(&two, "a").await, Ok(()));
    assert_eq!(two.figures().claims, 1);
    // The number of entries is right, but the fencing token is outdated.
    assert_eq!(one.append("a", cursor, lines(&["2"]), 0).await, Err(AppendError::Fenced));
    let opened = two.open("a", 0).await.unwrap().unwrap();
    assert_ne!(opened.cursor, cursor);
    two.release("a").await.unwrap();
    assert_eq!(claimed(&one, "a").await, Ok(()));
    assert_eq!(
        one.append("a", cursor, lines(&["2"]), 0).await,
        Err(AppendError::Fenced),
        "the fencing token is outdated"
    );
    one.close().await;
    two.close().await;
}

#[tokio::test]
async fn without_fencing_two_servers_write_into_the_same_room() {
    let address = PostgresCluster::shared().database();
    let unfenced = async |node| Postgres::open_without_fence(at(&address, Some(node))).await.unwrap();
    let (one, two) = (unfenced("http://one").await, unfenced("http://two").await);
    let cursor = one.append("a", Cursor::START, lines(&["1"]), 0).await.unwrap();
    one.release("a").await.unwrap();
    let opened = two.open("a", 0).await.unwrap().unwrap();
    two.append("a", opened.cursor, lines(&["two's"]), 0).await.unwrap();
    one.append("a", cursor, lines(&["one's"]), 0).await.expect("the fencing token is not compared");
    assert_eq!(one.read("a").await, Ok(Some(lines(&["1", "two's", "one's"]))));
    one.close().await;
    two.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_claims_give_each_room_one_owner() {
    let address = PostgresCluster::shared().database();
    let maker = server(&address, "http://maker").await;
    for room in 0..50 {
        maker.append(&format!("r{room}"), Cursor::START, lines(&["1"]), 0).await.unwrap();
    }
    maker.close().await;
    let mut claims = JoinSet::new();
    for node in ["http://one", "http://two", "http://three"] {
        let server = Arc::new(server(&address, node).await);
        for room in 0..50 {
            let server = server.clone();
            claims.spawn(async move {
                let claim = claimed(&server, &format!("r{room}")).await;
                (room, node, claim, server)
            });
        }
    }
    let claims = claims.join_all().await;
    for room in 0..50 {
        let of_it: Vec<_> = claims.iter().filter(|claim| claim.0 == room).collect();
        let owners: Vec<_> = of_it.iter().filter(|claim| claim.2 == Ok(())).map(|claim| claim.1).collect();
        let [owner] = owners[..] else { panic!("room {room} belongs to {owners:?}") };
        for (_, node, claim, _) in of_it.iter().filter(|claim| claim.1 != owner) {
            let Err(Some(peer)) = claim else { panic!("{node} got {claim:?} for room {room}") };
            assert_eq!(peer.address.as_deref(), Some(owner));
        }
    }
}

#[tokio::test]
async fn a_draining_server_releases_its_rooms_and_claims_no_more() {
    let address = PostgresCluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    for room in ["a", "b"] {
        one.append(room, Cursor::START, lines(&["1"]), 0).await.unwrap();
    }
    assert_eq!(one.release_all().await, Ok(2));
    assert_eq!(claimed(&one, "a").await, Err(None));
    assert_eq!(claimed(&two, "a").await, Ok(()));
    assert!(one.lease().term().is_some(), "a draining server keeps its lease until it closes");
    one.close().await;
    assert_eq!(two.nodes().await.unwrap().len(), 1, "a closed server is not listed");
    two.close().await;
}

#[tokio::test]
async fn rooms_of_a_dead_server_can_be_claimed_when_its_lease_expires() {
    let address = PostgresCluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    let cursor = one.append("a", Cursor::START, lines(&["1"]), 0).await.unwrap();
    // The server and its session stay alive but no longer renew the lease, as if the process were stopped.
    one.keeper.abort();
    assert!(matches!(claimed(&two, "a").await, Err(Some(_))), "its lease has not expired yet");
    let term = one.lease().term().unwrap();
    one.lease().ended(term).await;
    assert!(matches!(claimed(&two, "a").await, Err(Some(_))), "it fences itself before others may claim");
    until("the room is claimed", async || (claimed(&two, "a").await == Ok(())).then_some(())).await;
    assert_eq!(one.append("a", cursor, lines(&["2"]), 0).await, Err(AppendError::Fenced));
    assert!(matches!(claimed(&one, "a").await, Err(Some(_))), "the other server owns it");
    two.close().await;
}

#[tokio::test]
async fn a_restarted_server_reclaims_its_rooms_at_once() {
    let address = PostgresCluster::shared().database();
    for node in [Some("http://one"), None] {
        let before = Postgres::open(at(&address, node)).await.unwrap();
        let room = format!("{node:?}");
        before.append(&room, Cursor::START, lines(&["1"]), 0).await.unwrap();
        // Simulates `kill -9`: its connections end, but its row stays.
        drop(before);
        let after = Postgres::open(at(&address, node)).await.unwrap();
        assert_eq!(claimed(&after, &room).await, Ok(()));
        assert_eq!(after.nodes().await.unwrap().len(), 1);
        after.close().await;
    }
}

#[tokio::test]
async fn servers_see_each_other_and_their_reported_load() {
    let address = PostgresCluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, Postgres::open(at(&address, None)).await.unwrap());
    let load = Load { rooms: 3, sockets: 7 };
    one.report(load);
    let nodes =
        until("the load is listed", async || Some(two.nodes().await.unwrap()).filter(|nodes| nodes[0].load == load));
    let nodes = nodes.await;
    let seen: Vec<_> = nodes.iter().map(|node| (node.address.as_deref(), node.here)).collect();
    assert_eq!(seen, [(Some("http://one"), false), (None, true)]);
    for node in &nodes {
        assert!(node.lease > Duration::from_secs(2) && node.lease <= crate::ownership::LEASE, "{node:?}");
        assert_eq!(node.version, "test");
    }
    one.close().await;
    two.close().await;
}

#[tokio::test]
async fn a_sweep_keeps_the_rooms_of_live_servers() {
    let address = PostgresCluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    for room in ["owned", "free"] {
        one.append(room, Cursor::START, lines(&["1"]), 10).await.unwrap();
    }
    one.release("free").await.unwrap();
    assert_eq!(two.forget_unopened(100, vec![]).await, Ok(lines(&["free"])));
    assert_eq!(one.forget_unopened(100, lines(&["owned"])).await, Ok(vec![]));
    one.close().await;
    assert_eq!(two.forget_unopened(100, vec![]).await, Ok(lines(&["owned"])), "the room has no owner now");
    two.close().await;
}

#[tokio::test]
async fn one_server_sweeps_at_a_time() {
    let address = PostgresCluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    one.append("a", Cursor::START, lines(&["1"]), 10).await.unwrap();
    one.release("a").await.unwrap();
    let busy = one.readers[0].session().await.unwrap();
    let lock = async |sql| busy.ask(sql, &[&schema::LOCKS, &schema::SWEEP], PATIENCE).await.unwrap();
    lock("SELECT pg_advisory_lock($1, $2)").await;
    assert_eq!(two.forget_unopened(100, vec![]).await, Ok(vec![]), "another server is sweeping");
    lock("SELECT pg_advisory_unlock($1, $2)").await;
    assert_eq!(two.forget_unopened(100, vec![]).await, Ok(lines(&["a"])));
    one.close().await;
    two.close().await;
}

#[tokio::test]
async fn the_running_time_of_several_servers_is_the_longest_one() {
    let address = PostgresCluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    one.ran(60_000).await.unwrap();
    two.ran(20_000).await.unwrap();
    assert_eq!(two.running_ms(), 60_000);
    one.close().await;
    assert_eq!(server(&address, "http://three").await.running_ms(), 60_000);
}

#[tokio::test]
async fn servers_resume_after_a_database_restart() {
    let cluster = PostgresCluster::start(Disk::Durable);
    let address = cluster.database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    let mut cursor = one.append("a", Cursor::START, lines(&["1"]), 0).await.unwrap();
    for end in [PostgresCluster::stop, PostgresCluster::kill] {
        end(&cluster);
        let asked = Instant::now();
        let away = one.append("a", cursor, lines(&["away"]), 0).await;
        assert!(matches!(away, Err(AppendError::Failed(JournalError::Away(_)) | AppendError::Unknown(_))), "{away:?}");
        assert!(matches!(two.read("a").await, Err(JournalError::Away(_))));
        assert!(asked.elapsed() < Duration::from_secs(10), "requests fail quickly");
        cluster.run();
        // The owner reconnects first and may continue where it was.
        let next =
            until("the room can be written again", async || match one.append("a", cursor, lines(&["2"]), 0).await {
                Ok(next) => Some(next),
                Err(AppendError::Failed(_) | AppendError::Unknown(_)) => None,
                Err(error) => panic!("{error}"),
            });
        cursor = next.await;
        let other = until("the other server has reconnected", async || match two.open("a", 0).await {
            Err(JournalError::Away(_)) => None,
            answer => Some(answer),
        });
        let other = other.await;
        assert!(matches!(other, Err(JournalError::Elsewhere(_))), "{other:?}");
    }
    assert_eq!(one.read("a").await, Ok(Some(lines(&["1", "2", "2"]))));
    one.close().await;
    two.close().await;
}

#[tokio::test]
async fn an_append_to_a_hanging_database_has_an_unknown_outcome() {
    let cluster = PostgresCluster::start(Disk::Forgetful);
    let address = cluster.database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    let cursor = one.append("a", Cursor::START, lines(&["1"]), 0).await.unwrap();
    let (lease, term) = (one.lease(), one.lease().term().unwrap());
    cluster.pause();
    let asked = Instant::now();
    let unknown = one.append("a", cursor, lines(&["2"]), 0).await;
    assert!(matches!(unknown, Err(AppendError::Unknown(_))), "{unknown:?}");
    lease.ended(term).await;
    assert!(asked.elapsed() < Duration::from_secs(8), "a server without a lease stops waiting");
    // Long enough for all leases to expire.
    sleep(crate::ownership::LEASE).await;
    cluster.resume();
    lease.begun().await;
    // The other server reconnects just as quickly, and does not claim what is not its own.
    until("the other server has reconnected", async || two.exists("a").await.ok()).await;
    assert_eq!(two.lease().begun().await, two.lease().term().unwrap());
    assert_ne!(claimed(&two, "a").await, Ok(()));
    let opened = until("the owner can open the room", async || one.open("a", 0).await.ok().flatten()).await;
    assert_eq!(opened.entries[0], "1");
    assert!(opened.entries.len() <= 2, "the unknown append was written once, or not at all");
    assert!(one.append("a", opened.cursor, lines(&["3"]), 0).await.is_ok());
    one.close().await;
    two.close().await;
}

#[tokio::test]
async fn concurrent_probes_share_one_write() {
    let address = PostgresCluster::shared().database();
    let server = Arc::new(server(&address, "http://one").await);
    let mut probes = JoinSet::new();
    for _ in 0..20 {
        let server = server.clone();
        probes.spawn(async move { server.probe().await });
    }
    assert_eq!(probes.join_all().await, vec![Ok(()); 20]);
    let database = address.rsplit_once('/').unwrap().1;
    let writes = PostgresCluster::shared().sql(database, "SELECT writes FROM rookery.probe");
    assert!(writes.parse::<usize>().unwrap() < 20, "{writes} writes");
    assert_eq!(server.probe().await, Ok(()), "the next probe writes again");
    server.close().await;
}
