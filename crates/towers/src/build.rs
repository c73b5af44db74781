//! Taking, demolishing, placing and undoing. Scoring is not handled here.

use crate::card::{Card, Cards, Tower};
use crate::list::List;
use crate::refusal::IllegalAction;
use crate::row::Sorted;
use crate::side::Side;
use crate::tower::Top;
use crate::{Action, Actions, Event, Events, Mistakes, Phase, Towers};
use game::Seat;

/// Maximum number of undos in one build, so that nobody can hold up the game indefinitely.
pub const MAX_UNDOS: u8 = 30;

/// The steps of the current build, in the order in which undo needs them: the take, the demolition, the placements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Build {
    demolished: Option<Tower>,
    /// Positions in the row of the placed cards, most recent last.
    placed: List<u8, 5>,
    undos: u8,
    /// Whether the taken cards cannot all be built, in any order and with any demolition. False before the take.
    hopeless: bool,
}

impl Build {
    pub const NOTHING: Build = Build { demolished: None, placed: List::new(), undos: 0, hopeless: false };

    pub fn demolished(&self) -> Option<Tower> {
        self.demolished
    }
}

/// What the builder's hand requires of the towers. Computed once for all actions that are checked.
struct Outlook<'a> {
    side: &'a Side,
    /// The hand, and the types whose cards do not fit on the towers as they stand. `None` where mistakes are allowed,
    /// because it is not needed there.
    prevent: Option<(Sorted, u8)>,
}

impl Towers {
    pub(crate) fn start_build(&mut self, builder: Seat) {
        self.turn = builder;
        self.phase = Phase::Take;
    }

    fn builder(&self) -> &Side {
        &self.sides[self.turn.index()]
    }

    fn builder_mut(&mut self) -> &mut Side {
        &mut self.sides[self.turn.index()]
    }

    fn prevents(&self) -> bool {
        self.mistakes == Mistakes::Prevented
    }

    /// Returns the number of cards the builder must take.
    fn count(&self) -> u8 {
        self.auction.standing().map_or(0, |(_, count)| count)
    }

    pub(crate) fn list_takes(&self, actions: &mut Actions) {
        for places in self.row.choices(self.count()) {
            if !self.prevents() || self.builder().can_build(&self.row.sorted(places)) {
                actions.push(Action::Take { cards: self.row.at(places) });
            }
        }
        if self.may_retract() {
            actions.push(Action::Retract {});
        }
    }

    pub(crate) fn list_steps(&self, actions: &mut Actions) {
        let outlook = self.outlook();
        if self.may_demolish().is_ok() {
            for tower in Tower::ALL {
                if outlook.check_demolish(tower).is_ok() {
                    actions.push(Action::Demolish { tower });
                }
            }
        }
        let hand = self.row.hand();
        for (i, card) in hand.iter().enumerate() {
            if !hand[..i].contains(card) && outlook.check_build(*card).is_ok() {
                actions.push(Action::Build { card: *card });
            }
        }
        if hand.is_empty() {
            actions.push(Action::Finish {});
        }
        if self.build.undos < MAX_UNDOS {
            actions.push(Action::Undo {});
        }
        // An empty list means the builder is stuck: nothing fits and nothing can be undone.
        if self.may_retract() || actions.is_empty() {
            actions.push(Action::Retract {});
        }
    }

    /// Returns whether the bid may be retracted: it cannot be kept, or the game uses rules version 1. Does not cover a
    /// stuck builder, see `is_stuck`.
    fn may_retract(&self) -> bool {
        !self.prevents()
            && (self.retracts_freely
                || match self.phase {
                    Phase::Take => self.count() > self.highest[self.turn.index()],
                    Phase::Build => self.build.hopeless,
                    Phase::Auction | Phase::Finished => false,
                })
    }

    fn is_stuck(&self) -> bool {
        let mut steps = Actions::new();
        self.list_steps(&mut steps);
        matches!(steps[..], [Action::Retract {}])
    }

