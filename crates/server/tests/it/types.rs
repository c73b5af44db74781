//! The web page's types of the wire contract are generated from the Rust types, and must be up to date.
//!
//! `ROOKERY_WRITE_TYPES=1 cargo test -p server --test sockets types` regenerates them.

use std::path::Path;
use ts_rs::{Config, TS};

/// Returns each type as an exported declaration, in this order.
macro_rules! declarations {
    ($config:expr, $($of:ty),+ $(,)?) => {
        [$(format!("export {}\n", <$of as TS>::decl($config).replace(" \n", "\n"))),+].join("\n")
    };
}

/// Returns a union type of these values.
fn one_of(name: &str, values: impl IntoIterator<Item = String>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| format!("\n  | {value}")).collect();
    format!("\nexport type {name} ={};\n", values.concat())
}

/// Returns the codes of a game's own refusals.
fn refusals<G: game::Game>() -> String {
    one_of(
        "RefusalCode",
        <G::IllegalAction as game::IllegalAction>::codes().into_iter().map(|code| format!("'{code}'")),
    )
}

fn config() -> Config {
    // Versions and times stay far below 2⁵³, and JSON numbers are JavaScript numbers anyway.
    Config::new().with_large_int("number")
}

fn check(path: &str, about: &str, declarations: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web").join(path);
    let wanted = format!(
        "// {about} Written from the Rust types by `crates/server/tests/it/types.rs`; do not edit.\n\n{declarations}"
    );
    if std::env::var_os("ROOKERY_WRITE_TYPES").is_some() {
        std::fs::write(&file, &wanted).expect("the web folder is writable");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == wanted, "web/{path} is out of date; see the top of this file for how to regenerate it");
}

#[test]
fn wire_types_of_the_page_are_up_to_date() {
    use protocol::{
        Best, Book, BookGame, BookPlayer, By, Chapter, ChatLine, ClientMessage, Close, Code, CurvePoint, Fair, Forced,
        GamePlayed, Have, HintedAct, Kind, Level, Mistake, Moment, OriginView, Pace, Pair, Reaction, RecordDoubt,
        Review, ReviewedPlayer, RoomPhase, RoomView, SeatView, ServerMessage, State, Watcher, You,
    };
    let config = config();
    let declarations = declarations!(
        &config,
        ClientMessage,
        ServerMessage<'_>,
        Have,
        You<'_>,
        RoomView,
        SeatView,
        Watcher,
        State<'_>,
        ChatLine,
        GamePlayed,
        Moment,
        By,
        OriginView,
        RecordDoubt,
        Book,
        BookGame,
        Chapter,
        BookPlayer,
        Pair,
        Best,
        Review,
        ReviewedPlayer,
        CurvePoint,
        Mistake,
        HintedAct,
        Fair,
        RoomPhase,
        Forced,
        Pace,
        Reaction,
        Kind,
        Level,
        game::Outcome,
        game::Seat,
        game::Salt,
        game::Commitment,
    );
    let codes = one_of("Code", Code::ALL.iter().map(|code| format!("'{}'", code.as_str())));
    let closes = one_of("CloseCode", Close::ALL.iter().map(|close| close.code().to_string()));
    let declarations = declarations + &codes + &closes;
    check("wire.d.ts", "The messages of the wire contract.", &declarations);
}

#[test]
fn qwantum_types_of_the_page_are_up_to_date() {
    use qwantum::{Action, Choice, Color, Die, Event, Mine, Phase, PlayerView, Row, Rows, Rules, Score, Table, Totals};
    let config = config();
    let declarations = declarations!(
        &config,
        Table,
        PlayerView,
        Rows,
        Totals,
        Die,
        Score,
        Mine,
        Choice,
        Action,
        Event,
        Color,
        Row,
        Phase,
        Rules,
        game::Outcome,
        game::Seat,
    );
    let declarations = declarations + &refusals::<qwantum::Qwantum>();
    check("games/qwantum/wire.d.ts", "Qwantum on the wire.", &declarations);
}

#[test]
fn five_towers_types_of_the_page_are_up_to_date() {
    use towers::{
        Action, Call, Card, Carried, Event, Means, Mine, Phase, PlayerView, Rules, Score, Skyline, Standing, Table,
        Tower,
    };
    let config = config();
    let declarations = declarations!(
        &config,
        Table,
        PlayerView,
        Skyline,
        Call,
        Standing,
        Score,
        Mine,
        Means,
        Carried,
        Action,
        Event,
        Card,
        Tower,
        Phase,
        Rules,
        towers::Mistakes,
        game::Outcome,
        game::Seat,
    );
    // The inline list type of the rules is an ordinary list on the wire.
    let declarations = declarations + "\nexport type List<T> = Array<T>;\n" + &refusals::<towers::Towers>();
    check("games/towers/wire.d.ts", "Five Towers on the wire.", &declarations);
}
