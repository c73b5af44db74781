//! The games of a room, found in its journal: a list of all, or one in full. Requests about the past are answered from
//! here, so no room has to be loaded for them.

use crate::games::Dealt;
use crate::record::{begin, begun, names, with_digest};
use crate::{By, Cause, Entry, Misfit, Moments, Room, RoomEvent, WallTime};
use game::Outcome;
use protocol::{GamePlayed, Record, RecordedAct, RoomPhase};
use std::collections::BTreeMap;

/// Why a game has no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoRecord {
    /// There is no game with this number.
    #[error("the room has no game of this number")]
    Missing,
    /// The game is still running, and its secrets must not be revealed.
    #[error("the game is in progress; its record is available after its end")]
    On,
    /// Everyone left before its end.
    #[error("the game was not finished")]
    Left,
}

/// Selects a game of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The game with this number, counted from 1.
    Number(u32),
    /// The most recently started game.
    Last,
}

/// Returns all games ever started in a room, given all lines of its journal.
pub fn games_played(lines: &[String]) -> Result<Vec<GamePlayed>, Misfit> {
    Ok(all_games(lines)?.into_iter().map(|game| game.played).collect())
}

/// One game of the list, with its data for the book.
pub(crate) struct Listed {
    pub played: GamePlayed,
    /// Which seats had bots at the start.
    pub bots: Vec<bool>,
    /// Statistics by seat, empty if the game was not finished.
    pub feats: Vec<BTreeMap<String, u32>>,
}

pub(crate) fn all_games(lines: &[String]) -> Result<Vec<Listed>, Misfit> {
    let mut room = Room::rebuild(Entry::read_all(0, &lines[..lines.len().min(1)])?, 0)?;
    let mut games: Vec<Listed> = Vec::new();
    for index in 1..lines.len() {
        let entry = read(lines, index)?;
        let at = entry.at.0;
        if let RoomEvent::Started { rules_version, starter } = entry.what {
            let Record { game, players, salts, origin, .. } = begun(&room, rules_version, starter);
            let number = games.len() as u32 + 1;
            let origin = origin.map(|origin| origin.view());
            let played = GamePlayed { number, game, players, start: at, end: None, outcome: None, origin };
            let bots = salts.iter().map(Option::is_none).collect();
            games.push(Listed { played, bots, feats: Vec::new() });
        }
        room.apply(&entry, 0)?;
        let Some(game) = games.last_mut().filter(|game| game.played.end.is_none()) else { continue };
        if let RoomEvent::Renamed { .. } = entry.what {
            game.played.players = names(&room);
        }
        if room.phase() != RoomPhase::Playing {
            (game.played.end, game.played.outcome) = (Some(at), room.outcome());
            game.feats = room.feats();
        }
    }
    Ok(games)
}

/// Returns the record of one game.
pub fn record_of(lines: &[String], which: Which) -> Result<Result<Record, NoRecord>, Misfit> {
    let Some(played) = Played::find(lines, which)? else { return Ok(Err(NoRecord::Missing)) };
    let Some(outcome) = played.again()?.outcome else { return Ok(Err(played.no_record())) };
    let acts = played.acts.into_iter().map(|played| played.act).collect();
    Ok(Ok(with_digest(Record { acts, outcome, ..played.begun })))
}

/// Returns the moments of one game, if it exists.
pub fn moments_of(lines: &[String], which: Which) -> Result<Option<Moments>, Misfit> {
    Played::find(lines, which)?.map(Played::into_moments).transpose()
}

/// One game as found in the journal.
pub(crate) struct Played {
    /// Its record without actions, but with the names at its end.
    pub begun: Record,
    pub acts: Vec<PlayedAct>,
    start: WallTime,
    /// Version of the state that first showed it.
    version: u64,
    /// Whether it is still on the table.
    on: bool,
}

pub(crate) struct PlayedAct {
    /// Number of the journal entry, counted from 1.
    entry: u64,
    pub act: RecordedAct,
    pub by: By,
}

/// Result of replaying a game.
pub(crate) struct Again {
    pub outcome: Option<Outcome>,
    /// Which actions are still secret.
    hidden: Vec<bool>,
}

