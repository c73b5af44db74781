//! The games of a room, found in its journal: all of them in a list, or one of them whole. Whatever is asked of the past is
//! answered from here, so no room need be woken for it.

use crate::games::Dealt;
use crate::record::{begin, begun, names, with_digest};
use crate::{By, Cause, Entry, Misfit, Moments, Room, WallTime, What};
use game::Outcome;
use protocol::{GamePlayed, Record, RecordedAct, RoomPhase};
use std::collections::BTreeMap;

/// Why a game has no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoRecord {
    /// There is none of this number.
    #[error("the room has no game of this number")]
    Missing,
    /// What it hides is not to be told yet.
    #[error("a game is on; its record is for after its end")]
    On,
    /// Everyone left before its end.
    #[error("that game was not played to its end")]
    Left,
}

/// Which game of a room is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The one of this number, counted from 1.
    Number(u32),
    /// The one that was started last.
    Last,
}

/// All games that were ever started in a room, from all the lines of its journal.
pub fn games_played(lines: &[String]) -> Result<Vec<GamePlayed>, Misfit> {
    Ok(all_games(lines)?.into_iter().map(|game| game.played).collect())
}

/// One game of a list, with what a book notes of it.
pub(crate) struct Listed {
    pub played: GamePlayed,
    /// Which seats bots had at the start.
    pub bots: Vec<bool>,
    /// By seat; none where the game did not come to its end.
    pub feats: Vec<BTreeMap<String, u32>>,
}

pub(crate) fn all_games(lines: &[String]) -> Result<Vec<Listed>, Misfit> {
    let mut room = Room::rebuild(Entry::read_all(0, &lines[..lines.len().min(1)])?, 0)?;
    let mut games: Vec<Listed> = Vec::new();
    for index in 1..lines.len() {
        let entry = read(lines, index)?;
        let at = entry.at.0;
        if let What::Started { rules_version, starter } = entry.what {
            let Record { game, players, salts, origin, .. } = begun(&room, rules_version, starter);
            let number = games.len() as u32 + 1;
            let origin = origin.map(|origin| origin.view());
            let played = GamePlayed { number, game, players, start: at, end: None, outcome: None, origin };
            let bots = salts.iter().map(Option::is_none).collect();
            games.push(Listed { played, bots, feats: Vec::new() });
        }
        room.apply(&entry, 0)?;
        let Some(game) = games.last_mut().filter(|game| game.played.end.is_none()) else { continue };
        if let What::Renamed { .. } = entry.what {
            game.played.players = names(&room);
        }
        if room.phase() != RoomPhase::Playing {
            (game.played.end, game.played.outcome) = (Some(at), room.outcome());
            game.feats = room.feats();
        }
    }
    Ok(games)
}

/// The record of one game.
pub fn record_of(lines: &[String], which: Which) -> Result<Result<Record, NoRecord>, Misfit> {
    let Some(played) = Played::find(lines, which)? else { return Ok(Err(NoRecord::Missing)) };
    let Some(outcome) = played.again()?.outcome else { return Ok(Err(played.no_record())) };
    let acts = played.acts.into_iter().map(|played| played.act).collect();
    Ok(Ok(with_digest(Record { acts, outcome, ..played.begun })))
}

/// The moments of one game, if there is such a one.
pub fn moments_of(lines: &[String], which: Which) -> Result<Option<Moments>, Misfit> {
    Played::find(lines, which)?.map(Played::into_moments).transpose()
}

/// One game as the journal has it.
pub(crate) struct Played {
    /// Its record without acts, but with the names of its end.
    pub begun: Record,
    pub acts: Vec<PlayedAct>,
    start: WallTime,
    /// The version of the state that first showed it.
    version: u64,
    /// Whether it is on the table to this day.
    on: bool,
}

pub(crate) struct PlayedAct {
    /// Which entry of the journal it is, counted from 1.
    entry: u64,
    pub act: RecordedAct,
    pub by: By,
}

/// What came of a game that was played again.
pub(crate) struct Again {
    pub outcome: Option<Outcome>,
    /// Which acts nobody else may see yet.
    hidden: Vec<bool>,
}

impl Played {
    /// Only what is needed is read: the lines since the checkpoint before the game, and those of the game.
    pub fn find(lines: &[String], which: Which) -> Result<Option<Played>, Misfit> {
        let Some((base, start)) = find_start(lines, which)? else { return Ok(None) };
        let mut room = Room::rebuild(Entry::read_all(base as u64, &lines[base..start])?, 0)?;
        let started = read(lines, start)?;
        let What::Started { rules_version, starter } = started.what else { return Ok(None) };
        let begun = begun(&room, rules_version, starter);
        room.apply(&started, 0)?;
        let mut played =
            Played { begun, acts: Vec::new(), start: started.at, version: room.version(), on: true };
        let mut renamed = Vec::new();
        for index in start + 1..lines.len() {
            let entry = read(lines, index)?;
            match entry.what {
                What::Acted { seat, action, by } => {
                    // Whatever came before an act came before the end of the game.
                    for (seat, name) in renamed.drain(..) {
                        played.begun.players[seat] = name;
                    }
                    let act = RecordedAct { seat, action, at: entry.at.0 };
                    played.acts.push(PlayedAct { entry: index as u64 + 1, act, by });
                }
                What::Renamed { player, name } => {
                    let seat = room.seats.iter().find(|(_, other)| other.id == player);
                    renamed.extend(seat.map(|(seat, _)| (seat.index(), name.to_string())));
                }
                What::Rematched { .. } => {
                    played.on = false;
                    break;
                }
                _ => {}
            }
        }
        Ok(Some(played))
    }

    pub fn deal(&self) -> Dealt {
        begin(&self.begun).expect("it was dealt when it was found")
    }

    /// Plays it again. An act of which nothing was told is a hidden choice. It is told when all have chosen, but for those
    /// choices that were taken back before; and at the end of the game all is told.
    pub fn again(&self) -> Result<Again, Misfit> {
        let (mut game, _) = self.deal();
        let mut hidden = vec![false; self.acts.len()];
        // The last choice of each seat since choices were last counted.
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

    /// Why it has no record, if it did not come to its end.
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

/// The line from which the room can be rebuilt before a game, and the line that started that game.
fn find_start(lines: &[String], which: Which) -> Result<Option<(usize, usize)>, Misfit> {
    let (mut base, mut games, mut found) = (0, 0, None);
    for (index, line) in lines.iter().enumerate() {
        // Most lines are acts, and need not be read for this.
        if !line.contains("\"started\"") && !line.contains("\"checkpoint\"") {
            continue;
        }
        match read(lines, index)?.what {
            What::Checkpoint(_) => base = index,
            What::Started { .. } => {
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
