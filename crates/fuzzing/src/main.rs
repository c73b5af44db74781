//! Command line for long runs: `cargo xtask fuzz`, or `fuzzing --cases 10000000 --target messages --seed 7`.

use clap::Parser;
use fuzzing::{TARGETS, Target};
use std::process::ExitCode;

/// Fuzzes everything that clients can send.
#[derive(Debug, Parser)]
#[command(name = "fuzzing")]
struct Cli {
    /// How many messages, entries or requests each target tries
    #[arg(long, default_value_t = 100_000)]
    cases: u64,

    /// Name of the target; all by default
    #[arg(long)]
    target: Option<String>,

    /// Seed; the same seed tries the same inputs
    #[arg(long, default_value_t = 1)]
    seed: u32,
}

fn main() -> ExitCode {
    let asked = Cli::parse();
    let chosen = |target: &&Target| asked.target.as_deref().is_none_or(|name| name == target.name);
    let targets: Vec<&'static Target> = TARGETS.iter().filter(chosen).collect();
    if targets.is_empty() {
        eprintln!("there is no such target; there are:");
        TARGETS.iter().for_each(|target| eprintln!("  {:<9} {}", target.name, target.about));
        return ExitCode::from(2);
    }
    for target in targets {
        match fuzzing::run(target, asked.cases, asked.seed) {
            Ok(report) => println!("{report}"),
            Err(error) => {
                eprintln!("fuzzing: no corpus for {}: {error}", target.name);
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
