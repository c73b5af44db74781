//! What clients were sent about one game: the table at each version, each seat's view of it, the history, and the
//! actions sent.

use super::{Participant, Promise};
use game::{Commitment, Seat};
use protocol::{Have, State};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The commitment of a game, which is different for every game.
pub type Key = [u8; 32];

/// An action that was sent for a decision, once or several times.
#[derive(Debug)]
pub struct SeenAct {
    pub action: Value,
    /// Number of simultaneous decisions resolved when the action was chosen, if known.
    pub epoch: Option<u32>,
    /// Number of copies that were not refused.
    pub open: u32,
    /// True once `next` has passed the action's number without a simultaneous decision being resolved meanwhile, which
    /// means that the action was played.
    pub acknowledged: bool,
}

/// A game as its clients saw it.
pub struct GameLedger {
    pub kind: String,
    holders: HashMap<Seat, Participant>,
    /// Seats for which a bot, the clock or the rules may have acted.
    helped: Vec<Seat>,
    /// Hash of the public view at each version.
    open: HashMap<u64, u64>,
    /// Hash of each seat's private view at each version.
    own: HashMap<(u64, Seat), u64>,
    /// All events, and the number of events at each version.
    history: Vec<Box<str>>,
    lengths: HashMap<u64, usize>,
    next: HashMap<Seat, u32>,
    pub sent: HashMap<(Seat, u32), Vec<SeenAct>>,
    pub outcome: Option<Value>,
    closed: bool,
}

impl GameLedger {
    pub fn new(kind: &str) -> GameLedger {
        GameLedger {
            kind: kind.to_owned(),
            holders: HashMap::new(),
            helped: Vec::new(),
            open: HashMap::new(),
            own: HashMap::new(),
            history: Vec::new(),
            lengths: HashMap::new(),
            next: HashMap::new(),
            sent: HashMap::new(),
            outcome: None,
            closed: false,
        }
    }

    pub fn may_be_helped(&mut self, seat: Seat) {
        if !self.helped.contains(&seat) {
            self.helped.push(seat);
        }
    }

    pub fn is_helped(&self, seat: Seat) -> bool {
        self.helped.contains(&seat)
    }

    /// Checks who occupies a seat. The first participant seen in it owns it until the end of the game.
    pub fn sits(&mut self, seat: Seat, who: Participant) -> Option<(Promise, String)> {
        let holder = *self.holders.entry(seat).or_insert(who);
        (holder != who).then(|| (Promise::Foreign, format!("seat {} of {holder} was taken by {who}", seat.0)))
    }

    pub fn next_told(&self) -> HashMap<Seat, u32> {
        self.next.clone()
    }

