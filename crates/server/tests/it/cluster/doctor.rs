//! `rookery doctor` on the admin address of one of several servers: it sees all of them, and reports what to do.

use super::servers::Node;
use crate::nginx::{doctor, wrong};
use pgtest::{Disk, PostgresCluster};
use tokio::task::spawn_blocking;

/// Runs the doctor on the admin address of this server. Returns its lines, and whether everything is fine.
async fn examine(node: &Node) -> (Vec<String>, bool) {
    doctor(&format!("http://{}", node.admin)).await
}

/// Returns whether a line reports a problem in these words.
fn reports(lines: &[String], words: &str) -> bool {
    wrong(lines).iter().any(|line| line.contains(words))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_checks_a_cluster() {
    let postgres = spawn_blocking(|| PostgresCluster::start(Disk::Forgetful)).await.unwrap();
    let database = postgres.database();
    let mut nodes = Vec::new();
    for _ in 0..3 {
        nodes.push(Node::start(&database).await);
    }
    let (said, _) = examine(&nodes[0]).await;
    // A busy machine may be too slow for the limit on write latency, which has a unit test of its own.
    assert!(wrong(&said).iter().all(|line| line.contains("a write takes")), "{said:#?}");
    let says = |words: &str| said.iter().any(|line| line.contains(words));
    for node in &nodes {
        assert!(says(&format!("{}: 0 rooms", node.others.address)), "{said:#?}");
    }
    for line in ["all servers reach each other", "all servers run version", "the clocks agree", "a write takes"] {
        assert!(says(line), "{line}: {said:#?}");
    }

    nodes[2].others.shut();
    let (said, well) = examine(&nodes[0]).await;
    assert!(!well && reports(&said, &nodes[2].others.address.to_string()), "{said:#?}");
    nodes[2].others.open();

    spawn_blocking(move || postgres.stop()).await.unwrap();
    let (said, well) = examine(&nodes[0]).await;
    assert!(!well && reports(&said, "the database is unavailable"), "{said:#?}");
}
