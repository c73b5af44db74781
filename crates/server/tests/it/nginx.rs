//! nginx in front of the server, with the configuration files of `docs/hosting.md`.

use crate::client::Client;
use crate::games::{catch_up, chance, play_one};
use crate::harness::{FAST, PATIENCE, TestServer, request, request_with};
use client::header::CONTENT_TYPE;
use client::scripted::socket_at;
use client::{Deployment, Message, Request, exchange, upgrade};
use qrcode::QrCode;
use qrcode::render::svg;
use serde_json::{Value, json};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};
use tokio::process::{Child, Command};
use tokio::time::{Instant, timeout, timeout_at};

const ROOM: &str = r#"{"game":"towers"}"#;
/// Longer than nginx's default timeout for a silent server, which is a minute.
const IDLE: Duration = Duration::from_secs(70);

/// An nginx process. It is killed when this is dropped.
pub struct Nginx {
    pub address: SocketAddr,
    _child: Child,
    _folder: tempfile::TempDir,
}

impl Nginx {
    /// Starts nginx with a configuration from `docs/hosting` in front of a server.
    pub async fn start(site: &str, server: SocketAddr) -> Nginx {
        Nginx::with(&site_of(site), server).await
    }

    /// Starts nginx with the text of a configuration.
    pub async fn with(site: &str, server: SocketAddr) -> Nginx {
        // Another process may take the port before nginx does. Then another one is tried.
        for _ in 0..5 {
            let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
            if let Some(nginx) = Nginx::at(free, site, server).await {
                return nginx;
            }
        }
        panic!("nginx does not start");
    }

    async fn at(address: SocketAddr, site: &str, server: SocketAddr) -> Option<Nginx> {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().display();
        let replaced = |text: &str, from: &str, to: &str| {
            assert_eq!(text.matches(from).count(), 1, "the configuration must contain {from} once");
            text.replace(from, to)
        };
        let site = replaced(site, "listen 80;", &format!("listen {address};"));
        let site = replaced(&site, "http://127.0.0.1:8080", &format!("http://{server}"));
        let temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let temp: String = temp.iter().map(|kind| format!("{kind}_temp_path {place}/{kind};\n")).collect();
        let config = format!(
            "daemon off;\nmaster_process off;\nerror_log stderr crit;\npid {place}/pid;\nevents {{}}\n\
             http {{\naccess_log off;\n{temp}{site}\n}}\n"
        );
        std::fs::write(folder.path().join("nginx.conf"), config).unwrap();
        let mut child = Command::new(binary())
            .args(["-e", "stderr", "-c"])
            .arg(folder.path().join("nginx.conf"))
            .arg("-p")
            .arg(folder.path())
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("nginx starts");
        let there = async {
            while TcpStream::connect(address).await.is_err() {
                if child.try_wait().unwrap().is_some() {
                    return false;
                }
                tokio::task::yield_now().await;
            }
            true
        };
        let there = timeout(PATIENCE, there).await.expect("nginx listens or exits");
        there.then_some(Nginx { address, _child: child, _folder: folder })
    }
}

fn site_of(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hosting").join(name);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn binary() -> PathBuf {
    // Debian installs it in a folder that is only in root's PATH.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
    let named = std::env::var_os("NGINX").map(PathBuf::from);
    let found = named.or_else(|| places.map(|place| place.join("nginx")).find(|file| file.is_file()));
    found.expect("these tests need nginx: run `cargo xtask test`, which installs it, or `apt-get install nginx`")
}

/// Opens a WebSocket through nginx, as the page at `origin` does.
async fn connect(nginx: &Nginx, path: &str, origin: &str, join: Value) -> Client {
    let request = upgrade(&format!("http://{}{path}", nginx.address), origin).unwrap();
    let ws = Client::connect_to(TcpSocket::new_v4().unwrap(), nginx.address, request).await;
    Client::introduce(ws.expect("nginx forwards the upgrade"), join).await.expect("the server sends a welcome")
}

