//! nginx in front of the server, with the configuration files of `docs/hosting.md`.

use crate::client::Client;
use crate::games::{chance, choose};
use crate::harness::{FAST, PATIENCE, TestServer, request, request_with};
use client::header::CONTENT_TYPE;
use client::{Deployment, Message, Request, exchange, upgrade};
use journal::memory::Memory;
use qrcode::QrCode;
use qrcode::render::svg;
use serde_json::{Value, json};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
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
            assert_eq!(text.matches(from).count(), 1, "the site says {from} once");
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
            .expect("nginx can be started");
        let there = async {
            while TcpStream::connect(address).await.is_err() {
                if child.try_wait().unwrap().is_some() {
                    return false;
                }
                tokio::task::yield_now().await;
            }
            true
        };
        let there = timeout(PATIENCE, there).await.expect("nginx listens or ends");
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
    found.expect(
        "these tests need nginx: `cargo xtask test` installs it, or do so yourself (`apt-get install nginx`)",
    )
}

/// Opens a WebSocket through nginx, as the page at `origin` does.
async fn connect(nginx: &Nginx, path: &str, origin: &str, join: Value) -> Client {
    let request = upgrade(&format!("http://{}{path}", nginx.address), origin).unwrap();
    let ws = Client::connect_to(TcpSocket::new_v4().unwrap(), nginx.address, request).await;
    Client::introduce(ws.expect("the upgrade comes through"), join).await.expect("a welcome")
}

/// Returns the values of an attribute in a page.
fn named<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    page.split(&format!(" {attribute}=\"")).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn under_a_path_and_another_name_every_link_is_right() {
    let flags = [FAST, &["--public-url", "https://play.example.org/games", "--trust-proxy", "127.0.0.1"]];
    let server = TestServer::with(Arc::new(Memory::default()), &flags.concat()).await;
    let nginx = Nginx::start("nginx-subpath.conf", server.address).await;
    let get = async |path: &str| request(nginx.address, "GET", path, "").await;
    let is_there = async |path: &str| request(nginx.address, "HEAD", path, "").await.0 == 200;
    let public = "https://play.example.org/games";
    let origin = "https://play.example.org";

    // The page, and every file it refers to.
    assert_eq!(get("/games").await.0, 301);
    assert_eq!(get("/").await.0, 404, "the rest of the site is not ours");
    let (status, page) = get("/games/").await;
    assert_eq!(status, 200);
    assert!(page.contains(r#"<meta name="rookery-base" content="/games/">"#), "{page}");
    let files: Vec<&str> = [named(&page, "href"), named(&page, "src")].concat();
    assert!(files.len() > 5, "{files:?}");
    for file in files {
        assert!(file.starts_with("/games/a/"), "{file}");
        assert!(is_there(file).await, "{file}");
    }
    let pictures: Vec<&str> =
        named(&page, "content").into_iter().filter(|text| text.contains("://")).collect();
    assert!(!pictures.is_empty());
    for picture in pictures {
        let path = picture.strip_prefix(origin).unwrap_or_else(|| panic!("{picture} is not at {origin}"));
        assert!(is_there(path).await, "{picture}");
    }

    // A room can be opened by this page, but not by that of another site.
    let open = async |origin: &str| {
        request_with(nginx.address, "POST", "/games/api/rooms", ROOM, &[("origin", origin)]).await
    };
    assert_eq!(open("https://evil.example.org").await.0, 403);
    let (status, opened) = open(origin).await;
    assert_eq!(status, 201, "{opened}");
    let code = serde_json::from_str::<Value>(&opened).unwrap()["code"].as_str().unwrap().to_owned();
    assert_eq!(get(&format!("/games/r/{code}")).await.0, 200, "the link friends get");
    let (_, picture) = get(&format!("/games/api/rooms/{code}/qr.svg")).await;
    let link = QrCode::new(format!("{public}/r/{code}")).unwrap();
    assert_eq!(
        picture,
        link.render::<svg::Color>().min_dimensions(240, 240).build(),
        "the QR code says the link"
    );

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
    while !players.iter().any(Client::is_over) {
        let newest = players.iter().map(|player| player.version).max().unwrap();
        for player in &mut players {
            player.until("all see the same", |player| player.version >= newest).await;
        }
        assert_eq!(players[0].table, players[1].table);
        let player = players.iter_mut().find(|player| !player.actions.is_empty()).expect("somebody is asked");
        let (action, n) = (choose(player, &mut chance), player.next);
        player.act(&action).await;
        player.until("the act counts", |player| player.next > n).await;
        if newest % 10 == 0 {
            let back = json!({"type": "join", "token": player.token.clone()});
            let (seat, version) = (player.seat, player.version);
            *player = connect(&nginx, &path, origin, back).await;
            assert_eq!((player.seat, player.version), (seat, version));
            dropped += 1;
        }
    }
    assert!(dropped > 3, "{dropped} lines were dropped");
}

/// Four tests run concurrently, because each of them mostly waits.
#[tokio::test(flavor = "multi_thread")]
async fn quiet_lines_stay_open() {
    tokio::join!(
        seventy_silent_seconds_do_not_break_a_line(),
        the_doctor_finds_nothing_wrong_behind_nginx(),
        the_doctor_notices_a_path_the_server_was_not_told_of(),
        the_doctor_notices_a_proxy_that_cuts_quiet_lines(),
    );
}

async fn seventy_silent_seconds_do_not_break_a_line() {
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
            other => panic!("the line is not quiet: {other:?}"),
        }
    }
    assert!(signs >= 3, "only {signs} signs of life in {IDLE:?}");
    ana.say(json!({"type": "chat", "text": "still here"})).await;
    assert_eq!(ana.until_heard("chat").await.json["text"], "still here");
}

