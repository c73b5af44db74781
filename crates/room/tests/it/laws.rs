//! Invariants after any sequence of inputs.

use crate::test_room::{MINUTE, TestRoom, everything};
use game::{Chance, Level, Salt, Seat, Seed};
use proptest::prelude::*;
use protocol::Forced;
use room::{Input, Name, PlayerId, TokenHash};
use serde_json::{Value, json};

/// Maximum number of inputs in a sequence.
const STEPS: usize = 60;

/// A random input: kind, player, and a parameter.
type Step = (u8, u8, u8);

/// Applies one input, valid or not, and returns whether it was refused.
fn step(table: &mut TestRoom, chance: &mut Chance, (what, who, detail): Step) -> bool {
    // Usually a seated player, sometimes one that does not exist.
    let at = table.room.seats().at(Seat(who % 6)).map(|player| player.id);
    let player = at.unwrap_or(PlayerId(u32::from(who)));
    let seed = table.seed();
    let mistakes = if detail < 128 { "allowed" } else { "prevented" };
    let level = Level::ALL[usize::from(detail % 4)];
    let done = match what % 28 {
        0..3 => table.tries_to_sit(["Ana", "ana", "Bea", "Łukasz"][usize::from(detail % 4)], None),
        3 => table.ask(Input::Salt { player, salt: Salt([detail; 16]) }),
        4 => table.ask(Input::Stand { player }),
        5 => table.ask(Input::Leave { player, seed }),
        6 => table.ask(Input::Remove { player, seat: Seat(detail % 6), seed }),
        7 => table.ask(Input::Configure {
            player,
            game: (detail % 3 == 0).then(|| if detail % 2 == 0 { "towers" } else { "qwantum" }.to_owned()),
            rules: (detail % 2 == 0).then(|| json!({"mistakes": mistakes})),
            clock: Some((detail > 9).then_some(u32::from(detail))),
            forced: Some(if detail % 5 == 0 { Forced::Ask } else { Forced::Auto }),
            pace: None,
            starter: (detail % 7 < 4).then(|| (detail % 7 > 0).then_some(Seat(detail % 3))),
        }),
        8..10 => table.ask(Input::Start { player }),
        10 => table.ask(Input::Rematch { player, seed }),
        11 => {
            let text = if detail % 7 == 0 { " ".to_owned() } else { format!("line {detail}") };
            table.speaks(at, "Wil", &text).map(|()| vec![])
        }
        12 => {
            table.now += MINUTE;
            table.ticks()
        }
        13 => {
            table.room.came(player, table.now);
            Ok(vec![])
        }
        14 => {
            table.room.went(player, table.now);
            Ok(vec![])
        }
        15 => {
            let action = json!({"type": "bid", "count": detail % 7});
            table.ask(Input::Act { player, n: u32::from(detail % 3), action: action.into() })
        }
        // The rest plays a few actions or the whole game.
        16..19 => {
            for _ in 0..detail {
                if table.phase() == "playing" {
                    table.plays_anything(chance);
                }
            }
            Ok(vec![])
        }
        19 => table.ask(Input::AddBot { player, level }),
        20 => table.ask(Input::Substitute { player, seat: Seat(detail % 6), level }),
        21 => table.ask(Input::Return { player }),
        22 => {
            table.now += MINUTE;
            table.plays_due_actions();
            Ok(vec![])
        }
        23 => {
            table.room.came_unconfirmed(player, table.now);
            Ok(vec![])
        }
        24..26 => {
            let (name, salt) = (["Ana", "Bea"][usize::from(detail % 2)], Salt([detail % 3; 16]));
            let token = TokenHash::of(&format!("{seed:?} {what} {detail} {}", table.journal.len()));
            table.ask(Input::Join { name: Name::new(name).unwrap(), token, salt, program: false })
        }
        26 => {
            let name = Name::new(["Ana", "ana", "Bea", "Zoë 🎲"][usize::from(detail % 4)]).unwrap();
            table.ask(Input::Rename { player, name })
        }
        _ => {
            if table.phase() == "playing" {
                table.plays_quietly_if_possible();
            }
            Ok(vec![])
        }
    };
    done.is_err()
}

impl TestRoom {
    /// The public view of the room without the times away.
    fn timeless_view(&self) -> Value {
        let mut view = self.view();
        for seat in view["seats"].as_array_mut().unwrap() {
            seat["away_ms"] = json!(0);
        }
        view
    }

