//! Laws for bots: what they do is legal, they see no more than their seat is shown, they keep to their time, and the
//! stronger level wins.

use crate::{chance, shown};
use game::{Bot, Budget, Chance, Level, Seat, Seed, View, Viewer};
use std::cell::Cell;
use std::fmt::Debug;
use std::marker::PhantomData;

/// All levels, the weakest first.
pub const LEVELS: [Level; 4] = Level::ALL;

/// No game of bots takes more acts than this.
const MOST_ACTS: usize = 1000;

/// How a game's bots are put to the test.
pub struct BotTrial<G: Bot> {
    tries: u32,
    /// Whether a listed act stands for this one too.
    stands_for: fn(listed: &G::Action, act: &G::Action) -> bool,
    game: PhantomData<G>,
}

impl<G: Bot + PartialEq + Debug> BotTrial<G> {
    /// Bots with so many tries for a decision: enough to compare all choices a few times. Whether a listed act may
    /// stand for another that is not listed is the game's to say.
    pub const fn new(tries: u32, stands_for: fn(&G::Action, &G::Action) -> bool) -> BotTrial<G> {
        BotTrial { tries, stands_for, game: PhantomData }
    }

    /// What a bot answers, whoever asks it.
    pub fn ask(&self, game: &G, viewer: Viewer, seat: Seat, level: Level) -> Option<G::Action> {
        G::choose(&game.view(viewer), seat, level, &mut chance(1), Budget::tries(self.tries))
    }

    /// What a bot that is asked does: something listed, or what a listed act stands for.
    #[track_caller]
    pub fn choose(&self, game: &G, seat: Seat, level: Level, chance: &mut Chance) -> G::Action {
        let view: View<G> = game.view(Viewer::Seat(seat));
        let action =
            G::choose(&view, seat, level, chance, Budget::tries(self.tries)).expect("a bot acts when asked");
        let listed =
            view.actions.iter().any(|listed| *listed == action || (self.stands_for)(listed, &action));
        assert!(listed, "{level:?} wants {action:?} on {game:?}");
        assert!(game.check(seat, &action).is_ok(), "{level:?} wants {action:?} on {game:?}");
        action
    }

    /// Plays a game to its end; seats are the levels in turn. Every act is shown to `visit` before it is played.
    #[track_caller]
    pub fn play_on(
        &self,
        game: &mut G,
        levels: &[Level],
        chance: &mut Chance,
        mut visit: impl FnMut(&G, &G::Action),
    ) {
        let mut acts = 0;
        while let Some(seat) = game.asked().first().copied() {
            let action = self.choose(game, seat, levels[seat.index() % levels.len()], chance);
            visit(game, &action);
            game.apply(seat, &action).unwrap();
            acts += 1;
            assert!(acts < MOST_ACTS, "every game of bots ends");
        }
        assert!(game.outcome().is_some());
    }

    /// The bot's winning games, and those with one winner, against two of another level, from each place in turn.
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

    /// No cheating: both games look alike from this seat, so a bot in it must do alike.
    #[track_caller]
    pub fn acts_alike(&self, one: &G, two: &G, seat: Seat) {
        assert!(one != two, "the tables differ");
        let seen = Viewer::Seat(seat);
        assert_eq!(shown(one, seen), shown(two, seen), "but not from here");
        for level in LEVELS {
            for luck in 0..3 {
                let act = |game: &G| self.choose(game, seat, level, &mut chance(luck));
                assert_eq!(act(one), act(two), "{level:?}");
            }
        }
    }

    /// Without time a hard bot plays as a normal one does, through a whole game. Answers how many of the decisions
    /// were real ones.
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

    /// Judging and choosing are one: what a hard bot does is what was judged best, every listed act that takes nothing back is
    /// judged, or one it stands for, and chances are chances. Answers how many acts were judged.
    #[track_caller]
    pub fn judges_what_is_listed(&self, game: &G, seat: Seat, takes_back: fn(&G::Action) -> bool) -> usize {
        let view: View<G> = game.view(Viewer::Seat(seat));
        let judged = G::judge(&view, seat, &mut chance(1), Budget::tries(self.tries));
        for listed in view.actions.iter().filter(|listed| !takes_back(listed)) {
            let is_judged = |act: &G::Action| act == listed || (self.stands_for)(listed, act);
            assert!(judged.iter().any(|judged| is_judged(&judged.action)), "{listed:?} on {game:?}");
        }
        for judged in &judged {
            assert!((0.0..=1.0).contains(&judged.chance), "{judged:?} on {game:?}");
            assert!(game.check(seat, &judged.action).is_ok(), "{judged:?} on {game:?}");
        }
        assert!(judged.is_sorted_by(|one, next| one.chance >= next.chance), "the best first");
        let best = judged.first().map(|best| best.action.clone());
        assert_eq!(best, self.ask(game, Viewer::Seat(seat), seat, Level::Hard));
        judged.len()
    }

    /// A hard bot asks for the time again and again, and begins nothing once it is over: here after it was asked for so often.
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
        assert_eq!(asked.get(), after + 1, "nothing was begun after the answer");
    }
}
