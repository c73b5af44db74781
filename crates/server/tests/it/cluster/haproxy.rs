//! The load balancer configuration `docs/hosting/haproxy.cfg`: all clients of a room reach the server that owns it, and
//! reconnect to another when that server is gone.

use super::servers::{Node, free};
use crate::client::{Client, End};
use crate::harness::{PATIENCE, begin, open_with, request};
use crate::hosting::read;
use pgtest::PostgresCluster;
use serde_json::json;
use std::net::SocketAddr;
use std::path::PathBuf;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// A HAProxy in front of these servers. It stops when this is dropped.
struct Balancer {
    address: SocketAddr,
    _child: Child,
    _folder: tempfile::TempDir,
}

impl Balancer {
    async fn start(servers: &[SocketAddr]) -> Balancer {
        let address = free();
        let mut config = read("docs/hosting/haproxy.cfg").replace("bind :8080", &format!("bind {address}"));
        for (name, server) in ["one", "two", "three"].iter().zip(servers) {
            config = config.replace(&format!("server {name} {name}:8080"), &format!("server {name} {server}"));
        }
        assert!(!config.contains(":8080"), "an address was not replaced: {config}");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("haproxy.cfg");
        std::fs::write(&file, config).unwrap();
        let child = Command::new(haproxy()).arg("-db").arg("-q").arg("-f").arg(&file).kill_on_drop(true).spawn();
        let child = child.expect("HAProxy starts");
        let up = async {
            while TcpStream::connect(address).await.is_err() {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, up).await.expect("HAProxy listens");
        Balancer { address, _child: child, _folder: folder }
    }
}

fn haproxy() -> PathBuf {
    // Debian installs it in a folder that is only in root's PATH.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
    let named = std::env::var_os("HAPROXY").map(PathBuf::from);
    let found = named.or_else(|| places.map(|place| place.join("haproxy")).find(|file| file.is_file()));
    found.expect("this test needs HAProxy: run `cargo xtask test`, which installs it, or `apt-get install haproxy`")
}

#[tokio::test(flavor = "multi_thread")]
async fn haproxy_routes_to_the_owner_and_fails_over() {
    let database = spawn_blocking(|| PostgresCluster::shared().database()).await.unwrap();
    let mut nodes = Vec::new();
    for _ in 0..3 {
        nodes.push(Node::start(&database).await);
    }
    let addresses: Vec<SocketAddr> = nodes.iter().map(|node| node.address).collect();
    let balancer = Balancer::start(&addresses).await;
    let mut rooms = Vec::new();
    // Requests without a room code go to any server, so that rooms are spread over all of them.
    while rooms.len() < 30 {
        let code = open_with(balancer.address, json!({"game": "towers"})).await;
        let clients = begin(balancer.address, &code, 3).await;
        rooms.push((code, clients));
        let mut owned = Vec::new();
        for node in &nodes {
            assert_eq!(node.metric("rookery_relayed_sockets").await, 0.0, "no connection is relayed");
            owned.push(node.metric("rookery_rooms_owned").await);
        }
        assert_eq!(owned.iter().sum::<f64>(), rooms.len() as f64, "{owned:?}");
        if owned.iter().all(|rooms| *rooms > 0.0) {
            break;
        }
    }
    assert!(rooms.len() < 30, "one server has no rooms");

    nodes[1].kill().await;
    let mut came_back = 0;
    for (code, clients) in &mut rooms {
        for client in clients {
            let (token, version) = (client.token.clone().unwrap(), client.version);
            let back = async {
                loop {
                    match Client::resume(balancer.address, code, &token).await {
                        Ok(client) => return client,
                        Err(End::Closed(1012) | End::Broken) => {}
                        Err(end) => panic!("{end:?}"),
                    }
                }
            };
            let back = timeout(PATIENCE, back).await.expect("the client reconnects in time");
            assert_eq!(back.version, version);
            came_back += 1;
        }
        let (status, _) = request(balancer.address, "GET", &format!("/api/rooms/{code}"), "").await;
        assert_eq!(status, 200);
    }
    assert_eq!(came_back, 3 * rooms.len());
}
