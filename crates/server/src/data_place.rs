//! Where rooms are stored, as given by `--data`.

use crate::VERSION;
use journal::Journal;
use journal::memory::Memory;
use journal::postgres::{Address, DatabaseSettings, Postgres};
use journal::sqlite::Sqlite;
use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// Where rooms are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataPlace {
    /// Nowhere: everything is lost when the process ends.
    Memory,
    /// In this folder.
    Folder(PathBuf),
    /// In a PostgreSQL database.
    Database(DatabaseAddress),
}

/// The address of a database, as it was given. It contains a password, so it is never printed. It is parsed only when
/// needed, because the error message of an invalid flag would show it.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseAddress(String);

impl DatabaseAddress {
    /// Parses the address. The error is one sentence about what is wrong.
    pub fn read(&self) -> Result<Address, String> {
        self.0.parse().map_err(|wanted| format!("--data is not a database address: {wanted}"))
    }
}

impl fmt::Debug for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.parse::<Address>() {
            Ok(address) => address.fmt(f),
            Err(_) => f.write_str("DatabaseAddress(…)"),
        }
    }
}

impl FromStr for DataPlace {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<DataPlace, Infallible> {
        Ok(match text {
            "memory" => DataPlace::Memory,
            address if Address::is_meant_by(address) => DataPlace::Database(DatabaseAddress(address.to_owned())),
            folder => DataPlace::Folder(folder.into()),
        })
    }
}

impl DataPlace {
    /// Opens the journal. `node` is the address at which other servers reach this one, if it is one of several.
    ///
    /// # Errors
    /// One sentence that says what to do.
    pub async fn open(&self, node: Option<String>) -> Result<Arc<dyn Journal>, String> {
        Ok(match self {
            DataPlace::Memory => Arc::new(Memory::default()),
            DataPlace::Folder(folder) => Arc::new(Sqlite::open(folder).map_err(|error| error.to_string())?),
            DataPlace::Database(address) => {
                let settings = DatabaseSettings { address: address.read()?, node, version: VERSION.to_owned() };
                let opened = Postgres::open(settings).await;
                Arc::new(opened.map_err(|error| error.to_string())?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_storage_places_and_hides_passwords() {
        let place = |text: &str| text.parse::<DataPlace>().unwrap();
        assert_eq!(place("memory"), DataPlace::Memory);
        assert_eq!(place("./data"), DataPlace::Folder("./data".into()));
        for address in ["postgres://ann:s3cret@host/games", "postgresql://ann:s3cret@host:port"] {
            let place = place(address);
            assert!(matches!(place, DataPlace::Database(_)));
            assert!(!format!("{place:?}").contains("s3cret"));
        }
    }
}
