//! Command line for long runs: `cargo xtask fuzz`, or `fuzzing --cases 10000000 --target messages --seed 7`.

use clap::Parser;
use fuzzing::{FuzzTarget, TARGETS};
use std::process::ExitCode;

/// Fuzzes everything that clients can send.
#[derive(Debug, Parser)]
#[command(name = "fuzzing")]
struct FuzzArgs {
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
    let asked = FuzzArgs::parse();
    let chosen = |target: &&FuzzTarget| asked.target.as_deref().is_none_or(|name| name == target.name);
    let targets: Vec<&'static FuzzTarget> = TARGETS.iter().filter(chosen).collect();
    if targets.is_empty() {
        eprintln!("unknown target; the targets are:");
        TARGETS.iter().for_each(|target| eprintln!("  {:<9} {}", target.name, target.about));
        return ExitCode::from(2);
    }
    for target in targets {
        match fuzzing::run(target, asked.cases, asked.seed) {
            Ok(report) => println!("{report}"),
            Err(error) => {
                eprintln!("fuzzing: cannot read the corpus of {}: {error}", target.name);
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
