//! The binary `rookery-load`.

use clap::Parser;
use load::attack;
use load::measure::compare::{self, Comparison};
use load::measure::idle::{self, Idle};
use load::measure::instructions::{self, Instructions};
use load::measure::storm::{self, Storm};
use load::measure::{Cores, Launcher, MeasureError, floor};
use load::{LoadArgs, LoadCommand, ServerArgs, TournamentGame};
use serde_json::Value;
use std::fmt::Display;
use std::process::ExitCode;
use tokio::runtime::{Builder, Runtime};

fn main() -> ExitCode {
    match run(LoadArgs::parse().command) {
        Ok(figures) => {
            print!("{figures}");
            ExitCode::SUCCESS
        }
        Err(sentence) => {
            eprintln!("rookery-load: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: LoadCommand) -> Result<String, String> {
    match command {
        LoadCommand::Tournament(asked) => {
            let game = TournamentGame::find(&asked.game)?;
            Ok(game.tournament(&asked.contest(), &asked.rules)?.to_string())
        }
        LoadCommand::Review(asked) => {
            let game = TournamentGame::find(&asked.game)?;
            Ok(game.review(&asked.planting())?.to_string())
        }
        LoadCommand::Think => {
            load::think::answer(std::io::stdin().lock(), std::io::stdout().lock())?;
            Ok(String::new())
        }
        LoadCommand::Play(asked) => {
            let report = on_all_cores()?.block_on(load::play::run(&asked.workload())).map_err(sentence)?;
            Ok(report.to_string())
        }
        LoadCommand::Compare(asked) => {
            let (plan, servers) = (asked.plan(), &asked.servers);
            measure(servers, async |launcher| compare::run(&plan, launcher).await, Comparison::to_json)
        }
        LoadCommand::Idle(asked) => {
            let (plan, servers) = (asked.plan(), &asked.servers);
            measure(servers, async |launcher| idle::run(&plan, launcher).await, Idle::to_json)
        }
        LoadCommand::Storm(asked) => {
            let (plan, servers) = (asked.plan(), &asked.servers);
            measure(servers, async |launcher| storm::run(&plan, launcher).await, Storm::to_json)
        }
        LoadCommand::Instructions(asked) => {
            let (plan, servers) = (asked.plan(), &asked.servers);
            measure(servers, async |launcher| instructions::run(&plan, launcher).await, Instructions::to_json)
        }
        LoadCommand::Attack(asked) => {
            let (plan, launcher) = (asked.plan(), asked.servers.launcher(None));
            let onslaught = on_all_cores()?.block_on(attack::run(&plan, &launcher)).map_err(sentence)?;
            let printed = match asked.servers.json {
                true => format!("{}\n", onslaught.to_json()),
                false => onslaught.to_string(),
            };
            if onslaught.holds() { Ok(printed) } else { Err(MeasureError::Broken(printed).to_string()) }
        }
        LoadCommand::Floor => {
            on_all_cores()?.block_on(floor::serve()).map_err(sentence)?;
            Ok(String::new())
        }
    }
}

/// Runs a measurement on one core, and returns its report.
fn measure<T: Display>(
    servers: &ServerArgs,
    run: impl AsyncFnOnce(&Launcher) -> Result<T, MeasureError>,
    to_json: impl FnOnce(&T) -> Value,
) -> Result<String, String> {
    let (runtime, cores) = on_one_core()?;
    let measured = runtime.block_on(run(&servers.launcher(cores))).map_err(sentence)?;
    Ok(if servers.json { format!("{}\n", to_json(&measured)) } else { measured.to_string() })
}

fn on_all_cores() -> Result<Runtime, String> {
    Runtime::new().map_err(sentence)
}

/// Creates a runtime with one thread. The server is what is measured, and a load generator whose threads wake each
/// other is slower. The thread is pinned to its own core where possible.
fn on_one_core() -> Result<(Runtime, Option<Cores>), String> {
    let cores = Cores::choose().filter(|cores| cores.keep_driver().is_ok());
    let runtime = Builder::new_current_thread().enable_all().build().map_err(sentence)?;
    Ok((runtime, cores))
}

fn sentence(error: impl std::error::Error) -> String {
    error.to_string()
}
