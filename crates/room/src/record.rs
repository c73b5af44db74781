//! Records of finished games, which anyone can verify: made from a room's journal, and replayed from the record alone.

use crate::digest::{Changed, digest_of, unchanged};
use crate::games::{ActRefusal, AnyGame, Dealt};
use crate::origin::{is_shallow, lay};
use crate::{Entry, Misfit, Offer, Room, RoomEvent};
use game::Seat;
use protocol::{Record, RecordDoubt, RecordedAct, RoomPhase};
use serde::Deserialize;

/// Current version of the record format. It is separate from the protocol version, because records are kept for years.
/// Older versions always stay readable, and newer ones are refused.
const VERSION: u32 = 3;

/// Version for games with a random starter.
const STARTER_DRAWN: u32 = 2;

/// First version with a digest.
const WITH_DIGEST: u32 = 2;

/// Value of `protocol` in every record. It was the protocol version when records had no version of their own.
const PROTOCOL: u32 = 1;

/// Returns the record of the last finished game, if there is one. Reads only the lines of the journal after the
/// checkpoint before that game.
pub fn last_record(lines: &[String]) -> Result<Option<Record>, Misfit> {
    let mut end = lines.len();
    loop {
        let entries = from_last_checkpoint(0, &lines[..end])?;
        end -= entries.len();
        let record = record_among(entries)?;
        if record.is_some() || end == 0 {
            return Ok(record);
        }
    }
}

/// Returns the entries from the last checkpoint on, or all of them. `before` is the number of lines before these.
pub(crate) fn from_last_checkpoint(before: u64, lines: &[String]) -> Result<Vec<Entry>, Misfit> {
    let mut entries = Vec::new();
    for (index, line) in lines.iter().enumerate().rev() {
        let number = before + index as u64 + 1;
        let entry = Entry::read(line).map_err(|cause| Misfit { entry: number, cause })?;
        let first = entry.is_checkpoint();
        entries.push(entry);
        if first {
            break;
        }
    }
    entries.reverse();
    Ok(entries)
}

/// Returns the record of the last finished game among entries from which a room can be rebuilt.
fn record_among(entries: Vec<Entry>) -> Result<Option<Record>, Misfit> {
    let mut last = None;
    for record in RecordIter::among(entries.into_iter().map(Ok))? {
        last = Some(record?);
    }
    Ok(last)
}

/// Returns the records of all finished games in order, given all lines of a room's journal. Lines are dropped once they
/// are read, and only one game is in memory at a time.
pub fn records_of(lines: Vec<String>) -> Result<impl Iterator<Item = Result<Record, Misfit>>, Misfit> {
    let numbered = (1..).zip(lines);
    RecordIter::among(
        numbered.map(|(entry, line): (u64, String)| Entry::read(&line).map_err(|cause| Misfit { entry, cause })),
    )
}

/// Iterates over the games in entries from which a room can be rebuilt, each as soon as it is over.
struct RecordIter<Entries> {
    entries: Entries,
    room: Room,
    /// The current game so far.
    on: Option<Record>,
}

impl<Entries: Iterator<Item = Result<Entry, Misfit>>> RecordIter<Entries> {
    fn among(mut entries: Entries) -> Result<RecordIter<Entries>, Misfit> {
        let first = entries.next().transpose()?;
        Ok(RecordIter { entries, room: Room::rebuild(first, 0)?, on: None })
    }

    /// Reads to the end of the next game. `None` at the end of the entries.
    fn read_on(&mut self) -> Result<Option<Record>, Misfit> {
        for entry in self.entries.by_ref() {
            let entry = entry?;
            match &entry.what {
                RoomEvent::Started { rules_version, starter } => {
                    self.on = Some(begun(&self.room, *rules_version, *starter));
                }
                RoomEvent::Rematched { .. } => self.on = None,
                RoomEvent::Acted { seat, action, .. } => {
                    if let Some(record) = &mut self.on {
                        record.acts.push(RecordedAct { seat: *seat, action: action.clone(), at: entry.at.0 });
                    }
                }
                _ => {}
            }
            self.room.apply(&entry, 0)?;
            if self.room.phase() == RoomPhase::Finished
                && let (Some(mut record), Some(outcome)) = (self.on.take(), self.room.outcome())
            {
                (record.players, record.outcome) = (names(&self.room), outcome);
                return Ok(Some(with_digest(record)));
            }
        }
        Ok(None)
    }
}

