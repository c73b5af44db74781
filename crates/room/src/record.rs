//! A finished game as a record that anyone can check: made from a room's journal, and played again from itself alone.

use crate::games::{ActRefusal, Dealt};
use crate::{Entry, Misfit, Offer, Room, What};
use protocol::{Record, RecordDoubt, RecordedAct, RoomPhase};
use serde::Deserialize;

/// The form records are written in now. It is their own: a record is kept for years, and the wire's contract may change
/// without it. Older forms stay readable for ever; a newer one is refused.
const VERSION: u32 = 1;

/// What every record has as its `protocol`: the wire's when there was no version but that.
const PROTOCOL: u32 = 1;

/// The record of the last game that was played to its end, if there is one. Of all the lines of a room's journal only those are
/// read that come after the checkpoint before that game.
pub fn last_record(lines: &[String]) -> Result<Option<Record>, Misfit> {
    let mut end = lines.len();
    loop {
        let entries = from_last_checkpoint(&lines[..end])?;
        end -= entries.len();
        let record = record_among(entries)?;
        if record.is_some() || end == 0 {
            return Ok(record);
        }
    }
}

/// The entries from the last checkpoint on, or all of them.
fn from_last_checkpoint(lines: &[String]) -> Result<Vec<Entry>, Misfit> {
    let mut entries = Vec::new();
    for (index, line) in lines.iter().enumerate().rev() {
        let entry = Entry::read(line).map_err(|cause| Misfit { entry: index as u64 + 1, cause })?;
        let first = entry.is_checkpoint();
        entries.push(entry);
        if first {
            break;
        }
    }
    entries.reverse();
    Ok(entries)
}

/// The record of the last game played to its end among entries from which a room can be rebuilt.
fn record_among(entries: Vec<Entry>) -> Result<Option<Record>, Misfit> {
    let mut entries = entries.into_iter();
    let mut room = Room::rebuild(entries.next(), 0)?;
    let mut finished = None;
    // The game that is on, as far as it has come.
    let mut on: Option<Record> = None;
    for entry in entries {
        match &entry.what {
            What::Started {} => on = Some(begun(&room)),
            What::Rematched { .. } => on = None,
            What::Acted { seat, action, .. } => {
                if let Some(record) = &mut on {
                    record.acts.push(RecordedAct { seat: *seat, action: action.clone(), at: entry.at.0 });
                }
            }
            _ => {}
        }
        room.apply(&entry, 0)?;
        if room.phase() == RoomPhase::Finished
            && let (Some(mut record), Some(outcome)) = (on.take(), room.outcome())
        {
            record.outcome = outcome;
            finished = Some(record);
        }
    }
    Ok(finished)
}

/// A record without acts, of the game this lobby is about to play.
pub(crate) fn begun(room: &Room) -> Record {
    let offer = room.options.offer();
    Record {
        record_version: VERSION,
        protocol: PROTOCOL,
        rules_version: offer.rules_version,
        game: offer.id.to_owned(),
        rules: room.options.rules().clone(),
        players: room.seats.iter().map(|(_, player)| player.name.to_string()).collect(),
        server_seed: room.seed,
        salts: room.seats.salts().collect(),
        commitment: room.seed.commitment(),
        acts: Vec::new(),
        outcome: game::Outcome::most_points([]),
    }
}

/// Why a record does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "each variant's message is its documentation")]
pub enum Doubt {
    #[error("it is not the record of a game: {0}")]
    Unreadable(String),
    #[error("it is a record of version {0}, which only a newer Rookery can read")]
    Version(u32),
    #[error("it is of protocol {0}, which this Rookery does not speak")]
    Protocol(u32),
    #[error("its game {0:?} is not on offer here")]
    Game(String),
    #[error("it was played by version {0} of the rules, which this Rookery does not have")]
    RulesVersion(u32),
    #[error("its rules cannot be read: {0}")]
    Rules(String),
    #[error("{0} cannot play this game, or not everyone has a place for a salt")]
    Players(usize),
    #[error("the commitment is not that of the server's seed")]
    Commitment,
    #[error("act {n}, of seat {seat}, is refused: {why}", seat = seat.0)]
    Act { n: usize, seat: game::Seat, code: Option<&'static str>, why: String },
    #[error("the acts do not lead to the end of the game")]
    NoEnd,
    #[error("the game ended otherwise")]
    Outcome,
}

/// Reads a record written by this or an older Rookery.
pub fn read_record(text: &str) -> Result<Record, Doubt> {
    #[derive(Deserialize)]
    struct Version {
        #[serde(default)]
        record_version: u32,
    }
    let unreadable = |error: serde_json::Error| Doubt::Unreadable(error.to_string());
    // Before the rest, which in a newer form may be anything.
    let Version { record_version } = serde_json::from_str(text).map_err(unreadable)?;
    if record_version > VERSION {
        return Err(Doubt::Version(record_version));
    }
    serde_json::from_str(text).map_err(unreadable)
}

impl Doubt {
    /// The same as it goes over the wire, for a client to word.
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
            Doubt::Act { n, seat, code, .. } => {
                RecordDoubt::Act { n: *n, seat: *seat, code: code.map(str::to_owned) }
            }
            Doubt::NoEnd => RecordDoubt::NoEnd {},
            Doubt::Outcome => RecordDoubt::Outcome {},
        }
    }
}

/// Plays a recorded game again: whether the commitment, the deals, every act and the outcome hold.
pub fn verify(record: &Record) -> Result<(), Doubt> {
    if record.record_version > VERSION {
        return Err(Doubt::Version(record.record_version));
    }
    if record.protocol != PROTOCOL {
        return Err(Doubt::Protocol(record.protocol));
    }
    let (mut game, _) = dealt(record)?;
    for (n, RecordedAct { seat, action, .. }) in record.acts.iter().enumerate() {
        let refused = |code, why| Doubt::Act { n, seat: *seat, code, why };
        if seat.index() >= record.players.len() {
            return Err(refused(None, "nobody sits there".to_owned()));
        }
        game.apply(*seat, action).map_err(|refusal| match refusal {
            ActRefusal::Malformed(detail) => refused(None, detail),
            ActRefusal::Forbidden { code, detail } => refused(Some(code), detail),
        })?;
    }
    let outcome = game.outcome().ok_or(Doubt::NoEnd)?;
    if outcome == record.outcome { Ok(()) } else { Err(Doubt::Outcome) }
}

/// The game as it was dealt, if the record has all it takes and the server kept to its commitment.
pub(crate) fn dealt(record: &Record) -> Result<Dealt, Doubt> {
    let offer = Offer::find(&record.game).ok_or_else(|| Doubt::Game(record.game.clone()))?;
    if record.rules_version != offer.rules_version {
        return Err(Doubt::RulesVersion(record.rules_version));
    }
    let players = record.players.len();
    if !(offer.min..=offer.max).contains(&players) || record.salts.len() != players {
        return Err(Doubt::Players(players));
    }
    if record.server_seed.commitment() != record.commitment {
        return Err(Doubt::Commitment);
    }
    let seed = record.server_seed.salted(record.salts.iter().copied().flatten());
    offer.deal(&record.rules, players, seed).map_err(Doubt::Rules)
}
