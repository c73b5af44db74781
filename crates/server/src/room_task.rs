//! One task owns one room: it hears what is asked, decides, writes, applies, and shows.
//!
//! If what somebody asked for cannot be written they are told, the task ends, and the next to come gets the room as
//! it was written. Whoever only wants to look needs no writing.

mod autopilot;
mod handover;
mod say;
mod show;

use crate::RoomCode;
use crate::code::random_bytes;
use crate::line::Line;
use crate::registry::{Opening, Tenancy};
use crate::shared::Shared;
use autopilot::Thought;
use game::{Salt, Seat};
use handover::Handovers;
use journal::{AppendError, Head, JournalError};
use protocol::{ClientMessage, Close, RoomView};
use room::{Entry, Input, Name, PlayerId, Refusal, Room, TokenHash, Want};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use uuid::Uuid;

/// A room nobody is connected to leaves memory after this long.
const IDLE: Duration = Duration::from_secs(10 * 60);
/// A write that nobody asked for, such as a bot's act, is tried again after this long if it failed: a disk that is
/// full stays full for a while, and meanwhile people may look.
const WRITE_AGAIN: Duration = Duration::from_secs(10);
/// A phone, a laptop, and one more of each.
const PLACES: usize = 4;

/// Names a connection within its room; a later one has a higher number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConnectionId(u64);

/// What a room's task is asked.
pub enum Ask {
    /// What does the room look like?
    Look { answer: oneshot::Sender<RoomView> },
    /// A connection introduces itself; the answer is its name here, or why it is closed.
    Join { join: Join, line: Line, answer: oneshot::Sender<Result<ConnectionId, Close>> },
    /// A connection says something.
    Say { from: ConnectionId, message: ClientMessage },
    /// A connection is gone.
    Gone { from: ConnectionId },
    /// The server is full: leave memory, if nobody is here. `gone` is dropped once that is done, or at once if
    /// somebody is.
    MakeWay { gone: oneshot::Sender<()> },
}

/// Who somebody is, checked as far as it can be without the room.
pub struct Join {
    /// What brings them here.
    pub who: Who,
    /// Their part in the next deal.
    pub salt: Option<Salt>,
}

/// By what somebody comes in.
pub enum Who {
    /// By the token of their seat.
    Token(String),
    /// By name, to sit if they can.
    Player(Name),
    /// By name, to look on.
    Watcher(Name),
}

/// Why a room's task must end.
enum Halt {
    /// The storage failed, and nothing has happened. Who can do without what was to be written may go on: should it
    /// be written all the same, the next append will not follow the head.
    Unwritten,
    /// The room in memory is not the one that is written, or the server stops.
    Stale,
}

/// Runs a room until nobody has needed it for a while, the server stops, or it cannot be written.
pub async fn run(
    shared: Arc<Shared>,
    code: RoomCode,
    mut inbox: mpsc::Receiver<Ask>,
    opened: watch::Sender<Opening>,
    tenancy: Tenancy,
) {
    let mut task = match RoomTask::read(shared, code).await {
        Ok(Some(task)) => task,
        Ok(None) => {
            opened.send_replace(Opening::Missing);
            return;
        }
        Err(error) => {
            // Of a journal that cannot be read, the journal itself tells, once.
            if error.is::<JournalError>() {
                tracing::debug!(room = %code, %error, "cannot read the room");
            } else {
                tracing::error!(room = %code, %error, "cannot read the room");
            }
            opened.send_replace(Opening::Failed);
            return;
        }
    };
    tracing::debug!(room = %code, "room opened");
    let _ = task.serve(&mut inbox, &opened).await;
    // Out of the registry first, so that whoever finds this inbox closed finds a new room behind the code, and whoever
    // waits for this task to make way finds its place free.
    drop(tenancy);
    drop(task);
    tracing::debug!(room = %code, "room put away");
}

