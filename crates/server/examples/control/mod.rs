//! The server of the control experiments: it runs over a journal that lacks one of the protections.

use clap::Parser;
use journal::Journal;
use journal::postgres::{DatabaseError, DatabaseSettings};
use server::{AppState, Cli, Command, DataPlace, Server, VERSION};
use std::error::Error;
use std::sync::Arc;

/// Runs the server, or verifies a record, as the flags say.
pub async fn run<J: Journal>(
    open: impl AsyncFnOnce(DatabaseSettings) -> Result<J, DatabaseError>,
) -> Result<(), Box<dyn Error>> {
    let Cli { command, config } = Cli::parse();
    if let Some(Command::Verify { file }) = command {
        println!("{}", host::verify(&file)?);
        return Ok(());
    }
    let DataPlace::Database(address) = config.data.clone() else {
        return Err("--data must be a database".into());
    };
    let address = address.read()?;
    let node = config.nodes.node.as_ref().map(|node| node.to_string().trim_end_matches('/').to_owned());
    let journal = open(DatabaseSettings { address, node, version: VERSION.to_owned() }).await?;
    let server = Server::start(AppState::new(config, Arc::new(journal))).await?;
    println!("Rookery is open at http://{}", server.address());
    asked_to_stop().await?;
    server.stop().await;
    Ok(())
}

#[cfg(unix)]
async fn asked_to_stop() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    signal(SignalKind::terminate())?.recv().await;
    Ok(())
}

#[cfg(not(unix))]
async fn asked_to_stop() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
