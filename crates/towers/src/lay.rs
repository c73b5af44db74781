//! Builds arbitrary positions for tests, tutorials and searches: `lay::table(3).row("sand7 …").towers(0, "sand 6
//! 4").game()?`. Positions that no game could reach with its cards are refused. How a game would get there is not
//! checked.

use crate::card::{Card, Cards, ROOF, Tower, deck};
use crate::piles::Piles;
use crate::row::Row;
use crate::side::Pile;
use crate::tower::Top;
use crate::{Rules, Towers};
use game::{Game, Seat, Seed};

/// Why a position is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Impossible {
    /// Unsupported number of players.
    #[error("Five Towers does not support {0} players")]
    Players(usize),
    /// A seat that does not exist.
    #[error("there is no seat {0}")]
    NoSuchSeat(usize),
    /// A text that does not name a card.
    #[error("{0:?} is not a card")]
    NotACard(String),
    /// A card that occurs more often than in the deck.
    #[error("the deck does not have another {0}")]
    Doubled(Card),
    /// A tower with a card on one it may not be placed on.
    #[error("{0:?} is not a legal tower")]
    Stack(String),
    /// A roof in a demolition pile, or more demolished cards than there are rounds.
    #[error("{0:?} is not a legal demolition pile")]
    Demolished(String),
    /// An empty or too long row, or a short one although more cards can be drawn.
    #[error("a row has five cards, or fewer only if the draw pile is empty in the second deal")]
    Row,
    /// A first-deal draw pile that is not a multiple of five cards.
    #[error("the draw pile of the first deal must have a multiple of five cards")]
    DrawPile,
    /// A deal other than the first or the second.
    #[error("there is no deal {0}")]
    Deal(u8),
}

/// A position to be built. Cards that are not named go under the draw pile, in the order of the deck. In the first
/// deal, which is drawn in fives, the last one to four of them may be discarded.
#[derive(Debug, Clone)]
#[must_use]
pub struct Lay {
    players: usize,
    rules: Rules,
    seed: Seed,
    starter: usize,
    deal: u8,
    round: Option<u8>,
    row: String,
    draw: String,
    discard: String,
    rest_discarded: bool,
    towers: Vec<(usize, String)>,
    demolished: Vec<(usize, String)>,
}

/// Starts an empty position for `players`: the auction of the first round, with seat 0 as starter.
pub fn table(players: usize) -> Lay {
    Lay {
        players,
        rules: Rules::default(),
        seed: Seed([0; 32]),
        starter: 0,
        deal: 1,
        round: None,
        row: String::new(),
        draw: String::new(),
        discard: String::new(),
        rest_discarded: false,
        towers: Vec::new(),
        demolished: Vec::new(),
    }
}

impl Lay {
    /// Sets the options.
    pub fn rules(self, rules: Rules) -> Lay {
        Lay { rules, ..self }
    }

    /// Sets the seed that the reshuffle uses.
    pub fn seed(self, seed: Seed) -> Lay {
        Lay { seed, ..self }
    }

    /// Sets the starter of this round.
    pub fn starter(self, seat: usize) -> Lay {
        Lay { starter: seat, ..self }
    }

    /// Sets the deal, 1 or 2.
    pub fn deal(self, deal: u8) -> Lay {
        Lay { deal, ..self }
    }

    /// Sets the round's number. By default it follows from the draw pile, or is the first of the second deal.
    pub fn round(self, round: u8) -> Lay {
        Lay { round: Some(round), ..self }
    }

    /// Sets the row: `"sand7 tree0 candy3 candy4 scrap15"`.
    pub fn row(self, cards: &str) -> Lay {
        Lay { row: cards.to_owned(), ..self }
    }

    /// Sets the top of the draw pile, next card first.
    pub fn draw(self, cards: &str) -> Lay {
        Lay { draw: cards.to_owned(), ..self }
    }

    /// Sets the discard pile, oldest card first.
    pub fn discard(self, cards: &str) -> Lay {
        Lay { discard: cards.to_owned(), ..self }
    }

    /// Puts all cards that are not named on the discard pile.
    pub fn rest_discarded(self) -> Lay {
        Lay { rest_discarded: true, ..self }
    }

    /// Adds towers of a seat, each from bottom to top: `"sand 6 4, tree 8 15"`.
    pub fn towers(mut self, seat: usize, towers: &str) -> Lay {
        self.towers.push((seat, towers.to_owned()));
        self
    }

