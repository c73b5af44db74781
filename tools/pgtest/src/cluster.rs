//! One PostgreSQL server with its data folder (a cluster in PostgreSQL's terms), and the operations that tests need.

use crate::{MISSING, folder_of_programs};
use parking_lot::Mutex;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{process, thread};
use tempfile::TempDir;

/// Name of the superuser. It is used on this machine only, while the test runs.
pub const USER: &str = "rookery";
/// Password of [`USER`].
pub const PASSWORD: &str = "only-for-tests";

/// Whether acknowledged writes survive a crash of the database or the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disk {
    /// Without `fsync`: fast, and sufficient unless the database is killed.
    Forgetful,
    /// With `fsync`, as in production.
    Durable,
}

/// A running PostgreSQL. Dropping it stops it and removes its folder.
#[derive(Debug)]
pub struct PostgresCluster {
    programs: PathBuf,
    folder: Option<TempDir>,
    user: Option<Unprivileged>,
    disk: Disk,
    port: u16,
    running: Mutex<Option<ClusterProcess>>,
    databases: AtomicU32,
}

/// The processes. The guardian is a shell that waits for the end of its input, which this process holds open. When this
/// process ends, even by `kill -9`, the guardian stops the database and removes the folder.
#[derive(Debug)]
struct ClusterProcess {
    guardian: Child,
    postmaster: u32,
}

/// An unprivileged user for PostgreSQL, which refuses to run as root.
#[derive(Clone, Copy, Debug)]
struct Unprivileged {
    uid: u32,
    gid: u32,
}

impl PostgresCluster {
    /// Creates a new cluster in the system's folder for temporary files, and starts it.
    ///
    /// # Panics
    /// Panics with the reason if that fails.
    pub fn start(disk: Disk) -> PostgresCluster {
        PostgresCluster::start_in(&std::env::temp_dir(), disk)
    }

    /// Creates a new cluster inside the folder `place`, for measurements on a particular disk, and starts it. The user
    /// who runs the database needs access to that folder.
    ///
    /// # Panics
    /// See [`PostgresCluster::start`].
    pub fn start_in(place: &Path, disk: Disk) -> PostgresCluster {
        let programs = folder_of_programs().unwrap_or_else(|| panic!("{MISSING}"));
        let folder = tempfile::Builder::new().prefix("pgtest-").tempdir_in(place).expect("create a temporary folder");
        let user = unprivileged();
        if let Some(user) = user {
            chown(folder.path(), Some(user.uid), Some(user.gid)).expect("change the owner of the folder");
        }
        let port = free_port();
        let cluster = PostgresCluster {
            programs,
            folder: Some(folder),
            user,
            disk,
            port,
            running: Mutex::new(None),
            databases: AtomicU32::new(0),
        };
        cluster.make();
        cluster.run();
        cluster
    }

    /// Creates a standby that follows this cluster by streaming replication, and starts it. It has the same databases
    /// and the same [`Disk`] setting.
    ///
    /// # Panics
    /// See [`PostgresCluster::start`].
    pub fn standby(&self) -> PostgresCluster {
        let folder = tempfile::Builder::new().prefix("pgtest-").tempdir().expect("create a temporary folder");
        if let Some(user) = self.user {
            chown(folder.path(), Some(user.uid), Some(user.gid)).expect("change the owner of the folder");
        }
        let standby = PostgresCluster {
            programs: self.programs.clone(),
            folder: Some(folder),
            user: self.user,
            disk: self.disk,
            port: free_port(),
            running: Mutex::new(None),
            databases: AtomicU32::new(0),
        };
        standby.follow(self);
        standby
    }

