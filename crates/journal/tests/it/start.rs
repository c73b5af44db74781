//! Error messages for an unusable database: one sentence that says what to do.

use journal::postgres::{DatabaseError, DatabaseSettings, Postgres};
use journal::{Cursor, Journal};
use pgtest::{Disk, PASSWORD, PostgresCluster, USER};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

async fn opened(address: &str) -> Result<Postgres, DatabaseError> {
    Postgres::open(DatabaseSettings::alone(address.parse().unwrap())).await
}

async fn refused(address: &str) -> String {
    let sentence = opened(address).await.err().expect("the database cannot be used").to_string();
    assert!(!sentence.contains(PASSWORD), "{sentence}");
    assert!(!sentence.contains('\n'), "{sentence}");
    sentence
}

#[tokio::test]
async fn a_wrong_password_is_reported() {
    let address = PostgresCluster::shared().address("postgres").replace(PASSWORD, "wrong");
    let sentence = refused(&address).await;
    assert!(sentence.contains("refuses the user or the password; check them in --data"), "{sentence}");
}

#[tokio::test]
async fn a_missing_database_is_reported() {
    let sentence = refused(&PostgresCluster::shared().address("nowhere")).await;
    assert!(sentence.contains(&format!("createdb -O {USER} nowhere")), "{sentence}");
}

#[tokio::test]
async fn an_unreachable_host_is_reported() {
    // The listener is closed again, so the port is free.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let sentence = refused(&format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{port}/games")).await;
    assert!(sentence.starts_with(&format!("cannot reach postgres://{USER}@127.0.0.1:{port}/games: ")), "{sentence}");
    assert!(sentence.ends_with("check that PostgreSQL runs there and accepts this machine"), "{sentence}");
}

/// Starts a proxy to this PostgreSQL that reports another release, and returns its port. Everything else is unchanged.
fn of_release(cluster: &PostgresCluster, release: i32) -> u16 {
    let real: i32 = cluster.sql("postgres", "SHOW server_version_num").trim().parse().unwrap();
    let (real, told) = (real.to_be_bytes(), release.to_be_bytes());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (here, there) = (listener.local_addr().unwrap().port(), cluster.port());
    thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let far = TcpStream::connect(("127.0.0.1", there)).unwrap();
            let (mut asks, mut is_asked) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            thread::spawn(move || std::io::copy(&mut asks, &mut is_asked));
            thread::spawn(move || tell(far, near, real, told));
        }
    });
    here
}

