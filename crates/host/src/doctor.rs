//! `rookery doctor`: checks a deployment from outside, as a browser would see it, and says how to fix what is wrong. It
//! opens one room, because a WebSocket cannot be tested otherwise. It stays empty and is deleted like any unused
//! room.

mod cluster;

use client::{Answer, ClientError, Deployment, Join, Message, RoomConnection, StatusCode, Uri};
use protocol::{ClientMessage, Forced, OpenRoom, Received, RoomOpened, ServerMessage};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::{Instant, timeout, timeout_at};

/// Maximum round-trip time of a message.
const PROMPT: Duration = Duration::from_secs(5);
/// The server sends a heartbeat ping every 20 s. A connection that survives longer than that stays open.
const QUIET: Duration = Duration::from_secs(25);
/// Maximum clock difference in milliseconds. More cannot be explained by network latency.
const CLOCKS: u64 = 30_000;
const UPGRADE: &str = "configure the proxy to use HTTP/1.1 and to forward the headers Upgrade and Connection";

/// Checks the deployment at an address and prints one line for each check.
///
/// # Errors
/// The number of problems, if there are any.
pub async fn examine(url: &Uri) -> Result<(), String> {
    let mut findings = Findings::default();
    let site = Deployment::new(url);
    // The list of servers is only available on the admin address, so an answer means that this is one.
    match cluster::servers(&site).await {
        Some(Ok(servers)) => cluster::examine(&servers, &mut findings),
        Some(Err(away)) => findings.wrong("database", &format!("{away}; see the server's log")),
        None => everything(&site, &mut findings).await,
    }
    match findings.wrong {
        0 => Ok(()),
        1 => Err(format!("found 1 problem with {}", site.url())),
        wrong => Err(format!("found {wrong} problems with {}", site.url())),
    }
}

/// The findings so far. Each is printed at once, because some checks take a while.
#[derive(Default)]
struct Findings {
    wrong: usize,
}

impl Findings {
    fn good(&self, what: &str, found: &str) {
        println!("ok     {what:<10} {found}");
    }

    fn wrong(&mut self, what: &str, found: &str) {
        self.wrong += 1;
        println!("WRONG  {what:<10} {found}");
    }

    fn note(&mut self, what: &str, finding: Result<String, String>) -> bool {
        match &finding {
            Ok(found) => self.good(what, found),
            Err(found) => self.wrong(what, found),
        }
        finding.is_ok()
    }
}

async fn everything(site: &Deployment, findings: &mut Findings) {
    // Without a server all other checks would fail for the same reason.
    if !findings.note("server", server(site).await) {
        return;
    }
    findings.note("storage", storage(site).await);
    match get(site, "/").await.and_then(|page| whole(page, site)) {
        Ok(page) => {
            findings.note("page", files(site, &page).await);
            findings.note("links", links(site, &page));
            findings.note("headers", headers(&page));
        }
        Err(wrong) => findings.wrong("page", &wrong),
    }
    let code = match room(site).await {
        Ok(code) => code,
        Err(wrong) => return findings.wrong("room", &wrong),
    };
    findings.good("room", &format!("opened {code} for this check; it stays empty"));
    let mut socket = match socket(site, &code).await {
        Ok(socket) => socket,
        Err(wrong) => return findings.wrong("socket", &wrong),
    };
    if findings.note("socket", talk(&mut socket).await) {
        findings.note("clock", clock(&mut socket).await);
        findings.note("idle", quiet(&mut socket).await);
    }
    let _ = timeout(PROMPT, socket.close()).await;
}

async fn server(site: &Deployment) -> Result<String, String> {
    let answer = site.get("/healthz").await.map_err(|error| {
        let advice = "check the name, the port and the firewall, and that the server is running";
        format!("{} cannot be reached: {error}; {advice}", site.url())
    })?;
    let not_ready = answer.failure().is_some_and(|failure| failure.code() == "not_ready");
    let ours = answer.body == "well\n" || not_ready;
    match answer.status.as_u16() {
        200 | 503 if ours => Ok(format!("{} is a Rookery server", site.url())),
        301 | 302 | 307 | 308 => {
            let to = answer.header("location").trim_end_matches("/healthz").to_owned();
            Err(format!("it redirects to {to}; run the doctor for that address"))
        }
        status @ (502..=504) => Err(format!(
            "a proxy answers (status {status}), but it gets no response from Rookery; check that Rookery is running \
             and that the proxy forwards to its address"
        )),
        status if site.base().is_empty() => Err(format!(
            "another program answers (status {status}); configure the proxy to forward all requests to Rookery"
        )),
        status => Err(format!(
            "another program answers (status {status}); configure the proxy to forward {}/ to Rookery without that \
             path",
            site.base()
        )),
    }
}

