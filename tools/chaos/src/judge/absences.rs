//! Tracks which players are disconnected against their will, since when, and because of which fault. Only faults that
//! affect all players are known here, so a measurement is exact only while no single connection is cut as well.

use super::Participant;
use crate::plan::FaultKind;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The absences of all players.
#[derive(Default)]
pub(super) struct Absences {
    /// All faults so far, in order.
    faults: Vec<FaultSpan>,
    away: HashMap<Participant, Away>,
}

struct FaultSpan {
    kind: FaultKind,
    began: Instant,
    ended: Option<Instant>,
}

struct Away {
    /// When the player began to reconnect.
    since: Instant,
    /// Index of the fault in effect at that time, and since when the seat has been empty because of it.
    fault: Option<(usize, Instant)>,
}

/// A completed absence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Absence {
    /// Time spent trying to reconnect.
    pub(super) tried: Duration,
    /// The fault that emptied the seat, and for how long.
    pub(super) of_fault: Option<(FaultKind, Duration)>,
}

impl Absences {
    pub(super) fn strikes(&mut self, kind: FaultKind, now: Instant) {
        self.faults.push(FaultSpan { kind, began: now, ended: None });
    }

    pub(super) fn relents(&mut self, now: Instant) {
        if let Some(fault) = self.faults.last_mut() {
            fault.ended = Some(now);
        }
    }

    /// Returns whether the last fault is over and every player affected by it has reconnected.
    pub(super) fn is_settled(&self) -> bool {
        self.faults
            .last()
            .is_none_or(|fault| fault.ended.is_some_and(|end| self.away.values().all(|away| away.since > end)))
    }

    /// Notes that a player starts to reconnect. If the connection broke during a fault, the seat counts as empty since
    /// the start of the fault, however late the player noticed.
    pub(super) fn goes(&mut self, who: Participant, wished: bool, now: Instant) {
        let felt = self.faults.len().checked_sub(1).filter(|_| !self.is_settled());
        let fault = felt.map(|last| (last, if wished { now } else { self.faults[last].began }));
        self.away.entry(who).or_insert(Away { since: now, fault });
    }

    pub(super) fn comes(&mut self, who: Participant, now: Instant) -> Option<Absence> {
        let Away { since, fault } = self.away.remove(&who)?;
        let of_fault = fault.map(|(fault, empty)| {
            let FaultSpan { kind, ended, .. } = self.faults[fault];
            // While no server could have served the player, the time does not count: measure from the end of the fault.
            let from = ended.filter(|_| kind.keeps_people_out()).map_or(empty, |ended| ended.max(empty));
            (kind, now.saturating_duration_since(from))
        });
        Some(Absence { tried: now.saturating_duration_since(since), of_fault })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: Participant = Participant::Person(1);
    const BEA: Participant = Participant::Person(2);

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn an_absence_starts_at_the_fault_and_not_when_it_is_noticed() {
        let (mut absences, start) = (Absences::default(), Instant::now());
        let at = |time| start + seconds(time);
        absences.strikes(FaultKind::Stop, at(10));
        absences.goes(ANA, false, at(13));
        absences.goes(BEA, true, at(14));
        let back = absences.comes(ANA, at(16));
        assert_eq!(back, Some(Absence { tried: seconds(3), of_fault: Some((FaultKind::Stop, seconds(6))) }));
        let back = absences.comes(BEA, at(16));
        assert_eq!(back, Some(Absence { tried: seconds(2), of_fault: Some((FaultKind::Stop, seconds(2))) }));
        assert_eq!(absences.comes(ANA, at(17)), None, "she was not away");
    }

    #[test]
    fn an_absence_starts_when_the_outage_ends() {
        let (mut absences, start) = (Absences::default(), Instant::now());
        let at = |time| start + seconds(time);
        absences.strikes(FaultKind::Away, at(0));
        absences.goes(ANA, false, at(4));
        absences.relents(at(10));
        assert!(!absences.is_settled(), "a player is still away");
        absences.goes(BEA, false, at(11));
        let of_fault = |absence: Option<Absence>| absence.unwrap().of_fault;
        assert_eq!(of_fault(absences.comes(ANA, at(12))), Some((FaultKind::Away, seconds(2))));
        assert_eq!(
            of_fault(absences.comes(BEA, at(13))),
            Some((FaultKind::Away, seconds(3))),
            "the fault still had an effect"
        );
        assert!(absences.is_settled());
        absences.goes(BEA, false, at(20));
        assert_eq!(of_fault(absences.comes(BEA, at(21))), None, "this absence has another cause");
    }
}
