//! The joined modules of a debug build. They are joined from the current files in `web/`, and cached until one of the
//! files changes.

use super::module;
use bundler::Chunks;
use parking_lot::Mutex;
use std::cell::RefCell;
use std::fs;
use std::sync::Arc;
use std::time::SystemTime;

/// Joined modules, and the files they were made from.
pub struct Joined {
    /// Path and modification time of every file that was read.
    read: Vec<(String, Option<SystemTime>)>,
    /// The chunks, or the reason why the modules cannot be joined.
    pub chunks: Result<Chunks, String>,
}

/// Returns the chunks of the current files.
pub fn latest() -> Arc<Joined> {
    static LATEST: Mutex<Option<Arc<Joined>>> = Mutex::new(None);
    let mut latest = LATEST.lock();
    if let Some(joined) = latest.as_ref().filter(|joined| joined.is_current()) {
        return joined.clone();
    }
    let joined = Arc::new(Joined::join());
    *latest = Some(joined.clone());
    joined
}

impl Joined {
    fn join() -> Joined {
        let read = RefCell::new(Vec::new());
        let chunks = bundler::chunks(|path| {
            // Taken before reading, so that the next request notices a change in between.
            read.borrow_mut().push((path.to_owned(), modified(path)));
            module(path)
        });
        Joined { read: read.into_inner(), chunks }
    }

    /// Returns whether no file has changed. A new file need not be checked, because an existing one must have changed
    /// to import it.
    fn is_current(&self) -> bool {
        self.read.iter().all(|(path, at)| modified(path) == *at)
    }
}

/// Returns the modification time of a file, or `None` if it does not exist.
fn modified(path: &str) -> Option<SystemTime> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/").to_owned() + path;
    fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
}
