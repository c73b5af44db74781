//! The project's own commands: `cargo xtask test` decides whether a change can land, `cargo xtask check` is the quick
//! version.
//!
//! This crate knows which programs to run in which order, and nothing about what they test.

mod debian;
mod dependencies;
mod image;
mod step;

use std::num::NonZero;
use std::process::{Command, ExitCode};
use std::{env, thread};
use step::Step;

/// A command: its name, its help text and its function.
type Named = (&'static str, &'static str, Run);

/// How a command takes its arguments.
enum Run {
    /// It takes none.
    Alone(fn() -> ExitCode),
    /// It reads them itself or passes them to another program.
    With(fn(&[String]) -> ExitCode),
}

use Run::{Alone, With};

const COMMANDS: &[Named] = &[
    (
        "check",
        "quick check while you work: format, lints, types, unit and rules tests, a few browser stories",
        Alone(check),
    ),
    (
        "test",
        "everything a change must pass, or only the named steps and what they require: test tests browser",
        With(test),
    ),
    (
        "packages",
        "list the Debian packages that the test command needs and this machine lacks; `packages install` installs them",
        With(packages),
    ),
    ("bench", "run the benchmarks, as a release build", Alone(bench)),
    (
        "instructions",
        "count the instructions of the server per act with valgrind, as a release build",
        Alone(instructions),
    ),
    ("fuzz", "fuzz untrusted inputs, as a release build: --cases 1000000 --target messages --seed 7", With(fuzz)),
    (
        "chaos",
        "play games under faults and attacks: --minutes 10 --seed 7 --rooms 50 --faults kill,cut --servers 3",
        With(chaos),
    ),
    (
        "image",
        "build the image, and kill, update and attack both compose files; arguments go to `docker build`",
        With(image::image),
    ),
    ("train", "train the network of a game's hard bot from scratch: train qwantum 24000 1 (games, seed)", With(train)),
    ("help", "print this list", Alone(help)),
];

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let (asked, rest) = match words.split_first() {
        None => ("help", &[][..]),
        Some((first, rest)) if ["-h", "--help"].contains(&first.as_str()) => ("help", rest),
        Some((first, rest)) => (first.as_str(), rest),
    };
    match COMMANDS.iter().find(|(name, ..)| *name == asked).map(|(_, _, run)| run) {
        Some(Alone(run)) if rest.is_empty() => run(),
        Some(With(run)) => run(rest),
        _ => {
            eprintln!("unknown command `{}`\n{}", words.join(" "), list());
            ExitCode::from(2)
        }
    }
}

/// Runs all steps, or the named ones and those they require.
fn test(names: &[String]) -> ExitCode {
    if names.is_empty() {
        return step::run_all(steps());
    }
    match step::select(steps(), names) {
        Ok(selected) => step::run_all(selected),
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::from(2)
        }
    }
}

/// Returns the steps of the test command, quickest first.
fn steps() -> Vec<Step> {
    vec![
        formatting(),
        dependencies::allowed(),
        dependencies::advisories(),
        dependencies::oldest_rust(),
        // Mostly waits for downloads. A step that needs a package that could not be installed says so.
        Step::program("system-packages", own_program(), "packages install").with_next(),
        lints(),
        build(),
        // The tests over sockets take longest and mostly wait, so all others run at the same time.
        tests("sockets", "--test sockets").with_next(),
        tests("tests", "--lib --bins --test it --test processes").with_next(),
        Step::npm("lint-packages", "tools/xtask/lint", "ci --no-audit --no-fund").with_next(),
        page_packages(),
        // Both chaos suites mostly wait, so these steps run beside them.
        Step::program("chaos", chaos_program(), "--seconds 40 --rooms 12 --seed 7").requires(&["build"]).with_next(),
        with_postgres(Step::program("chaos-cluster", chaos_program(), "--servers 3 --seconds 20 --rooms 8 --seed 7"))
            .requires(&["build"])
            .with_next(),
        Step::cargo("docs", "doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings").with_next(),
        Step::cargo("doc-tests", "test --workspace --doc").with_next(),
        Step::npm("linters", "tools/xtask/lint", "run lint").requires(&["lint-packages"]).with_next(),
        page_types().with_next(),
        page_lint().with_next(),
        page_units(),
        Step::npm("browser", "web", "run browser").requires(&["build", "page-packages"]).before(|command| {
            use_chromium(command)?;
            command.env("ROOKERY_POSTGRES", format!("{}/debug/examples/postgres", target()));
            command.env("POSTGRES_BIN", debian::find_or_install_postgres()?);
            Ok(())
        }),
        Step::npm("engines", "web", "run engines")
            .requires(&["build", "page-packages"])
            .skipped_if(|| debian::OTHER_ENGINES.iter().find_map(|program| program.find_or_install().err()))
            .before(|command| {
                for program in debian::OTHER_ENGINES {
                    command.env(program.variable, program.find_or_install()?);
                }
                use_chromium(command)
            }),
    ]
}

/// Runs the quick check, without sockets, databases, chaos or the screenshot album. It builds with the same features as
/// the test command, so that both share compiled artifacts.
fn check() -> ExitCode {
    step::run_all(vec![
        formatting(),
        page_packages(),
        page_types(),
        page_lint(),
        page_units(),
        lints(),
        build(),
        Step::cargo("units", "test --workspace --lib -- --skip postgres"),
        Step::cargo("rules", "test --workspace --test it"),
        Step::npm("browser-smoke", "web", "run smoke").before(use_chromium),
    ])
}