impl<Entries: Iterator<Item = Result<Entry, Misfit>>> Iterator for RecordIter<Entries> {
    type Item = Result<Record, Misfit>;

    fn next(&mut self) -> Option<Result<Record, Misfit>> {
        self.read_on().transpose()
    }
}

/// Creates the record, still without actions, of the game this lobby is about to play with this version of the rules
/// and this starter, if one was chosen.
pub(crate) fn begun(room: &Room, rules_version: u32, starter: Option<Seat>) -> Record {
    let offer = room.options.offer();
    Record {
        record_version: if starter.is_some() { VERSION } else { STARTER_DRAWN },
        protocol: PROTOCOL,
        rules_version,
        game: offer.id.to_owned(),
        rules: room.options.rules().clone(),
        players: names(room),
        server_seed: room.seed,
        salts: room.seats.salts().collect(),
        starter,
        commitment: room.seed.commitment(),
        acts: Vec::new(),
        outcome: game::Outcome::most_points([]),
        origin: room.origin.clone(),
        digest: None,
    }
}

/// Returns the names of all players, by seat. A record contains the names at the end of its game, so that renamed
/// players are found under their new names. Later renames do not change it.
pub(crate) fn names(room: &Room) -> Vec<String> {
    room.seats.iter().map(|(_, player)| player.name.to_string()).collect()
}

/// Adds the digest to a complete record.
pub(crate) fn with_digest(record: Record) -> Record {
    Record { digest: Some(digest_of(&record)), ..record }
}

/// Why a record is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "each variant's message is its documentation")]
pub enum Doubt {
    #[error("it is not a game record: {0}")]
    Unreadable(String),
    #[error("it is a record of version {0}, which needs a newer Rookery")]
    Version(u32),
    #[error("it uses protocol {0}, which this Rookery does not support")]
    Protocol(u32),
    #[error("its game {0:?} is not available here")]
    Game(String),
    #[error("it uses version {0} of the rules, which this Rookery does not support")]
    RulesVersion(u32),
    #[error("its rules cannot be read: {0}")]
    Rules(String),
    #[error("this game does not support {0} players, or the number of salts differs")]
    Players(usize),
    #[error("the commitment does not match the server's seed")]
    Commitment,
    #[error("act {n} of seat {seat} is illegal: {why}", seat = seat.0)]
    Act { n: usize, seat: game::Seat, code: Option<&'static str>, why: String },
    #[error(
        "{} was changed after it was written",
        match n { Some(n) => format!("act {n}"), None => format!("its {part}") }
    )]
    Changed { part: String, n: Option<usize> },
    #[error("the acts do not lead to the end of the game")]
    NoEnd,
    #[error("the recorded outcome does not match the game")]
    Outcome,
    #[error("the earlier game it begins with is not valid: {0}")]
    Origin(Box<Doubt>),
    #[error("the earlier game it begins with has another kind, other rules or another number of players")]
    OriginOther,
    #[error("the earlier game has no such moment, or the moment is its end")]
    OriginMoment,
    #[error("too many nested earlier games, or they are too long")]
    OriginDeep,
    #[error("it has no such moment, or the moment is its end")]
    NoMoment,
    #[error("a player's name is not valid")]
    Names,
}

/// Parses a record written by this or an earlier version.
pub fn read_record(text: &str) -> Result<Record, Doubt> {
    #[derive(Deserialize)]
    struct RecordVersion {
        #[serde(default)]
        record_version: u32,
    }
    let unreadable = |error: serde_json::Error| Doubt::Unreadable(error.to_string());
    // The version is parsed first, because the rest may be anything in a newer format.
    let RecordVersion { record_version } = serde_json::from_str(text).map_err(unreadable)?;
    if record_version > VERSION {
        return Err(Doubt::Version(record_version));
    }
    serde_json::from_str(text).map_err(unreadable)
}

