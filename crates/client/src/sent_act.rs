//! At-least-once sending of an action that is played exactly once: after a lost connection an action is repeated only
//! if it was not acknowledged.

use game::Commitment;
use protocol::{RoomView, State};

/// An action that was sent and is not yet acknowledged by a higher `next`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentAct {
    /// The `next` of the state in which it was chosen.
    pub n: u32,
    /// The action as it was listed.
    pub action: String,
    /// The commitment of its game, because numbers restart at 0 with each game.
    pub game: Commitment,
}

impl SentAct {
    /// Returns whether it must be repeated after a welcome with this room and state: the game is the same and still
    /// waits for the decision with this number.
    pub fn is_due(&self, room: &RoomView, state: Option<&State<'_>>) -> bool {
        room.fair.commitment == self.game && state.is_some_and(|state| state.next == Some(self.n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Received, ServerMessage};

    /// Returns whether action 3 of the game with this commitment is due after a welcome.
    fn is_due(game: [u8; 32], state: &str) -> bool {
        let welcome = format!(
            r#"{{"type":"welcome","protocol":1,"you":{{"seat":0,"token":"00ff","name":"Ana"}},"room":{{"code":"K7QF3M",
            "game":"towers","phase":"playing","rules":{{}},"clock":null,"forced":"auto","min":2,"max":5,"host":0,
            "watchers":0,"seats":[],"fair":{{"commitment":"{}"}},"keep_days":30}},"state":{state},"history":[],"chat":[]}}"#,
            "07".repeat(32)
        );
        let mut received = Received::read(&welcome).unwrap();
        let Some(ServerMessage::Welcome { room, state, .. }) = received.message() else {
            panic!("a welcome")
        };
        let act = SentAct { n: 3, action: r#"{"type":"pass"}"#.to_owned(), game: Commitment(game) };
        act.is_due(room, state.as_ref())
    }

    #[test]
    fn an_act_is_sent_again_only_to_the_decision_it_was_made_for() {
        let at = |next: &str| {
            format!(r#"{{"version":9,"next":{next},"asked":[0],"table":{{}},"actions":[],"events":[]}}"#)
        };
        assert!(is_due([7; 32], &at("3")));
        assert!(!is_due([7; 32], &at("4")), "it was played, or its decision is over");
        assert!(!is_due([7; 32], &at("null")), "the seat is somebody else's");
        assert!(!is_due([7; 32], "null"), "the game is over");
        assert!(!is_due([8; 32], &at("3")), "another game");
    }
}
