//! Runs steps in order until one fails, some of them concurrently, and reports how long each took.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::process::{self, Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, mem, thread};

/// The root of the project.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// One program to run in the root of the project.
pub struct Step {
    /// The name shown to people and passed to `cargo xtask test`.
    pub name: &'static str,
    /// The command line as it would be typed.
    line: String,
    command: Command,
    /// Functions that prepare the step just before it runs, or return one sentence that says what to install.
    before: Vec<Before>,
    /// Returns the reason if the step cannot run on this machine. The other steps run without it.
    skip: Option<Skip>,
    /// Names of the steps whose results this one uses.
    requires: &'static [&'static str],
    /// Whether the next step starts at the same time.
    with_next: bool,
}

type Before = Box<dyn FnOnce(&mut Command) -> Result<(), String>>;
type Skip = Box<dyn FnOnce() -> Option<String>>;

/// A step after its start.
enum Started {
    Running(Child),
    Skipped(String),
}

/// The outcome of a step that did not fail.
enum Done {
    Passed,
    Skipped(String),
}

impl Step {
    fn new(name: &'static str, line: String, mut command: Command) -> Step {
        command.stdin(Stdio::null());
        Step { name, line, command, before: Vec::new(), skip: None, requires: &[], with_next: false }
    }

    /// Creates a step with a cargo command, its words separated by spaces.
    pub fn cargo(name: &'static str, words: &str) -> Step {
        let mut words: Vec<&str> = words.split(' ').collect();
        // `fmt` and `deny` change no versions and do not support the flag.
        if in_ci() && !["fmt", "deny"].contains(&words[0]) {
            words.insert(1, "--locked");
        }
        let mut command = cargo();
        command.args(&words);
        Step::new(name, format!("cargo {}", words.join(" ")), command)
    }

    /// Creates a step with a command of another Rust toolchain, its words separated by spaces.
    pub fn rustup(name: &'static str, words: &str) -> Step {
        let mut command = Command::new("rustup");
        command.args(words.split(' ')).current_dir(ROOT);
        // These were set by our own cargo and would affect the other toolchain.
        for variable in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"] {
            command.env_remove(variable);
        }
        Step::new(name, format!("rustup {words}"), command)
    }

    /// Creates a step with a program that an earlier step built, its words separated by spaces.
    pub fn program(name: &'static str, program: String, words: &str) -> Step {
        let mut command = Command::new(&program);
        command.args(words.split(' ')).current_dir(ROOT);
        Step::new(name, format!("{program} {words}"), command)
    }

    /// Creates a step with an npm command in one of the project's folders, its words separated by spaces.
    pub fn npm(name: &'static str, folder: &str, words: &str) -> Step {
        let mut command = Command::new("npm");
        command.args(words.split(' ')).current_dir(format!("{ROOT}/{folder}"));
        Step::new(name, format!("npm --prefix {folder} {words}"), command).before(|_| {
            if answers(Command::new("npm").arg("--version")) {
                return Ok(());
            }
            Err("npm is missing; install Node.js 20 or newer".to_owned())
        })
    }

    /// Sets an environment variable for this step only.
    pub fn env(mut self, key: &str, value: &str) -> Step {
        self.command.env(key, value);
        self.line = format!("{key}='{value}' {}", self.line);
        self
    }

    /// Checks that the rustup component of the subcommand is installed.
    pub fn needs_component(self, component: &'static str) -> Step {
        self.before(move |command| {
            let subcommand = command.get_args().next().unwrap_or_default();
            if answers(cargo().arg(subcommand).arg("--version")) {
                return Ok(());
            }
            Err(format!("{component} is missing; install it with `rustup component add {component}`"))
        })
    }

    /// Adds a function that prepares the step just before it runs.
    pub fn before(mut self, before: impl FnOnce(&mut Command) -> Result<(), String> + 'static) -> Step {
        self.before.push(Box::new(before));
        self
    }

    /// Skips the step, with a reason, if an optional tool is missing.
    pub fn skipped_if(mut self, why: impl FnOnce() -> Option<String> + 'static) -> Step {
        self.skip = Some(Box::new(why));
        self
    }

    /// Names the steps whose results this one uses. If selected alone, it runs after them.
    pub fn requires(mut self, names: &'static [&'static str]) -> Step {
        self.requires = names;
        self
    }

    /// Starts the next step at the same time, because this one mostly waits. The output of each is printed when it
    /// ends, and a failure of one does not stop the other.
    pub fn with_next(mut self) -> Step {
        self.with_next = true;
        self
    }

    /// Starts the program unless the step is skipped. Output goes to `log`, or to the terminal.
    fn start(&mut self, log: Option<&File>) -> Result<Started, String> {
        if let Some(why) = self.skip.take().and_then(|why| why()) {
            return Ok(Started::Skipped(why));
        }
        for before in mem::take(&mut self.before) {
            before(&mut self.command)?;
        }
        let started = match log {
            Some(log) => redirect(&mut self.command, log).and_then(Command::spawn),
            None => self.command.spawn(),
        };
        started.map(Started::Running).map_err(|error| format!("cannot start `{}`: {error}", self.line))
    }

    fn ended(&self, status: io::Result<ExitStatus>) -> Result<Done, String> {
        match status {
            Ok(status) if status.success() => Ok(Done::Passed),
            Ok(status) => Err(format!("`{}` ended with {status}", self.line)),
            Err(error) => Err(format!("cannot wait for `{}`: {error}", self.line)),
        }
    }
}

