//! What a player knows, and the action in transit: at-least-once sending of an action that is played exactly once.

use game::{Commitment, Seat};
use protocol::{Received, RoomPhase, RoomView, ServerMessage, State};

/// What a player keeps of a message.
#[derive(Debug, Clone, Default)]
pub struct MessageSummary {
    /// Seat and token, from a welcome or a change of seat.
    pub place: Option<(Option<Seat>, Option<String>)>,
    /// The room.
    pub room: Option<RoomView>,
    /// The state, as far as it is needed to choose an action.
    pub turn: Option<PlayerTurn>,
    /// The number of the refused action, if the refusal is of one, and the error code.
    pub refusal: Option<(Option<u32>, String)>,
    /// A handover code.
    pub handover: Option<String>,
    /// Whether the message was a welcome.
    pub welcome: bool,
    /// Whether the message was the answer to a ping.
    pub pong: bool,
}

/// What a player can choose from.
#[derive(Debug, Clone)]
pub struct PlayerTurn {
    /// The version of the table.
    pub version: u64,
    /// The number of the next action.
    pub next: Option<u32>,
    /// The seats that must act.
    pub asked: Vec<Seat>,
    /// The legal actions, as a JSON list.
    pub actions: String,
}

impl MessageSummary {
    /// Parses a message. Nothing is kept of an unknown one.
    pub fn read(text: &str) -> Result<MessageSummary, serde_json::Error> {
        Ok(Received::read(text)?.message().as_ref().map_or_else(MessageSummary::default, MessageSummary::of))
    }

    /// Returns what is kept of a message.
    pub fn of(message: &ServerMessage<'_>) -> MessageSummary {
        let mut heard = MessageSummary::default();
        let place = |seat, token: Option<&str>| Some((seat, token.map(str::to_owned)));
        match *message {
            ServerMessage::Welcome { you, room, ref state, .. } => {
                heard.welcome = true;
                heard.place = place(you.seat, you.token);
                heard.room = Some(room.clone());
                heard.turn = state.as_ref().map(PlayerTurn::of);
            }
            ServerMessage::You { seat, token, .. } => heard.place = place(seat, token),
            ServerMessage::Room { room } => heard.room = Some(room.clone()),
            ServerMessage::State { ref state } => heard.turn = Some(PlayerTurn::of(state)),
            ServerMessage::Rejected { n, code, .. } => heard.refusal = Some((Some(n), code.to_owned())),
            ServerMessage::Error { code, .. } => heard.refusal = Some((None, code.to_owned())),
            ServerMessage::Handover { code, .. } => heard.handover = Some(code.to_owned()),
            ServerMessage::Pong { .. } => heard.pong = true,
            _ => {}
        }
        heard
    }

    /// Returns the seat and its token.
    pub fn seated(self) -> Option<(Seat, String)> {
        let (seat, token) = self.place?;
        seat.zip(token)
    }
}

impl PlayerTurn {
    fn of(state: &State<'_>) -> PlayerTurn {
        let actions = state.actions.get().to_owned();
        PlayerTurn { version: state.version, next: state.next, asked: state.asked.clone(), actions }
    }
}

/// An action that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentAct {
    /// The `next` of the state in which it was chosen.
    pub n: u32,
    /// The action as it was listed.
    pub action: String,
    /// The commitment of its game, because numbers restart at 0 with each game.
    pub game: Commitment,
}

/// What a message says about the action in transit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActFate {
    /// It was accepted.
    Accepted,
    /// It was lost with the previous connection and must be repeated.
    Lost,
    /// It was refused with this code and changed nothing.
    Refused(String),
}

/// A player's seat, room and turn, and the action in transit.
#[derive(Debug, Default)]
pub struct ScriptedPlayer {
    /// The seat, or `None` for a spectator.
    pub seat: Option<Seat>,
    /// The token of the seat.
    pub token: Option<String>,
    /// The room.
    pub room: Option<RoomView>,
    /// The state of this game.
    pub turn: Option<PlayerTurn>,
    /// The action that was sent and may still be undecided.
    pub sent: Option<SentAct>,
    /// The last accepted action of this game.
    pub last: Option<SentAct>,
}

