//! Running steps one after the other until one fails, some of them at once, and saying how long each took.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::process::{self, Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, mem, thread};

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
    /// Whether the next step begins at the same time.
    with_next: bool,
}

type Before = Box<dyn FnOnce(&mut Command) -> Result<(), String>>;
type Skip = Box<dyn FnOnce() -> Option<String>>;

/// A step that was begun.
enum Started {
    Running(Child),
    Skipped(String),
}

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
        Step {
            name,
            line: format!("cargo {}", words.join(" ")),
            command,
            before: None,
            skip: None,
            with_next: false,
        }
    }

    /// A command by another Rust than the one that started us, its words separated by spaces.
    pub fn rustup(name: &'static str, words: &str) -> Step {
        let mut command = Command::new("rustup");
        command.args(words.split(' ')).current_dir(ROOT).stdin(Stdio::null());
        // What our own cargo set for us would be taken for the other's.
        for variable in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"] {
            command.env_remove(variable);
        }
        Step { name, line: format!("rustup {words}"), command, before: None, skip: None, with_next: false }
    }

    /// A program that was built before, its words separated by spaces.
    pub fn program(name: &'static str, program: String, words: &str) -> Step {
        let mut command = Command::new(&program);
        command.args(words.split(' ')).current_dir(ROOT).stdin(Stdio::null());
        Step { name, line: format!("{program} {words}"), command, before: None, skip: None, with_next: false }
    }

    /// An npm command in one of the project's folders, its words separated by spaces.
    pub fn npm(name: &'static str, folder: &str, words: &str) -> Step {
        let mut command = Command::new("npm");
        command.args(words.split(' ')).current_dir(format!("{ROOT}/{folder}")).stdin(Stdio::null());
        let step = Step {
            name,
            line: format!("npm --prefix {folder} {words}"),
            command,
            before: None,
            skip: None,
            with_next: false,
        };
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

    /// Begins the next step at the same time, because this one waits more than it works. What they say is kept until each has
    /// ended, and none is stopped for another's failure.
    pub fn with_next(mut self) -> Step {
        self.with_next = true;
        self
    }

    /// Starts the program, unless the step is left out; what it says goes into `told`, or to who watches.
    fn start(&mut self, told: Option<&File>) -> Result<Started, String> {
        if let Some(why) = self.skip.take().and_then(|why| why()) {
            return Ok(Started::Skipped(why));
        }
        if let Some(before) = self.before.take() {
            before(&mut self.command)?;
        }
        let started = match told {
            Some(told) => both_into(&mut self.command, told).and_then(Command::spawn),
            None => self.command.spawn(),
        };
        started.map(Started::Running).map_err(|error| format!("`{}` cannot be started: {error}", self.line))
    }

    fn ended(&self, status: io::Result<ExitStatus>) -> Result<Done, String> {
        match status {
            Ok(status) if status.success() => Ok(Done::Passed),
            Ok(status) => Err(format!("`{}` ended with {status}", self.line)),
            Err(error) => Err(format!("`{}` was lost: {error}", self.line)),
        }
    }
}

/// One file for both streams keeps their order.
fn both_into<'a>(command: &'a mut Command, told: &File) -> io::Result<&'a mut Command> {
    Ok(command.stdout(told.try_clone()?).stderr(told.try_clone()?))
}

/// Whether a program is there to be asked for its version.
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
        let failed = if let [step] = &mut group[..] {
            alone(step, &mut summary)
        } else {
            at_once(group, &mut summary)
        };
        if let Some(failed) = failed {
            eprintln!("\n{summary}{failed}");
            return ExitCode::FAILURE;
        }
    }
    eprintln!("\n{summary}== all passed in {}", seconds(started.elapsed()));
    ExitCode::SUCCESS
}