/// Forwards PostgreSQL's responses with the release number replaced.
fn tell(mut from: TcpStream, mut to: TcpStream, real: [u8; 4], told: [u8; 4]) {
    let mut answer = [0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut answer) {
        let answer = &mut answer[..length];
        if let Some(at) = answer.windows(4).position(|four| four == real) {
            answer[at..at + 4].copy_from_slice(&told);
        }
        if to.write_all(answer).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

#[tokio::test]
async fn a_release_that_is_too_old_is_reported() {
    let cluster = PostgresCluster::shared();
    let as_release = |release| {
        let here = of_release(cluster, release);
        cluster.database().replace(&format!(":{}/", cluster.port()), &format!(":{here}/"))
    };
    let sentence = refused(&as_release(13_00_22)).await;
    assert!(sentence.contains(" is PostgreSQL ") && sentence.contains("Rookery needs 14 or newer"), "{sentence}");
    assert!(sentence.ends_with("update it, or name another in --data"), "{sentence}");
    opened(&as_release(14_00_00)).await.expect("new enough").close().await;
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_left_unchanged() {
    let cluster = PostgresCluster::shared();
    let address = cluster.database();
    let database = address.rsplit_once('/').unwrap().1;
    opened(&address).await.unwrap().close().await;
    cluster.sql(database, "UPDATE rookery.schema_version SET version = 1000");
    let sentence = refused(&address).await;
    assert!(sentence.contains("newer Rookery (format 1000") && sentence.ends_with("update this one"), "{sentence}");
}

#[tokio::test]
async fn a_read_only_database_is_reported() {
    let cluster = PostgresCluster::shared();
    let address = cluster.database();
    let database = address.rsplit_once('/').unwrap().1;
    cluster.sql(database, &format!("ALTER DATABASE {database} SET default_transaction_read_only = on"));
    let sentence = refused(&address).await;
    assert!(sentence.contains("is read-only (default_transaction_read_only is on)"), "{sentence}");
}

#[tokio::test]
async fn a_standby_is_reported_and_the_primary_of_a_pair_is_found() {
    let (standby, primary) = (PostgresCluster::start(Disk::Forgetful), PostgresCluster::shared());
    standby.become_standby();
    let sentence = refused(&standby.address("postgres")).await;
    assert!(sentence.contains("(it is a standby); name the primary"), "{sentence}");

    let both = primary.database().replace("@127.0.0.1", &format!("@127.0.0.1:{},127.0.0.1", standby.port()));
    let both = format!("{both}?target_session_attrs=read-write");
    let journal = opened(&both).await.unwrap();
    journal.append("a", Cursor::START, vec!["1".to_owned()], 0).await.unwrap();
    journal.close().await;
    let alone = format!("{}?target_session_attrs=read-write", standby.address("postgres"));
    let sentence = refused(&alone).await;
    assert!(sentence.contains("is read-only (no host is writable)"), "{sentence}");
}

#[tokio::test]
async fn a_user_who_may_not_create_tables_is_reported() {
    let cluster = PostgresCluster::shared();
    let address = cluster.database();
    cluster.sql("postgres", &format!("CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'"));
    let sentence = refused(&address.replace(&format!("{USER}:"), "guest:")).await;
    assert!(sentence.starts_with("guest may not create tables in"), "{sentence}");
}

/// A self-signed certificate for `localhost`, for tests only.
const CERTIFICATE: &[u8] = include_bytes!("../../../client/tests/data/tls/cert.pem");
const KEY: &[u8] = include_bytes!("../../../client/tests/data/tls/key.pem");

#[tokio::test]
async fn the_connection_is_encrypted_as_the_address_says() {
    let cluster = PostgresCluster::start(Disk::Forgetful);
    let address = cluster.database().replace("127.0.0.1", "localhost");
    let sentence = refused(&format!("{address}?sslmode=require")).await;
    assert!(sentence.starts_with("cannot reach "), "the server has no certificate yet: {sentence}");

    cluster.use_tls(CERTIFICATE, KEY);
    let encrypted = || {
        cluster.sql(
            "postgres",
            "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE ssl AND application_name = 'rookery'",
        )
    };
    for (mode, connections) in [("disable", "0"), ("prefer", "4"), ("require", "4")] {
        let journal = opened(&format!("{address}?sslmode={mode}")).await.unwrap();
        assert_eq!(encrypted(), connections, "{mode}");
        journal.close().await;
        drop(journal);
        // PostgreSQL notices closed connections with a delay.
        while encrypted() != "0" {
            tokio::task::yield_now().await;
        }
    }
    let sentence = refused(&format!("{address}?sslmode=verify-full")).await;
    assert!(sentence.starts_with("cannot reach ") && sentence.contains("certificate"), "{sentence}");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), CERTIFICATE).unwrap();
    let known = format!("{address}?sslmode=verify-full&sslrootcert={}", file.path().display());
    opened(&known).await.unwrap().close().await;
    let elsewhere = refused(&known.replace("localhost", "127.0.0.1")).await;
    assert!(elsewhere.contains("certificate"), "the certificate is for another host: {elsewhere}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_start_together_create_the_tables_once() {
    let address = PostgresCluster::shared().database();
    let (one, two, three) = tokio::join!(opened(&address), opened(&address), opened(&address));
    let (one, two, three) = (one.unwrap(), two.unwrap(), three.unwrap());
    one.append("a", Cursor::START, vec!["1".to_owned()], 0).await.unwrap();
    assert_eq!(two.exists("a").await, Ok(true));
    for journal in [one, two, three] {
        journal.close().await;
    }
}

#[tokio::test]
async fn a_dump_restores_the_same_journal() {
    let cluster = PostgresCluster::shared();
    let (address, elsewhere) = (cluster.database(), cluster.database());
    let journal = opened(&address).await.unwrap();
    let odd = vec!["a\u{0}b".to_owned(), "\\x27 ' \" 日本語".to_owned()];
    journal.append("a", Cursor::START, odd.clone(), 7).await.unwrap();
    // The dump is made while the server is running.
    let dump = std::process::Command::new(cluster.program("pg_dump")).arg(&address).output().unwrap();
    assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
    journal.close().await;
    let database = elsewhere.rsplit_once('/').unwrap().1;
    cluster.sql_file(database, &dump.stdout);

    let restored = opened(&elsewhere).await.unwrap();
    // The dump names an owner that does not exist here, or whose lease may have to expire first.
    let opened = loop {
        match restored.open("a", 7).await {
            Ok(opened) => break opened.unwrap(),
            Err(error) => assert!(matches!(error, journal::JournalError::Elsewhere(_)), "{error}"),
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    };
    assert_eq!(opened.entries, odd);
    restored.close().await;
}