struct Connection {
    line: Line,
    player: Option<PlayerId>,
    name: Name,
    token: Option<String>,
    /// What it brought for the deal, for when its owner sits down later.
    salt: Option<Salt>,
    /// The place this connection was last told it has.
    told: Option<Seat>,
    /// Until its welcome a connection is shown nothing else.
    welcomed: bool,
}

struct RoomTask {
    shared: Arc<Shared>,
    room: Room,
    /// Where the room's journal ends; the next entry must follow it.
    head: Head,
    connections: BTreeMap<ConnectionId, Connection>,
    next_connection: u64,
    /// Since when nobody has been connected.
    empty_since: Instant,
    /// Not before this moment is anything written that nobody asked for.
    write_again: Instant,
    /// What everyone was last shown.
    shown: RoomView,
    shown_version: u64,
    /// Decisions somebody is thinking about, and those thinking.
    thinking_about: Vec<Want>,
    thoughts: JoinSet<Thought>,
    handovers: Handovers,
    /// Who waits for this room to leave memory.
    making_way: Option<oneshot::Sender<()>>,
}

impl RoomTask {
    async fn read(
        shared: Arc<Shared>,
        code: RoomCode,
    ) -> Result<Option<RoomTask>, Box<dyn std::error::Error>> {
        let now = shared.clock.running();
        // Before the reading, or a sweep between the two would take the room from under us. On a disk that is full
        // the room merely counts as not opened: to look at it, nothing need be written.
        if let Err(error) = shared.journal.opened(code.as_str(), now).await {
            tracing::debug!(room = %code, %error, "cannot note that the room was opened");
        }
        let Some(lines) = shared.journal.load(code.as_str()).await? else { return Ok(None) };
        let room = Room::rebuild(Entry::read_all(&lines)?, now)?;
        Ok(Some(RoomTask {
            head: Head(lines.len() as u64),
            shown: room.view(0, shared.config.keep_days, now),
            shown_version: room.version(),
            shared,
            room,
            connections: BTreeMap::new(),
            next_connection: 0,
            empty_since: Instant::now(),
            write_again: Instant::now(),
            thinking_about: Vec::new(),
            thoughts: JoinSet::new(),
            handovers: Handovers::default(),
            making_way: None,
        }))
    }

    async fn serve(
        &mut self,
        inbox: &mut mpsc::Receiver<Ask>,
        opened: &watch::Sender<Opening>,
    ) -> Result<(), Halt> {
        let draining = self.shared.draining.clone();
        loop {
            let empty_since = self.connections.is_empty().then_some(self.empty_since);
            opened.send_replace(Opening::Open { empty_since });
            let idle = empty_since.map(|since| since + IDLE);
            let due = self.room.due().map(|due| self.shared.clock.at(due));
            let own = due.into_iter().chain(self.next_want()).min().map(|own| own.max(self.write_again));
            let wake = idle.into_iter().chain(own).min();
            tokio::select! {
                biased;
                () = draining.cancelled() => return Ok(()),
                ask = inbox.recv() => match ask {
                    Some(ask) => self.hear(ask).await?,
                    None => return Ok(()),
                },
                Some(thought) = self.thoughts.join_next(), if !self.thoughts.is_empty() => match thought {
                    Ok(thought) => {
                        let played = self.play_for(thought).await;
                        self.or_later(played)?;
                    }
                    // Thinkers do not fail, they answer nothing; if one does all the same, ask again.
                    Err(_) => self.thinking_about.clear(),
                },
                () = until(wake) => {
                    if idle.is_some_and(|idle| idle <= Instant::now()) {
                        self.put_away().await;
                        // Somebody may have come while that was written.
                        if inbox.is_empty() {
                            return Ok(());
                        }
                        continue;
                    }
                    let done = self.see_to_others().await;
                    self.or_later(done)?;
                }
            }
            self.show();
            if self.making_way.is_some() {
                // As above, somebody may have come.
                if inbox.is_empty() {
                    return Ok(());
                }
                self.making_way = None;
            }
        }
    }

