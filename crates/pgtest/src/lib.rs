//! A PostgreSQL of the tests' own: made in a temporary folder, run by an unprivileged user, and gone with the process that
//! started it, however that ends. No server depends on it.
//!
//! It knows nothing of what is kept in it.

#[cfg(unix)]
mod cluster;
mod programs;

#[cfg(unix)]
pub use cluster::{Cluster, Disk, PASSWORD, USER, free_port};
pub use programs::{MISSING, folder_of_programs};
