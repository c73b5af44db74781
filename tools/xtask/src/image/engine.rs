//! A Docker engine, and Compose deployments that are removed after use.

use crate::step;
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Maximum time until a container is healthy. The health check runs every 30 s.
const HEALTHY: Duration = Duration::from_secs(120);

/// A running engine.
pub struct Engine {
    docker: String,
    /// `docker compose`, or the older `docker-compose`.
    compose: Vec<String>,
}

impl Engine {
    /// Finds a running engine, or returns what to do if there is none.
    pub fn find() -> Result<Engine, String> {
        let docker = std::env::var("DOCKER").unwrap_or_else(|_| "docker".to_owned());
        if !answers(Command::new(&docker).arg("info")) {
            return Err(format!(
                "no Docker engine answers `{docker} info`: start one, name it in DOCKER_HOST, or name another client \
                 in DOCKER"
            ));
        }
        let plugin = vec![docker.clone(), "compose".to_owned()];
        let program = vec!["docker-compose".to_owned()];
        let there = |words: &Vec<String>| answers(Command::new(&words[0]).args(&words[1..]).arg("version"));
        match [plugin, program].into_iter().find(there) {
            Some(compose) => Ok(Engine { docker, compose }),
            None => Err("`docker compose` and `docker-compose` are missing: install one of them".to_owned()),
        }
    }

    /// Returns a client command.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(&self.docker);
        command.arg(name).stdin(Stdio::null());
        command
    }

    /// Runs a client command and discards its output.
    pub fn quietly(&self, words: &[&str]) -> Result<(), String> {
        self.ask::<String>(words).map(|_| ())
    }

    /// Runs a client command and parses its output.
    pub fn ask<T: FromStr>(&self, words: &[&str]) -> Result<T, String> {
        answer(Command::new(&self.docker).args(words))
    }

    pub fn has_image(&self, image: &str) -> bool {
        self.quietly(&["image", "inspect", image]).is_ok()
    }
}

/// A running compose file on its own port. Dropping it removes it, including its volumes.
pub struct ComposeProject<'a> {
    engine: &'a Engine,
    project: &'static str,
    file: String,
    folder: PathBuf,
    address: SocketAddr,
    variables: Vec<(&'static str, &'static str)>,
}

impl<'a> ComposeProject<'a> {
    /// Creates a deployment from the text of a compose file, without starting it.
    pub fn new(
        engine: &'a Engine,
        project: &'static str,
        file: &str,
        variables: &[(&'static str, &'static str)],
    ) -> Result<ComposeProject<'a>, String> {
        // Removes keys that `docker-compose` does not support and that make no difference here.
        let known = |line: &&str| !line.starts_with("name: ") && !line.trim_start().starts_with("pull_policy: ");
        let file: String = file.lines().filter(known).map(|line| format!("{line}\n")).collect();
        let folder = PathBuf::from(crate::target()).join(project);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let address = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let address = address.map_err(|error| error.to_string())?;
        Ok(ComposeProject { engine, project, file, folder, address, variables: variables.to_vec() })
    }

    /// Returns its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns its URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Switches to another image for the next `up`.
    pub fn replace(&mut self, from: &str, to: &str) -> Result<(), String> {
        self.file = super::replace(&self.file, &format!("image: {from}\n"), &format!("image: {to}\n"))?;
        Ok(())
    }

    /// Runs `up -d`, as hosts type it.
    pub fn up(&self, words: &[&str]) -> Result<(), String> {
        fs::write(self.path(), &self.file).map_err(|error| error.to_string())?;
        run(self.compose().args(["up", "-d"]).args(words))
    }

    /// Returns the container of a service.
    pub fn container(&self, service: &str) -> Result<String, String> {
        answer(self.compose().args(["ps", "-q", service]))
    }

    /// Waits until a service's container is healthy.
    pub fn until_healthy(&self, service: &str) -> Result<(), String> {
        let begun = Instant::now();
        while begun.elapsed() < HEALTHY {
            let container = self.container(service)?;
            let state: String = self.engine.ask(&["inspect", "--format", "{{.State.Health.Status}}", &container])?;
            if state == "healthy" {
                return Ok(());
            }
            sleep(Duration::from_millis(500));
        }
        let _ = run(self.compose().args(["logs", "--tail", "20"]));
        Err(format!("{service} is not healthy after {} s", HEALTHY.as_secs()))
    }

    fn compose(&self) -> Command {
        let mut command = Command::new(&self.engine.compose[0]);
        command.args(&self.engine.compose[1..]).args(["-p", self.project, "-f"]).arg(self.path());
        command.args(["--project-directory", step::ROOT]).current_dir(step::ROOT).stdin(Stdio::null());
        command.envs(self.variables.iter().copied()).env("ROOKERY_PORT", self.address.to_string());
        command
    }

    fn path(&self) -> PathBuf {
        self.folder.join("compose.yml")
    }
}

impl Drop for ComposeProject<'_> {
    fn drop(&mut self) {
        let _ = run(self.compose().args(["down", "-v", "-t", "10"]));
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Runs a command with visible output.
pub fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| format!("{name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} ended with {status}")) }
}

fn answer<T: FromStr>(command: &mut Command) -> Result<T, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !output.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    said.parse().map_err(|_| format!("{name} answers {said:?}"))
}

fn answers(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
