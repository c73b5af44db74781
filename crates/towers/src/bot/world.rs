//! The table as a bot samples it (determinisation): public state as it is, hidden cards as one guess, and playouts from
//! there by a rule of thumb. It is derived from a view alone.

use super::bidding::{self, AuctionTree, Bidding};
use super::packed::PackedSide;
use super::plan::{Plans, carry_out};
use super::worth::{Left, Weights, Worth};
use crate::Mine;
use crate::card::{Card, Cards, MAX_DECK, ROOF, deck};
use crate::side::MAX_PLAYERS;
use crate::view::Table;
use arrayvec::ArrayVec;
use game::Luck;

/// The state of a table without the order of the draw pile.
#[derive(Debug, Clone, Copy)]
pub struct World {
    pub players: usize,
    pub sides: [PackedSide; MAX_PLAYERS],
    pub starter: usize,
    pub deal: u8,
    /// Number of cards left to draw in this deal.
    pub draw: usize,
    /// Number of cards on the discard pile.
    pub discarded: usize,
    /// Cards that can still appear in a row.
    pub left: Left,
}

/// One guess at the hidden cards: the draw pile, and the order in which discarded cards will come after the reshuffle.
/// Both are drawn before anything is tried, so that all options meet the same cards (common random numbers).
#[derive(Debug, Clone)]
pub struct Guess {
    draw: ArrayVec<Card, MAX_DECK>,
    again: ArrayVec<Card, MAX_DECK>,
}

#[cfg(test)]
impl Guess {
    pub fn draw_pile(&self) -> &[Card] {
        &self.draw
    }
}

/// The information set of a seat: the public state and the cards it cannot see.
#[derive(Debug, Clone)]
pub struct Knowledge {
    pub world: World,
    /// The cards of the row, followed by those the builder took and has not placed.
    pub row: Cards,
    pub unseen: ArrayVec<Card, MAX_DECK>,
    /// Number of unseen cards in demolition piles.
    hidden: usize,
    discard: ArrayVec<Card, MAX_DECK>,
}

impl Knowledge {
    pub fn new(table: &Table, mine: &Mine) -> Knowledge {
        let players = table.players.len();
        let mut sides = [PackedSide::EMPTY; MAX_PLAYERS];
        let mut copies = Left::NOTHING;
        for card in deck(players) {
            copies.add(card);
        }
        for player in &table.players {
            sides[player.seat.index()] = PackedSide::new(player);
            for tower in crate::Tower::ALL {
                for value in player.towers.of(tower) {
                    copies.remove(Card::of(tower, *value));
                }
            }
        }
        let row: Cards = table.row.iter().chain(&table.hand).copied().collect();
        for card in row.iter().chain(&mine.demolished).chain(&table.discard) {
            copies.remove(*card);
        }
        let unseen: ArrayVec<Card, MAX_DECK> = Card::all()
            .flat_map(|card| {
                let copies = copies.0[card.tower().index()][usize::from(card.value())];
                std::iter::repeat_n(card, usize::from(copies))
            })
            .collect();
        let draw = usize::from(table.draw).min(unseen.len());
        // Cards in the others' demolition piles will not return, but their identity is unknown, so they still count as
        // left.
        let mut left = copies;
        if table.deal == 1 {
            for card in &table.discard {
                left.add(*card);
            }
        }
        let world = World {
            players,
            sides,
            starter: table.starter.index(),
            deal: table.deal,
            draw,
            discarded: table.discard.len(),
            left,
        };
        let hidden = unseen.len() - draw;
        Knowledge { world, row, unseen, hidden, discard: table.discard.iter().copied().collect() }
    }

    /// Returns a game at its start, with no row turned up.
    #[cfg(test)]
    pub fn fresh(players: usize) -> Knowledge {
        let mut left = Left::NOTHING;
        let unseen: ArrayVec<Card, MAX_DECK> = deck(players).collect();
        for card in &unseen {
            left.add(*card);
        }
        let sides = [PackedSide::EMPTY; MAX_PLAYERS];
        let world = World { players, sides, starter: 0, deal: 1, draw: unseen.len(), discarded: 0, left };
        Knowledge { world, row: Cards::new(), unseen, hidden: 0, discard: ArrayVec::new() }
    }

    /// Returns every possible last row, all equally likely, or one empty row if none is to come. `None` if more than
    /// one row is still to come or more than `most` rows are possible.
    pub fn last_rows(&self, most: usize) -> Option<Vec<Cards>> {
        // More cards than this would give too many rows.
        if self.world.deal == 1 || self.world.draw > 5 || self.unseen.len() > 12 {
            return None;
        }
        let roof = |place: &usize| self.unseen[*place].value() == ROOF;
        let roofs = (0..self.unseen.len()).filter(roof).fold(0_u32, |roofs, place| roofs | 1 << place);
        // A roof is never demolished, so all unseen roofs are still to come.
        let sets = (0..1_u32 << self.unseen.len())
            .filter(|set| set & roofs == roofs && set.count_ones() as usize == self.world.draw);
        let row = |set: u32| -> Cards {
            let cards = self.unseen.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
            cards.map(|(_, card)| *card).collect()
        };
        let rows: Vec<Cards> = sets.take(most + 1).map(row).collect();
        (1..=most).contains(&rows.len()).then_some(rows)
    }