    /// A tab can be open for longer than rooms are kept without a word being said: what counts is when the last
    /// one left. If it cannot be noted, the room merely counts as not opened since.
    async fn put_away(&mut self) {
        if let Err(error) = self.shared.journal.opened(self.room.code(), self.shared.clock.running()).await {
            tracing::debug!(room = self.room.code(), %error, "cannot note when the room was left");
        }
    }

    async fn hear(&mut self, ask: Ask) -> Result<(), Halt> {
        match ask {
            Ask::Look { answer } => {
                let _ = answer.send(self.view());
            }
            Ask::Join { join, line, answer } => {
                let joined = self.join(join, line).await?;
                let _ = answer.send(joined);
            }
            Ask::Say { from, message } => self.say(from, message).await?,
            Ask::Gone { from } => self.forget(from),
            Ask::MakeWay { gone } if self.connections.is_empty() => {
                self.put_away().await;
                self.making_way = Some(gone);
            }
            Ask::MakeWay { .. } => {}
        }
        Ok(())
    }

    /// Decides, writes, applies. What is refused changes nothing.
    async fn carry_out(&mut self, input: Input) -> Result<Result<Vec<Entry>, Refusal>, Halt> {
        let now = self.shared.clock.now();
        let entries = match self.room.decide(input, now) {
            Ok(entries) => entries,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if entries.is_empty() {
            return Ok(Ok(entries));
        }
        let lines = entries.iter().map(Entry::to_json).collect();
        let begun = std::time::Instant::now();
        match self.shared.journal.append(self.room.code(), self.head, lines, now.steady).await {
            Ok(head) => self.head = head,
            Err(AppendError::Failed(JournalError::Closed)) => return Err(Halt::Stale),
            // The journal itself tells what is the matter, once.
            Err(AppendError::Failed(error)) => {
                tracing::debug!(room = self.room.code(), %error, "cannot write the room");
                return Err(Halt::Unwritten);
            }
            Err(error @ AppendError::NotHead { .. }) => {
                tracing::error!(room = self.room.code(), %error, "somebody else has written the room");
                return Err(Halt::Stale);
            }
        }
        self.shared.metrics.append.record(begun.elapsed());
        for entry in &entries {
            if let Err(error) = self.room.apply(entry, now.steady) {
                tracing::error!(room = self.room.code(), %error, "an entry just decided does not fit");
                return Err(Halt::Stale);
            }
        }
        Ok(Ok(entries))
    }

    /// Does what nobody asked for and time has brought.
    async fn see_to_others(&mut self) -> Result<(), Halt> {
        if self.write_again > Instant::now() {
            return Ok(());
        }
        // A tick is never refused.
        self.carry_out(Input::Tick {}).await.map(|_| ())?;
        self.decide_for_others().await
    }

    /// What nobody asked for can wait: those who are here need not be sent away because it cannot be written.
    fn or_later(&mut self, done: Result<(), Halt>) -> Result<(), Halt> {
        if let Err(Halt::Unwritten) = done {
            self.write_again = Instant::now() + WRITE_AGAIN;
            return Ok(());
        }
        done
    }

    async fn join(&mut self, join: Join, line: Line) -> Result<Result<ConnectionId, Close>, Halt> {
        let Join { who, salt } = join;
        let known = matches!(who, Who::Token(_));
        let (player, name, token) = match who {
            Who::Token(token) => {
                let token = self.handovers.redeem(&token, self.shared.clock.running()).unwrap_or(token);
                let Some(player) = self.room.seats().by_token(TokenHash::of(&token)) else {
                    return Ok(Err(Close::BadToken));
                };
                let (id, name) = (player.id, player.name.clone());
                let salted = salt.map(|salt| Input::Salt { player: id, salt });
                for input in salted.into_iter().chain([Input::Return { player: id }]) {
                    // Whoever has a seat may look at the table even if neither can be written now.
                    if let Err(Halt::Stale) = self.carry_out(input).await {
                        return Err(Halt::Stale);
                    }
                }
                (Some(id), name, Some(token))
            }
            Who::Player(name) => {
                let token = new_token();
                match self.seat_newcomer(name.clone(), &token, salt).await? {
                    Ok((id, name)) => (Some(id), name, Some(token)),
                    // No seat is free, or a game is on.
                    Err(_) => (None, name, None),
                }
            }
            Who::Watcher(name) => (None, name, None),
        };
        let id = ConnectionId(self.next_connection);
        self.next_connection += 1;
        let connection = Connection { line, player, name, token, salt, told: None, welcomed: false };
        self.connections.insert(id, connection);
        if let Some(player) = player {
            let now = self.shared.clock.running();
            // Who brings a token has been told it; for the others it is still on its way.
            if known {
                self.room.came(player, now)
            } else {
                self.room.came_unmet(player, now)
            }
            self.close_oldest_place(player);
        }
        // The others hear of it, then the newcomer is shown everything as it is now.
        self.show();
        self.welcome(id);
        Ok(Ok(id))
    }

    async fn sit(
        &mut self,
        name: Name,
        token: &str,
        salt: Option<Salt>,
    ) -> Result<Result<(PlayerId, Name), Refusal>, Halt> {
        // Without any salt the game's seed would be the commitment itself, which everyone sees. So who brings none
        // is given one.
        let salt = salt.or_else(|| Some(Salt(random_bytes())));
        let token = TokenHash::of(token);
        self.seated_by(token, Input::Sit { name, token, salt }).await
    }

    /// Somebody comes by name: for the first time, or again after a line that broke before they were welcomed. Only a
    /// salt of their own can tell.
    async fn seat_newcomer(
        &mut self,
        name: Name,
        token: &str,
        salt: Option<Salt>,
    ) -> Result<Result<(PlayerId, Name), Refusal>, Halt> {
        let Some(salt) = salt else { return self.sit(name, token, None).await };
        let token = TokenHash::of(token);
        self.seated_by(token, Input::Join { name, token, salt }).await
    }

    async fn seated_by(
        &mut self,
        token: TokenHash,
        input: Input,
    ) -> Result<Result<(PlayerId, Name), Refusal>, Halt> {
        let entries = self.carry_out(input).await?;
        Ok(entries.map(|_| {
            let player = self.room.seats().by_token(token).expect("whoever just sat has a seat");
            (player.id, player.name.clone())
        }))
    }

    fn close_oldest_place(&mut self, player: PlayerId) {
        let places: Vec<ConnectionId> = self.places_of(player).collect();
        if places.len() > PLACES {
            self.hang_up(places[0], Close::TooManyPlaces);
        }
    }

    fn places_of(&self, player: PlayerId) -> impl Iterator<Item = ConnectionId> {
        let theirs = self.connections.iter().filter(move |(_, connection)| connection.player == Some(player));
        theirs.map(|(id, _)| *id)
    }

    fn hang_up(&mut self, id: ConnectionId, close: Close) {
        if let Some(connection) = self.remove(id) {
            connection.line.hang_up(close);
        }
    }

    fn forget(&mut self, id: ConnectionId) {
        self.remove(id);
    }

    fn remove(&mut self, id: ConnectionId) -> Option<Connection> {
        let connection = self.connections.remove(&id)?;
        if let Some(player) = connection.player {
            if connection.line.is_met() {
                self.room.met(player);
            }
            self.room.went(player, self.shared.clock.running());
        }
        self.empty_since = Instant::now();
        Some(connection)
    }

    fn seat(&self, connection: &Connection) -> Option<Seat> {
        self.room.seats().seat_of(connection.player?)
    }

    fn view(&self) -> RoomView {
        let watchers = self.connections.values().filter(|connection| connection.player.is_none()).count();
        self.room.view(watchers, self.shared.config.keep_days, self.shared.clock.running())
    }
}

/// A seat's token: 122 bits nobody can guess.
fn new_token() -> String {
    Uuid::new_v4().simple().to_string()
}

async fn until(wake: Option<Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => std::future::pending().await,
    }
}