async fn storage(site: &Deployment) -> Result<String, String> {
    let answer = get(site, "/readyz").await?;
    match (answer.status, answer.failure()) {
        (StatusCode::OK, _) => Ok("rooms can be written".to_owned()),
        (_, Some(failure)) => Err(format!("{}; see the server's log", failure.detail())),
        (status, None) => Err(format!("/readyz was answered with {status}; configure the proxy to forward it")),
    }
}

/// Returns the page, if it is ours.
fn whole(page: Answer, site: &Deployment) -> Result<Answer, String> {
    if page.status != StatusCode::OK || attribute(&page.body, "name=\"rookery-base\"", "content").is_none() {
        let status = page.status;
        return Err(format!(
            "{}/ is not the page ({status}); configure the proxy to forward it to Rookery",
            site.url()
        ));
    }
    Ok(page)
}

/// Checks that the page knows its path and that its files can be loaded.
async fn files(site: &Deployment, page: &Answer) -> Result<String, String> {
    let base = attribute(&page.body, "name=\"rookery-base\"", "content").unwrap_or_default();
    if base != format!("{}/", site.base()) {
        return Err(format!("it assumes the path {base}; start Rookery with --public-url {}", site.url()));
    }
    let style = attribute(&page.body, "rel=\"stylesheet\"", "href").unwrap_or_default();
    let style = style.strip_prefix(site.base()).unwrap_or(style);
    let file = get(site, style).await?;
    if file.status != StatusCode::OK || !file.header("content-type").starts_with("text/css") {
        let status = file.status;
        return Err(format!("cannot load its file {style} ({status}); configure the proxy to forward all paths"));
    }
    Ok("the page and its files can be loaded".to_owned())
}

/// Checks the page's image link for messengers. Like every link it must start with the public address.
fn links(site: &Deployment, page: &Answer) -> Result<String, String> {
    let link = attribute(&page.body, "property=\"og:image\"", "content").unwrap_or_default();
    if link.starts_with(&format!("{}/", site.url())) {
        return Ok(format!("they begin with {}/", site.url()));
    }
    let said = link.split("/a/").next().unwrap_or_default();
    Err(format!(
        "they begin with {said}; start Rookery with --public-url {}, or configure the proxy to forward Host and \
         set X-Forwarded-Proto",
        site.url()
    ))
}