/// Creates a step with some of the Rust tests and the programs they start. It always covers the whole workspace,
/// because fewer packages would have fewer features and be compiled again.
fn tests(name: &'static str, targets: &str) -> Step {
    Step::cargo(name, &format!("test --workspace {targets}")).requires(&["build"]).before(|command| {
        command.env("RUST_TEST_THREADS", test_threads());
        command.env("NGINX", debian::NGINX.find_or_install()?);
        command.env("HAPROXY", debian::HAPROXY.find_or_install()?);
        command.env("POSTGRES_BIN", debian::find_or_install_postgres()?);
        Ok(())
    })
}

fn formatting() -> Step {
    Step::cargo("format", "fmt --all --check").needs_component("rustfmt")
}

fn lints() -> Step {
    Step::cargo("lints", "clippy --workspace --all-targets -- -D warnings").needs_component("clippy")
}

/// Builds all tests, and with them the programs that the chaos and browser steps start.
fn build() -> Step {
    Step::cargo("build", "test --workspace --no-run")
}

fn page_packages() -> Step {
    Step::npm("page-packages", "web", "ci --no-audit --no-fund")
}

fn page_types() -> Step {
    Step::npm("page-types", "web", "run types").requires(&["page-packages"])
}

/// Checks the page's formatting, and what neither the formatter nor the type checker finds.
fn page_lint() -> Step {
    Step::npm("page-lint", "web", "run lint").requires(&["page-packages"])
}

fn page_units() -> Step {
    Step::npm("page-units", "web", "run unit").requires(&["page-packages"])
}

/// Returns twice the number of cores, because the longest tests mostly wait for servers to restart and connections to
/// time out.
fn test_threads() -> String {
    let cores = thread::available_parallelism().map_or(2, NonZero::get);
    env::var("RUST_TEST_THREADS").unwrap_or_else(|_| (2 * cores).to_string())
}

/// Sets what every browser test needs.
fn use_chromium(command: &mut Command) -> Result<(), String> {
    command.env("CHROMIUM", debian::CHROMIUM.find_or_install()?);
    debian::find_or_install_fonts()?;
    // Uses the server of the build step. Building it separately would compile its dependencies again with fewer
    // features.
    command.env("ROOKERY_BIN", format!("{}/debug/rookery", target()));
    Ok(())
}

/// Returns the path of this program, which runs beside a step.
fn own_program() -> String {
    env::current_exe().map_or_else(|_| "xtask".to_owned(), |path| path.display().to_string())
}

/// Returns the folder cargo builds into.
fn target() -> String {
    env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| format!("{}/target", step::ROOT))
}

/// Runs the declared benches. Without the pattern every crate's unit tests would run as benches too.
fn bench() -> ExitCode {
    step::run_all(vec![Step::cargo("benches", "bench --workspace --bench *")])
}

/// Builds the programs and finds valgrind. `rookery-load` does the counting.
fn instructions() -> ExitCode {
    let built = Step::program("count", format!("{}/release/rookery-load", target()), "instructions");
    step::run_all(vec![
        Step::cargo("build", "build --release --package server --package load"),
        built.before(|command| {
            command.arg("--valgrind").arg(debian::VALGRIND.find_or_install()?);
            Ok(())
        }),
    ])
}

/// Runs the fuzzing driver, which parses the arguments itself. `--help` lists its flags.
fn fuzz(words: &[String]) -> ExitCode {
    let line = ["run --release --quiet --package fuzzing --"].into_iter().chain(words.iter().map(String::as_str));
    step::run_all(vec![Step::cargo("fuzz", &line.collect::<Vec<_>>().join(" "))])
}

/// Runs the chaos suite, which parses the arguments itself. Uses a debug build, which checks for overflows.
fn chaos(words: &[String]) -> ExitCode {
    let words = if words.is_empty() { "--minutes 1".to_owned() } else { words.join(" ") };
    step::run_all(vec![
        Step::cargo("build", "build --package server --package chaos"),
        if words.contains("--servers") {
            with_postgres(Step::program("chaos", chaos_program(), &words))
        } else {
            Step::program("chaos", chaos_program(), &words)
        },
    ])
}

/// Sets up PostgreSQL for a step whose servers share a database.
fn with_postgres(step: Step) -> Step {
    step.before(|command| {
        command.env("POSTGRES_BIN", debian::find_or_install_postgres()?);
        Ok(())
    })
}

fn chaos_program() -> String {
    format!("{}/debug/rookery-chaos", target())
}

/// Runs the training test of a game's crate, extended by environment variables. It writes the table of weights into the
/// source.
fn train(words: &[String]) -> ExitCode {
    let [game, games, seed] = words else {
        eprintln!("name the game, the number of games and the seed, such as: cargo xtask train qwantum 24000 1");
        return ExitCode::from(2);
    };
    let table = format!("{}/crates/{game}/src/bot/net_weights.rs", step::ROOT);
    let test = format!("test --release --package {game} --lib bot::train -- --nocapture");
    let training = Step::cargo("train", &test).env("ROOKERY_TRAIN_GAMES", games).env("ROOKERY_TRAIN_SEED", seed);
    step::run_all(vec![training.env("ROOKERY_TRAIN_TABLE", &table)])
}

/// Prints the packages for `apt-get install`, for machines where the test command itself may not install them.
fn packages(words: &[String]) -> ExitCode {
    match words {
        [] => println!("{}", debian::missing_packages().join(" ")),
        [install] if install == "install" => debian::install_missing_packages(),
        _ => {
            eprintln!("`cargo xtask packages` lists packages, `cargo xtask packages install` installs them");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn help() -> ExitCode {
    println!("{}", list());
    ExitCode::SUCCESS
}

fn list() -> String {
    let lines = COMMANDS.iter().map(|(name, what, _)| format!("\n  cargo xtask {name:<12} {what}"));
    format!("The project's commands:{}", lines.collect::<String>())
}
