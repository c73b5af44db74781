//! Connections that break before the welcome: a player who joins again keeps their identity, and an unconfirmed seat is
//! given up.

use crate::test_room::{MINUTE, MORNING, TestRoom};
use game::Salt;
use room::{Input, Name, PlayerId, TokenHash, What};

const SECOND: u64 = 1_000;
const WHILE: u64 = 20 * SECOND;
const ANAS: Salt = Salt([0xa; 16]);
const OTHERS: Salt = Salt([0xb; 16]);

impl TestRoom {
    /// Joins with the player's own salt and gets a token. Whether the player receives it is unknown.
    fn tries_to_join(&mut self, name: &str, salt: Salt, token: &str) -> Result<PlayerId, &'static str> {
        let (name, token) = (Name::new(name).unwrap(), TokenHash::of(token));
        self.ask(Input::Join { name, token, salt, program: false })?;
        let player = self.room.seats().by_token(token).expect("a seat").id;
        self.room.came_unmet(player, self.now);
        Ok(player)
    }

    /// Joins, and the connection breaks at once.
    fn joins_and_is_cut(&mut self, name: &str, salt: Salt, token: &str) -> PlayerId {
        let player = self.tries_to_join(name, salt, token).expect("a seat");
        self.room.went(player, self.now);
        player
    }

    fn knows(&self, token: &str) -> Option<PlayerId> {
        self.room.seats().by_token(TokenHash::of(token)).map(|player| player.id)
    }
}

#[test]
fn the_same_name_and_salt_are_the_same_person() {
    let mut table = TestRoom::open();
    let ana = table.joins_and_is_cut("Ana", ANAS, "first");
    let token = TokenHash::of("second");
    let again = Input::Join { name: Name::new("Ana").unwrap(), token, salt: ANAS, program: false };
    assert_eq!(table.ask(again), Ok(vec![What::Rejoined { player: ana, token }]));
    assert_eq!((table.names(), table.host().as_deref()), (vec!["Ana".to_owned()], Some("Ana")));
    assert_eq!(
        (table.knows("first"), table.knows("second")),
        (Some(ana), Some(ana)),
        "either welcome may arrive"
    );
}

#[test]
fn another_name_or_another_salt_is_somebody_else() {
    let mut table = TestRoom::open();
    table.joins_and_is_cut("Ana", ANAS, "one");
    table.joins_and_is_cut("Ana", OTHERS, "two");
    table.joins_and_is_cut("Bea", ANAS, "three");
    assert_eq!(table.names(), ["Ana", "Ana 2", "Bea"]);
    // The requested name counts, not the one that was assigned.
    table.joins_and_is_cut("Ana", OTHERS, "four");
    assert_eq!(table.knows("four"), table.find("Ana 2"));
    table.joins_and_is_cut("Ana 2", OTHERS, "five");
    assert_eq!(table.names(), ["Ana", "Ana 2", "Bea", "Ana 2 2"]);
}

#[test]
fn who_brought_no_salt_of_their_own_is_known_by_none() {
    let mut table = TestRoom::open();
    // The server generated this salt, or a spectator who then sat down sent it.
    table.sits_with("Ana", Some(ANAS));
    table.joins_and_is_cut("Ana", ANAS, "another");
    assert_eq!(table.names(), ["Ana", "Ana 2"]);
}

#[test]
fn at_a_full_table_ones_own_seat_is_still_ones_own() {
    let mut table = TestRoom::of(&["Bea", "Cid", "Dan", "Eva"]);
    let ana = table.joins_and_is_cut("Ana", ANAS, "first");
    assert_eq!(table.tries_to_join("Fay", OTHERS, "no"), Err("table_full"));
    assert_eq!(table.tries_to_join("Ana", ANAS, "second"), Ok(ana));
}

#[test]
fn a_restart_between_the_two_changes_nothing() {
    let mut table = TestRoom::open();
    let ana = table.joins_and_is_cut("Ana", ANAS, "first");
    table.restarts();
    assert_eq!(table.tries_to_join("Ana", ANAS, "second"), Ok(ana));
    table.restarts();
    assert_eq!((table.knows("first"), table.knows("second")), (Some(ana), Some(ana)));
}

#[test]
fn however_often_somebody_comes_again_four_tokens_are_kept() {
    let mut table = TestRoom::open();
    let ana = table.joins_and_is_cut("Ana", ANAS, "0");
    for token in 1..10 {
        table.joins_and_is_cut("Ana", ANAS, &token.to_string());
    }
    let kept: Vec<u8> = (0..10).filter(|token| table.knows(&token.to_string()) == Some(ana)).collect();
    assert_eq!(kept, [6, 7, 8, 9]);
}

#[test]
fn a_seat_given_up_takes_all_its_tokens_with_it() {
    let mut table = TestRoom::of(&["Bea"]);
    table.joins_and_is_cut("Ana", ANAS, "first");
    table.joins_and_is_cut("Ana", ANAS, "second");
    table.stands("Ana").unwrap();
    assert_eq!((table.knows("first"), table.knows("second")), (None, None));
    table.joins_and_is_cut("Ana", ANAS, "third");
    table.starts("Bea").unwrap();
    table.leaves("Ana").unwrap();
    assert_eq!(table.knows("third"), None, "a bot plays on in it");
}

