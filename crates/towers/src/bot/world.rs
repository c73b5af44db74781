//! The table as a bot imagines it (determinisation): everything open as it is, everything hidden as one guess, and
//! playouts from there by a rule of thumb. It is made from a view alone.

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

/// Everything about a table but the order of the draw pile.
#[derive(Debug, Clone, Copy)]
pub struct World {
    pub players: usize,
    pub sides: [PackedSide; MAX_PLAYERS],
    pub starter: usize,
    pub deal: u8,
    /// How many cards are left to draw in this deal.
    pub draw: usize,
    /// How many cards lie on the discard pile.
    pub discarded: usize,
    /// What can still come into a row.
    pub left: Left,
}

/// One guess at what is hidden: the draw pile, and in which order cards will come that are discarded until the
/// reshuffle. Both are drawn before anything is tried, so that all wishes meet the same cards (common random numbers).
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

/// The information set of a seat: the open table, and the cards it cannot see.
#[derive(Debug, Clone)]
pub struct Knowledge {
    pub world: World,
    /// The row, and behind it what the builder took of it and has not placed.
    pub row: Cards,
    pub unseen: ArrayVec<Card, MAX_DECK>,
    /// How many of the unseen cards lie in demolition piles.
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
        // Cards in others' demolition piles will not come, but which ones they are is not known.
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

    /// A table at which nothing has happened and no row is turned up.
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

    /// Every row that may come last, each as likely as any other: an empty one if none is to come. None if more than one row is
    /// still to come, or if more than `most` may be the last.
    pub fn last_rows(&self, most: usize) -> Option<Vec<Cards>> {
        // With more cards than these the rows are too many.
        if self.world.deal == 1 || self.world.draw > 5 || self.unseen.len() > 12 {
            return None;
        }
        let roof = |place: &usize| self.unseen[*place].value() == ROOF;
        let roofs = (0..self.unseen.len()).filter(roof).fold(0_u32, |roofs, place| roofs | 1 << place);
        // A roof is never demolished, so all that are not seen are to come.
        let sets = (0..1_u32 << self.unseen.len())
            .filter(|set| set & roofs == roofs && set.count_ones() as usize == self.world.draw);
        let row = |set: u32| -> Cards {
            let cards = self.unseen.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
            cards.map(|(_, card)| *card).collect()
        };
        let rows: Vec<Cards> = sets.take(most + 1).map(row).collect();
        (1..=most).contains(&rows.len()).then_some(rows)
    }

    /// Determinisation: a guess at what is hidden, each as likely as any other, and the table with it.
    pub fn guess(&self, luck: &mut Luck) -> (World, Guess) {
        let mut unseen = self.unseen.clone();
        luck.shuffle(&mut unseen);
        let (hidden, draw) = unseen.split_at_mut(self.hidden);
        // A roof is never demolished.
        for card in hidden.iter_mut().filter(|card| card.value() == ROOF) {
            // Any other place is as likely, so the search begins anywhere.
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
    /// How many rows are still to come, as if three played: what counts is how many a player can hope to win.
    pub fn rows(&self) -> f32 {
        let mut rows = self.draw.div_ceil(5) as f32;
        if self.deal == 1 {
            // About two cards of a row are discarded.
            rows += (self.discarded as f32 + 2.0 * (rows + 1.0)) / 5.0;
        }
        rows * 3.0 / self.players as f32
    }

    /// What towers are worth once this row is gone.
    pub fn worth(&self, weights: &Weights) -> Worth {
        Worth::new(weights, &self.left, self.rows())
    }

    pub fn plans(&self, row: &[Card], worth: &Worth) -> ArrayVec<Plans, MAX_PLAYERS> {
        self.sides[..self.players].iter().map(|side| Plans::new(side, row, worth)).collect()
    }
}

/// A playout: a game played on from a guess.
pub struct Playout<'a> {
    pub world: World,
    guess: &'a Guess,
    /// The second deal's draw pile, once it is shuffled.
    second: ArrayVec<Card, MAX_DECK>,
    /// Copies on the discard pile.
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

    /// Ends a round in which `builder` took these places of the row, or nobody anything.
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

    /// The next row; none once the game is over.
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

    /// Builds the best plan with so many cards, or with as many fewer as can be built, and ends the round.
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

    /// Plays rounds until the game is over, or so many.
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
