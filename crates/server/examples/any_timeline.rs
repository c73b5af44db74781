//! A server that uses any writable database host without comparing timelines. It is used only by the control run of the
//! failover tests (`tests/it/cluster/failover.rs`), which shows the failures that the comparison prevents.

mod control;

use journal::postgres::Postgres;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    control::run(Postgres::open_on_any_timeline).await
}
