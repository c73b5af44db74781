//! Games that start from an earlier one: either from its table at some moment, with everything hidden randomised again,
//! or from its deal. Everybody may know how the earlier game continued. Hidden cards must therefore change, or it must
//! be clear to all that the deal is known.

use crate::games::Dealt;
use crate::record::{begin, play, verify};
use crate::{Cause, Doubt, Name, Options, Room};
use game::{Seat, Seed};
use protocol::{Forced, Origin, Record};

/// Maximum size of an origin in bytes of JSON. The longest real games take a fifth of it. The origin is stored in the
/// journal, in each checkpoint of its lobby and in the record of its game.
pub const MOST_BYTES: usize = 256 << 10;

/// Maximum length of a chain of earlier games.
const MOST_DEEP: usize = 8;

/// Creates an origin from a record, if the record is valid and has this moment.
pub fn origin_of(record: Record, moment: Option<u32>) -> Result<Origin, Doubt> {
    verify(&record)?;
    if record.players.iter().any(|name| Name::new(name).is_none_or(|fit| fit.as_str() != name)) {
        return Err(Doubt::Names);
    }
    let origin = Origin { moment, record };
    if !has_moment(&origin) {
        return Err(Doubt::NoMoment);
    }
    if !is_near(&origin) {
        return Err(Doubt::OriginDeep);
    }
    Ok(origin)
}

/// Returns the options of a room that starts from this origin.
pub fn options_of(origin: &Origin, clock: Option<u32>, forced: Forced) -> Result<Options, crate::Refusal> {
    Options::new(&origin.record.game, Some(&origin.record.rules), clock, forced)
}

/// Returns whether the game continues after the origin's moment.
fn has_moment(origin: &Origin) -> bool {
    origin.moment.is_none_or(|moment| (moment as usize) < origin.record.acts.len())
}

/// Checks whether a room with these options can start from this origin of its journal.
pub(crate) fn readable(origin: Option<&Origin>, options: &Options) -> Result<(), Cause> {
    let Some(Origin { record, .. }) = origin else { return Ok(()) };
    let offer = options.offer();
    let fits = record.game == offer.id
        && (offer.min..=offer.max).contains(&record.players.len())
        && record.salts.len() == record.players.len()
        && is_shallow(record);
    if fits { Ok(()) } else { Err(Cause::from("an earlier game that does not match the options")) }
}

/// Returns whether the origin may be stored: not too large, and its chain not too long.
pub(crate) fn is_near(origin: &Origin) -> bool {
    let bytes = serde_json::to_vec(origin).map_or(usize::MAX, |text| text.len());
    bytes <= MOST_BYTES && depth(&origin.record) < MOST_DEEP
}

/// Returns the number of earlier games in a record's chain.
pub(crate) fn depth(record: &Record) -> usize {
    let mut deep = 0;
    let mut origin = &record.origin;
    while let Some(earlier) = origin {
        deep += 1;
        origin = &earlier.record.origin;
    }
    deep
}

/// Returns whether a record's chain of earlier games is short enough.
pub(crate) fn is_shallow(record: &Record) -> bool {
    depth(record) <= MOST_DEEP
}

/// Returns its approximate size in bytes.
pub(crate) fn weight(origin: &Origin) -> u64 {
    let Record { acts, origin: before, .. } = &origin.record;
    let acts: usize = acts.iter().map(|act| 64 + act.action.bytes()).sum();
    1024 + acts as u64 + before.as_deref().map_or(0, weight)
}

/// Sets up the table a game starts with. The seed randomises what was hidden.
pub(crate) fn lay(origin: &Origin, seed: Seed) -> Result<Dealt, Doubt> {
    let of_origin = |doubt| Doubt::Origin(Box::new(doubt));
    let (mut game, events) = begin(&origin.record).map_err(of_origin)?;
    let Some(moment) = origin.moment else { return Ok((game, events)) };
    let acts = origin.record.acts.get(..moment as usize).ok_or(Doubt::OriginMoment)?;
    play(&mut *game, acts, origin.record.players.len()).map_err(of_origin)?;
    if game.outcome().is_some() {
        return Err(Doubt::OriginMoment);
    }
    game.reseed(seed);
    // The events that led to this table belong to the earlier game.
    Ok((game, Vec::new()))
}

impl Room {
    /// Returns the minimum and maximum number of players of the next game: that of the earlier game, or what the game
    /// allows.
    pub(crate) fn table_size(&self) -> (usize, usize) {
        let offer = self.options.offer();
        match &self.origin {
            Some(origin) => (origin.record.players.len(), origin.record.players.len()),
            None => (offer.min, offer.max),
        }
    }

    /// Returns the player who has this seat of the earlier game.
    pub(crate) fn on_chair(&self, chair: Seat) -> Option<&crate::Player> {
        self.seats.iter().map(|(_, player)| player).find(|player| player.chair == Some(chair))
    }

    /// Returns the free seat of the earlier game for a player with this name: their own, if they played in it.
    pub(crate) fn chair_for(&self, name: &Name) -> Option<Seat> {
        let origin = self.origin.as_ref()?;
        let free = || self.free_chairs();
        let own = |chair: &Seat| origin.record.players.get(chair.index()).is_some_and(|own| own == name.as_str());
        let people = |chair: &Seat| origin.record.salts.get(chair.index()).is_some_and(Option::is_some);
        free().find(own).or_else(|| free().find(people)).or_else(|| free().next())
    }

    /// Returns the free seat of the earlier game for a bot, preferably one that a bot had, so that people find their
    /// own.
    pub(crate) fn chair_for_bot(&self) -> Option<Seat> {
        let origin = self.origin.as_ref()?;
        let bots = |chair: &Seat| origin.record.salts.get(chair.index()).is_some_and(Option::is_none);
        self.free_chairs().find(bots).or_else(|| self.free_chairs().next())
    }

    fn free_chairs(&self) -> impl Iterator<Item = Seat> {
        Seat::all(self.table_size().1).filter(|chair| self.on_chair(*chair).is_none())
    }
}