impl ScriptedPlayer {
    /// Updates the player with what a message says, and returns what became of the action in transit.
    pub fn take_in(&mut self, heard: MessageSummary) -> Option<ActFate> {
        if let Some((seat, token)) = heard.place {
            self.sent.take_if(|_| self.seat != seat);
            (self.seat, self.token) = (seat, token);
        }
        if heard.welcome {
            self.turn = None;
        }
        if let Some(room) = heard.room {
            let game = room.fair.commitment;
            self.sent.take_if(|sent| sent.game != game);
            if self.game() != Some(game) {
                (self.turn, self.last) = (None, None);
            }
            self.room = Some(room);
        }
        let mut fate = None;
        if let Some(turn) = heard.turn {
            let sent = self.sent.as_ref().map(|sent| sent.n);
            if turn.next > sent && sent.is_some() {
                (self.last, fate) = (self.sent.take(), Some(ActFate::Accepted));
            } else if heard.welcome && turn.next == sent && sent.is_some() {
                fate = Some(ActFate::Lost);
            } else if turn.next.is_none() {
                self.sent = None;
            }
            self.turn = Some(turn);
        }
        if let Some((n, code)) = heard.refusal
            && self.sent.take_if(|sent| Some(sent.n) == n).is_some()
        {
            fate = Some(ActFate::Refused(code));
        }
        fate
    }

    /// Returns whether the game waits for an action that this player has not sent yet. A seat that is not asked may
    /// have actions too, such as changing its choice.
    pub fn must_act(&self) -> bool {
        let is_asked = |turn: &PlayerTurn| self.seat.is_some_and(|seat| turn.asked.contains(&seat));
        self.phase() == Some(RoomPhase::Playing) && self.sent.is_none() && self.turn.as_ref().is_some_and(is_asked)
    }

    /// Notes the action that `choose` returns for the list of legal ones, and returns it to be sent. Returns `None` if
    /// there is none to choose, or another is in transit.
    pub fn act(&mut self, choose: impl FnOnce(&str) -> Option<String>) -> Option<&SentAct> {
        let (game, turn) = (self.game()?, self.turn.as_ref()?);
        let n = turn.next.filter(|_| self.sent.is_none())?;
        let action = choose(&turn.actions)?;
        Some(self.sent.insert(SentAct { n, action, game }))
    }

    /// Returns the phase of the room.
    pub fn phase(&self) -> Option<RoomPhase> {
        self.room.as_ref().map(|room| room.phase)
    }

    fn game(&self) -> Option<Commitment> {
        self.room.as_ref().map(|room| room.fair.commitment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what becomes of action 3 of the game with this commitment after a welcome.
    fn fate(game: [u8; 32], state: &str) -> (Option<ActFate>, bool) {
        let welcome = format!(
            r#"{{"type":"welcome","protocol":1,"you":{{"seat":0,"token":"00ff","name":"Ana"}},"room":{{"code":"K7QF3M",
            "game":"towers","phase":"playing","rules":{{}},"clock":null,"forced":"auto","min":2,"max":5,"host":0,
            "watchers":0,"seats":[],"fair":{{"commitment":"{}"}},"keep_days":30}},"state":{state},
            "history":[],"chat":[]}}"#,
            "07".repeat(32)
        );
        let sent = SentAct { n: 3, action: r#"{"type":"pass"}"#.to_owned(), game: Commitment(game) };
        let mut player = ScriptedPlayer { seat: Some(Seat(0)), sent: Some(sent), ..ScriptedPlayer::default() };
        (player.take_in(MessageSummary::read(&welcome).unwrap()), player.sent.is_some())
    }

    #[test]
    fn repeats_an_act_only_for_the_same_decision() {
        let at =
            |next: &str| format!(r#"{{"version":9,"next":{next},"asked":[0],"table":{{}},"actions":[],"events":[]}}"#);
        assert_eq!(fate([7; 32], &at("3")), (Some(ActFate::Lost), true));
        assert_eq!(fate([7; 32], &at("4")), (Some(ActFate::Accepted), false));
        assert_eq!(fate([7; 32], &at("null")), (None, false), "the seat was given to another player");
        assert_eq!(fate([7; 32], "null").0, None, "the game is over");
        assert_eq!(fate([8; 32], &at("3")), (None, false), "it belongs to another game");
    }
}
