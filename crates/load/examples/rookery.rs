//! The server as the tests of this crate start it: they measure a process of its own, and cargo gives no crate's tests
//! another crate's binary. It takes the flags of `rookery` and serves until it is ended.

use clap::Parser;
use journal::Journal;
use journal::memory::Memory;
use journal::sqlite::Sqlite;
use server::{Cli, DataPlace, Server, Shared};
use std::future;
use std::sync::Arc;

#[tokio::main]
async fn main() {
    let config = Cli::parse().config;
    let journal: Arc<dyn Journal> = match &config.data {
        DataPlace::Memory => Arc::new(Memory::default()),
        DataPlace::Folder(folder) => Arc::new(Sqlite::open(folder).expect("the folder is the test's own")),
    };
    let server = Server::start(Shared::new(config, journal)).await.expect("the port is free");
    print!("{}", server::greeting(server.address(), None, None, false));
    future::pending::<()>().await;
}
