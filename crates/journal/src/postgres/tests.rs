//! Tests of several servers on one database, with a real PostgreSQL. Behaviour common to all journals is tested in the
//! contract tests.

use super::*;
use pgtest::{Cluster, Disk};
use std::time::Instant;
use tokio::task::JoinSet;
use tokio::time::sleep;

fn at(address: &str, node: Option<&str>) -> Settings {
    Settings {
        address: address.parse().unwrap(),
        node: node.map(ToOwned::to_owned),
        version: "test".to_owned(),
    }
}

async fn server(address: &str, node: &str) -> Postgres {
    Postgres::open(at(address, Some(node))).await.unwrap()
}

fn lines(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|&entry| entry.to_owned()).collect()
}

/// Retries until the answer is `Some`, for at most a minute.
async fn until<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}: not within a minute");
        sleep(Duration::from_millis(20)).await;
    }
}

async fn claimed(server: &Postgres, room: &str) -> Claim {
    server.claim(room).await.unwrap()
}

#[tokio::test]
async fn a_room_that_another_server_has_can_be_read_and_not_written() {
    let address = Cluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    let cursor = one.append("a", Cursor::START, lines(&["1"]), 0).await.unwrap();

    let Claim::Theirs(peer) = claimed(&two, "a").await else { panic!("it is the first one's") };
    assert_eq!(peer.address.as_deref(), Some("http://one"));
    assert_eq!(two.elsewhere("a").await, Ok(Some(peer)));
    assert_eq!(one.elsewhere("a").await, Ok(None));
    assert_eq!(two.open("a", 0).await, Err(JournalError::Elsewhere));
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
async fn who_gave_a_room_up_cannot_write_it_even_if_nobody_else_did() {
    let address = Cluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    let cursor = one.append("a", Cursor::START, lines(&["1"]), 0).await.unwrap();
    one.release("a").await.unwrap();
    assert_eq!(one.append("a", cursor, lines(&["2"]), 0).await, Err(AppendError::Fenced), "it is nobody's");

    assert_eq!(claimed(&two, "a").await, Claim::Ours);
    assert_eq!(two.figures().claims, 1);
    // The number of entries is right, but the fencing token is outdated.
    assert_eq!(one.append("a", cursor, lines(&["2"]), 0).await, Err(AppendError::Fenced));
    let opened = two.open("a", 0).await.unwrap().unwrap();
    assert_ne!(opened.cursor, cursor);
    two.release("a").await.unwrap();
    assert_eq!(claimed(&one, "a").await, Claim::Ours);
    assert_eq!(
        one.append("a", cursor, lines(&["2"]), 0).await,
        Err(AppendError::Fenced),
        "that was long ago"
    );
    one.close().await;
    two.close().await;
}

#[tokio::test]
async fn without_the_fence_two_servers_write_into_each_others_rooms() {
    let address = Cluster::shared().database();
    let unfenced = async |node| Postgres::open_without_fence(at(&address, Some(node))).await.unwrap();
    let (one, two) = (unfenced("http://one").await, unfenced("http://two").await);
    let cursor = one.append("a", Cursor::START, lines(&["1"]), 0).await.unwrap();
    one.release("a").await.unwrap();
    let opened = two.open("a", 0).await.unwrap().unwrap();
    two.append("a", opened.cursor, lines(&["two's"]), 0).await.unwrap();
    one.append("a", cursor, lines(&["one's"]), 0).await.expect("nothing is compared");
    assert_eq!(one.read("a").await, Ok(Some(lines(&["1", "two's", "one's"]))));
    one.close().await;
    two.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_three_servers_that_claim_fifty_rooms_at_once_each_room_has_one() {
    let address = Cluster::shared().database();
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
        let owners: Vec<_> =
            of_it.iter().filter(|claim| claim.2 == Claim::Ours).map(|claim| claim.1).collect();
        let [owner] = owners[..] else { panic!("room {room} belongs to {owners:?}") };
        for (_, node, claim, _) in of_it.iter().filter(|claim| claim.1 != owner) {
            let Claim::Theirs(peer) = claim else { panic!("{node} was told {claim:?} of room {room}") };
            assert_eq!(peer.address.as_deref(), Some(owner));
        }
    }
}

#[tokio::test]
async fn a_draining_server_gives_its_rooms_up_at_once_and_takes_no_more() {
    let address = Cluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    for room in ["a", "b"] {
        one.append(room, Cursor::START, lines(&["1"]), 0).await.unwrap();
    }
    assert_eq!(one.release_all().await, Ok(2));
    assert_eq!(claimed(&one, "a").await, Claim::Wait);
    assert_eq!(claimed(&two, "a").await, Claim::Ours);
    assert!(one.lease().term().is_some(), "it still says goodbye to those it served");
    one.close().await;
    assert_eq!(two.nodes().await.unwrap().len(), 1, "who has closed is off the list");
    two.close().await;
}

#[tokio::test]
async fn the_rooms_of_a_dead_server_are_taken_when_its_lease_has_run_out() {
    let address = Cluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    let cursor = one.append("a", Cursor::START, lines(&["1"]), 0).await.unwrap();
    // The server and its session stay alive but no longer renew the lease, as if the process were stopped.
    one.keeper.abort();
    assert!(matches!(claimed(&two, "a").await, Claim::Theirs(_)), "its lease runs for some seconds yet");
    let term = one.lease().term().unwrap();
    one.lease().ended(term).await;
    assert!(matches!(claimed(&two, "a").await, Claim::Theirs(_)), "it stops before others begin");
    until("the room is taken", async || (claimed(&two, "a").await == Claim::Ours).then_some(())).await;
    assert_eq!(one.append("a", cursor, lines(&["2"]), 0).await, Err(AppendError::Fenced));
    assert_eq!(one.open("a", 0).await, Err(JournalError::Elsewhere));
    two.close().await;
}

#[tokio::test]
async fn a_server_that_comes_back_under_its_address_need_not_wait() {
    let address = Cluster::shared().database();
    for node in [Some("http://one"), None] {
        let before = Postgres::open(at(&address, node)).await.unwrap();
        let room = format!("{node:?}");
        before.append(&room, Cursor::START, lines(&["1"]), 0).await.unwrap();
        // Simulates `kill -9`: its connections end, but its row stays.
        drop(before);
        let after = Postgres::open(at(&address, node)).await.unwrap();
        assert_eq!(claimed(&after, &room).await, Claim::Ours);
        assert_eq!(after.nodes().await.unwrap().len(), 1);
        after.close().await;
    }
}

#[tokio::test]
async fn servers_see_each_other_and_what_they_tell() {
    let address = Cluster::shared().database();
    let (one, two) =
        (server(&address, "http://one").await, Postgres::open(at(&address, None)).await.unwrap());
    let load = Load { rooms: 3, sockets: 7 };
    one.report(load);
    let nodes =
        until("it was told", async || Some(two.nodes().await.unwrap()).filter(|nodes| nodes[0].load == load));
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
async fn a_sweep_leaves_the_rooms_of_others_alone_who_are_alive() {
    let address = Cluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    for room in ["owned", "free"] {
        one.append(room, Cursor::START, lines(&["1"]), 10).await.unwrap();
    }
    one.release("free").await.unwrap();
    assert_eq!(two.forget_unopened(100, vec![]).await, Ok(lines(&["free"])));
    assert_eq!(one.forget_unopened(100, lines(&["owned"])).await, Ok(vec![]));
    one.close().await;
    assert_eq!(two.forget_unopened(100, vec![]).await, Ok(lines(&["owned"])), "nobody has it now");
    two.close().await;
}

#[tokio::test]
async fn one_server_sweeps_at_a_time() {
    let address = Cluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    one.append("a", Cursor::START, lines(&["1"]), 10).await.unwrap();
    one.release("a").await.unwrap();
    let busy = one.readers[0].session().await.unwrap();
    let lock = async |sql| busy.ask(sql, &[&schema::LOCKS, &schema::SWEEP], PATIENCE).await.unwrap();
    lock("SELECT pg_advisory_lock($1, $2)").await;
    assert_eq!(two.forget_unopened(100, vec![]).await, Ok(vec![]), "somebody else is at it");
    lock("SELECT pg_advisory_unlock($1, $2)").await;
    assert_eq!(two.forget_unopened(100, vec![]).await, Ok(lines(&["a"])));
    one.close().await;
    two.close().await;
}

#[tokio::test]
async fn the_running_time_of_several_servers_is_that_of_the_longest() {
    let address = Cluster::shared().database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    one.ran(60_000).await.unwrap();
    two.ran(20_000).await.unwrap();
    assert_eq!(two.running_ms(), 60_000);
    one.close().await;
    assert_eq!(server(&address, "http://three").await.running_ms(), 60_000);
}

#[tokio::test]
async fn after_a_restart_of_the_database_everyone_goes_on_with_what_was_acknowledged() {
    let cluster = Cluster::start(Disk::Durable);
    let address = cluster.database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    let mut cursor = one.append("a", Cursor::START, lines(&["1"]), 0).await.unwrap();
    for end in [Cluster::stop, Cluster::kill] {
        end(&cluster);
        let asked = Instant::now();
        let away = one.append("a", cursor, lines(&["away"]), 0).await;
        assert!(
            matches!(away, Err(AppendError::Failed(JournalError::Away(_)) | AppendError::Unknown(_))),
            "{away:?}"
        );
        assert!(matches!(two.read("a").await, Err(JournalError::Away(_))));
        assert!(asked.elapsed() < Duration::from_secs(10), "whoever asks is answered soon");
        cluster.run();
        // The owner reconnects first and may continue where it was.
        let next = until("it can be written again", async || {
            match one.append("a", cursor, lines(&["2"]), 0).await {
                Ok(next) => Some(next),
                Err(AppendError::Failed(_) | AppendError::Unknown(_)) => None,
                Err(error) => panic!("{error}"),
            }
        });
        cursor = next.await;
        assert_ne!(claimed(&two, "a").await, Claim::Ours);
    }
    assert_eq!(one.read("a").await, Ok(Some(lines(&["1", "2", "2"]))));
    one.close().await;
    two.close().await;
}

#[tokio::test]
async fn while_the_database_hangs_nobody_is_told_what_nobody_knows() {
    let cluster = Cluster::start(Disk::Forgetful);
    let address = cluster.database();
    let (one, two) = (server(&address, "http://one").await, server(&address, "http://two").await);
    let cursor = one.append("a", Cursor::START, lines(&["1"]), 0).await.unwrap();
    let (lease, term) = (one.lease(), one.lease().term().unwrap());
    cluster.pause();
    let asked = Instant::now();
    let unknown = one.append("a", cursor, lines(&["2"]), 0).await;
    assert!(matches!(unknown, Err(AppendError::Unknown(_))), "{unknown:?}");
    lease.ended(term).await;
    assert!(asked.elapsed() < Duration::from_secs(8), "a server without its lease knows it by itself");
    // Long enough for all leases to expire.
    sleep(crate::ownership::LEASE).await;
    cluster.resume();
    lease.begun().await;
    // The other server reconnects just as quickly, and does not claim what is not its own.
    until("the other is back", async || two.exists("a").await.ok()).await;
    assert_eq!(two.lease().begun().await, two.lease().term().unwrap());
    assert_ne!(claimed(&two, "a").await, Claim::Ours);
    let opened = until("the owner has it", async || one.open("a", 0).await.ok().flatten()).await;
    assert_eq!(opened.entries[0], "1");
    assert!(opened.entries.len() <= 2, "the append whose outcome nobody knew is there once, or not at all");
    assert!(one.append("a", opened.cursor, lines(&["3"]), 0).await.is_ok());
    one.close().await;
    two.close().await;
}

#[tokio::test]
async fn concurrent_probes_share_one_write() {
    let address = Cluster::shared().database();
    let server = Arc::new(server(&address, "http://one").await);
    let mut probes = JoinSet::new();
    for _ in 0..20 {
        let server = server.clone();
        probes.spawn(async move { server.probe().await });
    }
    assert_eq!(probes.join_all().await, vec![Ok(()); 20]);
    let database = address.rsplit_once('/').unwrap().1;
    let writes = Cluster::shared().sql(database, "SELECT writes FROM rookery.probe");
    assert!(writes.parse::<usize>().unwrap() < 20, "{writes} writes");
    assert_eq!(server.probe().await, Ok(()), "the next one writes again");
    server.close().await;
}
