//! Starts a PostgreSQL for tests in other languages: prints the URL of an empty database, and stops when its standard
//! input ends.

use pgtest::{Cluster, Disk};
use std::io::Read;

fn main() {
    let cluster = Cluster::start(Disk::Durable);
    println!("{}", cluster.database());
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}
