//! Tests of a journal whose database fails over, with a real primary and standby.

use super::tests::{server, until};
use super::*;
use pgtest::{Disk, PostgresCluster};
use std::net::TcpListener;
use std::time::Instant;
use tokio::time::sleep;

/// A primary, its standby, and the address of a database that names both in this order.
struct ReplicatedPair {
    primary: PostgresCluster,
    standby: PostgresCluster,
    address: String,
}

impl ReplicatedPair {
    fn start() -> ReplicatedPair {
        let primary = PostgresCluster::start(Disk::Durable);
        let database = primary.database();
        let standby = primary.standby();
        let address = with_hosts(&database, &[primary.port(), standby.port()]);
        ReplicatedPair { primary, standby, address }
    }

    fn sql(&self, cluster: &PostgresCluster, statement: &str) -> String {
        let (_, database) = self.address.split_once('?').unwrap().0.rsplit_once('/').unwrap();
        cluster.sql(database, statement)
    }
}

/// Returns the address of the same database with other ports on this machine.
fn with_hosts(address: &str, ports: &[u16]) -> String {
    let (credentials, place) = address.rsplit_once('@').unwrap();
    let (_, database) = place.split_once('/').unwrap();
    let hosts: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let database = database.split_once('?').map_or(database, |(name, _)| name);
    format!("{credentials}@{}/{database}?target_session_attrs=read-write", hosts.join(","))
}

fn line(entry: &str) -> Vec<String> {
    vec![entry.to_owned()]
}

/// Opens the room and appends, as a room's task does after losing its connection.
async fn play(journal: &Postgres, room: &str, entry: &str) -> Option<Cursor> {
    let opened = journal.open(room, 0).await.ok()??;
    journal.append(room, opened.cursor, line(entry), 0).await.ok()
}

#[tokio::test]
async fn connects_to_the_second_host_when_the_first_never_answers() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let database = PostgresCluster::shared().database();
    let both = with_hosts(&database, &[silent.local_addr().unwrap().port(), PostgresCluster::shared().port()]);
    let begun = Instant::now();
    // This timeout is longer than a request may wait for the second host.
    let journal = server(&format!("{both}&connect_timeout=5"), "http://one").await;
    assert!(begun.elapsed() < START, "{:?}", begun.elapsed());
    journal.append("a", Cursor::START, line("1"), 0).await.unwrap();

    // Once a history is known, the other hosts are not waited for.
    let begun = Instant::now();
    for link in journal.readers.iter().chain([&*journal.lease]) {
        let session = link.up().await;
        session.hang_up();
        link.down(&session).await;
        link.up().await;
    }
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    journal.close().await;
}

#[tokio::test]
async fn fails_over_when_the_first_host_is_frozen() {
    let pair = ReplicatedPair::start();
    let journal = server(&pair.address, "http://one").await;
    journal.append("a", Cursor::START, line("1"), 0).await.unwrap();
    pair.primary.wait_for_replication();
    pair.primary.pause();
    pair.standby.promote();
    let begun = Instant::now();
    until("play resumes", async || play(&journal, "a", "2").await).await;
    println!("play resumed {:?} after the promotion of the second host", begun.elapsed());
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    journal.close().await;
    pair.primary.resume();
}

#[tokio::test]
async fn no_connection_uses_an_old_primary_that_returns_writable() {
    let pair = ReplicatedPair::start();
    let (one, two) = (server(&pair.address, "http://one").await, server(&pair.address, "http://two").await);
    one.append("a", Cursor::START, line("1"), 0).await.unwrap();
    pair.primary.wait_for_replication();
    pair.primary.kill();
    pair.standby.promote();
    until("play resumes", async || play(&one, "a", "2").await).await;
    until("the other server has reconnected", async || two.exists("a").await.ok()).await;
    two.append("after", Cursor::START, line("1"), 0).await.unwrap();

    pair.primary.run();
    let before = pair.sql(&pair.primary, "SELECT max(lease_until) FROM rookery.nodes");
    for journal in [&one, &two] {
        let links = journal.readers.iter().chain([&*journal.lease, journal.writer.link()]);
        for link in links {
            let session = link.up().await;
            session.hang_up();
            link.down(&session).await;
            let timeline = "SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)";
            let rows = link.up().await.ask(timeline, &[], PATIENCE).await.unwrap();
            assert_eq!(rows[0].get::<_, &str>(0), "00000002");
        }
        assert_eq!(journal.exists("after").await, Ok(true), "a room opened after the failover is found");
    }
    until("play resumes", async || play(&one, "a", "3").await).await;
    // A server that starts now, and one that can reach only the old primary.
    let three = server(&pair.address, "http://three").await;
    assert_eq!(three.exists("after").await, Ok(true));
    let alone = with_hosts(&pair.address, &[pair.primary.port()]);
    let refused = Postgres::open(DatabaseSettings::alone(alone.parse().unwrap()))
        .await
        .err()
        .expect("the old primary is refused");
    assert!(refused.to_string().contains("it is an old primary on timeline 1, and the newest is 2"), "{refused}");

    let leases = "SELECT min(lease_until) FROM rookery.nodes WHERE lease_until > clock_timestamp()";
    let now = pair.sql(&pair.standby, leases);
    until("all leases are renewed", async || (pair.sql(&pair.standby, leases) > now).then_some(())).await;
    assert_eq!(
        pair.sql(&pair.primary, "SELECT max(lease_until) FROM rookery.nodes"),
        before,
        "no lease is written there"
    );
    assert_eq!(pair.sql(&pair.primary, "SELECT count(*) FROM rookery.entries"), "1", "no entry is written there");
    assert_eq!(one.read("a").await.unwrap().unwrap(), ["1", "2", "3"]);
    for journal in [one, two, three] {
        journal.close().await;
    }
}

