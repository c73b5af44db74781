//! Turns after which a game can be over, searched by the rules alone. The tests of the book and the example that makes it share
//! this.

use game::{Game, Seat};
use gametest::{Endgame, surely_best};
use qwantum::{Action, Color, DICE, Die, FACES, HIGHEST, Lay, Phase, Qwantum, Row, Rows, lay};

/// How dice fall in another turn nobody can foresee, and so may the others do anything where all choose at once.
pub const LAST_TURN: Endgame<Qwantum> = Endgame {
    open_ended: |game| game.phase() == Phase::Roll,
    at_once: |game| game.phase() == Phase::Share,
    takes_back: |_| false,
    name: |_| None,
    dealt: |_, _, _| None,
};

/// The most totals that make a difference for which a re-roll is solved.
const MOST: usize = 3000;

/// Dice as texts name them.
pub fn faces(dice: &[Die; DICE]) -> String {
    let color = |color: Color| match color {
        Color::White => "",
        Color::Violet => "V",
        Color::Blue => "B",
        Color::Red => "R",
        Color::Yellow => "Y",
    };
    dice.map(|die| format!("{}{}", color(die.color), die.value)).join(" ")
}

/// The numbers of a player as texts name them.
pub fn numbers(rows: &Rows) -> String {
    let row = |row: Row| {
        let numbers = rows.of(row).iter().map(|number| format!(" {number}")).collect::<String>();
        format!("{}{numbers}", row.name())
    };
    Row::ALL.map(row).join(", ")
}

/// The table of a turn, before any dice are rolled.
pub fn laid(game: &Qwantum) -> Option<Lay> {
    let table = game.table();
    let mut lay = lay::table(table.players.len()).active(table.turn?.index());
    for (seat, player) in table.players.iter().enumerate() {
        lay = lay.rows(seat, &numbers(&player.rows)).misses(seat, player.misses);
    }
    Some(lay)
}

/// Of every row, which totals somebody could enter: 0 for the others, which are all alike.
fn classes(game: &Qwantum) -> ([[usize; HIGHEST as usize + 1]; 4], usize) {
    let players = game.table().players;
    let mut classes = [[0; HIGHEST as usize + 1]; 4];
    let mut count = 1;
    for row in Row::ALL {
        let mut different = 1;
        for total in 1..=HIGHEST {
            let enters = |rows: &Rows| {
                let numbers = rows.of(row).iter().map(|number| format!(" {number}")).collect::<String>();
                let lay = lay::table(2).rows(0, &format!("{}{numbers} {total}", row.name()));
                lay.game().is_ok()
            };
            if players.iter().any(|player| enters(&player.rows)) {
                classes[row.index()][usize::from(total)] = different * count;
                different += 1;
            }
        }
        count *= different;
    }
    (classes, count)
}

/// The ways to keep or re-roll that are surely best, over all rolls there are; none where none is, or where too many totals make
/// a difference.
pub fn best_rerolls(game: &Qwantum, seat: Seat) -> Option<Vec<Action>> {
    let (classes, count) = classes(game);
    if count > MOST {
        return None;
    }
    let (lay, dice) = (laid(game)?, game.table().dice?);
    let mut known = vec![None; count];
    let mut rolls: Vec<[f32; 2]> = Vec::new();
    for number in 0..6_usize.pow(DICE as u32) {
        let face = |die: usize| FACES[die][number / 6_usize.pow(die as u32) % 6];
        let rolled: [Die; DICE] = std::array::from_fn(face);
        let totals = totals(&rolled);
        let class = Row::ALL.iter().map(|row| classes[row.index()][totals[row.index()]]).sum::<usize>();
        let bounds = *known[class].get_or_insert_with(|| {
            let mut game = lay.clone().dice(&faces(&rolled)).game().expect("a table that can be laid");
            game.apply(seat, &Action::Keep {}).expect("dice may be kept");
            LAST_TURN.bounds(&game, seat)
        });
        rolls.push(bounds);
    }
    let mut ways = vec![(Vec::new(), rolls)];
    // Die by die: it is kept as it lies, or rolled, and then all six faces are as likely.
    for (die, faces) in FACES.iter().enumerate() {
        let lies = faces.iter().position(|face| *face == dice[die])?;
        ways = ways
            .into_iter()
            .flat_map(|(chosen, rolls): (Vec<u64>, Vec<[f32; 2]>)| {
                let kept = rolls.chunks(6).map(|faces| faces[lies]).collect();
                let mean =
                    |faces: &[[f32; 2]]| [0, 1].map(|end| faces.iter().map(|face| face[end] / 6.0).sum());
                let rolled = rolls.chunks(6).map(mean).collect();
                let more = chosen.iter().copied().chain([die as u64]).collect();
                [(chosen, kept), (more, rolled)]
            })
            .collect();
    }
    let act = |dice: Vec<u64>| if dice.is_empty() { Action::Keep {} } else { Action::Reroll { dice } };
    let best = surely_best(ways.into_iter().map(|(dice, rolls)| (act(dice), rolls[0])).collect());
    (!best.is_empty()).then_some(best)
}

/// The total of every row's colour.
fn totals(dice: &[Die; DICE]) -> [usize; 4] {
    let total = |row: Row| {
        let counts = dice.iter().filter(|die| die.color.row().is_none_or(|color| color == row));
        counts.map(|die| usize::from(die.value)).sum()
    };
    Row::ALL.map(total)
}
