//! The review finds planted blunders. The full measurement, a hundred games of three of the strongest bots, is in
//! docs/bots.md.

use game::Level;
use load::games;
use load::review::Planting;

#[test]
fn most_planted_blunders_are_shown() {
    for game in games() {
        let planting = Planting { games: 5, seed: 1, level: Level::Hard, players: 2, tries: 100, threads: 1 };
        let findings = game.review(&planting).expect("two players can play");
        assert!(findings.found >= 4, "{}: {findings}", game.id);
        assert!(findings.first <= findings.found && findings.costs.iter().all(|cost| *cost >= 0.05));
        assert_eq!(findings.spent.count(), 5);
        let printed = findings.to_string();
        assert!(printed.starts_with("5 games with a blunder"), "{printed}");
    }
    let alone = Planting { games: 1, seed: 1, level: Level::Normal, players: 1, tries: 1, threads: 1 };
    assert!(games()[0].review(&alone).is_err(), "one player cannot play");
}
