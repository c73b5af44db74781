//! Replays of a room's games: the list of games, their records, and every table that was shown.

use crate::test_room::{LOOK, TestRoom};
use game::{Chance, Level, Salt, Seat, Seed, Viewer};
use protocol::Moment;
use room::{By, Moments, NoRecord, Which, games_played, moments_of, record_of, verify};
use serde_json::{Value, json};

/// What everyone was shown after one change of a game.
#[derive(Debug, PartialEq)]
struct Shown {
    version: u64,
    events: String,
    table: String,
}

fn shown_now(table: &TestRoom) -> Shown {
    let state = table.room.state(Viewer::Watcher, 0).expect("the game exists");
    Shown { version: state.version, events: state.events.get().to_owned(), table: state.table.get().to_owned() }
}

fn shown(moment: &Moment) -> Shown {
    let events = serde_json::to_string(&moment.events).unwrap();
    Shown { version: moment.version, events, table: moment.table.get().to_owned() }
}

fn moments(table: &TestRoom, number: u32) -> Vec<Moment> {
    moments_of(&table.journal, Which::Number(number)).unwrap().expect("the game exists").collect()
}

/// Plays the current game to its end, and returns everything that was shown.
fn plays_on(table: &mut TestRoom, seed: u8) -> Vec<Shown> {
    let mut chance = Chance::new(Seed([seed; 32]));
    let mut seen = vec![shown_now(table)];
    while table.phase() == "playing" {
        table.plays_next(LOOK, &mut chance);
        seen.push(shown_now(table));
    }
    seen
}

#[test]
fn replays_exactly_the_tables_that_were_shown() {
    let mut table = TestRoom::open();
    table.sits_with("Ana", Some(Salt([3; 16])));
    table.sits("Bea");
    let mut seen = Vec::new();
    for (n, game) in ["qwantum", "towers", "qwantum", "towers"].into_iter().enumerate() {
        table.chooses("Ana", game).unwrap();
        table.starts("Ana").unwrap();
        seen.push(plays_on(&mut table, n as u8));
        table.asks_for_a_rematch("Ana").unwrap();
    }
    for (n, seen) in seen.iter().enumerate() {
        let moments = moments(&table, n as u32 + 1);
        let versions: Vec<u64> = moments.iter().map(|moment| moment.version).collect();
        let (first, last) = (seen[0].version, seen.last().unwrap().version);
        assert_eq!(versions, (first..=last).collect::<Vec<_>>());
        // Where several bots acted in sequence, only the last state was observed.
        for seen in seen {
            let moment = &moments[(seen.version - first) as usize];
            assert!(shown(moment) == *seen, "game {}, version {}", n + 1, seen.version);
        }
        let first = &moments[0];
        assert!(first.seat.is_none() && first.action.is_none() && first.by.is_none() && first.at.is_some());
        assert!(moments[1..].iter().all(|moment| moment.seat.is_some() && moment.action.is_some()));
    }
    let last = moments_of(&table.journal, Which::Last).unwrap().expect("the game exists");
    assert_eq!(last.map(|moment| moment.version).next(), Some(seen[3][0].version));
    assert!(moments_of(&TestRoom::open().journal, Which::Last).unwrap().is_none());
    assert!(moments_of(&table.journal, Which::Number(0)).unwrap().is_none());
    assert!(moments_of(&table.journal, Which::Number(5)).unwrap().is_none());

    // A record alone leads to the same moments, except for what it does not contain.
    let record = record_of(&table.journal, Which::Number(2)).unwrap().unwrap();
    let of_record: Vec<Moment> = Moments::of_record(record).unwrap().collect();
    let of_room = moments(&table, 2);
    assert_eq!(of_record.len(), of_room.len());
    for (n, (one, other)) in of_record.iter().zip(&of_room).enumerate() {
        assert_eq!((one.version, one.by), (n as u64 + 1, None));
        assert_eq!(one.table.get(), other.table.get());
        assert_eq!((&one.action, one.seat), (&other.action, other.seat));
        assert_eq!(one.at, if n == 0 { None } else { other.at });
    }
}

#[test]
fn each_action_says_who_decided_it() {
    let mut table = TestRoom::open();
    table.sits("Ana");
    table.seats_bot("Ana", Level::Easy);
    table.starts("Ana").unwrap();
    plays_on(&mut table, 1);
    let moments = moments(&table, 1);
    let by = |seat: u8| moments.iter().filter(move |moment| moment.seat == Some(Seat(seat)));
    assert!(by(0).any(|moment| moment.by == Some(By::Player)));
    assert!(by(1).all(|moment| moment.by == Some(By::Bot)));
}

/// A game of Qwantum for Ana and Bea in step C.
fn at_step_c() -> TestRoom {
    let mut table = TestRoom::open();
    table.sits_with("Ana", Some(Salt([3; 16])));
    table.sits_with("Bea", Some(Salt([4; 16])));
    table.chooses("Ana", "qwantum").unwrap();
    table.starts("Ana").unwrap();
    for kind in ["roll", "keep", "skip"] {
        let (seat, _) = table.asked();
        table.plays(seat, json!({"type": kind}));
    }
    table
}

fn acts(table: &TestRoom) -> Vec<Option<Value>> {
    moments(table, 1).iter().map(|moment| moment.action.as_ref().map(|action| action.value())).collect()
}

