//! The server for the tests of this crate. They measure a separate process, and cargo does not build another crate's
//! binary for them. It takes the flags of `rookery` and serves until it is killed.

use clap::Parser;
use server::{AppState, Cli, Server};
use std::future;

#[tokio::main]
async fn main() {
    let config = Cli::parse().config;
    let journal = config.data.open(None).await.expect("the test has its own data folder");
    let server = Server::start(AppState::new(config, journal)).await.expect("the port is free");
    print!("{}", server::greeting(server.address(), None, None, false));
    future::pending::<()>().await;
}
