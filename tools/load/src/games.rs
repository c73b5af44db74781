//! The games available for tournaments, which are all games of the server. Rooms use them through JSON. Here they are
//! played in their own types, which is hundreds of times as fast.

use crate::review::{self, Planting, ReviewFindings};
use crate::tournament::{self, Contest, Standings};
use game::Bot;
use room::Visitor;
use std::ops::RangeInclusive;

/// Returns all games.
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

/// A game, identified by its name on the wire.
pub struct TournamentGame {
    /// Name on the wire.
    pub id: &'static str,
    players: RangeInclusive<usize>,
    play: fn(&Contest, &str) -> Result<Standings, String>,
    review: fn(&Planting) -> Result<ReviewFindings, String>,
}

impl TournamentGame {
    fn of<G: Bot>() -> TournamentGame {
        TournamentGame {
            id: G::ID,
            players: G::PLAYERS,
            play: |contest, rules| {
                let rules =
                    serde_json::from_str(rules).map_err(|error| format!("invalid rules for {}: {error}", G::ID))?;
                tournament::play::<G>(contest, &rules)
            },
            review: review::plant::<G>,
        }
    }

    /// Returns the game with this name, or an error message that lists the available games.
    pub fn find(id: &str) -> Result<TournamentGame, String> {
        games().into_iter().find(|game| game.id == id).ok_or_else(|| {
            let names: Vec<&str> = games().iter().map(|game| game.id).collect();
            format!("unknown game {id}; the games are {}", names.join(", "))
        })
    }

    /// Plays the contest with rules given as JSON, or returns why it cannot be played.
    pub fn tournament(&self, contest: &Contest, rules: &str) -> Result<Standings, String> {
        if !self.players.contains(&contest.entrants.len()) {
            let (least, most) = (self.players.start(), self.players.end());
            return Err(format!("{} is for {least} to {most} players; give a level for each", self.id));
        }
        (self.play)(contest, rules)
    }

    /// Plays games with one planted blunder each, and reviews them.
    pub fn review(&self, planting: &Planting) -> Result<ReviewFindings, String> {
        (self.review)(planting)
    }
}
