//! `cargo xtask image`: tests the image and both compose files on a real Docker engine. One server is killed, updated
//! and attacked. Then three servers over PostgreSQL and behind HAProxy lose one and replace another while games
//! continue. Run manually, because it needs an engine and takes some minutes.
//!
//! It runs the commands that hosts type. Playing and judging is done by `rookery-chaos`, and attacking by
//! `rookery-load`.

mod engine;
mod stand_ins;

use crate::step::{self, Step};
use crate::target;
use engine::{ComposeProject, Engine};
use std::fs;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Tags of the image's two builds. The second is the update.
const IMAGE: [&str; 2] = ["rookery-image:one", "rookery-image:two"];
/// How long people play while containers are restarted, in seconds.
const PLAYED: u64 = 60;
/// Duration of each attack in seconds.
const ATTACKED: u64 = 5;
/// Memory limit of a server in `docker-compose.yml` and `cluster.yml`.
const MEMORY: u64 = 512 << 20;

/// Builds the programs for playing and attacking, and runs everything. The arguments are passed to `docker build`.
pub fn image(words: &[String]) -> ExitCode {
    let built = step::run_all(vec![Step::cargo("build", "build --package server --package chaos --package load")]);
    if built != ExitCode::SUCCESS {
        return built;
    }
    match Engine::find().and_then(|engine| all(&engine, words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

fn all(engine: &Engine, words: &[String]) -> Result<(), String> {
    build(engine, words)?;
    one_server(engine)?;
    several_servers(engine)
}

/// Builds the image, and a second one that differs in a label, which Docker treats as an update.
fn build(engine: &Engine, words: &[String]) -> Result<(), String> {
    for (image, label) in IMAGE.iter().zip(["org.rookery.build=one", "org.rookery.build=two"]) {
        let begun = Instant::now();
        let mut build = engine.command("build");
        build.args(["--tag", image, "--label", label]).args(words).arg(".").current_dir(step::ROOT);
        engine::run(&mut build)?;
        let size: u64 = engine.ask(&["image", "inspect", "--format", "{{.Size}}", image])?;
        say(&format!("{image}: {:.1} MB, built in {} s", size as f64 / 1e6, begun.elapsed().as_secs()));
    }
    Ok(())
}

/// Tests `docker-compose.yml`: the server becomes healthy, survives a kill and an update, and stays within its memory
/// limit under attack.
fn one_server(engine: &Engine) -> Result<(), String> {
    let file = read("docker-compose.yml")?;
    let file = replace(&file, "    build: .\n", &format!("    image: {}\n", IMAGE[0]))?;
    // All connections come from the address of Docker's proxy here, and each attack opens its own rooms.
    let file = replace(&file, "    environment:\n", "    environment:\n      ROOKERY_ROOMS_PER_HOUR: 0\n")?;
    let mut one = ComposeProject::new(engine, "rookery-image-one", &file, &[])?;
    one.up(&[])?;
    let begun = Instant::now();
    one.until_healthy("rookery")?;
    say(&format!("one server: healthy {} s after `up`", begun.elapsed().as_secs()));

    let mut people = play(&one, "--rooms 4 --seed 7")?;
    let first = one.container("rookery")?;
    sleep(Duration::from_secs(PLAYED / 4));
    engine.quietly(&["kill", &first])?;
    sleep(Duration::from_secs(1));
    engine.quietly(&["start", &first])?;
    say("one server: killed by `docker kill` and started again");
    sleep(Duration::from_secs(PLAYED / 4));
    one.replace(IMAGE[0], IMAGE[1])?;
    one.up(&["rookery"])?;
    let updated = one.container("rookery")?;
    if updated == first {
        return Err("`up` did not replace the container with one of the new image".to_owned());
    }
    say("one server: updated, with a new container on the same volume");
    ended(&mut people, "one server: players during the kill and the update")?;

    attack(engine, &one)?;
    let after = play(&one, "--rooms 2 --seconds 10 --seed 8");
    ended(&mut after?, "one server: players after the attacks")
}

/// Runs every attack on the container and checks its memory use and that it survives.
fn attack(engine: &Engine, one: &ComposeProject) -> Result<(), String> {
    let container = one.container("rookery")?;
    let process = || engine.ask::<u32>(&["inspect", "--format", "{{.State.Pid}}", &container]);
    let id = process()?;
    let mut attack = Command::new(format!("{}/debug/rookery-load", target()));
    attack.args(["attack", "all", "--seconds", &ATTACKED.to_string(), "--url", &one.url()]);
    attack.args(["--pid", &id.to_string()]).current_dir(step::ROOT).stdin(Stdio::null());
    // The attacks' own verdict counts too, although players, visitors and attackers share one address here, that of
    // Docker's proxy.
    engine::run(&mut attack)?;
    let peak = peak(id)?;
    let killed: bool = engine.ask(&["inspect", "--format", "{{.State.OOMKilled}}", &container])?;
    if process()? != id || killed || peak > MEMORY {
        return Err(format!("the attacked container used {} MB or was killed", peak >> 20));
    }
    one.until_healthy("rookery")?;
    say(&format!(
        "one server: healthy after all attacks, {ATTACKED} s each: peak {} MB of {} MB",
        peak >> 20,
        MEMORY >> 20
    ));
    Ok(())
}

/// Tests `cluster.yml`: games played through HAProxy continue while one server's container is killed and another is
/// replaced.
fn several_servers(engine: &Engine) -> Result<(), String> {
    let mut file = read("docs/hosting/cluster.yml")?;
    for stand_in in stand_ins::ALL {
        let image = stand_in.find_or_make(engine)?;
        file = replace(&file, &format!("    image: {}\n", stand_in.image), &format!("    image: {image}\n"))?;
    }
    let file = replace(&file, "  build: ../..\n  image: rookery\n", &format!("  image: {}\n", IMAGE[0]))?;
    let file = replace(&file, "./haproxy.cfg", &format!("{}/docs/hosting/haproxy.cfg", step::ROOT))?;
    let secrets = [("DATABASE_PASSWORD", "only-for-this-run"), ("NODE_SECRET", "known to all servers of this run")];
    let mut several = ComposeProject::new(engine, "rookery-image-several", &file, &secrets)?;
    several.up(&[])?;
    for server in ["one", "two", "three"] {
        several.until_healthy(server)?;
    }
    say("three servers: healthy, with PostgreSQL and HAProxy");

    let mut people = play(&several, "--rooms 4 --seed 7")?;
    sleep(Duration::from_secs(PLAYED / 6));
    let (one, two) = (several.container("one")?, several.container("two")?);
    engine.quietly(&["kill", &one])?;
    say("three servers: one was killed by `docker kill`");
    sleep(Duration::from_secs(PLAYED / 6));
    engine.quietly(&["start", &one])?;
    sleep(Duration::from_secs(PLAYED / 6));
    several.replace(IMAGE[0], IMAGE[1])?;
    several.up(&["--no-deps", "two"])?;
    if several.container("two")? == two {
        return Err("`up two` did not replace the container with one of the new image".to_owned());
    }
    say("three servers: one was replaced with the new image");
    ended(&mut people, "three servers: players through HAProxy")
}

/// Starts players against a deployment in the background, with a judge.
fn play(deployment: &ComposeProject, words: &str) -> Result<Child, String> {
    let mut chaos = Command::new(format!("{}/debug/rookery-chaos", target()));
    chaos.args(["--against", &deployment.address().to_string(), "--faults", "delay"]);
    if !words.contains("--seconds") {
        chaos.args(["--seconds", &PLAYED.to_string()]);
    }
    chaos.args(words.split(' ')).current_dir(step::ROOT).stdin(Stdio::null());
    chaos.spawn().map_err(|error| format!("rookery-chaos: {error}"))
}

/// Waits until the players are done. They print their own findings.
fn ended(people: &mut Child, who: &str) -> Result<(), String> {
    let status = people.wait().map_err(|error| error.to_string())?;
    if status.success() {
        say(&format!("{who} lost nothing, and every record was verified"));
        return Ok(());
    }
    Err(format!("{who} found a violation"))
}

/// Returns the peak resident memory of a process in bytes.
fn peak(id: u32) -> Result<u64, String> {
    let status = fs::read_to_string(format!("/proc/{id}/status"));
    let status = status.map_err(|error| format!("cannot read the status of the container's process: {error}"))?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
    peak.map(|kilobytes: u64| kilobytes << 10).ok_or_else(|| "the system does not report the peak memory".to_owned())
}

fn read(name: &str) -> Result<String, String> {
    fs::read_to_string(format!("{}/{name}", step::ROOT)).map_err(|error| format!("{name}: {error}"))
}

/// Replaces a text that must occur exactly once in a compose file, so that the test stays close to what hosts run.
fn replace(file: &str, from: &str, to: &str) -> Result<String, String> {
    match file.matches(from).count() {
        1 => Ok(file.replace(from, to)),
        count => Err(format!("a compose file has {from:?} {count} times instead of once")),
    }
}

fn say(sentence: &str) {
    println!("== {sentence}");
}