/// Runs one step, while who watches reads along. Gives a sentence if it failed.
fn alone(step: &mut Step, summary: &mut String) -> Option<String> {
    eprintln!("\n== {}: {}", step.name, step.line);
    let started = Instant::now();
    let result = match step.start(None) {
        Ok(Started::Running(mut child)) => step.ended(child.wait()),
        Ok(Started::Skipped(why)) => Ok(Done::Skipped(why)),
        Err(reason) => Err(reason),
    };
    tell(step, result, started.elapsed(), summary)
}

/// Runs steps at the same time, each told of when it has ended. Gives a sentence for each that failed.
fn at_once(steps: Vec<Step>, summary: &mut String) -> Option<String> {
    let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
    eprintln!("\n== at once: {}", names.join(", "));
    let started = Instant::now();
    let mut running = Vec::new();
    let mut failed = Vec::new();
    for mut step in steps {
        let begun = kept().map_err(|error| format!("nothing can be kept here: {error}"));
        match begun.and_then(|told| step.start(Some(&told)).map(|started| (started, told))) {
            Ok((Started::Running(child), told)) => running.push((step, child, told)),
            Ok((Started::Skipped(why), _)) => {
                failed.extend(tell(&step, Ok(Done::Skipped(why)), started.elapsed(), summary))
            }
            Err(reason) => failed.extend(tell(&step, Err(reason), started.elapsed(), summary)),
        }
    }
    while !running.is_empty() {
        thread::sleep(Duration::from_millis(50));
        for (step, mut child, mut told) in mem::take(&mut running) {
            let status = match child.try_wait() {
                Ok(None) => {
                    running.push((step, child, told));
                    continue;
                }
                Ok(Some(status)) => Ok(status),
                Err(error) => Err(error),
            };
            let mut said = String::new();
            let read = told.rewind().and_then(|()| told.read_to_string(&mut said));
            if let Err(error) = read {
                said += &format!("(what it said cannot be read: {error})\n");
            }
            eprint!("\n== {}: {}\n{said}", step.name, step.line);
            failed.extend(tell(&step, step.ended(status), started.elapsed(), summary));
        }
    }
    (!failed.is_empty()).then(|| failed.join("\n"))
}

/// A file that is gone with its last reader.
fn kept() -> io::Result<File> {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let path = env::temp_dir().join(format!("xtask-{}-{number}", process::id()));
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

/// Says how a step ended and notes it. Gives a sentence if it failed.
fn tell(step: &Step, result: Result<Done, String>, took: Duration, summary: &mut String) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::{Step, at_once, env, fs, process};

    fn ends(steps: Vec<Step>) -> (Option<String>, String) {
        let mut summary = String::new();
        (at_once(steps, &mut summary), summary)
    }

    /// Whoever writes into such a file waits until somebody reads it, and the other way round.
    #[test]
    fn steps_at_once_begin_before_any_has_ended() {
        let between = env::temp_dir().join(format!("xtask-test-{}", process::id()));
        assert!(process::Command::new("mkfifo").arg(&between).status().unwrap().success());
        let words = between.to_str().unwrap();
        let (failed, summary) = ends(vec![
            Step::program("writes", "tee".to_owned(), words),
            Step::program("reads", "cat".to_owned(), words),
        ]);
        fs::remove_file(&between).unwrap();
        assert_eq!(failed, None);
        assert!(summary.contains("writes") && summary.contains("reads"), "{summary}");
    }

    #[test]
    fn who_fails_beside_others_is_named_and_the_others_end() {
        let (failed, summary) = ends(vec![
            Step::program("wrong", "false".to_owned(), "really"),
            Step::program("absent", "/nowhere/at/all".to_owned(), "now"),
            Step::program("right", "sleep".to_owned(), "0.2"),
        ]);
        let failed = failed.unwrap();
        assert!(failed.contains("wrong FAILED") && failed.contains("absent FAILED"), "{failed}");
        assert!(summary.contains("right") && !summary.contains("wrong"), "{summary}");
    }
}
