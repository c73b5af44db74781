//! The last two rounds, searched by the rules alone. The tests of the book and the example that makes it share this.

use game::{Game, Seat, Viewer};
use gametest::Endgame;
use std::hash::{DefaultHasher, Hash, Hasher};
use towers::{Action, Card, Lay, Phase, Tower, Towers, deck, lay};

/// Every act to the end. Which cards are in the last row nobody knows who cannot see what others demolished.
pub const LAST_ROUNDS: Endgame<Towers> = Endgame {
    open_ended: |_| false,
    at_once: |_| false,
    takes_back: |act| matches!(act, Action::Undo {} | Action::Retract {}),
    name: |game| Some(name(game)),
    dealt,
};

/// All that matters for what follows: which cards are discarded does not, for nothing returns from there.
fn name(game: &Towers) -> u64 {
    let table = game.table();
    let mut hasher = DefaultHasher::new();
    for player in &table.players {
        player.demolished.hash(&mut hasher);
        for tower in Tower::ALL {
            player.towers.of(tower).iter().for_each(|value| value.hash(&mut hasher));
            u8::MAX.hash(&mut hasher);
        }
    }
    for cards in [&table.row[..], &table.hand[..]] {
        words(cards).hash(&mut hasher);
    }
    let standing = table.standing.map(|bid| (bid.seat.0, bid.count));
    let demolished = table.demolished_now.is_some();
    let taken = matches!(game.phase(), Phase::Build);
    (table.round, table.calls.len(), standing, demolished, taken).hash(&mut hasher);
    hasher.finish()
}

/// Cards as texts name them.
pub fn words(cards: &[Card]) -> String {
    cards.iter().map(Card::to_string).collect::<Vec<_>>().join(" ")
}

/// The towers of a seat as texts name them.
pub fn towers(game: &Towers, seat: Seat) -> String {
    let table = game.table();
    let tower = |tower: Tower| {
        let stack = table.players[seat.index()].towers.of(tower);
        let values: Vec<String> = stack.iter().map(u8::to_string).collect();
        (!values.is_empty()).then(|| format!("{} {}", tower.name(), values.join(" ")))
    };
    Tower::ALL.into_iter().filter_map(tower).collect::<Vec<_>>().join(", ")
}

/// The cards a seat cannot see: what is still to draw, and what others demolished.
pub fn unseen(game: &Towers, seat: Seat) -> Vec<Card> {
    let view = game.view(Viewer::Seat(seat));
    let mut cards: Vec<Card> = deck(game.players()).collect();
    let mut seen = |card: &Card| {
        let place = cards.iter().position(|other| other == card).expect("no card is doubled");
        cards.remove(place);
    };
    for player in &view.table.players {
        for tower in Tower::ALL {
            for value in player.towers.of(tower).iter() {
                let card = Card::all().find(|card| card.tower() == tower && card.value() == *value);
                seen(&card.expect("a card of the game"));
            }
        }
    }
    let mine = view.mine.expect("a player");
    let table = &view.table;
    table.row.iter().chain(&table.hand).chain(&table.discard).chain(&mine.demolished).for_each(&mut seen);
    // What somebody demolished in this round everybody saw.
    if let Some(builder) = table.turn.filter(|builder| *builder != seat && table.demolished_now.is_some()) {
        game.mine(builder).demolished.last().into_iter().for_each(seen);
    }
    cards
}

/// Every choice of so many of the cards that has all the roofs, for nobody demolishes a roof; and what is left.
pub fn rows(cards: &[Card], count: usize) -> Vec<(Vec<Card>, Vec<Card>)> {
    let sets = (0..1_u32 << cards.len()).filter(|set| set.count_ones() as usize == count);
    let split = |set: u32| {
        let (row, left): (Vec<_>, Vec<_>) = (0..cards.len()).partition(|place| set >> place & 1 == 1);
        let named =
            |places: Vec<usize>| -> Vec<Card> { places.into_iter().map(|place| cards[place]).collect() };
        (named(row), named(left))
    };
    sets.map(split).filter(|(_, left)| left.iter().all(|card| card.value() != 0)).collect()
}

fn dealt(before: &Towers, after: &Towers, me: Seat) -> Option<Vec<Towers>> {
    let (old, new) = (before.table(), after.table());
    if old.round == new.round || after.phase() == Phase::Finished {
        return None;
    }
    let rows = rows(&unseen(before, me), usize::from(old.draw));
    if rows.len() == 1 {
        return None;
    }
    let laid = |(row, mut hidden): (Vec<Card>, Vec<Card>)| {
        let mut lay: Lay = lay::table(after.players())
            .deal(2)
            .starter(new.starter.index())
            .row(&words(&row))
            .rest_discarded();
        for seat in Seat::all(after.players()) {
            let mine = after.mine(seat).demolished;
            // Who has demolished which of the cards is all the same now.
            let pile = if seat == me { mine.to_vec() } else { hidden.split_off(hidden.len() - mine.len()) };
            lay = lay.towers(seat.index(), &towers(after, seat)).demolished(seat.index(), &words(&pile));
        }
        // The round's number is not what it was, but the same for all.
        lay.game().expect("a table that can be laid")
    };
    Some(rows.into_iter().map(laid).collect())
}
