//! `rookery doctor` on the admin address of one of several servers: it sees all of them, and reports what to do.

use super::servers::Node;
use crate::harness::PATIENCE;
use pgtest::{Cluster, Disk};
use tokio::process::Command;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Runs the doctor against this server. Returns whether everything is fine, and the output.
async fn doctor(node: &Node) -> (bool, String) {
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_rookery"));
    let examined = doctor.arg("doctor").arg(format!("http://{}", node.admin)).kill_on_drop(true).output();
    let examined = timeout(PATIENCE, examined).await.expect("it comes to an end").unwrap();
    (examined.status.success(), String::from_utf8(examined.stdout).unwrap())
}

/// Returns whether a line reports a problem in these words.
fn says(said: &str, words: &str) -> bool {
    said.lines().any(|line| line.starts_with("WRONG") && line.contains(words))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_knows_a_cluster() {
    let postgres = spawn_blocking(|| Cluster::start(Disk::Forgetful)).await.unwrap();
    let database = postgres.database();
    let mut nodes = Vec::new();
    for _ in 0..3 {
        nodes.push(Node::start(&database).await);
    }
    let (well, said) = doctor(&nodes[0]).await;
    assert!(well, "{said}");
    for node in &nodes {
        assert!(said.contains(&format!("{}: 0 rooms", node.others.address)), "{said}");
    }
    for line in ["all servers reach each other", "all are of version", "it is the same time", "a write takes"]
    {
        assert!(said.contains(line), "{line}: {said}");
    }

    nodes[2].others.shut();
    let (well, said) = doctor(&nodes[0]).await;
    assert!(!well && says(&said, &nodes[2].others.address.to_string()), "{said}");
    nodes[2].others.open();

    spawn_blocking(move || postgres.stop()).await.unwrap();
    let (well, said) = doctor(&nodes[0]).await;
    assert!(!well && says(&said, "the database is away"), "{said}");
}
