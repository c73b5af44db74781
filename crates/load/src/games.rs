//! The games a tournament can be played in: all that rooms offer. Rooms speak JSON to them; here they are played
//! in their own types, hundreds of times as often.

use crate::review::{self, Findings, Planting};
use crate::tournament::{self, Contest, Standings};
use game::Bot;
use room::Visitor;
use std::ops::RangeInclusive;

/// Every game on offer.
pub fn games() -> Vec<TournamentGame> {
    let mut games = Games(Vec::new());
    room::each_game(&mut games);
    games.0
}

struct Games(Vec<TournamentGame>);

impl Visitor for Games {
    fn meet<G: Bot>(&mut self) {
        self.0.push(TournamentGame::of::<G>());
    }
}

/// A game by its name on the wire.
pub struct TournamentGame {
    /// The name.
    pub id: &'static str,
    players: RangeInclusive<usize>,
    play: fn(&Contest, &str) -> Result<Standings, String>,
    review: fn(&Planting) -> Result<Findings, String>,
}

impl TournamentGame {
    fn of<G: Bot>() -> TournamentGame {
        TournamentGame {
            id: G::ID,
            players: G::PLAYERS,
            play: |contest, rules| {
                let rules = serde_json::from_str(rules)
                    .map_err(|error| format!("these are not rules of {}: {error}", G::ID))?;
                tournament::play::<G>(contest, &rules)
            },
            review: review::plant::<G>,
        }
    }

    /// The game of this name, or a sentence that says which there are.
    pub fn find(id: &str) -> Result<TournamentGame, String> {
        games().into_iter().find(|game| game.id == id).ok_or_else(|| {
            let names: Vec<&str> = games().iter().map(|game| game.id).collect();
            format!("there is no game {id}; there are {}", names.join(", "))
        })
    }

    /// Plays the contest under rules given as JSON, or says why it cannot be played.
    pub fn tournament(&self, contest: &Contest, rules: &str) -> Result<Standings, String> {
        if !self.players.contains(&contest.entrants.len()) {
            let (least, most) = (self.players.start(), self.players.end());
            return Err(format!("{} is for {least} to {most} players: give a level for each", self.id));
        }
        (self.play)(contest, rules)
    }

    /// Plays games with a blunder and reviews them.
    pub fn review(&self, planting: &Planting) -> Result<Findings, String> {
        (self.review)(planting)
    }
}
