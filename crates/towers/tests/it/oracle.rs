//! A test oracle: a second implementation of legality, written from the rules alone. It is slow because it tries
//! everything. It sees only public information, and remembers the effects of retractions and undos.

use game::Seat;
use towers::{Action, Card, Mistakes, Phase, PlayerView, Table, Tower};

/// A player's towers, from the ground up.
type Stacks = [Vec<u8>; 5];

fn towers(player: &PlayerView) -> Stacks {
    let all = &player.towers;
    [&all.candy, &all.spooky, &all.tree, &all.scrap, &all.sand].map(|stack| stack.to_vec())
}

fn goes_on(card: u8, tower: &[u8]) -> bool {
    match tower.last() {
        None => true,
        Some(0) => false,
        Some(top) => card < *top || *top == 8 || card == 9,
    }
}

/// Returns the largest number of these cards that can be placed one after the other.
fn most_placed(towers: &mut Stacks, cards: &mut Vec<Card>) -> usize {
    let mut best = 0;
    for i in 0..cards.len() {
        let card = cards.remove(i);
        let tower = card.tower().index();
        if goes_on(card.value(), &towers[tower]) {
            towers[tower].push(card.value());
            best = best.max(1 + most_placed(towers, cards));
            towers[tower].pop();
        }
        cards.insert(i, card);
    }
    best
}

fn demolitions(towers: &Stacks) -> impl Iterator<Item = Stacks> + '_ {
    (0..5).filter(|i| !matches!(towers[*i].last(), None | Some(0))).map(|i| {
        let mut towers = towers.clone();
        towers[i].pop();
        towers
    })
}

fn most_built(towers: &Stacks, cards: &[Card]) -> usize {
    let plain = most_placed(&mut towers.clone(), &mut cards.to_vec());
    demolitions(towers).map(|mut towers| most_placed(&mut towers, &mut cards.to_vec())).fold(plain, usize::max)
}

fn all_placed(towers: &Stacks, cards: &[Card]) -> bool {
    most_placed(&mut towers.clone(), &mut cards.to_vec()) == cards.len()
}

pub fn highest_bid(table: &Table, seat: Seat) -> usize {
    most_built(&towers(&table.players[seat.index()]), &table.row)
}

pub struct Oracle {
    mistakes: Mistakes,
    /// Version of the rules. In version 1 a bid may be retracted at any time before finishing.
    version: u32,
    /// The builder's towers before the last take, and the cards taken.
    taken: Option<(Stacks, Vec<Card>)>,
    retracted: Option<u8>,
    undos: u8,
    demolished: bool,
    placed: bool,
}

impl Oracle {
    pub fn new(mistakes: Mistakes, version: u32) -> Oracle {
        Oracle { mistakes, version, taken: None, retracted: None, undos: 0, demolished: false, placed: false }
    }

    /// Remembers what the table after this action does not show.
    pub fn remember(&mut self, before: &Table, action: &Action, after: &Table) {
        self.retracted = match action {
            Action::Retract {} => before.standing.map(|standing| standing.count),
            _ => None,
        };
        if let (Action::Take { cards }, Some(seat)) = (action, before.turn) {
            self.taken = Some((towers(&before.players[seat.index()]), cards.to_vec()));
        }
        self.undos = match action {
            Action::Undo {} => self.undos + 1,
            _ if after.phase == Phase::Auction => 0,
            _ => self.undos,
        };
        let standing = after.standing.map_or(0, |standing| usize::from(standing.count));
        self.placed = after.phase == Phase::Build && after.hand.len() < standing;
        self.demolished = after.demolished_now.is_some();
    }

    pub fn legal(&self, table: &Table) -> Vec<Action> {
        let Some(seat) = table.turn else { return Vec::new() };
        let towers = towers(&table.players[seat.index()]);
        match table.phase {
            Phase::Auction => self.calls(table, &towers),
            Phase::Take => self.takes(table, &towers),
            Phase::Build => self.steps(table, &towers),
            Phase::Finished => Vec::new(),
        }
    }

    fn prevented(&self) -> bool {
        self.mistakes == Mistakes::Prevented
    }

    fn calls(&self, table: &Table, towers: &Stacks) -> Vec<Action> {
        let highest = if self.prevented() { most_built(towers, &table.row) } else { table.row.len() };
        let mut acts: Vec<Action> = (0..=highest as u8)
            .filter(|count| table.standing.is_none_or(|standing| *count > standing.count))
            .filter(|count| self.retracted.is_none_or(|retracted| *count < retracted))
            .map(|count| Action::Bid { count })
            .collect();
        if !table.calls.is_empty() {
            acts.push(Action::Pass {});
        }
        acts
    }

    fn takes(&self, table: &Table, towers: &Stacks) -> Vec<Action> {
        let count = u32::from(table.standing.expect("there is a standing bid").count);
        let mut choices: Vec<Vec<Card>> = Vec::new();
        for places in 0..1_u32 << table.row.len() {
            let chosen = table.row.iter().enumerate().filter(|(i, _)| places >> i & 1 == 1);
            let mut chosen: Vec<Card> = chosen.map(|(_, card)| *card).collect();
            chosen.sort();
            let buildable = !self.prevented() || most_built(towers, &chosen) == chosen.len();
            if places.count_ones() == count && buildable && !choices.contains(&chosen) {
                choices.push(chosen);
            }
        }
        let mut acts: Vec<Action> =
            choices.into_iter().map(|cards| Action::Take { cards: cards.into_iter().collect() }).collect();
        let hopeless = most_built(towers, &table.row) < count as usize;
        if !self.prevented() && (self.version == 1 || hopeless) {
            acts.push(Action::Retract {});
        }
        acts
    }

    fn steps(&self, table: &Table, towers: &Stacks) -> Vec<Action> {
        let mut acts = Vec::new();
        for (i, tower) in Tower::ALL.into_iter().enumerate() {
            let mut after = towers.clone();
            let gone = after[i].pop();
            let may = !self.demolished && !self.placed && !matches!(gone, None | Some(0));
            if may && (!self.prevented() || all_placed(&after, &table.hand)) {
                acts.push(Action::Demolish { tower });
            }
        }
        for (i, card) in table.hand.iter().enumerate() {
            let mut after = towers.clone();
            let mut rest = table.hand.to_vec();
            rest.remove(i);
            let tower = &mut after[card.tower().index()];
            let fits = goes_on(card.value(), tower);
            tower.push(card.value());
            let act = Action::Build { card: *card };
            if fits && !acts.contains(&act) && (!self.prevented() || all_placed(&after, &rest)) {
                acts.push(act);
            }
        }
        if table.hand.is_empty() {
            acts.push(Action::Finish {});
        }
        if self.undos < 30 {
            acts.push(Action::Undo {});
        }
        let (towers, cards) = self.taken.as_ref().expect("a build begins with a take");
        let hopeless = most_built(towers, cards) < cards.len();
        if !self.prevented() && (self.version == 1 || hopeless || acts.is_empty()) {
            acts.push(Action::Retract {});
        }
        acts
    }
}
