//! The server as the tests of this crate start it: they measure a process of its own, and cargo gives no crate's tests
//! another crate's binary. It takes the flags of `rookery` and serves until it is ended.

use clap::Parser;
use server::{Cli, Server, Shared};
use std::future;

#[tokio::main]
async fn main() {
    let config = Cli::parse().config;
    let journal = config.data.open(None).await.expect("the place is the test's own");
    let server = Server::start(Shared::new(config, journal)).await.expect("the port is free");
    print!("{}", server::greeting(server.address(), None, None, false));
    future::pending::<()>().await;
}
