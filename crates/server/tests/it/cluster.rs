//! Several servers over one PostgreSQL: real processes, a real database, and connections between them that can be cut.

mod control;
mod doctor;
mod edge;
mod failover;
mod faults;
mod haproxy;
mod lapse;
mod lease;
mod relay;
pub mod servers;
mod start;
mod suites;