/// Returns the values of an attribute in a page.
fn named<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    page.split(&format!(" {attribute}=\"")).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_link_works_under_a_path_and_another_host_name() {
    let flags = [FAST, &["--public-url", "https://play.example.org/games", "--trust-proxy", "127.0.0.1"]];
    let server = TestServer::in_memory(&flags.concat()).await;
    let nginx = Nginx::start("nginx-subpath.conf", server.address).await;
    let get = async |path: &str| request(nginx.address, "GET", path, "").await;
    let is_there = async |path: &str| request(nginx.address, "HEAD", path, "").await.0 == 200;
    let public = "https://play.example.org/games";
    let origin = "https://play.example.org";

    // The page, and every file it refers to.
    assert_eq!(get("/games").await.0, 301);
    assert_eq!(get("/").await.0, 404, "paths outside the prefix are not forwarded");
    let (status, page) = get("/games/").await;
    assert_eq!(status, 200);
    assert!(page.contains(r#"<meta name="rookery-base" content="/games/">"#), "{page}");
    let files: Vec<&str> = [named(&page, "href"), named(&page, "src")].concat();
    assert!(files.len() > 5, "{files:?}");
    for file in files {
        assert!(file.starts_with("/games/a/"), "{file}");
        assert!(is_there(file).await, "{file}");
    }
    let pictures: Vec<&str> = named(&page, "content").into_iter().filter(|text| text.contains("://")).collect();
    assert!(!pictures.is_empty());
    for picture in pictures {
        let path = picture.strip_prefix(origin).unwrap_or_else(|| panic!("{picture} is not at {origin}"));
        assert!(is_there(path).await, "{picture}");
    }

    // A room can be opened by this page, but not by that of another site.
    let open =
        async |origin: &str| request_with(nginx.address, "POST", "/games/api/rooms", ROOM, &[("origin", origin)]).await;
    assert_eq!(open("https://evil.example.org").await.0, 403);
    let (status, opened) = open(origin).await;
    assert_eq!(status, 201, "{opened}");
    let code = serde_json::from_str::<Value>(&opened).unwrap()["code"].as_str().unwrap().to_owned();
    assert_eq!(get(&format!("/games/r/{code}")).await.0, 200, "the invitation link");
    let (_, picture) = get(&format!("/games/api/rooms/{code}/qr.svg")).await;
    let link = QrCode::new(format!("{public}/r/{code}")).unwrap();
    assert_eq!(picture, link.render::<svg::Color>().min_dimensions(240, 240).build(), "the QR code contains the link");

    // A whole game, with connections that drop.
    let path = format!("/games/ws/{code}");
    let mut players = Vec::new();
    for name in ["Ana", "Bea"] {
        players.push(connect(&nginx, &path, origin, json!({"type": "join", "name": name})).await);
    }
    players[0].say(json!({"type": "start"})).await;
    for player in &mut players {
        player.until("the game begins", |player| player.version > 0).await;
    }
    let (mut chance, mut dropped) = (chance(5), 0);
    while catch_up(&mut players).await {
        assert_eq!(players[0].table, players[1].table);
        let newest = players[0].version;
        let player = play_one(&mut players, &mut chance).await;
        if newest % 10 == 0 {
            let back = json!({"type": "join", "token": player.token.clone()});
            let (seat, version) = (player.seat(), player.version);
            *player = connect(&nginx, &path, origin, back).await;
            assert_eq!((player.seat(), player.version), (seat, version));
            dropped += 1;
        }
    }
    assert!(dropped > 3, "only {dropped} connections were dropped");
}

/// Four tests run concurrently, because each of them mostly waits.
#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_stay_open() {
    tokio::join!(
        an_idle_connection_survives_seventy_seconds(),
        the_doctor_finds_nothing_wrong_behind_nginx(),
        the_doctor_detects_an_unconfigured_path(),
        the_doctor_detects_a_proxy_that_cuts_idle_connections(),
    );
}

async fn an_idle_connection_survives_seventy_seconds() {
    let server = TestServer::start().await;
    let nginx = Nginx::start("nginx.conf", server.address).await;
    let code = server.open("prevented").await;
    let origin = format!("http://{}", nginx.address);
    let join = json!({"type": "join", "name": "Ana"});
    let mut ana = connect(&nginx, &format!("/ws/{code}"), &origin, join).await;
    let (end, mut signs) = (Instant::now() + IDLE, 0);
    while let Ok(heard) = timeout_at(end, ana.ws.frame()).await {
        match heard {
            Ok(Message::Ping(_)) => signs += 1,
            other => panic!("unexpected message: {other:?}"),
        }
    }
    assert!(signs >= 3, "only {signs} pings in {IDLE:?}");
    ana.say(json!({"type": "chat", "text": "still here"})).await;
    assert_eq!(ana.until_heard("chat").await.json["text"], "still here");
}

/// Opens a room through nginx from another loopback address, optionally with a forged `X-Forwarded-For`.
async fn open_room(nginx: &Nginx, from: &str, claims: Option<&str>) -> u16 {
    let socket = socket_at(from.parse::<IpAddr>().unwrap()).unwrap();
    let stream = socket.connect(nginx.address).await.unwrap();
    let mut request = Request::post("/api/rooms").header(CONTENT_TYPE, "application/json");
    if let Some(claims) = claims {
        request = request.header("x-forwarded-for", claims);
    }
    let request = Deployment::at(nginx.address).addressed(request.body(ROOM.to_owned()).unwrap()).unwrap();
    let answer = timeout(PATIENCE, exchange(stream, request))
        .await
        .expect("the server answers in time")
        .expect("the server answers");
    answer.status.as_u16()
}

#[tokio::test]
async fn limits_use_the_forwarded_address_of_a_trusted_proxy() {
    let flags = ["--rooms-per-hour", "2", "--trust-proxy", "127.0.0.1"];
    let server = TestServer::in_memory(&flags).await;
    let nginx = Nginx::start("nginx.conf", server.address).await;
    for _ in 0..2 {
        assert_eq!(open_room(&nginx, "127.0.0.2", None).await, 201);
    }
    assert_eq!(open_room(&nginx, "127.0.0.2", None).await, 429);
    assert_eq!(open_room(&nginx, "127.0.0.2", Some("9.9.9.9")).await, 429, "a forged header is ignored");
    assert_eq!(open_room(&nginx, "127.0.0.3", None).await, 201, "other addresses are not affected");
}

#[tokio::test]
async fn an_untrusted_proxy_counts_as_one_address() {
    let server = TestServer::in_memory(&["--rooms-per-hour", "2"]).await;
    let nginx = Nginx::start("nginx.conf", server.address).await;
    assert_eq!(open_room(&nginx, "127.0.0.2", None).await, 201);
    assert_eq!(open_room(&nginx, "127.0.0.3", Some("9.9.9.9")).await, 201);
    assert_eq!(open_room(&nginx, "127.0.0.4", Some("8.8.8.8")).await, 429);
}

/// Runs the doctor for a URL. Returns its lines, and whether everything is fine.
pub async fn doctor(url: &str) -> (Vec<String>, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rookery"));
    let output = command.args(["doctor", url]).kill_on_drop(true).output();
    let output = timeout(PATIENCE * 2, output).await.expect("the process exits").unwrap();
    let lines = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    (lines, output.status.success())
}

pub fn wrong(lines: &[String]) -> Vec<&str> {
    lines.iter().filter(|line| line.starts_with("WRONG")).map(String::as_str).collect()
}

async fn the_doctor_finds_nothing_wrong_behind_nginx() {
    let server = TestServer::start().await;
    let nginx = Nginx::start("nginx.conf", server.address).await;
    let (lines, well) = doctor(&format!("http://{}", nginx.address)).await;
    assert!(well, "{lines:#?}");
    let looked_at: Vec<&str> = lines.iter().filter_map(|line| line.get(7..17)).map(str::trim).collect();
    let all = ["server", "storage", "page", "links", "headers", "room", "socket", "clock", "idle"];
    assert_eq!(looked_at, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_gives_advice_on_a_misconfigured_proxy() {
    let server = TestServer::start().await;
    let site = site_of("nginx.conf");
    let without = |words: &str| -> String {
        let kept: Vec<&str> = site.lines().filter(|line| !line.contains(words)).collect();
        assert_eq!(kept.len() + 1, site.lines().count(), "the configuration must have one line with {words}");
        kept.join("\n")
    };
    // A port that is in use but not listening.
    let silent = TcpSocket::new_v4().unwrap();
    silent.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let unused = silent.local_addr().unwrap();
    let hidden = without("proxy_set_header Upgrade")
        .replace("server_name", "proxy_hide_header X-Content-Type-Options;\nserver_name");
    for (site, behind, what, advice) in [
        (without("proxy_set_header Upgrade"), server.address, "socket", "Upgrade and Connection"),
        (without("proxy_set_header Host"), server.address, "room", "--public-url"),
        (site_of("nginx-subpath.conf"), server.address, "server", "forward all requests"),
        (site.clone(), unused, "server", "check that Rookery is running"),
        (hidden, server.address, "headers", "x-content-type-options"),
    ] {
        let nginx = Nginx::with(&site, behind).await;
        let (lines, well) = doctor(&format!("http://{}", nginx.address)).await;
        assert!(!well);
        let found = wrong(&lines).iter().any(|line| line[7..].starts_with(what) && line.contains(advice));
        assert!(found, "no advice about {what}: {lines:#?}");
    }
    let (lines, well) = doctor(&format!("http://{unused}")).await;
    assert!(!well && wrong(&lines)[0].contains("cannot be reached"), "{lines:#?}");
}

async fn the_doctor_detects_an_unconfigured_path() {
    let server = TestServer::start().await;
    let nginx = Nginx::start("nginx-subpath.conf", server.address).await;
    let url = format!("http://{}/games", nginx.address);
    let (lines, well) = doctor(&url).await;
    assert!(!well);
    let advice = format!("--public-url {url}");
    for what in ["page", "links"] {
        let found = wrong(&lines).iter().any(|line| line[7..].starts_with(what) && line.contains(&advice));
        assert!(found, "no advice about {what}: {lines:#?}");
    }
}

async fn the_doctor_detects_a_proxy_that_cuts_idle_connections() {
    let server = TestServer::start().await;
    let site = site_of("nginx.conf");
    let site = site.replace("proxy_http_version", "proxy_read_timeout 8s;\nproxy_http_version");
    let nginx = Nginx::with(&site, server.address).await;
    let (lines, well) = doctor(&format!("http://{}", nginx.address)).await;
    assert!(!well);
    let found = wrong(&lines);
    assert!(found.len() == 1 && found[0].contains("idle") && found[0].contains("was closed"), "{lines:#?}");
}
