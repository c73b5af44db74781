//! Reviews and hints: which actions of a game are decisions, how they are judged, and what is stored.

use crate::test_room::{TestRoom, everything};
use game::{Level, Seat, Seed};
use protocol::Review;
use room::{Input, LastReview, Reviewing, Room, Which, last_record, review_of, reviewing};
use serde_json::{Value, json};
use std::sync::Arc;

/// Judges every decision of the last game.
fn reviewed(table: &TestRoom) -> Review {
    let mut reviewing = reviewing(&table.journal, Which::Last).unwrap().expect("a finished game");
    while let Some(mut decision) = reviewing.next_decision() {
        assert!(decision.go_on(&|| false), "not interrupted");
        reviewing.judged(decision);
    }
    reviewing.finish()
}

/// The seat of each decision in the last game, in order.
fn decisions(table: &TestRoom) -> Vec<u8> {
    let mut reviewing = reviewing(&table.journal, Which::Last).unwrap().expect("a finished game");
    let mut seats = Vec::new();
    while let Some(decision) = reviewing.next_decision() {
        seats.push(decision.seat().0);
        reviewing.judged(decision);
    }
    assert_eq!(reviewing.done(), reviewing.of());
    seats
}

/// Ana plays random actions against a bot.
fn played(game: &str) -> TestRoom {
    let mut table = TestRoom::open();
    table.sits("Ana");
    table.chooses("Ana", game).unwrap();
    table.seats_bot("Ana", Level::Normal);
    table.starts("Ana").unwrap();
    table.plays_on(5);
    table
}

#[test]
fn reports_the_cost_of_random_play_with_correct_sums() {
    for game in ["towers", "qwantum"] {
        let table = played(game);
        let review = reviewed(&table);
        let [ana, bot] = &review.players[..] else { panic!("expected two players") };
        assert_eq!((ana.mistakes.len(), ana.fair), (3, 500), "{game}: {ana:?}");
        assert!(ana.mistakes.iter().all(|mistake| mistake.cost >= 50), "{game}: {ana:?}");
        assert!(ana.mistakes.is_sorted_by_key(|mistake| std::cmp::Reverse(mistake.cost)));
        assert!(ana.play > bot.play, "{game}: a bot decides better than random: {review:?}");
        for player in &review.players {
            assert_eq!(player.result, player.fair - player.play + player.others + player.luck);
            assert!(player.curve.is_sorted_by_key(|point| point.moment));
        }
        assert_eq!(ana.result + bot.result, 1000, "one winner, or a tie");
        assert_eq!(ana.luck + bot.luck, 0, "luck sums to zero");
        assert_eq!(reviewed(&table), review, "equal games have equal reviews");
        // The review of the record is the same, except for who decided.
        let record = last_record(&table.journal).unwrap().expect("a finished game");
        let mut again = Reviewing::of_record(&record).unwrap();
        assert_eq!(again.of(), review.decisions);
        while let Some(mut decision) = again.next_decision() {
            decision.go_on(&|| false);
            again.judged(decision);
        }
        assert_eq!(again.finish().players[0].curve, ana.curve);
    }
}

#[test]
fn an_assessment_can_be_interrupted_and_resumed() {
    let table = played("qwantum");
    let whole = reviewed(&table);
    let mut reviewing = reviewing(&table.journal, Which::Last).unwrap().expect("a finished game");
    let asked = std::cell::Cell::new(0_u32);
    while let Some(mut decision) = reviewing.next_decision() {
        // It has to yield again and again, later each time.
        let mut patience = 2_u32;
        while !decision.go_on(&|| {
            asked.set(asked.get() + 1);
            asked.get().is_multiple_of(patience)
        }) {
            // An exhaustive search checks very often.
            patience *= 3;
        }
        reviewing.judged(decision);
    }
    assert_eq!(reviewing.finish(), whole, "interrupted work is not counted");
}

#[test]
fn undone_actions_are_not_decisions() {
    let mut plain = TestRoom::playing(&["Ana", "Bea"]);
    let mut undone = TestRoom::playing(&["Ana", "Bea"]);
    let step = |actions: &[Value], kind: &str| actions.iter().find(|action| action["type"] == kind).cloned();
    for (table, undoes) in [(&mut plain, false), (&mut undone, true)] {
        let mut built = 0;
        while table.phase() == "playing" {
            let (seat, actions) = table.asked();
            let bid = json!({"type": "bid", "count": 2});
            let build = step(&actions, "build");
            if let (Some(build), true, true) = (&build, undoes, built == 0) {
                // Built and taken back three times.
                for _ in 0..3 {
                    table.plays(seat, build.clone());
                    table.plays(seat, json!({"type": "undo"}));
                }
            }
            built += usize::from(build.is_some());
            let other = ["take", "build", "finish", "pass"].iter().find_map(|kind| step(&actions, kind));
            let quiet = json!({"type": "bid", "count": 0});
            let first = [bid, quiet].into_iter().find(|bid| built == 0 && actions.contains(bid));
            let act = first.or(other).unwrap_or_else(|| actions[0].clone());
            table.plays(seat, act);
        }
        assert!(built > 0);
    }
    assert!(undone.journal.len() > plain.journal.len());
    assert_eq!(decisions(&undone), decisions(&plain));
}

