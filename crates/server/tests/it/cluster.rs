//! Several servers over one PostgreSQL: real processes, a real database, and lines between them that can be cut.

mod control;
mod faults;
mod haproxy;
mod lapse;
mod relay;
pub mod servers;
mod start;
mod suites;
