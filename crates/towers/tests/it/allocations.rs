//! The rules do not allocate on the heap.

use game::{Game, Seed};
use towers::{Mistakes, Rules, Towers};

#[test]
fn a_whole_game_allocates_nothing() {
    for (players, mistakes) in [(2, Mistakes::Prevented), (3, Mistakes::Allowed), (5, Mistakes::Prevented)] {
        let mut acts = 0;
        let info = allocation_counter::measure(|| {
            let mut luck = gametest::luck(players as u64);
            let (mut game, _) = Towers::new(&Rules { mistakes }, players, Seed([players as u8; 32]));
            while let Some(seat) = game.turn() {
                let listed = game.legal(seat);
                let action = listed[luck.below(listed.len())];
                assert!(game.check(seat, &action).is_ok());
                assert!(game.apply(seat, &action).is_ok());
                acts += 1;
            }
        });
        assert!(acts > 100);
        assert_eq!(info.count_total, 0, "{players} players, {acts} actions");
    }
}

#[test]
fn the_state_is_about_a_kilobyte() {
    assert!(size_of::<Towers>() <= 1024, "{}", size_of::<Towers>());
}
