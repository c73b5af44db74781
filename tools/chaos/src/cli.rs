//! Command line flags.

use crate::ChaosError;
use crate::ground::DatabaseGround;
use crate::plan::{ChaosPlan, FaultKind};
use crate::servers::Launch;
use clap::Parser;
use std::env;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Plays games while servers are killed, connections are cut and intruders attack, and reports whether every promise
/// was kept.
#[derive(Debug, Clone, Parser)]
#[command(name = "rookery-chaos", version, about)]
pub struct ChaosArgs {
    /// How many minutes to inject faults
    #[arg(long, default_value_t = 1, conflicts_with = "seconds")]
    minutes: u64,

    /// How many seconds to inject faults, instead of minutes
    #[arg(long)]
    seconds: Option<u64>,

    /// Seed for all random choices: faults, actions, salts. Network timing is not seeded, so no two runs are identical
    #[arg(long, default_value_t = 7)]
    seed: u64,

    /// Number of rooms
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rooms: u16,

    /// Number of servers; more than one share a PostgreSQL that the run starts for itself
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=9))]
    servers: u8,

    /// Path of the `rookery` binary; by default the one next to this program
    #[arg(long, value_name = "PATH")]
    server: Option<PathBuf>,

    /// Play against a server that is already running and is left alone: only connection faults and intruders are used.
    /// The `rookery` binary next to this program checks the records
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["server", "servers"])]
    pub against: Option<SocketAddr>,

    /// Kinds of faults to inject; all by default
    #[arg(long, value_delimiter = ',', value_enum)]
    faults: Vec<FaultKind>,

    /// Inject one fault at a time: wait until all players have reconnected before the next, to measure the downtime of
    /// each
    #[arg(long)]
    singly: bool,

    /// How many seconds the remaining games may take after the last fault
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    patience: u64,

    /// Limit for the resident memory of a server
    #[arg(long, default_value_t = 400, value_name = "MB")]
    memory: u64,

    /// Folder for the traces of rooms in which a promise was broken
    #[arg(long, value_name = "FOLDER", default_value = "target/chaos")]
    pub(crate) traces: Option<PathBuf>,

    /// Print the report as one JSON object
    #[arg(long)]
    pub json: bool,
}

impl ChaosArgs {
    /// Returns the plan of the run.
    pub fn plan(&self) -> ChaosPlan {
        let faults = if self.faults.is_empty() { FaultKind::all(self.servers.into()) } else { self.faults.clone() };
        ChaosPlan {
            seed: self.seed,
            time: Duration::from_secs(self.seconds.unwrap_or(self.minutes * 60)),
            tables: self.rooms.into(),
            faults,
            singly: self.singly,
            patience: Duration::from_secs(self.patience),
            memory: self.memory << 20,
        }
    }

    /// Returns the path of the server binary, which also verifies records, if the file exists.
    pub fn verifier(&self) -> Option<PathBuf> {
        self.program().ok().filter(|program| program.is_file())
    }

    /// Returns the path of the server binary.
    pub(crate) fn program(&self) -> Result<PathBuf, ChaosError> {
        let name = format!("rookery{}", env::consts::EXE_SUFFIX);
        let beside = || Ok::<_, ChaosError>(env::current_exe()?.with_file_name(name));
        self.server.clone().map_or_else(beside, Ok)
    }

    /// Returns how to start the servers over an empty folder, and for several servers the database and network between
    /// them.
    pub(crate) async fn launch(&self, folder: &Path) -> Result<(Option<DatabaseGround>, Launch), ChaosError> {
        let program = self.program()?;
        if self.servers > 1 {
            let (ground, launch) = DatabaseGround::lay(program, folder, self.servers.into()).await?;
            return Ok((Some(ground), launch));
        }
        match self.faults.iter().find(|kind| FaultKind::OF_SEVERAL.contains(kind)) {
            Some(kind) => Err(ChaosError::OnlyOne(*kind)),
            None => Ok((None, Launch::one(program, folder))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn plan(words: &str) -> Result<ChaosPlan, clap::Error> {
        ChaosArgs::try_parse_from(words.split(' ')).map(|settings| settings.plan())
    }

    #[test]
    fn the_flags_are_consistent() {
        ChaosArgs::command().debug_assert();
    }

    #[test]
    fn flags_choose_the_duration_and_the_faults() {
        let ten = plan("rookery-chaos --minutes 10 --seed 9").unwrap();
        assert_eq!((ten.time, ten.seed, ten.tables), (Duration::from_secs(600), 9, 50));
        assert_eq!(ten.faults, FaultKind::ALL);
        let some = plan("rookery-chaos --seconds 45 --rooms 12 --faults kill,cut").unwrap();
        assert_eq!((some.time, some.tables), (Duration::from_secs(45), 12));
        assert_eq!(some.faults, [FaultKind::Kill, FaultKind::Cut]);
        let several = plan("rookery-chaos --servers 3").unwrap();
        assert!(several.faults.contains(&FaultKind::Roll) && several.faults.contains(&FaultKind::Kill));
    }

    #[test]
    fn bad_flags_are_refused() {
        for words in ["--rooms 0", "--servers 0", "--faults rain", "--seconds 5 --minutes 1", "--seed x"] {
            assert_eq!(plan(&format!("rookery-chaos {words}")).unwrap_err().exit_code(), 2, "{words}");
        }
    }
}
