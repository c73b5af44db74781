//! Recorded games stay playable: games of random actions are recorded, stored, and replayed action by action.

use game::{Game, Luck, Outcome, Seat, Seed};
use serde::Deserialize;

#[derive(Deserialize)]
struct RecordedGame<R, A> {
    rules_version: u32,
    seed: Seed,
    rules: R,
    players: usize,
    acts: Vec<TypedAct<A>>,
    outcome: Outcome,
}

#[derive(Deserialize)]
struct TypedAct<A> {
    seat: Seat,
    action: A,
}

/// Replays a recorded game. Every action must be legal, and the game must end with the recorded outcome.
#[track_caller]
pub fn replay<G: Game>(text: &str) {
    let record: RecordedGame<G::Rules, G::Action> = serde_json::from_str(text).unwrap();
    assert!((1..=G::RULES_VERSION).contains(&record.rules_version), "rules of version {}", record.rules_version);
    let (mut game, _) = G::new(&record.rules, record.players, record.seed);
    game.set_rules_version(record.rules_version);
    for (n, TypedAct { seat, action }) in record.acts.iter().enumerate() {
        assert!(game.outcome().is_none(), "the game is over before act {n}");
        game.apply(*seat, action).unwrap_or_else(|refusal| panic!("act {n}, {action:?}: {refusal}"));
    }
    assert_eq!(game.outcome(), Some(record.outcome));
}

/// Plays a whole game with actions chosen by `choose`, and returns its record with one action per line.
pub fn record<G: Game>(
    rules: &G::Rules,
    players: usize,
    number: u8,
    mut choose: impl FnMut(&G, &mut Luck) -> (Seat, G::Action),
) -> Result<String, Box<dyn std::error::Error>> {
    if !G::PLAYERS.contains(&players) {
        return Err(format!("{} to {} players can play", G::PLAYERS.start(), G::PLAYERS.end()).into());
    }
    let seed = Seed(std::array::from_fn(|i| i as u8 ^ number));
    let mut luck = crate::luck(number.into());
    let (mut game, _) = G::new(rules, players, seed);
    let mut acts = Vec::new();
    while game.outcome().is_none() {
        let (seat, action) = choose(&game, &mut luck);
        game.apply(seat, &action)?;
        acts.push(format!("{{\"seat\":{seat},\"action\":{}}}", serde_json::to_string(&action)?));
    }
    Ok(format!(
        "{{\n  \"rules_version\": {}, \"game\": \"{}\",\n  \"rules\": {}, \"players\": {players},\n  \
         \"seed\": {},\n  \"outcome\": {},\n  \"acts\": [\n    {}\n  ]\n}}",
        G::RULES_VERSION,
        G::ID,
        serde_json::to_string(rules)?,
        serde_json::to_string(&seed)?,
        serde_json::to_string(&game.outcome())?,
        acts.join(",\n    ")
    ))
}
