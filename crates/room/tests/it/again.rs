//! Connections that break before the welcome: a player who joins again keeps their identity, and an unconfirmed seat is
//! given up.

use crate::test_room::{MINUTE, MORNING, TestRoom};
use game::Salt;
use room::{Input, Name, PlayerId, RoomEvent, TokenHash};

const SECOND: u64 = 1_000;
const GRACE: u64 = 20 * SECOND;
const ANAS: Salt = Salt([0xa; 16]);
const OTHERS: Salt = Salt([0xb; 16]);

impl TestRoom {
    /// Joins with the player's own salt and gets a token. Whether the player receives it is unknown.
    fn tries_to_join(&mut self, name: &str, salt: Salt, token: &str) -> Result<PlayerId, &'static str> {
        let (name, token) = (Name::new(name).unwrap(), TokenHash::of(token));
        self.ask(Input::Join { name, token, salt, program: false })?;
        let player = self.room.seats().by_token(token).expect("a seat").id;
        self.room.came_unconfirmed(player, self.now);
        Ok(player)
    }

    /// Joins, and the connection breaks at once.
    fn joins_and_disconnects(&mut self, name: &str, salt: Salt, token: &str) -> PlayerId {
        let player = self.tries_to_join(name, salt, token).expect("a seat");
        self.room.went(player, self.now);
        player
    }

    fn player_with(&self, token: &str) -> Option<PlayerId> {
        self.room.seats().by_token(TokenHash::of(token)).map(|player| player.id)
    }
}

#[test]
fn the_same_name_and_salt_identify_the_same_player() {
    let mut table = TestRoom::open();
    let ana = table.joins_and_disconnects("Ana", ANAS, "first");
    let token = TokenHash::of("second");
    let again = Input::Join { name: Name::new("Ana").unwrap(), token, salt: ANAS, program: false };
    assert_eq!(table.ask(again), Ok(vec![RoomEvent::Rejoined { player: ana, token }]));
    assert_eq!((table.names(), table.host().as_deref()), (vec!["Ana".to_owned()], Some("Ana")));
    assert_eq!(
        (table.player_with("first"), table.player_with("second")),
        (Some(ana), Some(ana)),
        "either welcome may have arrived"
    );
}

#[test]
fn a_different_name_or_salt_is_a_different_player() {
    let mut table = TestRoom::open();
    table.joins_and_disconnects("Ana", ANAS, "one");
    table.joins_and_disconnects("Ana", OTHERS, "two");
    table.joins_and_disconnects("Bea", ANAS, "three");
    assert_eq!(table.names(), ["Ana", "Ana 2", "Bea"]);
    // The requested name counts, not the one that was assigned.
    table.joins_and_disconnects("Ana", OTHERS, "four");
    assert_eq!(table.player_with("four"), table.find("Ana 2"));
    table.joins_and_disconnects("Ana 2", OTHERS, "five");
    assert_eq!(table.names(), ["Ana", "Ana 2", "Bea", "Ana 2 2"]);
}

#[test]
fn a_salt_generated_by_the_server_identifies_no_player() {
    let mut table = TestRoom::open();
    // The server generated this salt, or a spectator who then sat down sent it.
    table.sits_with("Ana", Some(ANAS));
    table.joins_and_disconnects("Ana", ANAS, "another");
    assert_eq!(table.names(), ["Ana", "Ana 2"]);
}

#[test]
fn a_player_rejoins_their_own_seat_at_a_full_table() {
    let mut table = TestRoom::of(&["Bea", "Cid", "Dan", "Eva"]);
    let ana = table.joins_and_disconnects("Ana", ANAS, "first");
    assert_eq!(table.tries_to_join("Fay", OTHERS, "no"), Err("table_full"));
    assert_eq!(table.tries_to_join("Ana", ANAS, "second"), Ok(ana));
}

#[test]
fn a_player_rejoins_after_a_restart() {
    let mut table = TestRoom::open();
    let ana = table.joins_and_disconnects("Ana", ANAS, "first");
    table.restarts();
    assert_eq!(table.tries_to_join("Ana", ANAS, "second"), Ok(ana));
    table.restarts();
    assert_eq!((table.player_with("first"), table.player_with("second")), (Some(ana), Some(ana)));
}

#[test]
fn keeps_the_last_four_tokens_of_a_player() {
    let mut table = TestRoom::open();
    let ana = table.joins_and_disconnects("Ana", ANAS, "0");
    for token in 1..10 {
        table.joins_and_disconnects("Ana", ANAS, &token.to_string());
    }
    let kept: Vec<u8> = (0..10).filter(|token| table.player_with(&token.to_string()) == Some(ana)).collect();
    assert_eq!(kept, [6, 7, 8, 9]);
}