/// Sends stdout and stderr to one file, which preserves their order.
fn redirect<'a>(command: &'a mut Command, log: &File) -> io::Result<&'a mut Command> {
    Ok(command.stdout(log.try_clone()?).stderr(log.try_clone()?))
}

/// Selects the named steps and those they require, in order and one at a time. Fails on an unknown name.
pub fn select(steps: Vec<Step>, names: &[String]) -> Result<Vec<Step>, String> {
    let known: Vec<&str> = steps.iter().map(|step| step.name).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("unknown step `{unknown}`; the steps are {}", known.join(", ")));
    }
    let mut wanted: Vec<&str> = names.iter().map(String::as_str).collect();
    // A requirement precedes the step that has it, so one pass from the end finds all of them.
    for step in steps.iter().rev() {
        if wanted.contains(&step.name) {
            wanted.extend(step.requires);
        }
    }
    let wanted: Vec<String> = wanted.into_iter().map(str::to_owned).collect();
    let selected = steps.into_iter().filter(|step| wanted.iter().any(|name| name == step.name));
    Ok(selected.map(|step| Step { with_next: false, ..step }).collect())
}

/// Returns whether the program runs and exits with success.
pub fn answers(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Runs the steps in order and stops at the first that fails.
pub fn run_all(steps: Vec<Step>) -> ExitCode {
    let started = Instant::now();
    let mut summary = String::new();
    let mut steps = steps.into_iter();
    while let Some(first) = steps.next() {
        let mut group = vec![first];
        while group.last().is_some_and(|step| step.with_next) {
            let Some(next) = steps.next() else { break };
            group.push(next);
        }
        let failed = if let [step] = &mut group[..] { alone(step, &mut summary) } else { at_once(group, &mut summary) };
        if let Some(failed) = failed {
            eprintln!("\n{summary}{failed}");
            return ExitCode::FAILURE;
        }
    }
    eprintln!("\n{summary}== all passed in {}", seconds(started.elapsed()));
    ExitCode::SUCCESS
}

/// Runs one step with its output on the terminal. Returns a sentence if it failed.
fn alone(step: &mut Step, summary: &mut String) -> Option<String> {
    eprintln!("\n== {}: {}", step.name, step.line);
    let started = Instant::now();
    let result = match step.start(None) {
        Ok(Started::Running(mut child)) => step.ended(child.wait()),
        Ok(Started::Skipped(why)) => Ok(Done::Skipped(why)),
        Err(reason) => Err(reason),
    };
    report(step, result, started.elapsed(), summary)
}

/// Runs steps concurrently and prints the output of each when it has ended. Returns a sentence for each that failed.
fn at_once(steps: Vec<Step>, summary: &mut String) -> Option<String> {
    let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
    eprintln!("\n== in parallel: {}", names.join(", "));
    let started = Instant::now();
    let mut running = Vec::new();
    let mut failed = Vec::new();
    for mut step in steps {
        let begun = temporary_log().map_err(|error| format!("cannot create a temporary file: {error}"));
        match begun.and_then(|log| step.start(Some(&log)).map(|started| (started, log))) {
            Ok((Started::Running(child), log)) => running.push((step, child, log)),
            Ok((Started::Skipped(why), _)) => {
                failed.extend(report(&step, Ok(Done::Skipped(why)), started.elapsed(), summary))
            }
            Err(reason) => failed.extend(report(&step, Err(reason), started.elapsed(), summary)),
        }
    }
    while !running.is_empty() {
        thread::sleep(Duration::from_millis(50));
        for (step, mut child, mut log) in mem::take(&mut running) {
            let status = match child.try_wait() {
                Ok(None) => {
                    running.push((step, child, log));
                    continue;
                }
                Ok(Some(status)) => Ok(status),
                Err(error) => Err(error),
            };
            let mut output = String::new();
            let read = log.rewind().and_then(|()| log.read_to_string(&mut output));
            if let Err(error) = read {
                output += &format!("(cannot read the rest of the output: {error})\n");
            }
            eprint!("\n== {}: {}\n{output}", step.name, step.line);
            failed.extend(report(&step, step.ended(status), started.elapsed(), summary));
        }
    }
    (!failed.is_empty()).then(|| failed.join("\n"))
}

/// Creates a file that is deleted with its last handle.
fn temporary_log() -> io::Result<File> {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let path = env::temp_dir().join(format!("xtask-{}-{number}", process::id()));
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

/// Prints how a step ended and adds it to the summary. Returns a sentence if it failed.
fn report(step: &Step, result: Result<Done, String>, took: Duration, summary: &mut String) -> Option<String> {
    let took = seconds(took);
    match result {
        Ok(Done::Passed) => {
            eprintln!("== {}: passed in {took}", step.name);
            *summary += &format!("   {:<22} {took:>8}\n", step.name);
            None
        }
        Ok(Done::Skipped(why)) => {
            eprintln!("== {}: skipped, {why}", step.name);
            *summary += &format!("   {:<22}  skipped, {why}\n", step.name);
            None
        }
        Err(reason) => Some(format!("== {} FAILED after {took}: {reason}", step.name)),
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// Returns the cargo that started us.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(ROOT).stdin(Stdio::null());
    command
}

/// Returns whether this is CI, where the versions of dependencies must not change.
fn in_ci() -> bool {
    env::var("CI").is_ok_and(|value| !value.is_empty() && value != "false")
}

#[cfg(test)]
mod tests {
    use super::{Step, at_once, env, fs, process, select};

    fn ends(steps: Vec<Step>) -> (Option<String>, String) {
        let mut summary = String::new();
        (at_once(steps, &mut summary), summary)
    }

    /// The writer and the reader of a FIFO wait for each other.
    #[test]
    fn concurrent_steps_start_before_any_has_ended() {
        let fifo = env::temp_dir().join(format!("xtask-test-{}", process::id()));
        assert!(process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let words = fifo.to_str().unwrap();
        let (failed, summary) = ends(vec![
            Step::program("writes", "tee".to_owned(), words),
            Step::program("reads", "cat".to_owned(), words),
        ]);
        fs::remove_file(&fifo).unwrap();
        assert_eq!(failed, None);
        assert!(summary.contains("writes") && summary.contains("reads"), "{summary}");
    }

    #[test]
    fn a_failing_concurrent_step_is_named_and_the_others_finish() {
        let (failed, summary) = ends(vec![
            Step::program("wrong", "false".to_owned(), "really"),
            Step::program("absent", "/nowhere/at/all".to_owned(), "now"),
            Step::program("right", "sleep".to_owned(), "0.2"),
        ]);
        let failed = failed.unwrap();
        assert!(failed.contains("wrong FAILED") && failed.contains("absent FAILED"), "{failed}");
        assert!(summary.contains("right") && !summary.contains("wrong"), "{summary}");
    }

    fn selected(names: &[&str]) -> Result<Vec<&'static str>, String> {
        let step = |name| Step::program(name, "true".to_owned(), "");
        let steps = vec![
            step("format"),
            step("build"),
            step("tests"),
            step("packages"),
            step("browser").requires(&["build", "packages"]),
        ];
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Ok(select(steps, &names)?.iter().map(|step| step.name).collect())
    }

    #[test]
    fn selecting_a_step_adds_what_it_requires_in_order() {
        assert_eq!(selected(&["browser", "format"]).unwrap(), ["format", "build", "packages", "browser"]);
        assert_eq!(selected(&["tests"]).unwrap(), ["tests"]);
    }

    #[test]
    fn selecting_an_unknown_step_lists_the_known_ones() {
        assert_eq!(
            selected(&["brwoser"]).unwrap_err(),
            "unknown step `brwoser`; the steps are format, build, tests, packages, browser"
        );
    }
}