#[test]
fn reveals_choices_together_and_changed_ones_after_the_game() {
    let mut table = at_step_c();
    let enter = |row: &str| json!({"type": "enter", "row": row});
    table.plays(Seat(0), enter("red"));
    table.plays(Seat(0), enter("blue"));
    assert_eq!(acts(&table)[4..], [None, None], "Bea has not chosen yet");
    table.plays(Seat(1), enter("violet"));
    let shown_acts = [None, Some(enter("blue")), Some(enter("violet"))];
    assert_eq!(acts(&table)[4..], shown_acts, "a changed choice is not shown");
    // In the next turn choices are hidden again, and what was revealed stays visible.
    for kind in ["roll", "keep", "skip"] {
        let (seat, _) = table.asked();
        table.plays(seat, json!({"type": kind}));
    }
    table.plays(Seat(1), json!({"type": "skip"}));
    let now = acts(&table);
    assert_eq!((&now[4..7], now.last()), (&shown_acts[..], Some(&None)));
    plays_on(&mut table, 1);
    assert_eq!(acts(&table)[4], Some(enter("red")), "shown after the game, as in the record");
    assert!(acts(&table)[1..].iter().all(Option::is_some));
}

#[test]
fn hidden_choices_do_not_affect_the_replay_of_a_running_game() {
    let lines = |table: &TestRoom| -> Vec<String> {
        moments(table, 1).iter().map(|moment| serde_json::to_string(moment).unwrap()).collect()
    };
    let choices = table_choices();
    for seat in [Seat(0), Seat(1)] {
        let chosen = |first: &Value, then: &Value| {
            let mut table = at_step_c();
            table.plays(seat, first.clone());
            table.plays(seat, then.clone());
            table
        };
        let one = lines(&chosen(&choices[0], &choices[1]));
        for first in &choices {
            for then in &choices {
                assert_eq!(lines(&chosen(first, then)), one, "{first}, then {then}");
            }
        }
    }
}

/// All choices in step C of the first turn.
fn table_choices() -> Vec<Value> {
    let table = at_step_c();
    let choices = table.acts_of(Seat(0));
    assert_eq!(choices.len(), 5, "one per row, or skip");
    choices
}

#[test]
fn lists_every_started_game() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    assert_eq!(games_played(&table.journal), Ok(Vec::new()));
    table.starts("Ana").unwrap();
    let start = table.now;
    let games = games_played(&table.journal).unwrap();
    assert_eq!((games[0].number, games[0].start, games[0].end, &games[0].outcome), (1, start, None, &None));
    assert_eq!(record_of(&table.journal, Which::Number(1)), Ok(Err(NoRecord::On)));
    table.plays_for("Bea");
    let end = table.now;
    table.passes(5000);
    table.asks_for_a_rematch("Ana").unwrap();
    // Everyone leaves the second game, and the third is in progress.
    table.chooses("Ana", "qwantum").unwrap();
    table.starts("Ana").unwrap();
    table.leaves("Ana").unwrap();
    table.leaves("Bea").unwrap();
    table.sits("Cid");
    table.sits("Dan");
    table.starts("Cid").unwrap();

    let games = games_played(&table.journal).unwrap();
    let listed: Vec<Value> = games.iter().map(|game| serde_json::to_value(game).unwrap()).collect();
    assert_eq!(listed.len(), 3);
    assert_eq!((&listed[0]["game"], &listed[0]["players"]), (&json!("towers"), &json!(["Ana", "Bea"])));
    assert_eq!((games[0].start, games[0].end), (start, Some(end)));
    assert_eq!(listed[0]["outcome"]["winners"], json!([1]));
    assert_eq!((&listed[1]["game"], &listed[1]["outcome"]), (&json!("qwantum"), &Value::Null));
    assert!(games[1].end.is_some(), "everyone left");
    assert_eq!((games[2].number, games[2].end), (3, None));
    assert_eq!(games[2].players[..], ["Ana", "Cid", "Dan"], "a bot is left in Ana's seat");

    let record = record_of(&table.journal, Which::Number(1)).unwrap().expect("a finished game");
    assert_eq!(verify(&record), Ok(()));
    assert_eq!(Some(record), room::last_record(&table.journal).unwrap());
    assert_eq!(record_of(&table.journal, Which::Number(2)), Ok(Err(NoRecord::Left)));
    assert_eq!(record_of(&table.journal, Which::Number(3)), Ok(Err(NoRecord::On)));
    assert_eq!(record_of(&table.journal, Which::Number(4)), Ok(Err(NoRecord::Missing)));
    assert_eq!(moments(&table, 2).len(), 1, "an abandoned game has moments too");
}

#[test]
fn finds_games_in_a_journal_without_checkpoints() {
    let text = include_str!("../data/two_games.jsonl");
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let games = games_played(&lines).unwrap();
    assert_eq!(games.len(), 2);
    for game in games {
        let record = record_of(&lines, Which::Number(game.number)).unwrap();
        assert_eq!(record.as_ref().map(|record| &record.outcome).ok(), game.outcome.as_ref());
        let moments: Vec<Moment> =
            moments_of(&lines, Which::Number(game.number)).unwrap().expect("the game exists").collect();
        let last: Value = serde_json::from_str(moments.last().unwrap().table.get()).unwrap();
        assert_eq!(last["outcome"], json!(game.outcome));
    }
}

#[test]
fn names_the_entry_of_an_invalid_action() {
    let mut table = TestRoom::playing(&["Ana", "Bea"]);
    table.plays_quietly();
    let act = table.journal.iter().rposition(|line| line.contains("acted")).unwrap();
    table.journal[act] =
        table.journal[act].replace("\"acted\",\"seat\":0", "\"acted\",\"seat\":1").replace("pass", "fly");
    let entry = |misfit: room::Misfit| misfit.entry;
    assert_eq!(moments_of(&table.journal, Which::Number(1)).map(|_| ()).map_err(entry), Err(act as u64 + 1));
    assert_eq!(record_of(&table.journal, Which::Number(1)).map(|_| ()).map_err(entry), Err(act as u64 + 1));
    assert_eq!(games_played(&table.journal).map(|_| ()).map_err(entry), Err(act as u64 + 1));
}