#[test]
fn a_salt_everybody_has_seen_opens_no_seat() {
    let mut table = TestRoom::of(&["Bea"]);
    let ana = table.tries_to_join("Ana", ANAS, "first").unwrap();
    table.starts("Bea").unwrap();
    assert_eq!(table.view()["fair"]["salts"][1], "0a".repeat(16));
    assert_eq!(table.tries_to_join("Ana", ANAS, "stranger"), Err("not_in_lobby"));
    table.plays_quietly();
    assert_eq!(table.tries_to_join("Ana", ANAS, "stranger"), Err("not_in_lobby"));
    table.asks_for_a_rematch("Bea").unwrap();
    assert_ne!(table.tries_to_join("Ana", ANAS, "stranger"), Ok(ana));
    assert_eq!(table.names(), ["Bea", "Ana", "Ana 2"]);

    // It does not open the seat of a player who uses it once more, either.
    table.leaves("Ana").unwrap();
    let ana = table.tries_to_join("Ana", ANAS, "second").unwrap();
    table.restarts();
    assert_ne!(table.tries_to_join("Ana", ANAS, "stranger again"), Ok(ana));
    table.room.came(ana, table.now);
    table.does("Ana", |player| Input::Salt { player, salt: OTHERS }).unwrap();
    table.does("Ana", |player| Input::Salt { player, salt: ANAS }).unwrap();
    table.leaves("Ana 2").unwrap();
    assert_ne!(table.tries_to_join("Ana", ANAS, "and again"), Ok(ana));
}

#[test]
fn a_salt_that_was_replaced_opens_no_seat_either() {
    let mut table = TestRoom::open();
    let ana = table.tries_to_join("Ana", ANAS, "first").unwrap();
    table.ask(Input::Salt { player: ana, salt: OTHERS }).unwrap();
    for salt in [ANAS, OTHERS] {
        assert_ne!(table.tries_to_join("Ana", salt, "stranger"), Ok(ana), "they came by their token since");
    }
}

#[test]
fn a_seat_whose_owner_never_heard_of_it_is_given_up() {
    let mut table = TestRoom::open();
    let ana = table.tries_to_join("Ana", ANAS, "first").unwrap();
    table.sits("Bea");
    assert_eq!(table.room.due(), None, "the welcome may be on its way");
    table.passes(10 * MINUTE);
    assert_eq!(table.names(), ["Ana", "Bea"]);
    table.goes_away("Ana");
    assert_eq!(table.room.due(), Some(table.now + WHILE));
    table.passes(WHILE - 1);
    assert_eq!((table.seats(), table.host().as_deref()), (2, Some("Ana")));
    table.now += 1;
    let bea = table.id("Bea");
    assert_eq!(
        table.ask(Input::Tick {}),
        Ok(vec![What::Left { player: ana }, What::HostPassed { player: bea }]),
        "nobody waits for a ghost to begin"
    );
    assert_eq!((table.names(), table.room.due()), (vec!["Bea".to_owned()], None));
}

#[test]
fn ghosts_go_one_after_the_other_and_leave_an_empty_table() {
    let mut table = TestRoom::open();
    for (name, salt) in [("Ana", ANAS), ("Ana", OTHERS), ("Bea", OTHERS)] {
        table.joins_and_is_cut(name, salt, &format!("{name} {salt:?}"));
    }
    for left in [2, 1, 0] {
        assert!(table.room.due().is_some());
        table.passes(WHILE);
        assert_eq!(table.seats(), left);
    }
    assert_eq!((table.room.due(), table.host()), (None, None));
}

#[test]
fn any_sign_of_the_owner_keeps_the_seat() {
    let sign: [fn(&mut TestRoom, PlayerId); 2] = [
        // A message was received before the connection broke.
        |table, ana| table.room.met(ana),
        // The player joined with the token from the welcome.
        |table, ana| {
            table.room.went(ana, table.now);
            table.room.came(ana, table.now);
        },
    ];
    for sign in sign {
        let mut table = TestRoom::open();
        let ana = table.tries_to_join("Ana", ANAS, "first").unwrap();
        sign(&mut table, ana);
        // Later joins that are cut do not revoke that.
        table.joins_and_is_cut("Ana", ANAS, "second");
        table.goes_away("Ana");
        table.passes(60 * MINUTE);
        assert_eq!(table.names(), ["Ana"]);
    }
}

#[test]
fn who_comes_again_in_time_keeps_the_seat_and_the_table() {
    let mut table = TestRoom::open();
    let ana = table.joins_and_is_cut("Ana", ANAS, "first");
    table.sits("Bea");
    table.passes(WHILE - 1);
    assert_eq!(table.tries_to_join("Ana", ANAS, "second"), Ok(ana));
    table.passes(MINUTE);
    assert_eq!((table.names().len(), table.host().as_deref()), (2, Some("Ana")));
    table.goes_away("Ana");
    assert_eq!(table.room.due(), Some(MORNING + WHILE - 1 + MINUTE + WHILE), "still nobody was met");
}

#[test]
fn after_a_restart_nobody_loses_a_seat() {
    let mut table = TestRoom::open();
    table.joins_and_is_cut("Ana", ANAS, "first");
    table.restarts();
    table.passes(60 * MINUTE);
    assert_eq!(table.names(), ["Ana"], "whether Ana was ever met is not known any more");
}

#[test]
fn in_a_game_everyone_keeps_their_seat() {
    let mut table = TestRoom::of(&["Bea"]);
    table.joins_and_is_cut("Ana", ANAS, "first");
    table.starts("Bea").unwrap();
    table.passes(60 * MINUTE);
    assert_eq!(table.names(), ["Bea", "Ana"]);
    table.plays_quietly();
    table.passes(MINUTE);
    assert_eq!(table.names(), ["Bea", "Ana"], "and on the finished table");
    table.asks_for_a_rematch("Bea").unwrap();
    table.passes(0);
    assert_eq!(table.names(), ["Bea"], "the next game is not dealt to a ghost");
}
