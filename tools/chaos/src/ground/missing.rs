//! Placeholder for systems without Unix signals, where no PostgreSQL can be started and only one server is supported.

use crate::ChaosError;
use crate::servers::Launch;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Never constructed.
pub enum DatabaseGround {}

impl DatabaseGround {
    /// Returns [`ChaosError::NoSignals`].
    pub async fn lay(_: PathBuf, _: &Path, _: usize) -> Result<(DatabaseGround, Launch), ChaosError> {
        Err(ChaosError::NoSignals)
    }

    /// Unreachable.
    pub async fn lose_database(&self, _: Duration) -> Result<(), ChaosError> {
        match *self {}
    }

    /// Unreachable.
    pub async fn fail_over(&self) -> Result<(), ChaosError> {
        match *self {}
    }

    /// Unreachable.
    pub async fn bring_old_primary_back(&self) -> Result<Option<String>, ChaosError> {
        match *self {}
    }

    /// Unreachable.
    pub async fn freeze_primary(&self) -> Result<(), ChaosError> {
        match *self {}
    }

    /// Unreachable.
    pub async fn lose_standby(&self, _: Duration) -> Result<(), ChaosError> {
        match *self {}
    }

    /// Unreachable.
    pub async fn cut_off(&self, _: usize, _: Duration) {
        match *self {}
    }

    /// Unreachable.
    pub async fn part(&self, _: Duration) {
        match *self {}
    }
}