    /// Makes this cluster a standby of another, whose contents replace its own, and starts it.
    ///
    /// # Panics
    /// Panics with the reason if that fails.
    pub fn follow(&self, primary: &PostgresCluster) {
        self.end("INT");
        let data = self.path().join("data");
        let _ = fs::remove_dir_all(&data);
        let mut copy = self.command("pg_basebackup");
        copy.args(["--checkpoint=fast", "--no-sync", "--write-recovery-conf", "-D"]).arg(&data);
        copy.arg("-d").arg(format!("{}?application_name={}", primary.address("postgres"), self.name()));
        let copied = copy.output().expect("start pg_basebackup");
        assert!(copied.status.success(), "pg_basebackup: {}", String::from_utf8_lossy(&copied.stderr));
        let settings = data.join("postgresql.auto.conf");
        let before = fs::read_to_string(&settings).expect("the settings were copied");
        // The last line counts: a primary that was a standby itself has an older one.
        let mut lines = before.lines().rev();
        let primary = lines.find(|line| line.starts_with("primary_conninfo")).expect("the settings name the primary");
        fs::write(&settings, format!("{}{primary}\nwal_retrieve_retry_interval = '200ms'\n", self.settings()))
            .expect("write to the data folder");
        self.run();
    }

    /// Returns the name by which a primary knows this standby, for `synchronous_standby_names`.
    pub fn name(&self) -> String {
        format!("standby_{}", self.port)
    }

    /// Requires one of these standbys to have a commit before it is acknowledged. With an empty list no commit waits.
    pub fn wait_for_standbys(&self, standbys: &[&PostgresCluster]) {
        let names = standbys.iter().map(|standby| standby.name()).collect::<Vec<_>>().join(", ");
        let setting = if names.is_empty() { String::new() } else { format!("ANY 1 ({names})") };
        self.sql("postgres", &format!("ALTER SYSTEM SET synchronous_standby_names = '{setting}'"));
        self.sql("postgres", "SELECT pg_reload_conf()");
        let set = || self.sql("postgres", "SHOW synchronous_standby_names") == setting;
        wait_until("the setting is loaded", set);
    }

    /// Waits until every connected standby has received everything written so far.
    pub fn wait_for_replication(&self) {
        let behind = "SELECT count(*) FROM pg_stat_replication
            WHERE flush_lsn IS DISTINCT FROM pg_current_wal_flush_lsn() OR state <> 'streaming'";
        wait_until("the standbys have caught up", || self.sql("postgres", behind) == "0");
    }

    /// Stops a standby from receiving from its primary, so that it lags behind.
    pub fn stop_receiving(&self) {
        self.sql("postgres", "ALTER SYSTEM SET primary_conninfo = ''");
        self.sql("postgres", "SELECT pg_reload_conf()");
        let receivers = "SELECT count(*) FROM pg_stat_wal_receiver";
        wait_until("the standby has stopped receiving", || self.sql("postgres", receivers) == "0");
    }

    /// Promotes a standby to a primary, on a new timeline.
    pub fn promote(&self) {
        assert_eq!(self.sql("postgres", "SELECT pg_promote(true, 60)"), "t", "the standby was not promoted");
    }

