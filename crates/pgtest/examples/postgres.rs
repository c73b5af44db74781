//! A PostgreSQL for tests in other languages: prints the address of an empty database, and ends with its standard input.

use pgtest::{Cluster, Disk};
use std::io::Read;

fn main() {
    let cluster = Cluster::start(Disk::Durable);
    println!("{}", cluster.database());
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}
