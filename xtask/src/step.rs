//! Running steps one after the other until one fails, and saying how long each took.

use std::env;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// One program to run in the root of the project, with a name people see.
pub struct Step {
    name: &'static str,
    /// The command as one would type it.
    line: String,
    command: Command,
    /// A part of the Rust toolchain without which the step cannot run.
    component: Option<&'static str>,
}

impl Step {
    /// A cargo command, its words separated by spaces.
    pub fn cargo(name: &'static str, words: &str) -> Step {
        let mut words: Vec<&str> = words.split(' ').collect();
        // Formatting looks at no dependencies and does not know the flag.
        if in_ci() && words[0] != "fmt" {
            words.insert(1, "--locked");
        }
        let mut command = cargo();
        command.args(&words);
        Step { name, line: format!("cargo {}", words.join(" ")), command, component: None }
    }

    /// Sets an environment variable for this step alone.
    pub fn env(mut self, key: &str, value: &str) -> Step {
        self.command.env(key, value);
        self.line = format!("{key}='{value}' {}", self.line);
        self
    }

    /// Names the component the step comes with, for who has not installed it.
    pub fn needs_component(mut self, component: &'static str) -> Step {
        self.component = Some(component);
        self
    }

    fn run(&mut self) -> Result<(), String> {
        if let Some(component) = self.component
            && !self.is_installed()
        {
            return Err(format!(
                "{component} is missing, install it with `rustup component add {component}`"
            ));
        }
        match self.command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("`{}` ended with {status}", self.line)),
            Err(error) => Err(format!("`{}` cannot be started: {error}", self.line)),
        }
    }

    fn is_installed(&self) -> bool {
        let subcommand = self.command.get_args().next().unwrap_or_default();
        let asked =
            cargo().arg(subcommand).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    }
}

/// Runs the steps in order and stops at the first that fails.
pub fn run_all(steps: Vec<Step>) -> ExitCode {
    let started = Instant::now();
    let mut summary = String::new();
    for mut step in steps {
        eprintln!("\n== {}: {}", step.name, step.line);
        let step_started = Instant::now();
        let result = step.run();
        let took = seconds(step_started.elapsed());
        if let Err(reason) = result {
            eprintln!("\n{summary}== {} FAILED after {took}: {reason}", step.name);
            return ExitCode::FAILURE;
        }
        eprintln!("== {}: passed in {took}", step.name);
        summary += &format!("   {:<14} {took:>8}\n", step.name);
    }
    eprintln!("\n{summary}== all passed in {}", seconds(started.elapsed()));
    ExitCode::SUCCESS
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// The same cargo that started us.
fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(ROOT).stdin(Stdio::null());
    command
}

/// Where nobody watches, versions of dependencies must not change on the way.
fn in_ci() -> bool {
    env::var("CI").is_ok_and(|value| !value.is_empty() && value != "false")
}