    /// Sets a seat's demolition pile, oldest card first: `"sand6 tree3"`.
    pub fn demolished(mut self, seat: usize, cards: &str) -> Lay {
        self.demolished.push((seat, cards.to_owned()));
        self
    }

    /// Returns the game at the beginning of this round's auction.
    pub fn game(&self) -> Result<Towers, Impossible> {
        if !Towers::PLAYERS.contains(&self.players) {
            return Err(Impossible::Players(self.players));
        }
        let mut rest: Vec<Card> = deck(self.players).collect();
        let whole = rest.len();
        let mut towers =
            Towers::bare(&self.rules, self.players, self.seed, self.seat(self.starter)?, Piles::laid(0, &[], &[]));
        self.lay_sides(&mut towers, &mut rest)?;
        let row = cards(&self.row, &mut rest)?;
        let mut draw = cards(&self.draw, &mut rest)?;
        let mut discard = cards(&self.discard, &mut rest)?;
        if !self.rest_discarded {
            // The first deal is drawn in fives, so the remainder goes on the discard pile.
            let over = if self.deal == 1 { (draw.len() + rest.len()) % 5 } else { 0 };
            draw.extend(rest.drain(..rest.len().saturating_sub(over)));
        }
        discard.append(&mut rest);

        let rounds = (whole / 5) as u8;
        let short = row.len() < 5 && (self.deal == 1 || !draw.is_empty());
        towers.round = match self.deal {
            _ if row.is_empty() || row.len() > 5 || short => return Err(Impossible::Row),
            1 if draw.len() % 5 != 0 => return Err(Impossible::DrawPile),
            1 => self.round.unwrap_or(rounds - (draw.len() / 5) as u8),
            2 => self.round.unwrap_or(rounds + 1),
            _ => return Err(Impossible::Deal(self.deal)),
        };
        towers.deal = self.deal;
        towers.piles = Piles::laid(whole, &draw, &discard);
        towers.open_auction(towers.starter, Row::new(Cards::from(&row[..])));
        Ok(towers)
    }

    fn seat(&self, seat: usize) -> Result<Seat, Impossible> {
        if seat < self.players { Ok(Seat::from(seat)) } else { Err(Impossible::NoSuchSeat(seat)) }
    }

    fn lay_sides(&self, table: &mut Towers, rest: &mut Vec<Card>) -> Result<(), Impossible> {
        for (seat, text) in &self.towers {
            let side = &mut table.sides[self.seat(*seat)?.index()];
            for tower in text.split(',') {
                let mut words = tower.split_whitespace();
                let Some(name) = words.next() else { continue };
                let kind: Tower = name.parse().map_err(|_| Impossible::NotACard(name.to_owned()))?;
                for value in words {
                    let card = draw_out(&format!("{name}{value}"), rest)?;
                    if !Top::of(side.stack(kind)).takes(card.value()) {
                        return Err(Impossible::Stack(tower.trim().to_owned()));
                    }
                    side.build(card);
                }
            }
        }
        for (seat, text) in &self.demolished {
            let pile = cards(text, rest)?;
            if pile.len() > Pile::new().room() || pile.iter().any(|card| card.value() == ROOF) {
                return Err(Impossible::Demolished(text.clone()));
            }
            table.sides[self.seat(*seat)?.index()].demolished = Pile::from(&pile[..]);
        }
        Ok(())
    }
}

/// Removes the cards named in this text from the rest of the deck and returns them.
fn cards(text: &str, rest: &mut Vec<Card>) -> Result<Vec<Card>, Impossible> {
    text.split_whitespace().map(|word| draw_out(word, rest)).collect()
}

fn draw_out(word: &str, rest: &mut Vec<Card>) -> Result<Card, Impossible> {
    let card: Card = word.parse().map_err(|_| Impossible::NotACard(word.to_owned()))?;
    let place = rest.iter().position(|c| *c == card).ok_or(Impossible::Doubled(card))?;
    Ok(rest.remove(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_laid_table_has_every_card_once() {
        for players in 2..=5 {
            let mut whole: Vec<Card> = deck(players).collect();
            whole.sort();
            let lay = table(players).row("sand7 tree7 candy1 candy2 candy3").towers(1, "sand 8 15, tree 3");
            let lay = lay.demolished(0, "sand9 tree1").draw("scrap1 scrap2").discard("spooky4");
            for lay in [lay.clone(), lay.clone().deal(2), lay.deal(2).rest_discarded()] {
                assert_eq!(lay.game().unwrap().every_card(), whole, "{lay:?}");
            }
        }
    }
}
