//! Why an act is refused. The codes are for clients, which have their own words; the texts are for developers.

use thiserror::Error;

/// A reason to refuse an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The game has ended.
    #[error("the game is over")]
    GameOver,
    /// Another seat is asked.
    #[error("it is another seat's turn")]
    NotYourTurn,
    /// This act belongs to another part of the round.
    #[error("this act is not for this phase")]
    WrongPhase,
    /// A bid that does not beat the standing one.
    #[error("a bid must be higher than the standing bid")]
    BidTooLow,
    /// A bid above the row's size, or not below the one just retracted.
    #[error("a bid may not exceed the row, nor reach the bid just retracted")]
    BidTooHigh,
    /// A bid that could not be carried out.
    #[error("no choice of that many cards could be built")]
    BidUnbuildable,
    /// A pass by the one who has to open the auction.
    #[error("the starter must name a number")]
    StarterMustBid,
    /// A take that is not of as many cards as bid.
    #[error("the builder takes exactly as many cards as bid")]
    WrongNumberOfCards,
    /// A card that does not lie in the row, or not as often.
    #[error("such a card does not lie in the row")]
    NotInRow,
    /// Cards that could not all be built.
    #[error("these cards could not all be built")]
    TakeUnbuildable,
    /// A card the builder does not hold.
    #[error("the builder does not hold this card")]
    NotInHand,
    /// A card that may not go on the tower's top card.
    #[error("this card is too high for the tower's top card")]
    TooHighForTop,
    /// A card for a tower that has its roof.
    #[error("nothing goes on a roof")]
    Roofed,
    /// A placement after which the rest could not be built.
    #[error("after this the remaining cards could not all be built")]
    WouldStrand,
    /// A demolition after a card was placed.
    #[error("demolition comes before the first placement")]
    DemolishFirst,
    /// A second demolition.
    #[error("only one card is demolished in a round")]
    AlreadyDemolished,
    /// A demolition of a roof.
    #[error("a roof is never demolished")]
    RoofStays,
    /// A demolition where no tower stands.
    #[error("there is no such tower to demolish")]
    NothingToDemolish,
    /// A demolition after which the taken cards could not be built.
    #[error("after this demolition the taken cards could not all be built")]
    DemolishUnbuildable,
    /// Finishing with cards in hand.
    #[error("all taken cards must be placed first")]
    HandNotEmpty,
    /// An undo before anything was done.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// One undo too many.
    #[error("all undos of this build are used")]
    TooManyUndos,
    /// A retraction where mistakes are prevented.
    #[error("there is no retracting where mistakes are prevented")]
    NoRetraction,
}

impl game::Refusal for Refusal {
    fn code(&self) -> &'static str {
        match self {
            Refusal::GameOver => "game_over",
            Refusal::NotYourTurn => "not_your_turn",
            Refusal::WrongPhase => "wrong_phase",
            Refusal::BidTooLow => "bid_too_low",
            Refusal::BidTooHigh => "bid_too_high",
            Refusal::BidUnbuildable => "bid_unbuildable",
            Refusal::StarterMustBid => "starter_must_bid",
            Refusal::WrongNumberOfCards => "wrong_number_of_cards",
            Refusal::NotInRow => "not_in_row",
            Refusal::TakeUnbuildable => "take_unbuildable",
            Refusal::NotInHand => "not_in_hand",
            Refusal::TooHighForTop => "too_high_for_top",
            Refusal::Roofed => "roofed",
            Refusal::WouldStrand => "would_strand",
            Refusal::DemolishFirst => "demolish_first",
            Refusal::AlreadyDemolished => "already_demolished",
            Refusal::RoofStays => "roof_stays",
            Refusal::NothingToDemolish => "nothing_to_demolish",
            Refusal::DemolishUnbuildable => "demolish_unbuildable",
            Refusal::HandNotEmpty => "hand_not_empty",
            Refusal::NothingToUndo => "nothing_to_undo",
            Refusal::TooManyUndos => "too_many_undos",
            Refusal::NoRetraction => "no_retraction",
        }
    }
}
