//! Why a database cannot be used, with a message that says what to do.

use super::address::Address;
use super::hosts::NoHost;
use tokio_postgres::error::SqlState;

/// Why a journal in PostgreSQL could not be opened. No message contains the password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseError {
    /// Wrong user or password.
    #[error("{address} refuses the user or the password; check them in --data or ROOKERY_DATA")]
    Password {
        /// The database.
        address: String,
    },
    /// No such database.
    #[error("there is no database \"{database}\" at {address}; create it with `createdb -O {user} {database}`")]
    NoDatabase {
        /// The database.
        address: String,
        /// Its name.
        database: String,
        /// The user who should own it.
        user: String,
    },
    /// The host does not answer, or is not a PostgreSQL server.
    #[error("cannot reach {address}: {reason}; check that PostgreSQL runs there and accepts this machine")]
    Unreachable {
        /// The database.
        address: String,
        /// The reason.
        reason: String,
    },
    /// An unsupported release.
    #[error("{address} is PostgreSQL {found}, and Rookery needs 14 or newer; update it, or name another in --data")]
    TooOld {
        /// The database.
        address: String,
        /// Its release.
        found: String,
    },
    /// A later version has changed the tables.
    #[error(
        "the tables in {address} were made by a newer Rookery (format {found}, this one knows {known}); update this one"
    )]
    Newer {
        /// The database.
        address: String,
        /// Their format.
        found: i32,
        /// The newest format this version knows.
        known: i32,
    },
    /// A standby, or a database that is configured as read-only.
    #[error("{address} is read-only ({reason}); name the primary, or all hosts and target_session_attrs=read-write")]
    ReadOnly {
        /// The database.
        address: String,
        /// The reason.
        reason: &'static str,
    },
    /// The user may not create tables.
    #[error(
        "{user} may not create tables in {address}; make it the owner: ALTER DATABASE \"{database}\" \
         OWNER TO \"{user}\""
    )]
    NotAllowed {
        /// The database.
        address: String,
        /// Its name.
        database: String,
        /// The user.
        user: String,
    },
    /// Another session has locked a table.
    #[error("a table in {address} is locked by another session, such as a backup; restart the server afterwards")]
    Locked {
        /// The database.
        address: String,
    },
    /// Any other error.
    #[error("cannot use {address}: {reason}")]
    Database {
        /// The database.
        address: String,
        /// PostgreSQL's message.
        reason: String,
    },
}

impl DatabaseError {
    /// Returns the error for why none of the hosts can be used.
    pub(super) fn of_hosts(address: &Address, no_host: &NoHost) -> DatabaseError {
        let place = address.to_string();
        match no_host {
            NoHost::Failed(error) => DatabaseError::of(address, error),
            NoHost::ReadOnly(_) if address.is_for_several() => {
                DatabaseError::ReadOnly { address: place, reason: "no host is writable" }
            }
            NoHost::ReadOnly(reason) => DatabaseError::ReadOnly { address: place, reason },
            NoHost::Outdated(reason) => DatabaseError::Database { address: place, reason: reason.clone() },
            NoHost::Silent | NoHost::Address(_) => {
                DatabaseError::Unreachable { address: place, reason: no_host.reason() }
            }
        }
    }

    /// Returns the error to show to the host who started the server.
    pub(super) fn of(address: &Address, error: &tokio_postgres::Error) -> DatabaseError {
        let (database, user) = address.names();
        let place = address.to_string();
        let Some(said) = error.as_db_error() else {
            return DatabaseError::Unreachable { address: place, reason: reason(error) };
        };
        match said.code() {
            &SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
                DatabaseError::Password { address: place }
            }
            &SqlState::INVALID_CATALOG_NAME => DatabaseError::NoDatabase { address: place, database, user },
            &SqlState::INSUFFICIENT_PRIVILEGE => DatabaseError::NotAllowed { address: place, database, user },
            &SqlState::LOCK_NOT_AVAILABLE => DatabaseError::Locked { address: place },
            &SqlState::READ_ONLY_SQL_TRANSACTION => {
                DatabaseError::ReadOnly { address: place, reason: "default_transaction_read_only is on" }
            }
            _ => DatabaseError::Database { address: place, reason: said.message().to_owned() },
        }
    }
}

/// Returns a concise message for a connection error.
pub(super) fn reason(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => said.message().to_owned(),
        None => match std::error::Error::source(error) {
            Some(source) => format!("{error}: {source}").replace(&format!("{source}: {source}"), &source.to_string()),
            None => error.to_string(),
        },
    }
}
