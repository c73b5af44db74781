//! What was told of one game: the table at each version, what each seat saw of it, the history, and the acts that were sent.

use super::{Promise, Who};
use game::Seat;
use protocol::State;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A game's commitment: another before every game.
pub type Key = [u8; 32];

/// An act that was sent for a decision, however often.
#[derive(Debug)]
pub struct SentAct {
    pub action: Value,
    /// How many times choices made together had been counted when it was chosen, if that is known.
    pub epoch: Option<u32>,
    /// How many copies of it are not refused.
    pub open: u32,
    /// `next` has passed its number, and nothing was counted meanwhile: it was played.
    pub acknowledged: bool,
}

/// A game as it was told.
pub struct GameLedger {
    pub kind: String,
    holders: HashMap<Seat, Who>,
    /// Seats for which somebody else may have acted: a bot, the clock, the rules.
    helped: Vec<Seat>,
    /// What all see at a version.
    open: HashMap<u64, u64>,
    /// What a seat sees at a version.
    own: HashMap<(u64, Seat), u64>,
    /// Every event, and how many there are at a version.
    history: Vec<Box<str>>,
    lengths: HashMap<u64, usize>,
    next: HashMap<Seat, u32>,
    pub sent: HashMap<(Seat, u32), Vec<SentAct>>,
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

    /// Whose seat this is; whoever is first told that they sit there, sits there until the end.
    pub fn sits(&mut self, seat: Seat, who: Who) -> Option<(Promise, String)> {
        let holder = *self.holders.entry(seat).or_insert(who);
        (holder != who)
            .then(|| (Promise::Foreign, format!("seat {} of {holder} was opened by {who}", seat.0)))
    }

    pub fn next_told(&self) -> HashMap<Seat, u32> {
        self.next.clone()
    }

    /// How many times choices made together were counted by this version, if its history is known: in Qwantum with the end
    /// of each turn, upon which the next turn or the end is told; the first turn is told at the start.
    fn epoch(&self, version: u64) -> Option<u32> {
        if self.kind != "qwantum" {
            return Some(0);
        }
        let history = &self.history[..*self.lengths.get(&version)?];
        let counts = |event: &str| event.contains(r#""type":"turn""#) || event.contains(r#""type":"end""#);
        Some((history.iter().filter(|event| counts(event)).count() as u32).saturating_sub(1))
    }

    /// A state as somebody was shown it.
    pub fn shown(&mut self, state: &State<'_>, seat: Option<Seat>) -> Vec<(Promise, String)> {
        let mut found = Vec::new();
        let version = state.version;
        let open = hash(&(state.table.get(), &state.asked, state.events.get()));
        if *self.open.entry(version).or_insert(open) != open {
            found.push((Promise::Diverged, format!("there are two tables of version {version}")));
        }
        if self.closed {
            return found;
        }
        if let Some(seat) = seat {
            let mine = state.mine.as_ref().map_or("", |mine| mine.get());
            let own = hash(&(state.next, mine, state.actions.get()));
            if *self.own.entry((version, seat)).or_insert(own) != own {
                found
                    .push((Promise::Diverged, format!("seat {} sees version {version} in two ways", seat.0)));
            }
            found.extend(self.is_anothers(seat, mine, state.table));
        } else if state.next.is_some() || state.mine.is_some() || state.actions.get() != "[]" {
            found.push((Promise::Leaked, format!("a watcher sees what a seat sees at version {version}")));
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

    /// A welcome's history: whatever was told before is its beginning.
    pub fn history(&mut self, version: u64, told: &[Box<RawValue>]) -> Option<(Promise, String)> {
        if self.closed {
            return None;
        }
        let known = self.history.iter().map(|event| &**event);
        if known.zip(told).any(|(known, told)| known != told.get()) {
            return Some((Promise::Diverged, format!("the history at version {version} is another")));
        }
        if self.lengths.get(&version).is_some_and(|length| *length != told.len()) {
            return Some((Promise::Lost, format!("the history at version {version} has another length")));
        }
        let newer = told.iter().skip(self.history.len());
        self.history.extend(newer.map(|event| event.get().into()));
        self.lengths.insert(version, told.len());
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
                    found.push((Promise::Diverged, format!("event {at} is another at version {version}")));
                }
                Some(_) => {}
                None => self.history.push(event.get().into()),
            }
        }
        self.lengths.insert(version, start + events.len());
    }

    /// What stands in `mine` must be the seat's own: in Qwantum a choice it sent, in Five Towers as many cards as all see
    /// that it demolished.
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

    /// An act goes out. One that is not in time counts as refused from the first, and may count all the same.
    pub fn sends(&mut self, seat: Seat, n: u32, action: &str, version: u64, in_time: bool) {
        let epoch = self.epoch(version);
        let action: Value = serde_json::from_str(action).unwrap_or_default();
        let acts = self.sent.entry((seat, n)).or_default();
        match acts.iter_mut().find(|act| act.action == action) {
            Some(act) => act.open += u32::from(in_time),
            None => acts.push(SentAct { action, epoch, open: in_time.into(), acknowledged: false }),
        }
    }

    /// A copy of it was refused. Another may have counted.
    pub fn refused(&mut self, seat: Seat, n: u32, action: &Value) {
        let acts = self.sent.entry((seat, n)).or_default();
        if let Some(act) = acts.iter_mut().find(|act| act.action == *action) {
            act.open = act.open.saturating_sub(1);
        }
    }

    /// Its record was compared; only the tables are kept, for lines that are late.
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
