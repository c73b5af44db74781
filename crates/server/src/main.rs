//! The binary `rookery`.

use clap::Parser;
use host::RoomStorage;
use server::{AppState, Cli, Command, Config, DataPlace, Server};
use std::ffi::OsStr;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::thread;
use tokio::runtime::{Builder, Runtime};
use tracing_subscriber::EnvFilter;

/// The global allocator, chosen by measurement (docs/performance.md): an act makes many small, short-lived allocations.
/// It is the same on every platform; musl's own allocator, which the image would use, is the slowest.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match runtime() {
        Ok(runtime) => runtime.block_on(run()),
        Err(error) => {
            eprintln!("rookery: cannot start threads: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Creates the async runtime. With one processor a single thread does everything (docs/performance.md): several would
/// compete for it, and work stealing has a cost. Otherwise there is one worker per processor.
fn runtime() -> std::io::Result<Runtime> {
    let mut builder = match thread::available_parallelism() {
        Ok(processors) if processors.get() == 1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    server::read_date();
    builder.on_thread_start(server::read_date).enable_all().build()
}

async fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_read(&error),
    };
    let done = match cli.command {
        Some(Command::Backup { data: DataPlace::Memory, .. }) => {
            Err("rooms stored in memory cannot be backed up".to_owned())
        }
        Some(Command::Backup { data: DataPlace::Database(_), .. }) => {
            Err("use pg_dump to back up a PostgreSQL database; see docs/hosting.md".to_owned())
        }
        Some(Command::Backup { file, data: DataPlace::Folder(folder) }) => {
            // Standard error, because the copy itself may go to standard output.
            host::backup(&folder, &file).map(|done| eprintln!("rookery: {done}"))
        }
        Some(Command::Move { from, to }) => match (shelf(from), shelf(to)) {
            (Ok(from), Ok(to)) => host::move_rooms(from, to).await.map(|done| println!("{done}")),
            (Err(sentence), _) | (_, Err(sentence)) => Err(sentence),
        },
        Some(Command::Doctor { url }) => host::examine(&url).await,
        Some(Command::Verify { file }) => host::verify(&file).map(|valid| println!("{valid}")),
        Some(Command::Health { listen }) => host::ask_health(listen).await,
        None => serve(cli.config).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("rookery: {sentence}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the storage that rooms can be moved from or to.
fn shelf(place: DataPlace) -> Result<RoomStorage, String> {
    match place {
        DataPlace::Memory => Err("rooms stored in memory cannot be moved".to_owned()),
        DataPlace::Folder(folder) => Ok(RoomStorage::Folder(folder)),
        DataPlace::Database(address) => address.read().map(|address| RoomStorage::Database(Box::new(address))),
    }
}

fn not_read(error: &clap::Error) -> ExitCode {
    match server::wrong_flag(error) {
        Some(sentence) => {
            eprintln!("rookery: {sentence}");
            ExitCode::from(2)
        }
        None => error.exit(),
    }
}

async fn serve(config: Config) -> Result<(), String> {
    let filter = EnvFilter::try_from_env("ROOKERY_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let colours = colours(std::io::stderr().is_terminal(), std::env::var_os("NO_COLOR").as_deref());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours);
    let log = log.with_writer(std::io::stderr).finish();
    // Not `init`, which would also capture records of the `log` crate: at trace level the WebSocket library logs whole
    // messages, including tokens.
    tracing::subscriber::set_global_default(log).map_err(|error| error.to_string())?;
    // Registered before the server reports that it is ready, so that a signal during startup is not lost.
    let asked_to_stop = asked_to_stop().map_err(|error| error.to_string())?;

    if !server::is_clock_set() {
        return Err("this machine's clock shows a time before 1970; set it and start again".to_owned());
    }
    let member = config.nodes.membership()?;
    if member.is_some() && !matches!(config.data, DataPlace::Database(_)) {
        let sentence = "--node requires a shared PostgreSQL database; set it with --data postgres://…";
        return Err(sentence.to_owned());
    }
    let journal = config.data.open(member.map(|member| member.address)).await?;
    let public = config.public_url.as_ref().map(ToString::to_string);
    let server = Server::start(AppState::new(config, journal)).await.map_err(|error| error.to_string())?;
    let terminal = std::io::stdout().is_terminal();
    let lan = server::lan_address().filter(|_| terminal);
    print!("{}", server::greeting(server.address(), public.as_deref(), lan, terminal));

    asked_to_stop.await;
    tracing::info!("stopping");
    server.stop().await;
    Ok(())
}

/// Returns whether log lines contain ANSI colours: on a terminal, unless NO_COLOR (no-color.org) is set to a non-empty
/// value. In files and container logs the escape codes are noise.
fn colours(terminal: bool, no_color: Option<&OsStr>) -> bool {
    terminal && no_color.is_none_or(OsStr::is_empty)
}

/// Starts listening for a stop signal, and returns a future that completes when one arrives.
#[cfg(unix)]
fn asked_to_stop() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Starts listening for Ctrl-C, a closed console and a system shutdown, and returns a future that completes on the
/// first of them.
#[cfg(windows)]
fn asked_to_stop() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::windows::{ctrl_c, ctrl_close, ctrl_shutdown};
    let (mut interrupt, mut close, mut shutdown) = (ctrl_c()?, ctrl_close()?, ctrl_shutdown()?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = close.recv() => {}
            _ = shutdown.recv() => {}
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_colours_on_terminals_unless_no_color_is_set() {
        assert!(colours(true, None));
        assert!(colours(true, Some(OsStr::new(""))), "an empty value counts as unset");
        assert!(!colours(true, Some(OsStr::new("1"))));
        assert!(!colours(false, None));
    }
}
