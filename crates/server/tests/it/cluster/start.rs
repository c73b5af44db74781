//! Error messages at startup, in one sentence, when a server cannot join the others.

use super::servers::{Node, free, rookery, sentence};
use pgtest::Cluster;

/// Returns the error message of a server with these flags over this database.
async fn said(database: &str, flags: &[&str], secret: &str) -> String {
    // A low limit, so that no machine needs a message about open files.
    let listen = ["--listen", "127.0.0.1:0", "--admin", "off", "--max-sockets", "100"];
    let mut command = rookery(database, &[&listen, flags].concat());
    command.env("ROOKERY_NODE_SECRET", secret);
    let (status, said) = sentence(command).await;
    assert_eq!(status.code(), Some(1), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_cannot_be_one_of_several_says_why() {
    let database = Cluster::shared().database();
    let first = Node::start(&database).await;
    let secret = super::servers::SECRET;
    let (mine, other) = (format!("http://{}", free()), format!("http://{}", first.others.address));

    let wrong = said(&database, &["--node", &mine], "another secret for us").await;
    assert!(
        wrong.contains("was given another secret; give all servers the same ROOKERY_NODE_SECRET"),
        "{wrong}"
    );
    let short = said(&database, &["--node", &mine], "short").await;
    assert!(short.contains("at least 16 characters"), "{short}");
    let listen = free().to_string();
    let taken = said(&database, &["--node", &other, "--node-listen", &listen], secret).await;
    assert!(taken.contains("another server answers at"), "{taken}");
    let nobody = said(&database, &["--node", &mine, "--node-listen", &listen], secret).await;
    assert!(nobody.contains("nobody answers at") && nobody.contains("--node-listen"), "{nobody}");
    let folder = tempfile::tempdir().unwrap();
    let file = said(folder.path().to_str().unwrap(), &["--node", &mine], secret).await;
    assert!(file.contains("--data postgres://"), "{file}");
    for sentence in [wrong, short, taken, nobody, file] {
        assert!(!sentence.contains(pgtest::PASSWORD) && !sentence.contains(secret), "{sentence}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_beside_one_of_another_version_says_so_and_serves() {
    use journal::postgres::{Postgres, Settings};
    use tokio::io::{AsyncBufReadExt, BufReader};
    let database = Cluster::shared().database();
    // The other server is represented by its answer at startup and its row in the database.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let other = format!("http://{}", listener.local_addr().unwrap());
    let hello = || async { axum::Json(serde_json::json!({"me": 7, "version": "9.9.9", "at": 0})) };
    let app = axum::Router::new().route("/node", axum::routing::get(hello));
    tokio::spawn(async move { axum::serve(listener, app).await });
    let address = database.parse().unwrap();
    let settings = Settings { address, node: Some(other.clone()), version: "9.9.9".to_owned() };
    let _other = Postgres::open(settings).await.unwrap();
    let mine = free();
    let (node, listen) = (format!("http://{mine}"), ["--listen", "127.0.0.1:0", "--admin", "off", "--node"]);
    let mut process = rookery(&database, &[&listen[..], &[&node]].concat());
    let mut process = process.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(process.stderr.take().unwrap()).lines();
    let mut greeting = BufReader::new(process.stdout.take().unwrap()).lines();
    let line = async {
        loop {
            let line = said.next_line().await.unwrap().expect("it says so");
            if line.contains("version") {
                return line;
            }
        }
    };
    let line = tokio::time::timeout(crate::harness::PATIENCE, line).await.unwrap();
    let sentence = format!("the server at {other} is of version 9.9.9, this one of {}", server::VERSION);
    assert!(line.contains(&sentence) && line.contains("update all of them"), "{line}");
    let open = tokio::time::timeout(crate::harness::PATIENCE, greeting.next_line()).await.unwrap();
    assert!(open.unwrap().is_some_and(|line| line.contains("http://")), "a rolling update needs both");
    process.kill().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_started_to_be_alone_says_so_when_it_is_not() {
    use tokio::io::{AsyncBufReadExt, BufReader};
    let database = Cluster::shared().database();
    let _first = Node::start(&database).await;
    let mut second = rookery(&database, &["--listen", "127.0.0.1:0", "--admin", "off"]);
    let mut second = second.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(second.stderr.take().unwrap()).lines();
    let line = tokio::time::timeout(crate::harness::PATIENCE, lines.next_line()).await.unwrap().unwrap();
    let line = line.expect("it says something");
    assert!(line.contains("without --node and is alone, but 1 more"), "{line}");
    second.kill().await.unwrap();
}
