//! What those in the room ask for, and how they are answered when it is refused.

use super::handover::GOOD_FOR_MS;
use super::{Connection, ConnectionId, Halt, RoomTask, new_token};
use crate::code::random_bytes;
use axum::extract::ws::Utf8Bytes;
use game::Seed;
use protocol::{ClientMessage, Close, ServerMessage};
use room::{Input, PlayerId, Refusal, What};

impl RoomTask {
    pub async fn say(&mut self, from: ConnectionId, message: ClientMessage) -> Result<(), Halt> {
        let Some(connection) = self.connections.get(&from) else { return Ok(()) };
        let n = if let ClientMessage::Act { n, .. } = message { Some(n) } else { None };
        let player = connection.player;
        let obeyed = self.obey(from, player, message).await;
        if let Err(Halt::Unwritten) = obeyed {
            self.tell_unwritten(from, n);
        }
        if let Err(refusal) = obeyed? {
            self.shared.metrics.refused(refusal.code());
            self.refuse(from, n, &refusal);
        } else if n.is_some() {
            self.shared.metrics.acts.increment(1);
        }
        Ok(())
    }

    /// Every message is named here: a new one does not compile until it is said what becomes of it. A catch-all would let
    /// whoever sends it first end the room.
    #[deny(clippy::wildcard_enum_match_arm)]
    async fn obey(
        &mut self,
        from: ConnectionId,
        player: Option<PlayerId>,
        message: ClientMessage,
    ) -> Result<Result<(), Refusal>, Halt> {
        let seed = || Seed(random_bytes());
        match message {
            ClientMessage::Chat { text } => self.chat(from, player, text).await,
            ClientMessage::Sit {} => self.take_seat(from, player).await,
            ClientMessage::Handover {} => {
                Ok(player.ok_or(Refusal::NotSeated).map(|player| self.hand_over(from, player)))
            }
            ClientMessage::Leave {} if player.is_none() => {
                self.hang_up(from, Close::Left);
                Ok(Ok(()))
            }
            ClientMessage::Leave {} => {
                self.command(player, Some(Close::Left), |player| Input::Leave { player, seed: seed() }).await
            }
            ClientMessage::Remove { seat } => {
                let remove = |player| Input::Remove { player, seat, seed: seed() };
                self.command(player, Some(Close::Removed), remove).await
            }
            ClientMessage::Act { n, action } => {
                self.command(player, None, |player| Input::Act { player, n, action }).await
            }
            ClientMessage::Start {} => self.command(player, None, |player| Input::Start { player }).await,
            ClientMessage::Configure { game, rules, clock, forced } => {
                let configure = |player| Input::Configure { player, game, rules, clock, forced };
                self.command(player, None, configure).await
            }
            ClientMessage::AddBot { level } => {
                self.command(player, None, |player| Input::AddBot { player, level }).await
            }
            ClientMessage::Substitute { seat, level } => {
                self.command(player, None, |player| Input::Substitute { player, seat, level }).await
            }
            ClientMessage::Stand {} => self.command(player, None, |player| Input::Stand { player }).await,
            ClientMessage::Rematch {} => {
                self.command(player, None, |player| Input::Rematch { player, seed: seed() }).await
            }
            // The socket answers these before they come here.
            ClientMessage::Join { .. } | ClientMessage::Ping { .. } => Ok(Ok(())),
        }
    }

    /// What only seated players may ask for. The farewell is what becomes of the connections of whoever gives up a seat
    /// by it.
    async fn command(
        &mut self,
        player: Option<PlayerId>,
        farewell: Option<Close>,
        input: impl FnOnce(PlayerId) -> Input,
    ) -> Result<Result<(), Refusal>, Halt> {
        let Some(player) = player else { return Ok(Err(Refusal::NotSeated)) };
        let entries = match self.carry_out(input(player)).await? {
            Ok(entries) => entries,
            Err(refusal) => return Ok(Err(refusal)),
        };
        for entry in entries {
            if let What::Left { player } | What::Replaced { player, .. } = entry.what {
                self.unseat(player, farewell);
            }
        }
        Ok(Ok(()))
    }

