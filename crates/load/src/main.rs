//! The binary `rookery-load`.

use clap::Parser;
use load::{Cli, Command, TournamentGame};
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    match run(Cli::parse().command).await {
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

async fn run(command: Command) -> Result<String, String> {
    match command {
        Command::Tournament(asked) => {
            let game = TournamentGame::find(&asked.game)?;
            Ok(game.tournament(&asked.contest(), &asked.rules)?.to_string())
        }
        Command::Play(asked) => {
            let report = load::play::run(&asked.workload()).await.map_err(|error| error.to_string())?;
            Ok(report.to_string())
        }
    }
}
