//! Simulated players play whole games against a server inside the test.

use clap::Parser;
use game::Level;
use journal::memory::Memory;
use load::play::{ActPace, Group, PlayError, PlayFigures, Workload, run};
use server::{AppState, Cli, Server};
use std::sync::Arc;
use std::time::Duration;

/// The server flags that `docs/load.md` recommends.
const UNLIMITED: &str =
    "--rooms-per-hour 0 --sockets-per-ip 0 --requests-per-second 0 --acts-per-second 0 --bot-delay-ms 0";

async fn server(flags: &str) -> Server {
    let always = "rookery --listen 127.0.0.1:0 --admin off --data memory";
    let config = Cli::parse_from(always.split(' ').chain(flags.split(' '))).config;
    Server::start(AppState::new(config, Arc::new(Memory::default()))).await.expect("port 0 is always free")
}

fn group(rooms: usize, people: &[usize], bots: &[Level]) -> Group {
    Group { name: "rooms", rooms, people: people.to_vec(), bots: bots.to_vec(), pace: ActPace::default() }
}

/// A fixed number of games in every room, with ample time.
fn workload(server: &Server, games: u32, groups: Vec<Group>) -> Workload {
    Workload {
        url: format!("http://{}", server.address()),
        game: "towers".to_owned(),
        rules: None,
        time: Duration::from_secs(600),
        games: Some(games),
        groups,
        server: Some(std::process::id()),
    }
}

/// Every action was acknowledged, nothing was refused, and no connection ended.
fn assert_clean(figures: &PlayFigures) {
    assert!(figures.refusals.is_empty() && figures.ends.is_empty(), "{:?} {:?}", figures.refusals, figures.ends);
    assert_eq!((figures.sent, figures.unanswered), (figures.times.count(), 0));
    assert!(figures.sent > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_rooms_play_two_games_each_and_the_figures_add_up() {
    let server = server(UNLIMITED).await;
    for offer in room::GAMES {
        let workload =
            Workload { game: offer.id.to_owned(), ..workload(&server, 2, vec![group(2, &[2, offer.max], &[])]) };
        let report = run(&workload).await.expect("the server answers");
        let (_, figures) = &report.groups[0];
        assert_clean(figures);
        assert_eq!((figures.people, figures.games), (2 + offer.max, 4), "{}", offer.id);
        // Without bots a change is an action or a start. A player who has finished the last game may disconnect before
        // the last state arrives.
        let changes = figures.sent + 4;
        assert!((changes - 2..=changes).contains(&figures.changes), "{} of {changes}", figures.changes);
        assert!(figures.states > 2 * figures.changes - 5, "every player at a table sees every change");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rooms_with_bots_are_counted_separately() {
    let server = server(UNLIMITED).await;
    let groups = vec![group(1, &[2], &[]), group(1, &[1], &[Level::Easy, Level::Normal])];
    let report = run(&workload(&server, 1, groups)).await.expect("the server answers");
    let [(_, people), (_, with_bots)] = &report.groups[..] else { panic!("there must be two groups") };
    for figures in [people, with_bots] {
        assert_clean(figures);
        assert_eq!(figures.games, 1);
    }
    assert!(with_bots.changes > with_bots.sent + 16, "the bots played too");
    let printed = report.to_string();
    assert!(printed.contains("p99 ms") && printed.contains("the server used"), "{printed}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_when_the_server_has_its_limits_on() {
    let server = server("--rooms-per-hour 1").await;
    let error = run(&workload(&server, 1, vec![group(2, &[2], &[])])).await.expect_err("the second room is refused");
    assert!(matches!(&error, PlayError::NoRoom(429, _)), "{error}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_cannot_start_is_an_error() {
    let server = server(UNLIMITED).await;
    let error = run(&workload(&server, 1, vec![group(1, &[1], &[])])).await.expect_err("one player cannot play");
    assert!(matches!(&error, PlayError::Refused(why) if why.contains("too_few_players")), "{error}");
    let unknown = Workload { game: "chess".to_owned(), ..workload(&server, 1, vec![group(1, &[2], &[])]) };
    let error = run(&unknown).await.expect_err("the game is unknown");
    assert!(matches!(&error, PlayError::NoRoom(..)), "{error}");
    server.stop().await;
}
