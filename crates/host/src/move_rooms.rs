//! `rookery move`: moves all rooms from one journal to another, empty one. The copying and comparing is done by the
//! journal crate.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use journal::Journal;
use journal::moving::{self, MoveError, Moved, Stage};
use journal::ownership::Node;
use journal::postgres::{Address, DatabaseSettings, Postgres};
use journal::sqlite::Sqlite;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// A source or target of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoomStorage {
    /// A data folder.
    Folder(PathBuf),
    /// A database.
    Database(Box<Address>),
}

/// Copies all rooms with all their data, and then compares every entry. Returns one sentence that says what was done.
///
/// # Errors
/// One sentence that says what to do. Nothing is then left in the target, and the source is unchanged.
pub async fn move_rooms(from: RoomStorage, to: RoomStorage) -> Result<String, String> {
    if from == to {
        return Err("--from and --to are the same place".to_owned());
    }
    let begun = Instant::now();
    let moved = match (from, to) {
        (RoomStorage::Folder(from), RoomStorage::Folder(to)) => between(source(from)?, target(to)?).await?,
        (RoomStorage::Folder(from), RoomStorage::Database(to)) => between(source(from)?, database(*to).await?).await?,
        (RoomStorage::Database(from), RoomStorage::Folder(to)) => between(database(*from).await?, target(to)?).await?,
        (RoomStorage::Database(from), RoomStorage::Database(to)) => {
            between(database(*from).await?, database(*to).await?).await?
        }
    };
    let Moved { rooms, entries } = moved;
    Ok(format!(
        "copied {rooms} rooms with {entries} entries and compared every entry, in {:.1} s; start the server with \
         the new place as --data",
        begun.elapsed().as_secs_f64()
    ))
}

/// Opens the source with a server's lock, so that no server can use it in the meantime.
fn source(folder: PathBuf) -> Result<Sqlite, String> {
    // Opening a nonexistent journal would create one.
    if !folder.join("rookery.db").is_file() {
        return Err(format!("there is no journal in {}; use the server's data folder", folder.display()));
    }
    Sqlite::open(&folder).map_err(|error| error.to_string())
}

fn target(folder: PathBuf) -> Result<Sqlite, String> {
    Sqlite::open(&folder).map_err(|error| error.to_string())
}

async fn database(address: Address) -> Result<Postgres, String> {
    Postgres::open(DatabaseSettings::alone(address)).await.map_err(|error| error.to_string())
}

async fn between<From, To>(from: From, to: To) -> Result<Moved, String>
where
    From: moving::Shelf,
    To: moving::Shelf,
{
    let (from, to) = (Arc::new(from), Arc::new(to));
    let moved = between_open(&from, &to).await;
    from.close().await;
    to.close().await;
    moved
}

async fn between_open<From, To>(from: &Arc<From>, to: &Arc<To>) -> Result<Moved, String>
where
    From: moving::Shelf,
    To: moving::Shelf,
{
    nobody_else(&**from, "source").await?;
    nobody_else(&**to, "target").await?;
    let shown = MoveProgress::new();
    let moved = moving::move_all(from.clone(), to.clone(), |stage, done, of| shown.show(stage, done, of)).await;
    drop(shown);
    let moved = moved.map_err(|error| match error {
        MoveError::Source(error) => format!("cannot read the source: {error}"),
        other => other.to_string(),
    })?;
    // A server started in the meantime may have written data that is not in the copy.
    nobody_else(&**from, "source").await?;
    Ok(moved)
}

/// Refuses a database that servers are using. (A folder is protected by its lock.)
async fn nobody_else(journal: &dyn Journal, which: &str) -> Result<(), String> {
    let nodes = journal.ownership().nodes().await.map_err(|error| error.to_string())?;
    let others = nodes.iter().filter(|node| !node.here && !node.lease.is_zero());
    let others: Vec<String> = others.map(name_of).collect();
    if others.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the {which} is used by {}; stop all servers first (after a crash, wait five seconds)",
        others.join(", ")
    ))
}

fn name_of(node: &Node) -> String {
    node.address.clone().unwrap_or_else(|| format!("server {}", node.node))
}

/// Shows progress: a bar on a terminal, or a line for each tenth otherwise.
struct MoveProgress {
    bar: Option<ProgressBar>,
}

impl MoveProgress {
    fn new() -> MoveProgress {
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} rooms, {eta} left");
            let style = style.expect("the template is valid").progress_chars("=> ");
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
        });
        MoveProgress { bar }
    }

    fn show(&self, stage: Stage, done: u64, of: u64) {
        let what = match stage {
            Stage::Copying => "copying",
            Stage::Checking => "comparing",
        };
        match &self.bar {
            Some(bar) if done == 0 => {
                bar.reset();
                bar.set_length(of);
                bar.set_message(what);
            }
            Some(bar) => bar.set_position(done),
            None if done * 10 / of.max(1) != done.saturating_sub(1) * 10 / of.max(1) => {
                eprintln!("{what}: {done} of {of} rooms");
            }
            None => {}
        }
    }
}

impl Drop for MoveProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