#[tokio::test]
async fn without_comparing_timelines_the_old_primary_is_used() {
    let pair = ReplicatedPair::start();
    let settings = DatabaseSettings::alone(pair.address.parse().unwrap());
    let journal = Postgres::open_on_any_timeline(settings).await.unwrap();
    journal.append("a", Cursor::START, line("1"), 0).await.unwrap();
    pair.primary.wait_for_replication();
    pair.primary.kill();
    pair.standby.promote();
    until("play resumes", async || play(&journal, "a", "2").await).await;
    pair.primary.run();
    let session = journal.writer.link().up().await;
    session.hang_up();
    journal.writer.link().down(&session).await;
    // The entry acknowledged on the new primary is missing here, while the other connections are still on the new
    // primary.
    journal.writer.link().up().await;
    let created = journal.append("split", Cursor::START, line("1"), 0).await;
    assert!(created.is_ok(), "{created:?}");
    assert_eq!(pair.sql(&pair.primary, "SELECT count(*) FROM rookery.rooms WHERE code = 'split'"), "1");
    assert_eq!(journal.exists("split").await, Ok(false), "readers use the other database");
    journal.close().await;
}

#[tokio::test]
async fn leaves_the_old_primary_when_a_peer_reports_a_newer_history() {
    let pair = ReplicatedPair::start();
    let old = with_hosts(&pair.address, &[pair.primary.port()]);
    let journal = server(&old, "http://one").await;
    let known = journal.history().expect("the journal is connected");
    assert_eq!(known.timeline, 1);
    pair.primary.wait_for_replication();
    pair.standby.promote();
    let other = server(&pair.address, "http://two").await;
    let newer = other.history().expect("the journal is connected");
    assert_eq!((newer.system, newer.timeline), (known.system, 2), "the host with the newer history is used");
    assert_ne!(newer.branch, known.branch);
    let writer = journal.writer.link().up().await;
    journal.learn(newer);
    journal.writer.link().down(&writer).await;
    let refused = journal.append("a", Cursor::START, line("1"), 0).await;
    assert!(matches!(refused, Err(AppendError::Failed(JournalError::Away(_)))), "{refused:?}");
    assert_eq!(journal.history(), Some(newer), "the newest history is kept");
    other.close().await;
}

#[tokio::test]
async fn finds_a_standby_promoted_while_the_primary_runs() {
    let pair = ReplicatedPair::start();
    let journal = server(&pair.address, "http://one").await;
    journal.append("a", Cursor::START, line("1"), 0).await.unwrap();
    pair.primary.wait_for_replication();
    pair.standby.promote();
    let begun = Instant::now();
    let newer = async || journal.history().filter(|history| history.timeline == 2);
    until("the promoted standby is found", newer).await;
    assert!(begun.elapsed() < SCOUT * 4, "{:?}", begun.elapsed());
    until("play resumes", async || play(&journal, "a", "2").await).await;
    assert_eq!(pair.sql(&pair.standby, "SELECT count(*) FROM rookery.entries"), "2");
    journal.close().await;
}

#[tokio::test]
async fn of_two_promotions_only_the_first_seen_is_used() {
    let pair = ReplicatedPair::start();
    let second = pair.primary.standby();
    let all = with_hosts(&pair.address, &[pair.primary.port(), pair.standby.port(), second.port()]);
    let journal = server(&all, "http://one").await;
    journal.append("a", Cursor::START, line("1"), 0).await.unwrap();
    pair.primary.wait_for_replication();
    pair.primary.kill();
    second.promote();
    until("play resumes", async || play(&journal, "a", "2").await).await;
    // This standby is named before the other, and its timeline has the same number.
    pair.standby.promote();
    let session = journal.writer.link().up().await;
    session.hang_up();
    journal.writer.link().down(&session).await;
    until("play resumes", async || play(&journal, "a", "3").await).await;
    assert_eq!(pair.sql(&pair.standby, "SELECT count(*) FROM rookery.entries"), "1", "no entry is written there");
    assert_eq!(journal.read("a").await.unwrap().unwrap(), ["1", "2", "3"]);
    journal.close().await;
}

