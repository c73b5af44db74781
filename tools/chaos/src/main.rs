//! The binary `rookery-chaos`.

use chaos::ChaosArgs;
use clap::Parser;
use std::process::ExitCode;
use tokio::runtime::Builder;

fn main() -> ExitCode {
    let settings = ChaosArgs::parse();
    let runtime = match Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("rookery-chaos: {error}");
            return ExitCode::FAILURE;
        }
    };
    let plan = settings.plan();
    let run = async {
        match settings.against {
            Some(address) => chaos::run_against(&plan, vec![address], settings.verifier()).await,
            None => chaos::run(&plan, &settings).await,
        }
    };
    match runtime.block_on(run) {
        Ok(report) => {
            if settings.json {
                println!("{}", serde_json::to_string(&report).expect("all keys are strings"));
            } else {
                print!("{report}");
            }
            if let Some(violation) = report.violations.first() {
                eprintln!("rookery-chaos: seed {}: {violation}", plan.seed);
                return ExitCode::FAILURE;
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("rookery-chaos: {error}");
            ExitCode::FAILURE
        }
    }
}
