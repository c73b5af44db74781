//! There is no PostgreSQL of the run's own on this system, and so one server only.

use crate::ChaosError;
use crate::servers::Launch;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Nothing.
pub enum Ground {}

impl Ground {
    /// Never.
    pub async fn lay(_: PathBuf, _: &Path, _: usize) -> Result<(Ground, Launch), ChaosError> {
        Err(ChaosError::NoSignals)
    }

    /// Never.
    pub async fn lose_database(&self, _: Duration) -> Result<(), ChaosError> {
        match *self {}
    }

    /// Never.
    pub async fn fail_over(&self) -> Result<(), ChaosError> {
        match *self {}
    }

    /// Never.
    pub async fn bring_old_primary_back(&self) -> Result<Option<String>, ChaosError> {
        match *self {}
    }

    /// Never.
    pub async fn freeze_primary(&self) -> Result<(), ChaosError> {
        match *self {}
    }

    /// Never.
    pub async fn lose_standby(&self, _: Duration) -> Result<(), ChaosError> {
        match *self {}
    }

    /// Never.
    pub async fn cut_off(&self, _: usize, _: Duration) {
        match *self {}
    }

    /// Never.
    pub async fn part(&self, _: Duration) {
        match *self {}
    }
}