#[tokio::test]
async fn refuses_an_append_after_a_divergent_history_of_equal_length() {
    let address = PostgresCluster::shared().database();
    let journal = server(&address, "http://one").await;
    let first = journal.append("a", Cursor::START, line("1"), 0).await.unwrap();
    let second = journal.append("a", first, line("2"), 0).await.unwrap();
    // Simulates another promotion of the same base: owner, epoch and length are equal, but the last entry differs.
    let database = address.rsplit_once('/').unwrap().1;
    let elsewhere = "UPDATE rookery.entries SET entry = 'other' WHERE n = 2;
        UPDATE rookery.rooms SET last_append = last_append + 1";
    PostgresCluster::shared().sql(database, elsewhere);
    for refused in [
        journal.append("a", second, line("3"), 0).await.map(|_| ()),
        journal.append("a", second, vec![], 0).await.map(|_| ()),
        journal.note("a", second, 0, "hello".to_owned(), 0).await,
    ] {
        let Err(AppendError::Conflict { after, actual }) = refused else { panic!("{refused:?}") };
        assert!(actual.is_behind(after));
    }
    assert!(play(&journal, "a", "3").await.is_some(), "a writer that opens the room continues what is there");
    assert_eq!(journal.read("a").await.unwrap().unwrap(), ["1", "other", "3"]);
    journal.close().await;
}

#[tokio::test]
async fn distinguishes_a_lagging_standby_from_another_writer() {
    let pair = ReplicatedPair::start();
    let journal = server(&pair.address, "http://one").await;
    let first = journal.append("a", Cursor::START, line("1"), 0).await.unwrap();
    pair.primary.wait_for_replication();
    pair.standby.stop_receiving();
    let second = journal.append("a", first, line("2"), 0).await.unwrap();
    pair.primary.kill();
    pair.standby.promote();
    let told = until("the database answers", async || match journal.append("a", second, line("3"), 0).await {
        Err(AppendError::Failed(_) | AppendError::Unknown(_)) => None,
        told => Some(told),
    });
    let told = told.await;
    let Err(AppendError::Conflict { after, actual }) = told else { panic!("{told:?}") };
    assert!(after == second && actual.is_behind(second));
    let opened = until("the room opens", async || journal.open("a", 0).await.ok().flatten()).await;
    assert!(opened.cursor.is_behind(second));
    assert_eq!(opened.entries, ["1"]);
    journal.close().await;
}

/// The append statement of a server of the previous version.
const EARLIER_APPEND: &str = "
    WITH moved AS (
        UPDATE rookery.rooms SET head = head + 1
        WHERE code = $1 AND epoch = $2 AND head = $3 RETURNING id, head
    )
    INSERT INTO rookery.entries (room, n, entry) SELECT id, head, $4 FROM moved RETURNING n";

#[tokio::test]
async fn servers_of_the_previous_version_can_append_too() {
    let address = PostgresCluster::shared().database();
    let journal = server(&address, "http://one").await;
    let earlier = journal.readers[0].up().await;
    let append = async |after: Cursor, entry: &str| {
        let (epoch, head) = (count(after.epoch), count(after.entries));
        let entry = entry.as_bytes();
        let rows = earlier.ask(EARLIER_APPEND, &[&"a", &epoch, &head, &entry], PATIENCE).await.unwrap();
        assert_eq!(rows.len(), 1, "the append is accepted");
    };
    let first = journal.append("a", Cursor::START, line("1"), 0).await.unwrap();
    append(first, "2").await;
    let conflict = journal.append("a", first, line("mine"), 0).await;
    assert!(matches!(conflict, Err(AppendError::Conflict { .. })), "{conflict:?}");
    let opened = journal.open("a", 0).await.unwrap().unwrap();
    assert_eq!(opened.cursor.append, 0, "the append number is unknown");
    let third = journal.append("a", opened.cursor, line("3"), 0).await.unwrap();
    assert_ne!(third.append, 0);
    append(third, "4").await;
    let opened = journal.open("a", 0).await.unwrap().unwrap();
    journal.append("a", opened.cursor, line("5"), 0).await.unwrap();
    assert_eq!(journal.read("a").await.unwrap().unwrap(), ["1", "2", "3", "4", "5"]);
    journal.close().await;
}

