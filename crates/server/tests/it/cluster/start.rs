//! Error messages at startup, in one sentence, when a server cannot join the others.

use super::servers::{Node, free, rookery};
use crate::drain::{run, sentence};
use pgtest::PostgresCluster;

/// Returns the error message of a server with these flags over this database.
async fn startup_error(database: &str, flags: &[&str], secret: &str) -> String {
    // A low limit, so that no machine needs a message about open files.
    let listen = ["--listen", "127.0.0.1:0", "--admin", "off", "--max-sockets", "100"];
    let mut command = rookery(database, &[&listen, flags].concat());
    command.env("ROOKERY_NODE_SECRET", secret);
    let output = run(&mut command).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    sentence(&output)
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_why_a_server_cannot_join_the_cluster() {
    let database = PostgresCluster::shared().database();
    let first = Node::start(&database).await;
    let secret = super::servers::SECRET;
    let (mine, other) = (format!("http://{}", free()), format!("http://{}", first.others.address));

    let wrong = startup_error(&database, &["--node", &mine], "another secret for us").await;
    assert!(wrong.contains("has a different secret; give all servers the same ROOKERY_NODE_SECRET"), "{wrong}");
    let short = startup_error(&database, &["--node", &mine], "short").await;
    assert!(short.contains("at least 16 characters"), "{short}");
    let listen = free().to_string();
    let taken = startup_error(&database, &["--node", &other, "--node-listen", &listen], secret).await;
    assert!(taken.contains("another server answers at"), "{taken}");
    let unreachable = startup_error(&database, &["--node", &mine, "--node-listen", &listen], secret).await;
    assert!(unreachable.contains("no server answers at") && unreachable.contains("--node-listen"), "{unreachable}");
    let folder = tempfile::tempdir().unwrap();
    let file = startup_error(folder.path().to_str().unwrap(), &["--node", &mine], secret).await;
    assert!(file.contains("--data postgres://"), "{file}");
    for sentence in [wrong, short, taken, unreachable, file] {
        assert!(!sentence.contains(pgtest::PASSWORD) && !sentence.contains(secret), "{sentence}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn warns_about_a_server_of_another_version_and_serves() {
    use journal::postgres::{DatabaseSettings, Postgres};
    use tokio::io::{AsyncBufReadExt, BufReader};
    let database = PostgresCluster::shared().database();
    // The other server is represented by its answer at startup and its row in the database.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let other = format!("http://{}", listener.local_addr().unwrap());
    let hello = || async { axum::Json(serde_json::json!({"me": 7, "version": "9.9.9", "at": 0})) };
    let app = axum::Router::new().route("/node", axum::routing::get(hello));
    tokio::spawn(async move { axum::serve(listener, app).await });
    let address = database.parse().unwrap();
    let settings = DatabaseSettings { address, node: Some(other.clone()), version: "9.9.9".to_owned() };
    let _other = Postgres::open(settings).await.unwrap();
    let mine = free();
    let (node, listen) = (format!("http://{mine}"), ["--listen", "127.0.0.1:0", "--admin", "off", "--node"]);
    let mut process = rookery(&database, &[&listen[..], &[&node]].concat());
    let mut process = process.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(process.stderr.take().unwrap()).lines();
    let mut greeting = BufReader::new(process.stdout.take().unwrap()).lines();
    let line = async {
        loop {
            let line = said.next_line().await.unwrap().expect("the server logs a warning");
            if line.contains("version") {
                return line;
            }
        }
    };
    let line = tokio::time::timeout(crate::harness::PATIENCE, line).await.unwrap();
    let sentence = format!("the server at {other} runs version 9.9.9, this one runs {}", server::VERSION);
    assert!(line.contains(&sentence) && line.contains("update all servers"), "{line}");
    let open = tokio::time::timeout(crate::harness::PATIENCE, greeting.next_line()).await.unwrap();
    assert!(open.unwrap().is_some_and(|line| line.contains("http://")), "the server must start despite the version");
    process.kill().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn warns_about_other_servers_when_started_without_node() {
    use tokio::io::{AsyncBufReadExt, BufReader};
    let database = PostgresCluster::shared().database();
    let _first = Node::start(&database).await;
    let mut second = rookery(&database, &["--listen", "127.0.0.1:0", "--admin", "off"]);
    let mut second = second.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(second.stderr.take().unwrap()).lines();
    let line = tokio::time::timeout(crate::harness::PATIENCE, lines.next_line()).await.unwrap().unwrap();
    let line = line.expect("the server logs a warning");
    assert!(line.contains("without --node, but other servers (1)"), "{line}");
    second.kill().await.unwrap();
}
