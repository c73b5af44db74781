//! Invariants of bots: their actions are legal, they see no more than their seat is shown, they respect their time
//! limit, and the stronger level wins.

use crate::{chance, shown};
use game::{Bot, Budget, Chance, Level, Seat, Seed, View, Viewer};
use std::cell::Cell;
use std::fmt::Debug;
use std::marker::PhantomData;

/// All levels, from weakest to strongest.
pub const LEVELS: [Level; 4] = Level::ALL;

/// Upper bound for the number of actions of a game between bots.
const MOST_ACTS: usize = 1000;

/// Parameters for testing the bots of a game.
pub struct BotTrial<G: Bot> {
    tries: u32,
    /// Returns whether a listed action represents this one, too.
    stands_for: fn(listed: &G::Action, act: &G::Action) -> bool,
    game: PhantomData<G>,
}

impl<G: Bot + PartialEq + Debug> BotTrial<G> {
    /// Creates a trial in which bots have `tries` tries per decision, which should suffice to compare all choices a few
    /// times. The game defines whether a listed action represents others that are not listed.
    pub const fn new(tries: u32, stands_for: fn(&G::Action, &G::Action) -> bool) -> BotTrial<G> {
        BotTrial { tries, stands_for, game: PhantomData }
    }

    /// Returns a bot's answer for any viewer.
    pub fn ask(&self, game: &G, viewer: Viewer, seat: Seat, level: Level) -> Option<G::Action> {
        G::choose(&game.view(viewer), seat, level, &mut chance(1), Budget::tries(self.tries))
    }

    /// Returns the action of a bot that is asked. It must be listed, or represented by a listed one.
    #[track_caller]
    pub fn choose(&self, game: &G, seat: Seat, level: Level, chance: &mut Chance) -> G::Action {
        let view: View<G> = game.view(Viewer::Seat(seat));
        let action = G::choose(&view, seat, level, chance, Budget::tries(self.tries)).expect("a bot acts when asked");
        let listed = view.actions.iter().any(|listed| *listed == action || (self.stands_for)(listed, &action));
        assert!(listed, "{level:?} chose {action:?} in {game:?}");
        assert!(game.check(seat, &action).is_ok(), "{level:?} chose {action:?} in {game:?}");
        action
    }

    /// Plays a game to its end. The seats have the given levels in rotation. `visit` is called before each action.
    #[track_caller]
    pub fn play_on(&self, game: &mut G, levels: &[Level], chance: &mut Chance, mut visit: impl FnMut(&G, &G::Action)) {
        let mut acts = 0;
        while let Some(seat) = game.asked().first().copied() {
            let action = self.choose(game, seat, levels[seat.index() % levels.len()], chance);
            visit(game, &action);
            game.apply(seat, &action).unwrap();
            acts += 1;
            assert!(acts < MOST_ACTS, "the game does not end");
        }
        assert!(game.outcome().is_some());
    }

    /// Plays games of a bot against two of another level, from each seat in turn. Returns the bot's wins and the number
    /// of games with a single winner.
    pub fn match_of_three(&self, level: Level, others: Level, deals: u64) -> (usize, usize) {
        let (mut wins, mut decided) = (0, 0);
        for deal in 0..deals {
            for place in 0..3 {
                let mut levels = [others; 3];
                levels[place] = level;
                let mut seed = [3; 32];
                seed[..8].copy_from_slice(&deal.to_le_bytes());
                let (mut game, _) = G::new(&G::Rules::default(), 3, Seed(seed));
                self.play_on(&mut game, &levels, &mut chance(deal), |_, _| ());
                let winners = game.outcome().unwrap().winners;
                decided += usize::from(winners.len() == 1);
                wins += usize::from(winners.as_slice() == [Seat::from(place)]);
            }
        }
        (wins, decided)
    }

    /// Checks that a bot uses no hidden information: if two games look alike from its seat, it must act alike.
    #[track_caller]
    pub fn acts_alike(&self, one: &G, two: &G, seat: Seat) {
        assert!(one != two, "the games must differ");
        let seen = Viewer::Seat(seat);
        assert_eq!(shown(one, seen), shown(two, seen), "the games look different from this seat");
        for level in LEVELS {
            for luck in 0..3 {
                let act = |game: &G| self.choose(game, seat, level, &mut chance(luck));
                assert_eq!(act(one), act(two), "{level:?}");
            }
        }
    }

    /// Checks for a whole game that a hard bot without time plays like a normal one. Returns how many decisions had
    /// more than one legal action.
    #[track_caller]
    pub fn plays_as_normal_without_time(&self, game: &mut G) -> usize {
        let mut real = 0;
        while let Some(seat) = game.asked().first().copied() {
            let view = game.view(Viewer::Seat(seat));
            let act = |level, budget| G::choose(&view, seat, level, &mut chance(1), budget).unwrap();
            let normal = act(Level::Normal, Budget::tries(0));
            assert_eq!(act(Level::Hard, Budget::tries(0)), normal);
            assert_eq!(act(Level::Hard, Budget::until(1000, &|| true)), normal);
            real += usize::from(view.actions.len() > 1);
            game.apply(seat, &normal).unwrap();
        }
        real
    }

    /// Checks that judging and choosing agree: a hard bot chooses what was judged best, every listed action that takes
    /// nothing back is judged, or one it represents, and chances are between 0 and 1. Returns how many actions were
    /// judged.
    #[track_caller]
    pub fn judges_what_is_listed(&self, game: &G, seat: Seat, takes_back: fn(&G::Action) -> bool) -> usize {
        let view: View<G> = game.view(Viewer::Seat(seat));
        let judged = G::judge(&view, seat, &mut chance(1), Budget::tries(self.tries));
        for listed in view.actions.iter().filter(|listed| !takes_back(listed)) {
            let is_judged = |act: &G::Action| act == listed || (self.stands_for)(listed, act);
            assert!(judged.iter().any(|judged| is_judged(&judged.action)), "{listed:?} in {game:?}");
        }
        for judged in &judged {
            assert!((0.0..=1.0).contains(&judged.chance), "{judged:?} in {game:?}");
            assert!(game.check(seat, &judged.action).is_ok(), "{judged:?} in {game:?}");
        }
        assert!(judged.is_sorted_by(|one, next| one.chance >= next.chance), "not sorted by chance");
        let best = judged.first().map(|best| best.action.clone());
        assert_eq!(best, self.ask(game, Viewer::Seat(seat), seat, Level::Hard));
        judged.len()
    }

    /// Checks that a hard bot keeps checking the time, and starts nothing after it is over. It is over after `after`
    /// checks.
    #[track_caller]
    pub fn obeys_time(&self, game: &G, after: u32) {
        let asked = Cell::new(0);
        let over = || {
            asked.set(asked.get() + 1);
            asked.get() > after
        };
        let seat = game.asked()[0];
        let view = game.view(Viewer::Seat(seat));
        let act = G::choose(&view, seat, Level::Hard, &mut chance(1), Budget::until(u32::MAX, &over));
        assert!(act.is_some());
        assert_eq!(asked.get(), after + 1, "no work was started after the answer");
    }
}
