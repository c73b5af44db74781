//! Running steps one after the other until one fails, and saying how long each took.

use std::env;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// The root of the project.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// One program to run in the root of the project, with a name people see.
pub struct Step {
    name: &'static str,
    /// The command as one would type it.
    line: String,
    command: Command,
    /// Sees to it that the step can run, or says in one sentence what to install.
    before: Option<Before>,
    /// Says in one sentence why the step cannot be done here, if it cannot; the others go on without it.
    skip: Option<Skip>,
}

type Before = Box<dyn FnOnce(&mut Command) -> Result<(), String>>;
type Skip = Box<dyn FnOnce() -> Option<String>>;

/// How a step ended, if it did not fail.
enum Done {
    Passed,
    Skipped(String),
}

impl Step {
    /// A cargo command, its words separated by spaces.
    pub fn cargo(name: &'static str, words: &str) -> Step {
        let mut words: Vec<&str> = words.split(' ').collect();
        // Formatting and `deny` change no versions and do not know the flag.
        if in_ci() && !["fmt", "deny"].contains(&words[0]) {
            words.insert(1, "--locked");
        }
        let mut command = cargo();
        command.args(&words);
        Step { name, line: format!("cargo {}", words.join(" ")), command, before: None, skip: None }
    }

    /// A command by another Rust than the one that started us, its words separated by spaces.
    pub fn rustup(name: &'static str, words: &str) -> Step {
        let mut command = Command::new("rustup");
        command.args(words.split(' ')).current_dir(ROOT).stdin(Stdio::null());
        // What our own cargo set for us would be taken for the other's.
        for variable in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"] {
            command.env_remove(variable);
        }
        Step { name, line: format!("rustup {words}"), command, before: None, skip: None }
    }

    /// A program that was built before, its words separated by spaces.
    pub fn program(name: &'static str, program: String, words: &str) -> Step {
        let mut command = Command::new(&program);
        command.args(words.split(' ')).current_dir(ROOT).stdin(Stdio::null());
        Step { name, line: format!("{program} {words}"), command, before: None, skip: None }
    }

    /// An npm command in one of the project's folders, its words separated by spaces.
    pub fn npm(name: &'static str, folder: &str, words: &str) -> Step {
        let mut command = Command::new("npm");
        command.args(words.split(' ')).current_dir(format!("{ROOT}/{folder}")).stdin(Stdio::null());
        let step =
            Step { name, line: format!("npm --prefix {folder} {words}"), command, before: None, skip: None };
        step.before(|_| {
            if answers(Command::new("npm").arg("--version")) {
                return Ok(());
            }
            Err("npm is missing, install Node.js 20 or newer".to_owned())
        })
    }

    /// Sets an environment variable for this step alone.
    pub fn env(mut self, key: &str, value: &str) -> Step {
        self.command.env(key, value);
        self.line = format!("{key}='{value}' {}", self.line);
        self
    }

    /// Names the component the step comes with, for who has not installed it.
    pub fn needs_component(self, component: &'static str) -> Step {
        self.before(move |command| {
            let subcommand = command.get_args().next().unwrap_or_default();
            if answers(cargo().arg(subcommand).arg("--version")) {
                return Ok(());
            }
            Err(format!("{component} is missing, install it with `rustup component add {component}`"))
        })
    }

    /// Something to be seen to just before the step runs.
    pub fn before(mut self, before: impl FnOnce(&mut Command) -> Result<(), String> + 'static) -> Step {
        self.before = Some(Box::new(before));
        self
    }

    /// Leaves the step out, with a sentence, where it needs what not everybody has.
    pub fn skipped_if(mut self, why: impl FnOnce() -> Option<String> + 'static) -> Step {
        self.skip = Some(Box::new(why));
        self
    }

    fn run(&mut self) -> Result<Done, String> {
        if let Some(why) = self.skip.take().and_then(|why| why()) {
            return Ok(Done::Skipped(why));
        }
        if let Some(before) = self.before.take() {
            before(&mut self.command)?;
        }
        match self.command.status() {
            Ok(status) if status.success() => Ok(Done::Passed),
            Ok(status) => Err(format!("`{}` ended with {status}", self.line)),
            Err(error) => Err(format!("`{}` cannot be started: {error}", self.line)),
        }
    }
}

/// Whether a program is there to be asked for its version.
pub fn answers(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
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
        match result {
            Ok(Done::Passed) => {
                eprintln!("== {}: passed in {took}", step.name);
                summary += &format!("   {:<18} {took:>8}\n", step.name);
            }
            Ok(Done::Skipped(why)) => {
                eprintln!("== {}: skipped, {why}", step.name);
                summary += &format!("   {:<18}  skipped, {why}\n", step.name);
            }
            Err(reason) => {
                eprintln!("\n{summary}== {} FAILED after {took}: {reason}", step.name);
                return ExitCode::FAILURE;
            }
        }
    }
    eprintln!("\n{summary}== all passed in {}", seconds(started.elapsed()));
    ExitCode::SUCCESS
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// The same cargo that started us.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(ROOT).stdin(Stdio::null());
    command
}

/// Where nobody watches, versions of dependencies must not change on the way.
fn in_ci() -> bool {
    env::var("CI").is_ok_and(|value| !value.is_empty() && value != "false")
}