impl Played {
    /// Finds a game. Reads only the lines since the checkpoint before the game, and those of the game itself.
    pub fn find(lines: &[String], which: Which) -> Result<Option<Played>, Misfit> {
        let Some((base, start)) = find_start(lines, which)? else { return Ok(None) };
        let mut room = Room::rebuild(Entry::read_all(base as u64, &lines[base..start])?, 0)?;
        let started = read(lines, start)?;
        let RoomEvent::Started { rules_version, starter } = started.what else { return Ok(None) };
        let begun = begun(&room, rules_version, starter);
        room.apply(&started, 0)?;
        let mut played = Played { begun, acts: Vec::new(), start: started.at, version: room.version(), on: true };
        let mut renamed = Vec::new();
        for index in start + 1..lines.len() {
            let entry = read(lines, index)?;
            match entry.what {
                RoomEvent::Acted { seat, action, by } => {
                    // A renaming before an action happened before the end of the game.
                    for (seat, name) in renamed.drain(..) {
                        played.begun.players[seat] = name;
                    }
                    let act = RecordedAct { seat, action, at: entry.at.0 };
                    played.acts.push(PlayedAct { entry: index as u64 + 1, act, by });
                }
                RoomEvent::Renamed { player, name } => {
                    let seat = room.seats.iter().find(|(_, other)| other.id == player);
                    renamed.extend(seat.map(|(seat, _)| (seat.index(), name.to_string())));
                }
                RoomEvent::Rematched { .. } => {
                    played.on = false;
                    break;
                }
                _ => {}
            }
        }
        Ok(Some(played))
    }

    pub fn deal(&self) -> Dealt {
        begin(&self.begun).expect("the game could be dealt before")
    }

    /// Replays the game. An action without events is a hidden choice. It is revealed when all have chosen, except for
    /// choices that were changed before. At the end of the game everything is revealed.
    pub fn again(&self) -> Result<Again, Misfit> {
        let (mut game, _) = self.deal();
        let mut hidden = vec![false; self.acts.len()];
        // Each seat's latest choice since the last evaluation.
        let mut chosen: Vec<Option<usize>> = vec![None; self.begun.players.len()];
        for (n, PlayedAct { entry, act, .. }) in self.acts.iter().enumerate() {
            let epoch = game.epoch();
            let refused = |refusal| Misfit { entry: *entry, cause: Cause::from(refusal) };
            let events = game.apply(act.seat, &act.action).map_err(refused)?;
            if events.is_empty() {
                hidden[n] = true;
                chosen[act.seat.index()] = Some(n);
            }
            if game.epoch() != epoch {
                chosen.iter_mut().filter_map(Option::take).for_each(|told| hidden[told] = false);
            }
        }
        let outcome = game.outcome();
        if outcome.is_some() {
            hidden.fill(false);
        }
        Ok(Again { outcome, hidden })
    }

    /// Returns why an unfinished game has no record.
    pub fn no_record(&self) -> NoRecord {
        if self.on { NoRecord::On } else { NoRecord::Left }
    }

    fn into_moments(self) -> Result<Moments, Misfit> {
        let Again { hidden, .. } = self.again()?;
        let dealt = self.deal();
        let acts = self.acts.into_iter().zip(hidden);
        let acts = acts.map(|(PlayedAct { act, by, .. }, hidden)| (act, Some(by), hidden)).collect();
        Ok(Moments::new(dealt, Some(self.start.0), self.version, acts))
    }
}

/// Returns the index of the line from which the room before the game can be rebuilt, and of the line that started the
/// game.
fn find_start(lines: &[String], which: Which) -> Result<Option<(usize, usize)>, Misfit> {
    let (mut base, mut games, mut found) = (0, 0, None);
    for (index, line) in lines.iter().enumerate() {
        // Most lines are actions and need not be parsed for this.
        if !line.contains("\"started\"") && !line.contains("\"checkpoint\"") {
            continue;
        }
        match read(lines, index)?.what {
            RoomEvent::Checkpoint(_) => base = index,
            RoomEvent::Started { .. } => {
                games += 1;
                if which == Which::Number(games) {
                    return Ok(Some((base, index)));
                }
                found = Some((base, index));
            }
            _ => {}
        }
    }
    Ok(found.filter(|_| which == Which::Last))
}

fn read(lines: &[String], index: usize) -> Result<Entry, Misfit> {
    Entry::read(&lines[index]).map_err(|cause| Misfit { entry: index as u64 + 1, cause })
}
