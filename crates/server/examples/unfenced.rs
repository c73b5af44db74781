//! A server with the fence taken out, for the control run of the fault tests (`tests/it/cluster/control.rs`) and nothing else: its
//! appends compare nothing, and it never notices that its lease is over. What the tests find wrong with it, the fence prevents.

use clap::Parser;
use journal::ownership::{Claim, Figures, Lease, Load, Node, Ownership, Peer};
use journal::postgres::{Postgres, Settings};
use journal::{AppendError, Cursor, Journal, JournalError, Lines, Opened, Pending};
use server::{Cli, Command, DataPlace, Server, Shared, VERSION};
use std::sync::Arc;

struct Unfenced(Postgres);

impl Journal for Unfenced {
    fn append_lines<'a>(
        &'a self,
        room: &'a str,
        after: Cursor,
        lines: Lines,
        running_ms: u64,
    ) -> Pending<'a, Result<Cursor, AppendError>> {
        self.0.append_lines(room, after, lines, running_ms)
    }

    fn note<'a>(
        &'a self,
        room: &'a str,
        at: Cursor,
        slot: u8,
        note: String,
        running_ms: u64,
    ) -> Pending<'a, Result<(), AppendError>> {
        self.0.note(room, at, slot, note, running_ms)
    }

    fn open<'a>(&'a self, room: &'a str, ms: u64) -> Pending<'a, Result<Option<Opened>, JournalError>> {
        self.0.open(room, ms)
    }

    fn read<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Vec<String>>, JournalError>> {
        self.0.read(room)
    }

    fn exists<'a>(&'a self, room: &'a str) -> Pending<'a, Result<bool, JournalError>> {
        self.0.exists(room)
    }

    fn touch<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<(), JournalError>> {
        self.0.touch(room, running_ms)
    }

    fn forget_unopened<'a>(
        &'a self,
        before_ms: u64,
        keep: Vec<String>,
    ) -> Pending<'a, Result<Vec<String>, JournalError>> {
        self.0.forget_unopened(before_ms, keep)
    }

    fn running_ms(&self) -> u64 {
        self.0.running_ms()
    }

    fn ran(&self, running_ms: u64) -> Pending<'_, Result<(), JournalError>> {
        self.0.ran(running_ms)
    }

    fn probe(&self) -> Pending<'_, Result<(), JournalError>> {
        self.0.probe()
    }

    fn ownership(&self) -> &dyn Ownership {
        self
    }

    fn close(&self) -> Pending<'_, ()> {
        self.0.close()
    }
}

impl Ownership for Unfenced {
    fn claim<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Claim, JournalError>> {
        self.0.claim(room)
    }

    fn elsewhere<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Peer>, JournalError>> {
        self.0.elsewhere(room)
    }

    fn release<'a>(&'a self, room: &'a str) -> Pending<'a, Result<(), JournalError>> {
        self.0.release(room)
    }

    fn release_all(&self) -> Pending<'_, Result<u64, JournalError>> {
        self.0.release_all()
    }

    /// It takes its rooms to be its own for ever.
    fn lease(&self) -> Lease {
        Lease::forever()
    }

    fn report(&self, load: Load) {
        self.0.report(load);
    }

    fn nodes(&self) -> Pending<'_, Result<Vec<Node>, JournalError>> {
        self.0.nodes()
    }

    fn figures(&self) -> Figures {
        self.0.figures()
    }
}

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
    let journal = Arc::new(Unfenced(Postgres::open_without_fence(settings).await?));
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