impl Doubt {
    /// Returns the wire representation, which clients translate.
    pub fn told(&self) -> RecordDoubt {
        match self {
            Doubt::Unreadable(_) => RecordDoubt::Unreadable {},
            Doubt::Version(version) => RecordDoubt::Version { version: *version },
            Doubt::Protocol(version) => RecordDoubt::Protocol { version: *version },
            Doubt::Game(_) => RecordDoubt::Game {},
            Doubt::RulesVersion(version) => RecordDoubt::RulesVersion { version: *version },
            Doubt::Rules(_) => RecordDoubt::Rules {},
            Doubt::Players(count) => RecordDoubt::Players { count: *count },
            Doubt::Commitment => RecordDoubt::Commitment {},
            Doubt::Act { n, seat, code, .. } => RecordDoubt::Act { n: *n, seat: *seat, code: code.map(str::to_owned) },
            Doubt::Changed { part, n } => RecordDoubt::Changed { part: part.clone(), n: *n },
            Doubt::NoEnd => RecordDoubt::NoEnd {},
            Doubt::Outcome => RecordDoubt::Outcome {},
            Doubt::Origin(doubt) => RecordDoubt::Origin { doubt: Box::new(doubt.told()) },
            Doubt::OriginOther => RecordDoubt::OriginOther {},
            Doubt::OriginMoment => RecordDoubt::OriginMoment {},
            Doubt::OriginDeep => RecordDoubt::OriginDeep {},
            Doubt::NoMoment => RecordDoubt::Moment {},
            Doubt::Names => RecordDoubt::Names {},
        }
    }
}

/// Verifies a record by replaying it: the digest, the commitment, the deal, every action and the outcome.
pub fn verify(record: &Record) -> Result<(), Doubt> {
    if record.record_version > VERSION {
        return Err(Doubt::Version(record.record_version));
    }
    match &record.digest {
        // The digest is checked first, because it names what was changed. Later checks would only show the
        // consequences.
        Some(digest) => unchanged(record, digest)?,
        None if record.record_version < WITH_DIGEST => {}
        None => return Err(Doubt::Changed { part: "digest".to_owned(), n: None }),
    }
    if record.protocol != PROTOCOL {
        return Err(Doubt::Protocol(record.protocol));
    }
    if !is_shallow(record) {
        return Err(Doubt::OriginDeep);
    }
    if let Some(origin) = &record.origin {
        verify(&origin.record).map_err(|doubt| Doubt::Origin(Box::new(doubt)))?;
    }
    let (mut game, _) = begin(record)?;
    play(&mut *game, &record.acts, record.players.len())?;
    let outcome = game.outcome().ok_or(Doubt::NoEnd)?;
    if outcome == record.outcome { Ok(()) } else { Err(Doubt::Outcome) }
}

/// Plays these actions, if they are legal.
pub(crate) fn play(game: &mut dyn AnyGame, acts: &[RecordedAct], players: usize) -> Result<(), Doubt> {
    for (n, RecordedAct { seat, action, .. }) in acts.iter().enumerate() {
        let refused = |code, why| Doubt::Act { n, seat: *seat, code, why };
        if seat.index() >= players {
            return Err(refused(None, "there is no such seat".to_owned()));
        }
        game.apply(*seat, action).map_err(|refusal| match refusal {
            ActRefusal::Malformed(detail) => refused(None, detail),
            ActRefusal::Forbidden { code, detail } => refused(Some(code), detail),
        })?;
    }
    Ok(())
}

/// Returns the game at its start, if the record is complete and the server kept its commitment. It is a new deal, or
/// the table or deal of an earlier game.
pub(crate) fn begin(record: &Record) -> Result<Dealt, Doubt> {
    let offer = Offer::find(&record.game).ok_or_else(|| Doubt::Game(record.game.clone()))?;
    if !offer.has_rules_version(record.rules_version) {
        return Err(Doubt::RulesVersion(record.rules_version));
    }
    let players = record.players.len();
    if !(offer.min..=offer.max).contains(&players) || record.salts.len() != players {
        return Err(Doubt::Players(players));
    }
    if record.starter.is_some_and(|seat| seat.index() >= players) {
        return Err(Doubt::Unreadable("the starter's seat does not exist".to_owned()));
    }
    if record.server_seed.commitment() != record.commitment {
        return Err(Doubt::Commitment);
    }
    let rules = offer.rules(&record.rules).map_err(Doubt::Rules)?;
    let seed = record.server_seed.salted(record.salts.iter().copied().flatten());
    let (mut game, events) = match &record.origin {
        None => offer.deal(&rules, players, seed, record.starter).map_err(Doubt::Rules)?,
        Some(origin) => {
            let earlier = &origin.record;
            let same = earlier.game == record.game
                && earlier.players.len() == players
                && offer.rules(&earlier.rules).is_ok_and(|earlier| earlier == rules);
            if !same {
                return Err(Doubt::OriginOther);
            }
            lay(origin, seed)?
        }
    };
    game.set_rules_version(record.rules_version);
    Ok((game, events))
}

impl From<Changed> for Doubt {
    fn from(Changed { part, n }: Changed) -> Doubt {
        Doubt::Changed { part, n }
    }
}