#[test]
fn only_the_last_choice_of_each_seat_is_a_decision() {
    let mut steady = TestRoom::of(&["Ana", "Bea"]);
    let mut wavering = TestRoom::of(&["Ana", "Bea"]);
    for (table, wavers) in [(&mut steady, false), (&mut wavering, true)] {
        table.chooses("Ana", "qwantum").unwrap();
        table.starts("Ana").unwrap();
        while table.phase() == "playing" {
            let (seat, actions) = table.asked();
            let kind = |kind: &str| actions.iter().find(|action| action["type"] == kind).cloned();
            let skip = json!({"type": "skip"});
            let act = kind("keep").or(kind("enter")).unwrap_or_else(|| actions[0].clone());
            if wavers && table.table()["phase"] == "share" && act != skip {
                let decided = table.table()["decided"].as_array().unwrap().clone();
                if decided.iter().filter(|done| **done == false).count() > 1 {
                    table.plays(seat, skip.clone());
                }
            }
            table.plays(seat, act);
        }
    }
    assert!(wavering.journal.len() > steady.journal.len());
    assert_eq!(decisions(&wavering), decisions(&steady));
}

#[test]
fn a_review_is_stored_with_its_game_and_changes_nothing_else() {
    let mut table = played("qwantum");
    assert_eq!(review_of(&table.journal, Which::Last).unwrap(), Ok(None));
    let commitment = table.room.finished().unwrap();
    assert_eq!(table.room.last_review(), LastReview::NotMade);
    let (review, before) = (Box::new(reviewed(&table)), everything(&table.room, table.now));
    table.ask(Input::Review { commitment, review: review.clone() }).unwrap();
    let made = LastReview::Made(Arc::new(*review.clone()));
    assert_eq!(table.room.last_review(), made);
    assert_eq!(everything(&table.room, table.now), before);
    table.restarts();
    assert_eq!(table.room.last_review(), made, "also after a restart");
    assert_eq!(review_of(&table.journal, Which::Last).unwrap(), Ok(Some(*review.clone())));

    table.asks_for_a_rematch("Ana").unwrap();
    assert_eq!(table.room.finished().unwrap_err().code(), "not_finished");
    assert_eq!(table.room.last_review(), made, "the next game has not started");
    let rebuilt = Room::from_journal(0, &table.journal, table.now).unwrap();
    assert_eq!(everything(&rebuilt, table.now), everything(&table.room, table.now));
    assert_eq!(rebuilt.last_review(), LastReview::Unknown, "a checkpoint does not contain it");
    table.starts("Ana").unwrap();
    assert!(reviewing(&table.journal, Which::Last).unwrap().is_err(), "the game is still running");
    table.plays_on(6);
    table.ask(Input::Review { commitment, review: review.clone() }).unwrap();
    assert_eq!(table.room.last_review(), LastReview::NotMade, "the review is of another game");
    assert_eq!(review_of(&table.journal, Which::Number(1)).unwrap(), Ok(Some(*review)));
    assert_eq!(review_of(&table.journal, Which::Number(2)).unwrap(), Ok(None));
}

#[test]
fn hints_are_for_the_deciding_player_alone_among_bots() {
    let mut table = TestRoom::open();
    table.sits("Ana");
    table.seats_bot("Ana", Level::Easy);
    let hint = |table: &TestRoom, name: &str| table.room.hint(table.id(name)).map_err(|refusal| refusal.code());
    assert_eq!(hint(&table, "Ana").err(), Some("no_game"));
    table.starts("Ana").unwrap();
    while table.asked().0 != Seat(0) {
        table.now += 1000;
        table.plays_due_actions();
    }
    let (n, hinting) = hint(&table, "Ana").expect("Ana decides");
    assert_eq!(n, table.next(Seat(0)));
    let acts = hinting.look(Seed([1; 32]), &|| false).expect("not interrupted");
    assert!((1..=3).contains(&acts.len()) && acts.is_sorted_by_key(|act| std::cmp::Reverse(act.chance)));
    assert!(hinting.look(Seed([1; 32]), &|| true).is_none(), "interrupted");
    let best = acts[0].action.value();
    assert!(table.acts_of(Seat(0)).contains(&best), "{best}");

    let mut two = TestRoom::playing(&["Ana", "Bea"]);
    for name in ["Ana", "Bea"] {
        assert_eq!(hint(&two, name).err(), Some("no_hint"), "{name} plays with a person");
    }
    // There is no hint while the other is absent, either.
    two.goes_away("Bea");
    assert_eq!(hint(&two, "Ana").err(), Some("no_hint"));
}