    async fn chat(
        &mut self,
        from: ConnectionId,
        player: Option<PlayerId>,
        text: String,
    ) -> Result<Result<(), Refusal>, Halt> {
        let name = self.connections[&from].name.clone();
        if let Err(refusal) = self.carry_out(Input::Chat { player, name, text }).await? {
            return Ok(Err(refusal));
        }
        let line = self.room.chat().last().expect("somebody just spoke");
        let message =
            ServerMessage::Chat { seat: line.seat, name: &line.name, text: &line.text, at: line.at };
        let message = Utf8Bytes::from(message.to_json());
        self.send_all(|_, _| message.clone());
        Ok(Ok(()))
    }

    async fn take_seat(
        &mut self,
        from: ConnectionId,
        player: Option<PlayerId>,
    ) -> Result<Result<(), Refusal>, Halt> {
        if player.is_some() {
            return Ok(Err(Refusal::AlreadySeated));
        }
        let token = new_token();
        let Connection { name, salt, .. } = &self.connections[&from];
        let (id, name) = match self.sit(name.clone(), &token, *salt).await? {
            Ok(sat) => sat,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let connection = self.connections.get_mut(&from).expect("whoever asked is connected");
        (connection.player, connection.name, connection.token) = (Some(id), name, Some(token));
        self.room.came(id, self.shared.clock.running());
        Ok(Ok(()))
    }

    fn hand_over(&mut self, to: ConnectionId, player: PlayerId) {
        let Some(connection) = self.connections.get(&to) else { return };
        let Some(token) = connection.token.as_deref() else { return };
        let code = self.handovers.offer(player, token, self.shared.clock.running());
        let message = ServerMessage::Handover { code: &code, expires_ms: GOOD_FOR_MS }.to_json();
        if !connection.line.send(message.into()) {
            self.forget(to);
        }
    }

    /// A player gave up their place: their connections watch from now on, or are closed.
    fn unseat(&mut self, player: PlayerId, farewell: Option<Close>) {
        let theirs: Vec<ConnectionId> = self.places_of(player).collect();
        for id in theirs {
            let connection = self.connections.get_mut(&id).expect("just listed");
            (connection.player, connection.token) = (None, None);
            if let Some(close) = farewell {
                self.tell_place(id);
                self.hang_up(id, close);
            }
        }
    }

    /// Before everyone is sent away, so that the client does not send the same again as soon as it is back, and again.
    fn tell_unwritten(&mut self, to: ConnectionId, n: Option<u32>) {
        let (code, detail) = ("cannot_write", "the journal cannot be written now");
        self.shared.metrics.refused(code);
        let message = match n {
            Some(n) => ServerMessage::Rejected { n, code, detail },
            None => ServerMessage::Error { code, detail },
        };
        if let Some(connection) = self.connections.get(&to) {
            let _ = connection.line.send(message.to_json().into());
        }
    }

    fn refuse(&mut self, to: ConnectionId, n: Option<u32>, refusal: &Refusal) {
        let (code, detail) = (refusal.code(), &*refusal.to_string());
        // What is no act of this game at all is a message that is not of the contract, not an act refused.
        let not_of_the_contract = matches!(refusal, Refusal::BadAct(_));
        let message = match n {
            Some(n) if !not_of_the_contract => ServerMessage::Rejected { n, code, detail },
            _ => ServerMessage::Error { code, detail },
        };
        let Some(connection) = self.connections.get(&to) else { return };
        if !connection.line.send(message.to_json().into()) {
            self.forget(to);
        } else if not_of_the_contract && connection.line.strike() {
            self.hang_up(to, Close::TooMany);
        }
    }
}
