//! Reasons for refusing an action: name, code and text. Clients translate the codes. The texts are for developers.

game::refusals! {
    /// The game has ended.
    GameOver, "game_over", "the game is over";
    /// Another seat is to move.
    NotYourTurn, "not_your_turn", "it is another seat's turn";
    /// The action belongs to another phase of the round.
    WrongPhase, "wrong_phase", "this action belongs to another phase";
    /// A bid that does not beat the standing one.
    BidTooLow, "bid_too_low", "a bid must be higher than the standing bid";
    /// A bid above the row's size, or not below the one just retracted.
    BidTooHigh, "bid_too_high", "a bid may not exceed the row, nor reach the bid just retracted";
    /// A bid that could not be built.
    BidUnbuildable, "bid_unbuildable", "no choice of that many cards could be built";
    /// A pass by the starter, who has to open the auction.
    StarterMustBid, "starter_must_bid", "the starter must bid";
    /// A take of a different number of cards than bid.
    WrongNumberOfCards, "wrong_number_of_cards", "the builder takes exactly as many cards as bid";
    /// A card that is not in the row, or not that often.
    NotInRow, "not_in_row", "the row does not contain this card";
    /// Cards that could not all be built.
    TakeUnbuildable, "take_unbuildable", "these cards could not all be built";
    /// A card that is not in the builder's hand.
    NotInHand, "not_in_hand", "this card is not in the builder's hand";
    /// A card that may not go on the tower's top card.
    TooHighForTop, "too_high_for_top", "this card is too high for the tower's top card";
    /// A card for a tower that already has a roof.
    Roofed, "roofed", "nothing goes on a roof";
    /// A placement after which the rest could not be built.
    WouldStrand, "would_strand", "after this the remaining cards could not all be built";
    /// A demolition after a card was placed.
    DemolishFirst, "demolish_first", "demolition comes before the first placement";
    /// A second demolition.
    AlreadyDemolished, "already_demolished", "only one card can be demolished in a round";
    /// A demolition of a roof.
    RoofStays, "roof_stays", "a roof is never demolished";
    /// A demolition of a tower that does not exist.
    NothingToDemolish, "nothing_to_demolish", "there is no such tower to demolish";
    /// A demolition after which the taken cards could not be built.
    DemolishUnbuildable, "demolish_unbuildable", "after this demolition the taken cards could not all be built";
    /// Finishing with cards in hand.
    HandNotEmpty, "hand_not_empty", "all taken cards must be placed first";
    /// An undo when nothing has been done.
    NothingToUndo, "nothing_to_undo", "there is nothing to undo";
    /// An undo beyond the limit.
    TooManyUndos, "too_many_undos", "all undos of this build are used";
    /// A retraction of a bid that can be kept.
    NoRetraction, "no_retraction", "a bid that can be fulfilled cannot be retracted";
}