/// Opens a room through nginx from another loopback address, optionally with a forged `X-Forwarded-For`.
async fn opens_room(nginx: &Nginx, from: &str, claims: Option<&str>) -> u16 {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((from.parse::<IpAddr>().unwrap(), 0).into()).unwrap();
    let stream = socket.connect(nginx.address).await.unwrap();
    let mut request = Request::post("/api/rooms").header(CONTENT_TYPE, "application/json");
    if let Some(claims) = claims {
        request = request.header("x-forwarded-for", claims);
    }
    let request = Deployment::at(nginx.address).addressed(request.body(ROOM.to_owned()).unwrap()).unwrap();
    let answer = timeout(PATIENCE, exchange(stream, request)).await.expect("in time").expect("an answer");
    answer.status.as_u16()
}

#[tokio::test]
async fn limits_count_by_the_forwarded_address_of_a_trusted_proxy() {
    let flags = ["--rooms-per-hour", "2", "--trust-proxy", "127.0.0.1"];
    let server = TestServer::with(Arc::new(Memory::default()), &flags).await;
    let nginx = Nginx::start("nginx.conf", server.address).await;
    for _ in 0..2 {
        assert_eq!(opens_room(&nginx, "127.0.0.2", None).await, 201);
    }
    assert_eq!(opens_room(&nginx, "127.0.0.2", None).await, 429);
    assert_eq!(opens_room(&nginx, "127.0.0.2", Some("9.9.9.9")).await, 429, "a claim does not help");
    assert_eq!(opens_room(&nginx, "127.0.0.3", None).await, 201, "others are not in it");
}

#[tokio::test]
async fn a_proxy_nobody_trusts_is_one_address() {
    let server = TestServer::with(Arc::new(Memory::default()), &["--rooms-per-hour", "2"]).await;
    let nginx = Nginx::start("nginx.conf", server.address).await;
    assert_eq!(opens_room(&nginx, "127.0.0.2", None).await, 201);
    assert_eq!(opens_room(&nginx, "127.0.0.3", Some("9.9.9.9")).await, 201);
    assert_eq!(opens_room(&nginx, "127.0.0.4", Some("8.8.8.8")).await, 429);
}

/// Runs the doctor for a URL. Returns its lines, and whether everything is fine.
async fn doctor(url: &str) -> (Vec<String>, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rookery"));
    let output = command.args(["doctor", url]).kill_on_drop(true).output();
    let output = timeout(PATIENCE * 2, output).await.expect("it ends").unwrap();
    let lines = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    (lines, output.status.success())
}

fn wrong(lines: &[String]) -> Vec<&str> {
    lines.iter().filter(|line| line.starts_with("WRONG")).map(String::as_str).collect()
}

async fn the_doctor_finds_nothing_wrong_behind_nginx() {
    let server = TestServer::start().await;
    let nginx = Nginx::start("nginx.conf", server.address).await;
    let (lines, well) = doctor(&format!("http://{}", nginx.address)).await;
    assert!(well, "{lines:#?}");
    let looked_at: Vec<&str> = lines.iter().filter_map(|line| line.get(7..17)).map(str::trim).collect();
    let all = ["server", "storage", "page", "links", "headers", "room", "socket", "clock", "quiet line"];
    assert_eq!(looked_at, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_says_what_to_do_about_a_proxy_that_is_set_up_wrong() {
    let server = TestServer::start().await;
    let site = site_of("nginx.conf");
    let without = |words: &str| -> String {
        let kept: Vec<&str> = site.lines().filter(|line| !line.contains(words)).collect();
        assert_eq!(kept.len() + 1, site.lines().count(), "the site has one line with {words}");
        kept.join("\n")
    };
    // A port that is in use but not listening.
    let silent = TcpSocket::new_v4().unwrap();
    silent.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let nobody = silent.local_addr().unwrap();
    let hidden = without("proxy_set_header Upgrade")
        .replace("server_name", "proxy_hide_header X-Content-Type-Options;\nserver_name");
    for (site, behind, what, advice) in [
        (without("proxy_set_header Upgrade"), server.address, "socket", "Upgrade and Connection"),
        (without("proxy_set_header Host"), server.address, "room", "--public-url"),
        (site_of("nginx-subpath.conf"), server.address, "server", "pass everything on"),
        (site.clone(), nobody, "server", "check that it runs"),
        (hidden, server.address, "headers", "x-content-type-options"),
    ] {
        let nginx = Nginx::with(&site, behind).await;
        let (lines, well) = doctor(&format!("http://{}", nginx.address)).await;
        assert!(!well);
        let found = wrong(&lines).iter().any(|line| line[7..].starts_with(what) && line.contains(advice));
        assert!(found, "no advice about {what}: {lines:#?}");
    }
    let (lines, well) = doctor(&format!("http://{nobody}")).await;
    assert!(!well && wrong(&lines)[0].contains("cannot be reached"), "{lines:#?}");
}

async fn the_doctor_notices_a_path_the_server_was_not_told_of() {
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

async fn the_doctor_notices_a_proxy_that_cuts_quiet_lines() {
    let server = TestServer::start().await;
    let site = site_of("nginx.conf");
    let site = site.replace("proxy_http_version", "proxy_read_timeout 8s;\nproxy_http_version");
    let nginx = Nginx::with(&site, server.address).await;
    let (lines, well) = doctor(&format!("http://{}", nginx.address)).await;
    assert!(!well);
    let found = wrong(&lines);
    assert!(
        found.len() == 1 && found[0].contains("quiet line") && found[0].contains("was cut"),
        "{lines:#?}"
    );
}
