//! A PostgreSQL for tests: created in a temporary folder, run by an unprivileged user, and removed with the process
//! that started it, however that process ends. No server depends on this crate.
//!
//! It does not know what is stored in the database.

#[cfg(unix)]
mod cluster;
mod programs;

#[cfg(unix)]
pub use cluster::{Disk, PASSWORD, PostgresCluster, USER, free_port};
pub use programs::{MISSING, folder_of_programs};