    /// Disconnects all players. Nobody has more connections than there were steps.
    fn disconnects_everyone(&mut self) {
        let players: Vec<PlayerId> =
            Seat::all(6).filter_map(|seat| self.room.seats().at(seat)).map(|player| player.id).collect();
        for player in players {
            (0..STEPS).for_each(|_| self.room.went(player, self.now));
        }
    }

    /// Plays to the end as fast as possible.
    fn plays_quietly_if_possible(&mut self) {
        let mut chance = Chance::new(Seed([5; 32]));
        while self.phase() == "playing" {
            let (seat, actions) = self.asked();
            let quiet = [json!({"type": "bid", "count": 0}), json!({"type": "pass"})];
            match quiet.iter().find(|quiet| actions.contains(quiet)) {
                Some(quiet) => self.plays(seat, quiet.clone()),
                None => self.plays_anything(&mut chance),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_rebuilt_room_looks_the_same_and_refusals_change_nothing(
        steps in proptest::collection::vec(any::<Step>(), 1..STEPS),
    ) {
        let mut table = TestRoom::open();
        let mut chance = Chance::new(Seed([7; 32]));
        for one in steps {
            let before = everything(&table.room, table.now);
            let (version, written) = (table.room.version(), table.journal.len());
            let (revision, seen) = (table.room.revision(), table.timeless_view());
            if step(&mut table, &mut chance, one) {
                prop_assert_eq!(everything(&table.room, table.now), before);
                prop_assert_eq!(table.journal.len(), written, "a refusal writes nothing");
            }
            prop_assert!(table.room.version() >= version, "the version never decreases");
            prop_assert!(
                table.room.revision() > revision || table.timeless_view() == seen,
                "every visible change increases the revision"
            );
            // The host is a seated human, and there is a host whenever a human is seated in the lobby.
            let seated = table.view()["seats"].as_array().unwrap().iter().any(|seat| seat["kind"] == "human");
            prop_assert!(seated || table.host().is_none());
            prop_assert!(table.phase() != "lobby" || table.host().is_some() == seated);
        }
        // Presence is not journaled, and the clock stops while nobody is connected. So everyone disconnects, as when a
        // server dies, and one player returns.
        table.disconnects_everyone();
        let mut rebuilt = table.rebuilt();
        prop_assert!(everything(&rebuilt, table.now) == everything(&table.room, table.now));
        if let Some(first) = table.room.seats().at(Seat(0)).map(|player| player.id) {
            rebuilt.came(first, table.now);
            table.room.came(first, table.now);
            prop_assert!(everything(&rebuilt, table.now) == everything(&table.room, table.now));
        }
    }

    #[test]
    fn rebuilding_from_the_last_checkpoint_equals_a_full_rebuild(
        games in proptest::collection::vec(proptest::collection::vec(any::<Step>(), 0..STEPS / 3), 1..4),
        later in proptest::collection::vec(any::<Step>(), 0..STEPS / 3),
    ) {
        let mut table = TestRoom::of(&["Ana", "Bea"]);
        let mut chance = Chance::new(Seed([7; 32]));
        for steps in games {
            for one in steps {
                step(&mut table, &mut chance, one);
            }
            table.plays_quietly_if_possible();
            if let Some(host) = table.host() && table.phase() == "finished" {
                table.asks_for_a_rematch(&host).unwrap();
            }
        }
        let mut whole = table.twin(table.rebuilt());
        let mut last = table.twin(table.rebuilt_from_checkpoint());
        let never = table.rebuilt_without_checkpoints();
        prop_assert!(everything(&never, table.now) == everything(&whole.room, table.now));
        let mut chances = [Chance::new(Seed([8; 32])), Chance::new(Seed([8; 32]))];
        for one in later {
            prop_assert!(everything(&last.room, table.now) == everything(&whole.room, table.now));
            let refused = step(&mut whole, &mut chances[0], one);
            prop_assert_eq!(step(&mut last, &mut chances[1], one), refused);
            prop_assert!(last.journal == whole.journal, "both decide the same entries");
        }
        prop_assert!(everything(&last.room, last.now) == everything(&whole.room, whole.now));
    }

    #[test]
    fn no_name_panics_and_a_valid_name_stays_unchanged(text in any::<String>(), short in "\\PC{1,24}") {
        for raw in [text, short] {
            if let Some(name) = Name::new(&raw) {
                prop_assert_eq!(Name::new(name.as_str()), Some(name.clone()), "normalisation is idempotent");
                let mut table = TestRoom::open();
                let first = table.sits(&raw);
                let second = table.sits(&raw);
                prop_assert_ne!(first, second);
            }
        }
    }
}
