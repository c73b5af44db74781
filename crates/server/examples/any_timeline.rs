//! A server that uses any database host that can be written, for the control run of the failover tests
//! (`tests/it/cluster/failover.rs`) and nothing else: it does not compare timelines. What the tests find wrong with it, the
//! comparison prevents.

use clap::Parser;
use journal::postgres::{Postgres, Settings};
use server::{Cli, Command, DataPlace, Server, Shared, VERSION};
use std::sync::Arc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Cli { command, config } = Cli::parse();
    if let Some(Command::Verify { file }) = command {
        println!("{}", host::verify(&file)?);
        return Ok(());
    }
    let DataPlace::Database(address) = config.data.clone() else { return Err("a database is needed".into()) };
    let address = address.read()?;
    let node = config.nodes.node.as_ref().map(|node| node.to_string().trim_end_matches('/').to_owned());
    let settings = Settings { address, node, version: VERSION.to_owned() };
    let journal = Arc::new(Postgres::open_on_any_timeline(settings).await?);
    let server = Server::start(Shared::new(config, journal)).await?;
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