#[test]
fn giving_up_a_seat_invalidates_all_its_tokens() {
    let mut table = TestRoom::of(&["Bea"]);
    table.joins_and_disconnects("Ana", ANAS, "first");
    table.joins_and_disconnects("Ana", ANAS, "second");
    table.stands("Ana").unwrap();
    assert_eq!((table.player_with("first"), table.player_with("second")), (None, None));
    table.joins_and_disconnects("Ana", ANAS, "third");
    table.starts("Bea").unwrap();
    table.leaves("Ana").unwrap();
    assert_eq!(table.player_with("third"), None, "a bot has taken the seat");
}

#[test]
fn a_public_salt_opens_no_seat() {
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
fn a_replaced_salt_opens_no_seat() {
    let mut table = TestRoom::open();
    let ana = table.tries_to_join("Ana", ANAS, "first").unwrap();
    table.ask(Input::Salt { player: ana, salt: OTHERS }).unwrap();
    for salt in [ANAS, OTHERS] {
        assert_ne!(table.tries_to_join("Ana", salt, "stranger"), Ok(ana), "the player was identified by token since");
    }
}

#[test]
fn gives_up_a_seat_whose_owner_never_confirmed_it() {
    let mut table = TestRoom::open();
    let ana = table.tries_to_join("Ana", ANAS, "first").unwrap();
    table.sits("Bea");
    assert_eq!(table.room.due(), None, "the welcome may still arrive");
    table.passes(10 * MINUTE);
    assert_eq!(table.names(), ["Ana", "Bea"]);
    table.goes_away("Ana");
    assert_eq!(table.room.due(), Some(table.now + GRACE));
    table.passes(GRACE - 1);
    assert_eq!((table.seats(), table.host().as_deref()), (2, Some("Ana")));
    table.now += 1;
    let bea = table.id("Bea");
    assert_eq!(
        table.ticks(),
        Ok(vec![RoomEvent::Left { player: ana }, RoomEvent::HostPassed { player: bea }]),
        "the role passes on at once"
    );
    assert_eq!((table.names(), table.room.due()), (vec!["Bea".to_owned()], None));
}

#[test]
fn removes_unconfirmed_players_one_by_one() {
    let mut table = TestRoom::open();
    for (name, salt) in [("Ana", ANAS), ("Ana", OTHERS), ("Bea", OTHERS)] {
        table.joins_and_disconnects(name, salt, &format!("{name} {salt:?}"));
    }
    for left in [2, 1, 0] {
        assert!(table.room.due().is_some());
        table.passes(GRACE);
        assert_eq!(table.seats(), left);
    }
    assert_eq!((table.room.due(), table.host()), (None, None));
}

#[test]
fn any_message_from_the_owner_keeps_the_seat() {
    let sign: [fn(&mut TestRoom, PlayerId); 2] = [
        // A message was received before the connection broke.
        |table, ana| table.room.confirm_seat(ana),
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
        table.joins_and_disconnects("Ana", ANAS, "second");
        table.goes_away("Ana");
        table.passes(60 * MINUTE);
        assert_eq!(table.names(), ["Ana"]);
    }
}

#[test]
fn a_player_who_rejoins_in_time_keeps_the_seat_and_the_role() {
    let mut table = TestRoom::open();
    let ana = table.joins_and_disconnects("Ana", ANAS, "first");
    table.sits("Bea");
    table.passes(GRACE - 1);
    assert_eq!(table.tries_to_join("Ana", ANAS, "second"), Ok(ana));
    table.passes(MINUTE);
    assert_eq!((table.names().len(), table.host().as_deref()), (2, Some("Ana")));
    table.goes_away("Ana");
    assert_eq!(table.room.due(), Some(MORNING + GRACE - 1 + MINUTE + GRACE), "the seat is still unconfirmed");
}

#[test]
fn players_keep_their_seats_after_a_restart() {
    let mut table = TestRoom::open();
    table.joins_and_disconnects("Ana", ANAS, "first");
    table.restarts();
    table.passes(60 * MINUTE);
    assert_eq!(table.names(), ["Ana"], "confirmations are not stored");
}

#[test]
fn unconfirmed_players_keep_their_seats_during_a_game() {
    let mut table = TestRoom::of(&["Bea"]);
    table.joins_and_disconnects("Ana", ANAS, "first");
    table.starts("Bea").unwrap();
    table.passes(60 * MINUTE);
    assert_eq!(table.names(), ["Bea", "Ana"]);
    table.plays_quietly();
    table.passes(MINUTE);
    assert_eq!(table.names(), ["Bea", "Ana"], "also after its end");
    table.asks_for_a_rematch("Bea").unwrap();
    table.passes(0);
    assert_eq!(table.names(), ["Bea"], "unconfirmed players are removed in the lobby");
}
