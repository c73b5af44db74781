//! The project's own commands: `cargo xtask test` is the one that decides whether a change is good.
//!
//! It knows which tools to run in which order, and nothing of what they look at.

mod debian;
mod dependencies;
mod image;
mod step;

use std::num::NonZero;
use std::process::{Command, ExitCode};
use std::{env, thread};
use step::Step;

/// A name, what people read about it, and what it does.
type Named = (&'static str, &'static str, Run);

/// How a command is run.
enum Run {
    /// By its name and nothing else.
    Alone(fn() -> ExitCode),
    /// With the words that follow, which are another program's to read.
    With(fn(&[String]) -> ExitCode),
}

use Run::{Alone, With};

const COMMANDS: &[Named] = &[
    (
        "test",
        "everything a change must pass: format, dependencies, lints, tests, documentation, containers, the page in three browsers",
        Alone(test),
    ),
    ("bench", "the benchmarks, in release", Alone(bench)),
    (
        "instructions",
        "instructions the server takes for an act, counted by valgrind, in release",
        Alone(instructions),
    ),
    (
        "fuzz",
        "what strangers may send, by the million, in release: --cases 1000000 --target messages --seed 7",
        With(fuzz),
    ),
    (
        "chaos",
        "games while servers are killed, lines cut and strangers let in: --minutes 10 --seed 7 --rooms 50 --faults kill,cut --servers 3",
        With(chaos),
    ),
    (
        "image",
        "the image and both compose files on a Docker engine: built, killed, updated, attacked; the words go to `docker build`",
        With(image::image),
    ),
    (
        "train",
        "the network of a game's hard bot, from nothing: train qwantum 24000 1 (games, seed)",
        With(train),
    ),
    ("help", "this list", Alone(help)),
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
            eprintln!("there is no command `{}`\n{}", words.join(" "), list());
            ExitCode::from(2)
        }
    }
}

/// The steps run in this order, the quickest first. A further step is a further line.
fn test() -> ExitCode {
    step::run_all(vec![
        Step::cargo("format", "fmt --all --check").needs_component("rustfmt"),
        dependencies::allowed(),
        dependencies::advisories(),
        dependencies::oldest_rust(),
        Step::cargo("lints", "clippy --workspace --all-targets -- -D warnings").needs_component("clippy"),
        Step::cargo("tests", "test --workspace").before(|command| {
            command.env("RUST_TEST_THREADS", tests_at_once());
            command.env("NGINX", debian::NGINX.find_or_install()?);
            command.env("HAPROXY", debian::HAPROXY.find_or_install()?);
            command.env("POSTGRES_BIN", debian::find_or_install_postgres()?);
            Ok(())
        }),
        // Both programs were built with the tests. Their people think and their faults last: the next two have time beside them.
        Step::program("chaos", chaos_program(), "--seconds 40 --rooms 12 --seed 7").with_next(),
        with_postgres(Step::program(
            "chaos: several servers",
            chaos_program(),
            "--servers 3 --seconds 20 --rooms 8 --seed 7",
        ))
        .with_next(),
        Step::cargo("documentation", "doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"),
        Step::npm("linters: packages", "xtask/lint", "ci --no-audit --no-fund"),
        Step::npm("linters", "xtask/lint", "run lint"),
        Step::npm("page: packages", "web", "ci --no-audit --no-fund"),
        Step::npm("page: types", "web", "run types"),
        Step::npm("page: units", "web", "run unit"),
        Step::npm("page: browser", "web", "run browser").before(|command| {
            in_chromium(command)?;
            command.env("ROOKERY_POSTGRES", format!("{}/debug/examples/postgres", target()));
            command.env("POSTGRES_BIN", debian::find_or_install_postgres()?);
            Ok(())
        }),
        Step::npm("page: engines", "web", "run engines")
            .skipped_if(|| debian::OTHER_ENGINES.iter().find_map(|program| program.find_or_install().err()))
            .before(|command| {
                for program in debian::OTHER_ENGINES {
                    command.env(program.variable, program.find_or_install()?);
                }
                in_chromium(command)
            }),
    ])
}

/// Twice as many as there are cores: the longest of them wait for servers to come back, and for lines to fall silent.
fn tests_at_once() -> String {
    let cores = thread::available_parallelism().map_or(2, NonZero::get);
    env::var("RUST_TEST_THREADS").unwrap_or_else(|_| (2 * cores).to_string())
}

/// What every story in a browser needs.
fn in_chromium(command: &mut Command) -> Result<(), String> {
    command.env("CHROMIUM", debian::CHROMIUM.find_or_install()?);
    debian::find_or_install_fonts()?;
    // The one the tests were run with: to build the server alone would build its dependencies again, with fewer of their
    // features.
    command.env("ROOKERY_BIN", format!("{}/debug/rookery", target()));
    Ok(())
}

/// Where cargo puts what it builds.
fn target() -> String {
    env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| format!("{}/target", step::ROOT))
}

/// Only the declared benches: without the pattern every crate's unit tests would be run as benches too.
fn bench() -> ExitCode {
    step::run_all(vec![Step::cargo("benches", "bench --workspace --bench *")])
}

/// The count is the driver's; here the programs are built and valgrind is found.
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

/// The driver reads the words itself; `--help` among them lists its targets' flags.
fn fuzz(words: &[String]) -> ExitCode {
    let line =
        ["run --release --quiet --package fuzzing --"].into_iter().chain(words.iter().map(String::as_str));
    step::run_all(vec![Step::cargo("fuzz", &line.collect::<Vec<_>>().join(" "))])
}

/// The suite reads the words itself. A debug build: it checks its own arithmetic, and the network is slower than both.
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

/// Several servers share a database that is started for them.
fn with_postgres(step: Step) -> Step {
    step.before(|command| {
        command.env("POSTGRES_BIN", debian::find_or_install_postgres()?);
        Ok(())
    })
}

fn chaos_program() -> String {
    format!("{}/debug/rookery-chaos", target())
}

/// Training is a test of the game's crate, which sees its insides and is in no server; variables make it a long one. The table
/// it writes is part of the source.
fn train(words: &[String]) -> ExitCode {
    let [game, games, seed] = words else {
        eprintln!(
            "train what, on how many games, from which seed? Such as: cargo xtask train qwantum 24000 1"
        );
        return ExitCode::from(2);
    };
    let table = format!("{}/crates/{game}/src/bot/net_weights.rs", step::ROOT);
    let test = format!("test --release --package {game} --lib bot::train -- --nocapture");
    let training =
        Step::cargo("train", &test).env("ROOKERY_TRAIN_GAMES", games).env("ROOKERY_TRAIN_SEED", seed);
    step::run_all(vec![training.env("ROOKERY_TRAIN_TABLE", &table)])
}

fn help() -> ExitCode {
    println!("{}", list());
    ExitCode::SUCCESS
}

fn list() -> String {
    let lines = COMMANDS.iter().map(|(name, what, _)| format!("\n  cargo xtask {name:<12} {what}"));
    format!("The project's commands:{}", lines.collect::<String>())
}