    /// Returns the cluster shared by all tests of this process. It is [`Disk::Forgetful`]: do not kill it.
    pub fn shared() -> &'static PostgresCluster {
        static SHARED: OnceLock<PostgresCluster> = OnceLock::new();
        SHARED.get_or_init(|| PostgresCluster::start(Disk::Forgetful))
    }

    /// Returns the port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the URL of a database, for `--data`.
    pub fn address(&self, database: &str) -> String {
        format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{}/{database}", self.port)
    }

    /// Creates an empty database and returns its URL. Databases share nothing but the server.
    pub fn database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        self.address(&name)
    }

    /// Runs statements in a database with `psql`, and returns its output without headers.
    ///
    /// # Panics
    /// Panics if a statement fails.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d"]).arg(self.address(database));
        let done = psql.args(["-c", statements]).stdin(Stdio::null()).output().expect("start psql");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{statements}: {said}");
        String::from_utf8_lossy(&done.stdout).trim_end().to_owned()
    }

    /// Runs a whole file of statements with `psql`, as written by `pg_dump`.
    ///
    /// # Panics
    /// Panics if a statement fails.
    pub fn sql_file(&self, database: &str, statements: &[u8]) {
        let file = self.path().join(format!("{database}.sql"));
        fs::write(&file, statements).expect("write to the folder");
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d"]).arg(self.address(database));
        let done = psql.arg("-f").arg(file).stdin(Stdio::null()).output().expect("start psql");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// Returns the path of one of PostgreSQL's programs, such as `pg_dump`.
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// Stops the database immediately. Connections break in the middle of their work.
    pub fn stop(&self) {
        self.end("INT");
    }

    /// Kills all processes, as in a power failure. Only for [`Disk::Durable`].
    pub fn kill(&self) {
        assert_eq!(self.disk, Disk::Durable, "a restart would lose acknowledged writes");
        self.resume();
        // The guardian waits for the postmaster only, so list all processes first and wait for them below.
        let family = self.family();
        signal("KILL", &family);
        self.end("KILL");
        let gone = |pid: &u32| !Path::new(&format!("/proc/{pid}")).exists();
        wait_until("all its processes have ended", || family.iter().all(gone));
    }

    /// Starts the database again after a stop or kill, on the same port and with the same data.
    pub fn run(&self) {
        let mut running = self.running.lock();
        if running.is_some() {
            return;
        }
        *running = Some(self.spawn());
        drop(running);
        wait_until("PostgreSQL answers", || {
            let mut ready = Command::new(self.programs.join("pg_isready"));
            ready.args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()]);
            ready.status().is_ok_and(|status| status.success())
        });
    }

    /// Stops and starts the database.
    pub fn restart(&self) {
        self.stop();
        self.run();
    }

    /// Restarts with TLS enabled, with this certificate and key.
    pub fn use_tls(&self, certificate: &[u8], key: &[u8]) {
        self.stop();
        for (name, content) in [("server.crt", certificate), ("server.key", key)] {
            let file = self.path().join("data").join(name);
            fs::write(&file, content).expect("write to the data folder");
            fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("change the mode of the file");
            if let Some(user) = self.user {
                chown(&file, Some(user.uid), Some(user.gid)).expect("change the owner of the file");
            }
        }
        let settings = self.path().join("data/postgresql.auto.conf");
        let before = fs::read_to_string(&settings).expect("read the settings");
        fs::write(&settings, format!("{before}ssl = on\n")).expect("write to the data folder");
        self.run();
    }

    /// Restarts as a standby, which is read-only.
    pub fn become_standby(&self) {
        self.stop();
        fs::write(self.path().join("data/standby.signal"), "").expect("write to the data folder");
        self.run();
    }

    /// Pauses all processes with `SIGSTOP`: connections are neither refused nor answered.
    pub fn pause(&self) {
        // Pause the postmaster first, so that it starts no process meanwhile.
        let postmaster = self.postmaster();
        signal("STOP", &[postmaster]);
        signal("STOP", &self.family());
    }

    /// Continues after [`PostgresCluster::pause`].
    pub fn resume(&self) {
        signal("CONT", &self.family());
    }

    fn path(&self) -> &Path {
        self.folder.as_ref().expect("the folder exists until the drop").path()
    }

    fn postmaster(&self) -> u32 {
        let running = self.running.lock();
        running.as_ref().expect("PostgreSQL is running").postmaster
    }

    /// Returns the process ids of the postmaster and its children. Each is the leader of its own session.
    pub fn family(&self) -> Vec<u32> {
        let postmaster = self.postmaster();
        let processes = fs::read_dir("/proc").expect("list the processes in /proc").flatten();
        let pids = processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
        pids.filter(|&pid| pid == postmaster || parent(pid) == Some(postmaster)).collect()
    }

    /// Returns a command that runs as the unprivileged user.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = match self.user {
            None => Command::new(program),
            Some(Unprivileged { uid, gid }) => {
                let mut command = Command::new("setpriv");
                command.args([format!("--reuid={uid}"), format!("--regid={gid}")]);
                command.arg("--clear-groups").arg(program);
                command
            }
        };
        command.current_dir(self.path()).stdin(Stdio::null());
        command
    }

    fn make(&self) {
        let password = self.path().join("password");
        fs::write(&password, PASSWORD).expect("write to the folder");
        fs::set_permissions(&password, Permissions::from_mode(0o644)).expect("change the mode of the file");
        let mut initdb = self.command("initdb");
        initdb.args(["--no-sync", "--encoding=UTF8", "--locale=C", "--auth=scram-sha-256"]);
        initdb.arg(format!("--username={USER}")).arg(format!("--pwfile={}", password.display()));
        initdb.arg("-D").arg(self.path().join("data"));
        let made = initdb.output().expect("start initdb");
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        fs::remove_file(password).expect("remove the password file");
        fs::write(self.path().join("data/postgresql.auto.conf"), self.settings()).expect("write the settings");
    }

    /// Returns the settings for the data folder.
    fn settings(&self) -> String {
        let settings = match self.disk {
            Disk::Forgetful => "fsync = off\nfull_page_writes = off\n",
            Disk::Durable => "",
        };
        format!(
            "listen_addresses = '127.0.0.1'\nport = {}\nunix_socket_directories = '{}'\nmax_connections = 300\n\
             shared_buffers = 64MB\n{settings}",
            self.port,
            self.path().display(),
        )
    }

    fn spawn(&self) -> ClusterProcess {
        let postgres = self.command("postgres");
        let mut guardian = Command::new("sh");
        guardian.arg("-c").arg(GUARDIAN).arg("guardian").arg(postgres.get_program()).args(postgres.get_args());
        guardian.arg("-D").arg(self.path().join("data")).env("FOLDER", self.path());
        guardian.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut guardian = guardian.spawn().expect("start sh");
        let mut line = String::new();
        let said = BufReader::new(guardian.stdout.take().expect("the stream is piped")).read_line(&mut line);
        said.expect("the guardian prints the postmaster's process id");
        ClusterProcess { guardian, postmaster: line.trim().parse().expect("a process id") }
    }

    fn end(&self, how: &str) {
        let mut running = self.running.lock();
        let Some(mut ended) = running.take() else { return };
        // A paused process does not handle signals.
        signal("CONT", &[ended.postmaster]);
        let mut orders = ended.guardian.stdin.take().expect("the stream is piped");
        let _ = writeln!(orders, "{how}");
        let _ = orders.flush();
        let _ = ended.guardian.wait();
        drop(orders);
    }
}

