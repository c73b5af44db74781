//! Starts a PostgreSQL for tests in other languages: prints the URL of an empty database, and stops when its standard
//! input ends.

use pgtest::{Disk, PostgresCluster};
use std::io::Read;

fn main() {
    let cluster = PostgresCluster::start(Disk::Durable);
    println!("{}", cluster.database());
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}