    /// Returns how many simultaneous decisions were resolved by this version, if its history is known. In Qwantum that
    /// happens at the end of each turn and is followed by a `turn` or `end` event. The first `turn` event marks the
    /// start of the game.
    fn epoch(&self, version: u64) -> Option<u32> {
        if self.kind != "qwantum" {
            return Some(0);
        }
        let history = &self.history[..*self.lengths.get(&version)?];
        let counts = |event: &str| event.contains(r#""type":"turn""#) || event.contains(r#""type":"end""#);
        Some((history.iter().filter(|event| counts(event)).count() as u32).saturating_sub(1))
    }

    /// Checks a state that a client received against the states received before.
    pub fn shown(&mut self, state: &State<'_>, seat: Option<Seat>) -> Vec<(Promise, String)> {
        let mut found = Vec::new();
        let version = state.version;
        let open = hash(&(state.table.get(), &state.asked, state.events.get()));
        if *self.open.entry(version).or_insert(open) != open {
            found.push((Promise::Diverged, format!("two different tables of version {version}")));
        }
        if self.closed {
            return found;
        }
        if let Some(seat) = seat {
            let mine = state.mine.as_ref().map_or("", |mine| mine.get());
            let own = hash(&(state.next, mine, state.actions.get()));
            if *self.own.entry((version, seat)).or_insert(own) != own {
                found.push((
                    Promise::Diverged,
                    format!("seat {} was sent two different views of version {version}", seat.0),
                ));
            }
            found.extend(self.is_anothers(seat, mine, state.table));
        } else if state.next.is_some() || state.mine.is_some() || state.actions.get() != "[]" {
            found.push((Promise::Leaked, format!("a watcher was sent a seat's view of version {version}")));
        }
        self.extend_history(version, state.events, &mut found);
        if let (Some(seat), Some(next)) = (seat, state.next) {
            self.acknowledge(seat, next, version);
        }
        if state.asked.is_empty() {
            let table: Value = serde_json::from_str(state.table.get()).unwrap_or_default();
            self.outcome = Some(table["outcome"].clone()).filter(|outcome| !outcome.is_null());
        }
        found
    }

    /// Returns what a client says about the events that it has at this version, if they are known.
    pub fn have(&self, key: Key, version: u64) -> Option<Have> {
        let events = &self.history[..*self.lengths.get(&version)?];
        Some(Have::of(Commitment(key), events.iter().map(|event| &**event)))
    }

    /// Checks that the history in a welcome, which begins after `since` events, agrees with the history known so far.
    pub fn history(&mut self, version: u64, since: usize, told: &[Box<RawValue>]) -> Option<(Promise, String)> {
        if self.closed {
            return None;
        }
        let Some(known) = self.history.get(since..) else {
            return Some((Promise::Diverged, format!("{since} events were left out that no client has")));
        };
        if known.iter().zip(told).any(|(known, told)| **known != *told.get()) {
            return Some((Promise::Diverged, format!("the history at version {version} changed")));
        }
        let length = since + told.len();
        if self.lengths.get(&version).is_some_and(|known| *known != length) {
            return Some((Promise::Lost, format!("the history at version {version} changed its length")));
        }
        let newer = told.iter().skip(known.len());
        self.history.extend(newer.map(|event| event.get().into()));
        self.lengths.insert(version, length);
        None
    }

    fn extend_history(&mut self, version: u64, events: &RawValue, found: &mut Vec<(Promise, String)>) {
        let Some(start) = version.checked_sub(1).and_then(|before| self.lengths.get(&before)).copied() else {
            return;
        };
        let events: Vec<&RawValue> = serde_json::from_str(events.get()).unwrap_or_default();
        for (at, event) in (start..).zip(&events) {
            match self.history.get(at) {
                Some(known) if **known != *event.get() => {
                    found.push((Promise::Diverged, format!("event {at} changed at version {version}")));
                }
                Some(_) => {}
                None => self.history.push(event.get().into()),
            }
        }
        self.lengths.insert(version, start + events.len());
    }

    /// Checks that `mine` belongs to the seat: in Qwantum it must contain a choice that the seat sent, in Five Towers
    /// as many cards as the public table shows as demolished by the seat.
    fn is_anothers(&self, seat: Seat, mine: &str, table: &RawValue) -> Option<(Promise, String)> {
        let mine: Value = serde_json::from_str(mine).ok()?;
        let what = if self.kind == "qwantum" {
            let choice = mine.get("choice").filter(|choice| !choice.is_null())?;
            let own = self.sent.iter().filter(|((sender, _), _)| *sender == seat);
            let sent = own.flat_map(|(_, acts)| acts).any(|act| act.action == *choice);
            (!sent && !self.is_helped(seat)).then(|| format!("seat {} sees a choice it never made", seat.0))
        } else {
            let cards = mine.get("demolished")?.as_array()?.len();
            let table: Value = serde_json::from_str(table.get()).ok()?;
            let shown = table["players"][seat.index()]["demolished"].as_u64()? as usize;
            (cards != shown).then(|| format!("seat {} sees {cards} demolished cards and has {shown}", seat.0))
        };
        what.map(|what| (Promise::Leaked, what))
    }

    fn acknowledge(&mut self, seat: Seat, next: u32, version: u64) {
        let epoch = self.epoch(version);
        let known = self.next.entry(seat).or_default();
        *known = next.max(*known);
        for ((_, n), acts) in self.sent.iter_mut().filter(|((sender, _), _)| *sender == seat) {
            for act in acts.iter_mut().filter(|act| next > *n && epoch.is_some() && act.epoch == epoch) {
                act.acknowledged = true;
            }
        }
    }

    /// Notes that an action is sent. One that is sent too early (`in_time` is false) is expected to be refused, so it
    /// is not counted as open, but it may still be played.
    pub fn sends(&mut self, seat: Seat, n: u32, action: &str, version: u64, in_time: bool) {
        let epoch = self.epoch(version);
        let action: Value = serde_json::from_str(action).unwrap_or_default();
        let acts = self.sent.entry((seat, n)).or_default();
        match acts.iter_mut().find(|act| act.action == action) {
            Some(act) => act.open += u32::from(in_time),
            None => acts.push(SeenAct { action, epoch, open: in_time.into(), acknowledged: false }),
        }
    }

    /// Notes that one copy of an action was refused. Another copy may have been played.
    pub fn refused(&mut self, seat: Seat, n: u32, action: &Value) {
        let acts = self.sent.entry((seat, n)).or_default();
        if let Some(act) = acts.iter_mut().find(|act| act.action == *action) {
            act.open = act.open.saturating_sub(1);
        }
    }

    /// Closes the game after its record was compared. Only the public tables are kept, to check late messages.
    pub fn close(&mut self) {
        self.closed = true;
        (self.own, self.lengths, self.sent) = Default::default();
        (self.history, self.next) = Default::default();
    }

    pub fn is_closed(&self) -> bool {
        self.closed
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