/// Reads one line: the signal to stop the database with. If the input ends without one, the test process is gone, so
/// the guardian removes the folder.
const GUARDIAN: &str = r#"
"$@" </dev/null >>"$FOLDER/log" 2>&1 &
postgres=$!
echo $postgres
if read -r how; then
    kill -$how $postgres 2>/dev/null
    wait $postgres
else
    kill -CONT $postgres 2>/dev/null
    kill -QUIT $postgres 2>/dev/null
    wait $postgres
    rm -rf "$FOLDER"
fi
"#;

impl Drop for PostgresCluster {
    fn drop(&mut self) {
        self.end("INT");
    }
}

/// Sends a signal. Processes that are already gone are ignored.
fn signal(name: &str, pids: &[u32]) {
    let pids = pids.iter().map(u32::to_string);
    let _ = Command::new("kill").arg(format!("-{name}")).args(pids).stderr(Stdio::null()).status();
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Returns a currently free port. It is outside the range that the system uses for outgoing connections, so it stays
/// free for a server that is restarted on it.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed) + process::id() * 61;
        let port = 10_000 + (number % 20_000) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Returns the user who runs the database if this process runs as root.
fn unprivileged() -> Option<Unprivileged> {
    let own = fs::metadata(format!("/proc/{}", process::id())).expect("read this process in /proc");
    if std::os::unix::fs::MetadataExt::uid(&own) != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").expect("read the list of users");
    let of = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut numbers = line.split(':').skip(2).map(str::parse);
        Some(Unprivileged { uid: numbers.next()?.ok()?, gid: numbers.next()?.ok()? })
    };
    Some(of("postgres").or_else(|| of("nobody")).expect("there is a user other than root"))
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}: not within a minute");
        thread::sleep(Duration::from_millis(20));
    }
}
