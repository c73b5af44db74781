//! Deals, compared with a second implementation written from the contract alone.

use crate::script::play;
use game::{Game, Salt, Seed};
use towers::{Card, Event, Phase, Towers};

/// Returns the first starter and every card in the order in which it is revealed, when nobody ever builds.
fn dealt(players: usize) -> (u8, Vec<String>, Vec<Vec<Card>>) {
    let server = Seed(std::array::from_fn(|i| i as u8));
    let seed = server.salted([Salt([0x11; 16]), Salt([0x22; 16])]);
    let (mut game, first) = Towers::new(&Default::default(), players, seed);
    let starter = game.turn().unwrap();
    let mut events: Vec<Event> = first.into_iter().collect();
    while game.phase() != Phase::Finished {
        let seat = game.turn().unwrap();
        let call = if game.table().calls.is_empty() { "bid 0" } else { "pass" };
        events.extend(play(&mut game, &format!("{seat} {call}")));
    }
    let rows: Vec<Vec<Card>> = events
        .iter()
        .filter_map(|event| match event {
            Event::Round { row, .. } => Some(row.to_vec()),
            _ => None,
        })
        .collect();
    let first_deal = rows[..rows.len() / 2].concat().iter().map(Card::to_string).collect();
    (starter.0, first_deal, rows)
}

#[test]
fn deals_the_reference_cards_to_three_players() {
    let (starter, cards, _) = dealt(3);
    assert_eq!(starter, 0);
    assert_eq!(cards.len(), 80);
    let first = "sand13 candy12 tree14 tree11 scrap12 spooky2 sand1 candy3 scrap10 spooky1";
    assert_eq!(cards[..10].join(" "), first);
    assert_eq!(cards[75..].join(" "), "sand15 spooky7 candy8 tree15 tree0");
}

#[test]
fn deals_the_reference_cards_to_five_players() {
    let (starter, cards, _) = dealt(5);
    assert_eq!(starter, 4);
    assert_eq!(cards.len(), 110);
    let first = "tree12 spooky15 spooky1 scrap0 spooky4 candy9 sand5 tree2 scrap0 scrap15";
    assert_eq!(cards[..10].join(" "), first);
    assert_eq!(cards[105..].join(" "), "candy14 sand15 sand4 spooky0 candy5");
}

/// Recalculates the contract's random stream word by word, to detect errors in resuming the stream.
#[test]
fn the_reshuffle_continues_the_stream_of_the_first_deal() {
    for players in [3, 5] {
        let (_, _, rows) = dealt(players);
        let server = Seed(std::array::from_fn(|i| i as u8));
        let mut chance = game::Chance::new(server.salted([Salt([0x11; 16]), Salt([0x22; 16])]));
        chance.below(players as u32);
        let mut cards: Vec<Card> = towers::deck(players).collect();
        chance.shuffle(&mut cards);
        assert_eq!(rows[..rows.len() / 2].concat(), cards);
        // Nobody built, so the cards were discarded in the order in which they were dealt.
        chance.shuffle(&mut cards);
        assert_eq!(rows[rows.len() / 2..].concat(), cards);
    }
}