fn headers(page: &Answer) -> Result<String, String> {
    let wanted = [
        ("content-security-policy", "default-src 'none'"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-cache"),
    ];
    let missing = wanted.iter().filter(|(name, value)| !page.header(name).starts_with(value));
    let missing: Vec<&str> = missing.map(|(name, _)| *name).collect();
    if missing.is_empty() {
        return Ok("all security headers are present".to_owned());
    }
    Err(format!("the proxy removes or changes {}; configure it to leave them unchanged", missing.join(", ")))
}

async fn room(site: &Deployment) -> Result<String, String> {
    let wanted = OpenRoom {
        game: room::GAMES[0].id.to_owned(),
        rules: None,
        clock: None,
        forced: Forced::default(),
        pace: Default::default(),
    };
    let wanted = serde_json::to_string(&wanted).expect("a request has string keys only");
    let answer = site.post("/api/rooms", wanted).await.map_err(|error| error.to_string())?;
    match (answer.status, answer.failure()) {
        (StatusCode::CREATED, _) => {
            let opened: Result<RoomOpened, _> = serde_json::from_str(&answer.body);
            opened.map(|room| room.code).map_err(|error| format!("the response is not from Rookery: {error}"))
        }
        (_, Some(failure)) if failure.code() == "foreign_origin" => Err(foreign(site)),
        (_, Some(failure)) => Err(format!("cannot open a room: {}", failure.detail())),
        (status, None) => Err(format!("cannot open a room ({status}); configure the proxy to forward POST requests")),
    }
}

async fn get(site: &Deployment, path: &str) -> Result<Answer, String> {
    site.get(path).await.map_err(|error| error.to_string())
}

async fn socket(site: &Deployment, code: &str) -> Result<RoomConnection, String> {
    site.connect(code).await.map_err(|error| match error {
        ClientError::NoUpgrade(StatusCode::FORBIDDEN) => foreign(site),
        ClientError::NoUpgrade(_) => format!("{error}; {UPGRADE}"),
        _ => format!("the WebSocket upgrade failed: {error}; {UPGRADE}"),
    })
}

fn foreign(site: &Deployment) -> String {
    let url = site.url();
    format!(
        "Rookery refuses its own page as a foreign origin; start it with --public-url {url}, or configure the proxy \
         to forward Host"
    )
}

/// Joins as a spectator and checks that answers arrive promptly.
async fn talk(socket: &mut RoomConnection) -> Result<String, String> {
    let held = "messages do not arrive; turn off buffering in the proxy";
    say(socket, &Join::watch("Doctor").into()).await?;
    hear(socket, |message| matches!(message, ServerMessage::Welcome { .. }).then_some(())).await.ok_or(held)?;
    let begun = Instant::now();
    ping(socket).await?.ok_or(held)?;
    Ok(format!("it opens; the round trip takes {} ms", begun.elapsed().as_millis()))
}

/// Compares the clocks using a chat message, which carries the server's own time. A `Date` header could be the proxy's.
async fn clock(socket: &mut RoomConnection) -> Result<String, String> {
    say(socket, &ClientMessage::Chat { text: "What time is it?".to_owned() }).await?;
    let said_at = |message: ServerMessage<'_>| match message {
        ServerMessage::Chat { at, .. } => Some(at),
        _ => None,
    };
    let there = hear(socket, said_at).await.ok_or("the server sent no response")?;
    let here = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    let apart = there.abs_diff(here);
    if apart <= CLOCKS {
        return Ok("it agrees with the clock of this machine".to_owned());
    }
    let seconds = apart / 1000;
    Err(format!("the clocks differ by {seconds} s; synchronize both machines with NTP and restart Rookery"))
}

/// Checks that an idle connection stays open.
async fn quiet(socket: &mut RoomConnection) -> Result<String, String> {
    let begun = Instant::now();
    let heartbeat = async {
        while let Ok(message) = socket.frame().await {
            // The first ping came with the welcome, so this is a later one.
            if matches!(message, Message::Ping(_)) && begun.elapsed() > PROMPT {
                return true;
            }
        }
        false
    };
    if timeout(QUIET, heartbeat).await != Ok(false) && ping(socket).await?.is_some() {
        return Ok(format!("an idle connection stays open ({} s)", begun.elapsed().as_secs()));
    }
    let after = begun.elapsed().as_secs();
    Err(format!("it was closed after {after} s; raise the idle timeout of the proxy above 20 s"))
}

async fn say(socket: &mut RoomConnection, message: &ClientMessage) -> Result<(), String> {
    let sent = socket.say(message).await;
    sent.map_err(|_| "the connection broke; see the proxy's log".to_owned())
}

/// Sends a ping and waits for the pong.
async fn ping(socket: &mut RoomConnection) -> Result<Option<()>, String> {
    say(socket, &ClientMessage::Ping { t: 1.into() }).await?;
    Ok(hear(socket, |message| matches!(message, ServerMessage::Pong { .. }).then_some(())).await)
}

/// Returns the first wanted message within the time limit.
async fn hear<T>(socket: &mut RoomConnection, wanted: impl Fn(ServerMessage<'_>) -> Option<T>) -> Option<T> {
    let end = Instant::now() + PROMPT;
    loop {
        let text = timeout_at(end, socket.hear()).await.ok()?.ok()?;
        if let Some(found) = Received::read(&text).ok()?.message().and_then(&wanted) {
            return Some(found);
        }
    }
}

/// Returns an attribute of the first element that contains `mark`. Simple text search is enough, because the page is
/// our own.
fn attribute<'a>(page: &'a str, mark: &str, name: &str) -> Option<&'a str> {
    let element = page.split('<').find(|element| element.contains(mark))?;
    element.split_once(&format!("{name}=\""))?.1.split('"').next()
}