    fn outlook(&self) -> Outlook<'_> {
        let side = self.builder();
        let prevent = self.prevents().then(|| {
            let hand = self.row.sorted(self.row.in_hand());
            (hand, side.failing(&hand))
        });
        Outlook { side, prevent }
    }

    fn in_build(&self) -> Result<(), IllegalAction> {
        if self.phase == Phase::Build { Ok(()) } else { Err(IllegalAction::WrongPhase) }
    }

    fn may_demolish(&self) -> Result<(), IllegalAction> {
        if !self.build.placed.is_empty() {
            Err(IllegalAction::DemolishFirst)
        } else if self.build.demolished.is_some() {
            Err(IllegalAction::AlreadyDemolished)
        } else {
            Ok(())
        }
    }

    pub(crate) fn check_take(&self, cards: &Cards) -> Result<(), IllegalAction> {
        if self.phase != Phase::Take {
            return Err(IllegalAction::WrongPhase);
        }
        if cards.len() != usize::from(self.count()) {
            return Err(IllegalAction::WrongNumberOfCards);
        }
        let places = self.row.find_all(cards).ok_or(IllegalAction::NotInRow)?;
        if self.prevents() && !self.builder().can_build(&self.row.sorted(places)) {
            return Err(IllegalAction::TakeUnbuildable);
        }
        Ok(())
    }

    pub(crate) fn check_demolish(&self, tower: Tower) -> Result<(), IllegalAction> {
        self.in_build()?;
        self.may_demolish()?;
        self.outlook().check_demolish(tower)
    }

    pub(crate) fn check_build(&self, card: Card) -> Result<(), IllegalAction> {
        self.in_build()?;
        self.row.find(card, self.row.in_hand()).ok_or(IllegalAction::NotInHand)?;
        self.outlook().check_build(card)
    }

    pub(crate) fn check_undo(&self) -> Result<(), IllegalAction> {
        match self.phase {
            // The take is the first step, so there is nothing before it to undo.
            Phase::Take => Err(IllegalAction::NothingToUndo),
            Phase::Build if self.build.undos >= MAX_UNDOS => Err(IllegalAction::TooManyUndos),
            _ => self.in_build(),
        }
    }

    pub(crate) fn check_retract(&self) -> Result<(), IllegalAction> {
        match self.phase {
            _ if self.prevents() => Err(IllegalAction::NoRetraction),
            Phase::Auction | Phase::Finished => Err(IllegalAction::WrongPhase),
            _ if self.may_retract() => Ok(()),
            Phase::Build if self.is_stuck() => Ok(()),
            Phase::Take | Phase::Build => Err(IllegalAction::NoRetraction),
        }
    }

    pub(crate) fn check_finish(&self) -> Result<(), IllegalAction> {
        self.in_build()?;
        if self.row.in_hand() == 0 { Ok(()) } else { Err(IllegalAction::HandNotEmpty) }
    }

    pub(crate) fn take(&mut self, cards: &Cards, events: &mut Events) {
        let places = self.row.find_all(cards).unwrap_or(0);
        // Where mistakes are prevented, only buildable cards can be taken.
        self.build.hopeless = !self.prevents() && !self.builder().can_build(&self.row.sorted(places));
        self.row.take(places);
        self.phase = Phase::Build;
        events.push(Event::Take { seat: self.turn, cards: self.row.hand() });
    }

    pub(crate) fn demolish(&mut self, tower: Tower, events: &mut Events) {
        self.builder_mut().demolish(tower);
        self.build.demolished = Some(tower);
        events.push(Event::Demolish { seat: self.turn, tower });
    }

    pub(crate) fn place(&mut self, card: Card, events: &mut Events) {
        if let Some(place) = self.row.find(card, self.row.in_hand()) {
            self.row.place(place);
            self.build.placed.push(place);
            self.builder_mut().build(card);
        }
        events.push(Event::Build { seat: self.turn, card });
    }

    pub(crate) fn undo(&mut self, events: &mut Events) {
        self.step_back();
        self.build.undos += 1;
        events.push(Event::Undo { seat: self.turn });
    }

    fn step_back(&mut self) {
        if let Some(place) = self.build.placed.pop() {
            self.row.take_back(place);
            let card = self.row.cards()[usize::from(place)];
            self.builder_mut().unbuild(card);
        } else if self.build.demolished.take().is_some() {
            self.builder_mut().restore();
        } else {
            self.row.restore();
            self.build.hopeless = false;
            self.phase = Phase::Take;
        }
    }

    pub(crate) fn retract(&mut self, events: &mut Events) {
        while self.phase == Phase::Build {
            self.step_back();
        }
        self.build = Build::NOTHING;
        self.reopen_auction();
        events.push(Event::Retract { seat: self.turn });
    }

    pub(crate) fn finish(&mut self, events: &mut Events) {
        events.push(Event::Finish { seat: self.turn });
        let left = self.turn.next(usize::from(self.players));
        self.end_round(left, events);
    }
}

impl Outlook<'_> {
    fn check_demolish(&self, tower: Tower) -> Result<(), IllegalAction> {
        let top = self.side.top(tower);
        if top == Top::GROUND {
            return Err(IllegalAction::NothingToDemolish);
        }
        if top.is_roof() {
            return Err(IllegalAction::RoofStays);
        }
        match &self.prevent {
            Some((hand, failing)) if failing & !tower.bit() != 0 || !self.side.helps(tower, hand) => {
                Err(IllegalAction::DemolishUnbuildable)
            }
            _ => Ok(()),
        }
    }

    /// Returns whether this card of the hand may be placed next.
    fn check_build(&self, card: Card) -> Result<(), IllegalAction> {
        let tower = card.tower();
        let top = self.side.top(tower);
        if top.is_roof() {
            return Err(IllegalAction::Roofed);
        }
        if !top.takes(card.value()) {
            return Err(IllegalAction::TooHighForTop);
        }
        // Nothing may be demolished after this placement, so the other types must fit as they are.
        match &self.prevent {
            Some((hand, failing))
                if failing & !tower.bit() != 0
                    || !Top::card(card.value()).fits(hand.of(tower).without(card.value())) =>
            {
                Err(IllegalAction::WouldStrand)
            }
            _ => Ok(()),
        }
    }
}
