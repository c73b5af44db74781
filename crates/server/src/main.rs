//! The binary `rookery`.

use clap::Parser;
use journal::{Journal, Memory, Sqlite};
use server::{Cli, Command, Config, DataPlace, House, Server};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Some(Command::Health { listen }) => server::ask_health(listen).await,
        None => serve(cli.config).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("rookery: {sentence}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(config: Config) -> Result<(), String> {
    let filter = EnvFilter::try_from_env("ROOKERY_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).finish();
    // Not `init`, which would also take in what libraries write through the `log` crate: at the finest level the
    // WebSocket library writes down whole messages, tokens and all.
    tracing::subscriber::set_global_default(log).map_err(|error| error.to_string())?;
    // Before anything is promised, so that a signal during the start is not lost.
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| error.to_string())?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;

    let journal: Arc<dyn Journal> = match &config.data {
        DataPlace::Memory => Arc::new(Memory::default()),
        DataPlace::Folder(folder) => Arc::new(Sqlite::open(folder).map_err(|error| error.to_string())?),
    };
    let public = config.public_url.as_ref().map(ToString::to_string);
    let server = Server::start(House::new(config, journal)).await.map_err(|error| {
        format!("{error}; stop the other program or choose another address with --listen or --admin")
    })?;
    println!("Rookery is open at {}", public.unwrap_or_else(|| link(server.address())));

    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("stopping");
    server.stop().await;
    Ok(())
}

/// What to type into a browser on this machine.
fn link(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    }
}