    /// Samples the hidden cards uniformly (determinisation) and returns the table with that guess.
    pub fn guess(&self, luck: &mut Luck) -> (World, Guess) {
        let mut unseen = self.unseen.clone();
        luck.shuffle(&mut unseen);
        let (hidden, draw) = unseen.split_at_mut(self.hidden);
        // A roof is never demolished, so it is swapped with a card of the draw pile.
        for card in hidden.iter_mut().filter(|card| card.value() == ROOF) {
            // The search starts at a random position, so that all positions are equally likely.
            let from = luck.below(draw.len());
            let (before, after) = draw.split_at_mut(from);
            if let Some(other) = after.iter_mut().chain(before).find(|other| other.value() != ROOF) {
                std::mem::swap(card, other);
            }
        }
        let mut world = self.world;
        for card in hidden.iter() {
            world.left.remove(*card);
        }
        let draw: ArrayVec<Card, MAX_DECK> = draw.iter().copied().collect();
        let mut again = ArrayVec::new();
        if world.deal == 1 {
            again = draw.clone();
            again.extend(self.discard.iter().copied());
            again.extend(self.row.iter().copied());
            luck.shuffle(&mut again);
        }
        (world, Guess { draw, again })
    }
}

impl World {
    /// Returns the number of rows still to come, scaled to three players: what counts is how many rows one player can
    /// hope to win.
    pub fn rows(&self) -> f32 {
        let mut rows = self.draw.div_ceil(5) as f32;
        if self.deal == 1 {
            // About two cards of a row are discarded.
            rows += (self.discarded as f32 + 2.0 * (rows + 1.0)) / 5.0;
        }
        rows * 3.0 / self.players as f32
    }

    /// Returns the values of towers after the current row.
    pub fn worth(&self, weights: &Weights) -> Worth {
        Worth::new(weights, &self.left, self.rows())
    }

    pub fn plans(&self, row: &[Card], worth: &Worth) -> ArrayVec<Plans, MAX_PLAYERS> {
        self.sides[..self.players].iter().map(|side| Plans::new(side, row, worth)).collect()
    }
}

/// A playout: a game continued from a guess.
pub struct Playout<'a> {
    pub world: World,
    guess: &'a Guess,
    /// The draw pile of the second deal, once it has been shuffled.
    second: ArrayVec<Card, MAX_DECK>,
    /// The cards on the discard pile.
    discard: Left,
}

impl<'a> Playout<'a> {
    pub fn new(known: &Knowledge, world: World, guess: &'a Guess) -> Playout<'a> {
        let mut discard = Left::NOTHING;
        if world.deal == 1 {
            for card in &known.discard {
                discard.add(*card);
            }
        }
        Playout { world, guess, second: ArrayVec::new(), discard }
    }

    /// Ends a round in which `builder` took the cards at these positions of the row, or in which nobody built.
    pub fn clean_up(&mut self, builder: Option<usize>, row: &Cards, taken: u8) {
        let world = &mut self.world;
        for (place, card) in row.iter().enumerate() {
            if taken >> place & 1 == 0 {
                world.discarded += 1;
                // In the second deal a discarded card never returns.
                if world.deal == 1 {
                    world.left.add(*card);
                    self.discard.add(*card);
                }
            }
        }
        if let Some(builder) = builder {
            world.starter = (builder + 1) % world.players;
        }
    }

    /// Turns up and returns the next row, or `None` once the game is over.
    pub fn turn_up(&mut self) -> Option<Cards> {
        if self.world.draw == 0 {
            if self.world.deal > 1 || self.world.discarded == 0 {
                return None;
            }
            self.reshuffle();
        }
        let pile = if self.second.is_empty() { &self.guess.draw } else { &self.second };
        let drawn = pile.len() - self.world.draw;
        let row = Cards::from(&pile[drawn..pile.len().min(drawn + 5)]);
        self.world.draw -= row.len();
        for card in &row {
            self.world.left.remove(*card);
        }
        (!row.is_empty()).then_some(row)
    }

    fn reshuffle(&mut self) {
        for card in &self.guess.again {
            let copies = &mut self.discard.0[card.tower().index()][usize::from(card.value())];
            if *copies > 0 {
                *copies -= 1;
                self.second.push(*card);
            }
        }
        self.world.deal = 2;
        self.world.draw = self.second.len();
        self.world.discarded = 0;
    }

    /// Builds the best plan with `count` cards, or with as many as can be built, and ends the round.
    pub fn build(&mut self, builder: usize, count: u8, row: &Cards, plans: &Plans, worth: &Worth) {
        let plan = (1..=count).rev().find_map(|count| plans.of(count));
        let side = &mut self.world.sides[builder];
        let built = plan.and_then(|plan| Some((plan.taken, carry_out(side, row, &plan, worth)?)));
        match built {
            Some((taken, after)) => {
                *side = after;
                self.clean_up(Some(builder), row, taken);
            }
            None => self.clean_up(None, row, 0),
        }
    }

    /// Plays up to this many rounds, or until the game is over.
    pub fn play(&mut self, weights: &Weights, bidding: &Bidding, rounds: usize, luck: &mut Luck) {
        for _ in 0..rounds {
            let Some(row) = self.turn_up() else { return };
            let worth = self.world.worth(weights);
            let plans = self.world.plans(&row, &worth);
            let offers = bidding::offers(&plans, bidding, luck);
            let starter = self.world.starter;
            let auction = AuctionTree { offers: &offers, size: row.len() as u8, starter, bidding };
            let (place, count) = auction.end(0, None);
            let builder = (starter + place) % self.world.players;
            self.build(builder, count, &row, &plans[builder], &worth);
        }
    }

    pub fn over(&self) -> bool {
        self.world.draw == 0 && (self.world.deal > 1 || self.world.discarded == 0)
    }
}