#[tokio::test]
async fn migrated_tables_work_with_the_previous_version() {
    let address = PostgresCluster::shared().database();
    let database = address.rsplit_once('/').unwrap().1;
    let sql = |statement: &str| PostgresCluster::shared().sql(database, statement);
    sql(schema::STEPS[0]);
    sql("UPDATE rookery.schema_version SET version = 1;
        INSERT INTO rookery.rooms (code, head, opened_ms) VALUES ('a', 2, 0);
        INSERT INTO rookery.entries SELECT id, n, n::text::bytea FROM rookery.rooms, generate_series(1, 2) AS n");
    let journal = server(&address, "http://one").await;
    assert!(play(&journal, "a", "3").await.is_some());
    assert_eq!(journal.read("a").await.unwrap().unwrap(), ["1", "2", "3"]);
    assert_eq!(sql("SELECT version FROM rookery.schema_version"), "1", "the previous version can still start");
    journal.close().await;
}

#[tokio::test]
async fn migration_waits_for_a_backup_while_appends_continue() {
    let address = PostgresCluster::shared().database();
    let database = address.rsplit_once('/').unwrap().1.to_owned();
    let sql = |statement: &str| PostgresCluster::shared().sql(&database, statement);
    sql(schema::STEPS[0]);
    sql("UPDATE rookery.schema_version SET version = 1;
        INSERT INTO rookery.rooms (code, head, opened_ms) VALUES ('a', 1, 0)");
    // Takes the same lock as `pg_dump`.
    let dump = {
        let database = database.clone();
        let statements = "LOCK TABLE rookery.rooms IN ACCESS SHARE MODE; SELECT pg_sleep(5)";
        std::thread::spawn(move || PostgresCluster::shared().sql(&database, statements))
    };
    let locks = "SELECT count(*) FROM pg_locks WHERE relation = 'rookery.rooms'::regclass AND mode = 'AccessShareLock'";
    until("the backup is running", async || (sql(locks) != "0").then_some(())).await;
    let target: Address = address.parse().unwrap();
    let mut connected = hosts::connect(&target, "", &Newest::new(true)).await.ok().expect("PostgreSQL answers");
    let deadline = tokio::time::Instant::now();
    let locked = schema::prepare(&mut connected.client, &target, deadline).await;
    assert_eq!(locked, Err(DatabaseError::Locked { address: target.to_string() }), "the start does not retry");
    let opening = tokio::spawn(async move { server(&address, "http://one").await });
    let mut writes = 0;
    while !dump.is_finished() {
        let database = database.clone();
        let write = "SET lock_timeout = '3s'; UPDATE rookery.rooms SET head = head + 1";
        tokio::task::spawn_blocking(move || PostgresCluster::shared().sql(&database, write)).await.unwrap();
        writes += 1;
        sleep(Duration::from_millis(50)).await;
    }
    println!("{writes} writes during the backup");
    dump.join().unwrap();
    let journal = opening.await.unwrap();
    assert_eq!(sql("SELECT count(*) FROM rookery.history"), "1");
    journal.close().await;
}

/// Number of the journal's sessions that wait for a standby.
const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

#[tokio::test]
async fn a_lost_synchronous_standby_is_reported_and_pauses_writes() {
    let pair = ReplicatedPair::start();
    let journal = server(&pair.address, "http://one").await;
    pair.primary.wait_for_standbys(&[&pair.standby]);
    journal.append("a", Cursor::START, line("1"), 0).await.unwrap();
    assert_eq!(journal.probe().await, Ok(()));

    pair.standby.stop();
    let lost = Instant::now();
    let (mut said, mut slowest) = (None, Duration::ZERO);
    while said.is_none() {
        assert!(lost.elapsed() < Duration::from_secs(60), "not reported within a minute");
        let asked = Instant::now();
        let probed = journal.probe().await;
        slowest = slowest.max(asked.elapsed());
        let told = probed.expect_err("commits wait").to_string();
        said = told.contains("commits wait for a synchronous standby").then_some(told);
        sleep(Duration::from_millis(20)).await;
    }
    println!("reported after {:?}; the slowest probe took {slowest:?}", lost.elapsed());
    let waiting = pair.primary.sql("postgres", WAITING);
    // Long enough for every session to be given up and replaced.
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE * 2 {
        let opened = journal.open("a", 0).await;
        assert!(matches!(opened, Err(JournalError::Away(_))), "{opened:?}");
        let created = journal.append("b", Cursor::START, line("1"), 0).await;
        assert!(matches!(created, Err(AppendError::Failed(JournalError::Away(_)))), "{created:?}");
        assert!(journal.probe().await.is_err());
        sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(pair.primary.sql("postgres", WAITING), waiting, "no further session waits");
    assert!(journal.lease().term().is_some(), "renewing the lease needs no standby");

    pair.standby.run();
    let back = Instant::now();
    until("play resumes", async || play(&journal, "a", "2").await).await;
    println!("play resumed {:?} after the standby returned; {waiting} sessions had waited", back.elapsed());
    assert_eq!(pair.primary.sql("postgres", WAITING), "0");
    journal.close().await;
}
