//! Handles the messages of clients in the room, and answers those that are refused.

use super::commit::NotDone;
use super::connections::Connection;
use super::handover::GOOD_FOR_MS;
use super::join::new_token;
use super::{RoomTask, TaskExit};
use crate::client_addr::ClientAddr;
use crate::code::random_bytes;
use crate::handle::ConnectionId;
use crate::websocket::Utf8Bytes;
use game::Seed;
use protocol::{ClientMessage, Close, Code, Reaction, ServerMessage};
use room::{Input, Name, PlayerId, Refusal};

impl RoomTask {
    pub async fn say(&mut self, from: ConnectionId, message: ClientMessage) -> Result<(), TaskExit> {
        let Some(connection) = self.connections.get(from) else { return Ok(()) };
        let n = if let ClientMessage::Act { n, .. } = message { Some(n) } else { None };
        let (client, player) = (connection.outbox.source(), connection.player);
        let done = self.obey(from, client, player, message).await;
        if done.is_ok() && n.is_some() {
            self.base.metrics.acts.increment(1);
        }
        self.reply(from, n, done)
    }

    /// Informs a client whose request was not carried out.
    pub fn reply(&mut self, from: ConnectionId, n: Option<u32>, done: Result<(), NotDone>) -> Result<(), TaskExit> {
        match done {
            Ok(()) => {}
            Err(NotDone::Refused(refusal)) => self.refuse(from, n, &refusal),
            Err(NotDone::Exited(halt)) => {
                if halt == TaskExit::Unwritten {
                    self.tell_unwritten(from, n);
                }
                return Err(halt);
            }
        }
        Ok(())
    }

    /// Carries out a message. Every message type is listed, so that a new one does not compile until it is handled.
    /// With a catch-all, the first client to send the new message would end the room.
    #[deny(clippy::wildcard_enum_match_arm)]
    async fn obey(
        &mut self,
        from: ConnectionId,
        client: ClientAddr,
        player: Option<PlayerId>,
        message: ClientMessage,
    ) -> Result<(), NotDone> {
        let seated = || player.ok_or(Refusal::NotSeated);
        let seed = || Seed(random_bytes());
        let input = match message {
            ClientMessage::Act { n, action } => Input::Act { player: seated()?, n, action },
            ClientMessage::Start {} => Input::Start { player: seated()? },
            ClientMessage::Configure { game, rules, clock, forced, pace, starter } => {
                Input::Configure { player: seated()?, game, rules, clock, forced, pace, starter }
            }
            ClientMessage::AddBot { level } => Input::AddBot { player: seated()?, level },
            ClientMessage::Remove { seat, name } => {
                let player = seated()?;
                let called = self.room.seats().at(seat).map(|player| player.name.as_str());
                if name.is_some() && name.as_deref() != called {
                    return Err(Refusal::NoSuchSeat.into());
                }
                Input::Remove { player, seat, seed: seed() }
            }
            ClientMessage::Substitute { seat, level } => Input::Substitute { player: seated()?, seat, level },
            ClientMessage::Stand {} => Input::Stand { player: seated()? },
            ClientMessage::Rematch {} => Input::Rematch { player: seated()?, seed: seed() },
            ClientMessage::SameDeal {} => return self.same_deal(from, client, seated()?),
            ClientMessage::NewDeal {} => Input::NewDeal { player: seated()? },
            ClientMessage::TakeChair { chair } => Input::TakeChair { player: seated()?, chair },
            ClientMessage::Leave {} => match player {
                Some(player) => Input::Leave { player, seed: seed() },
                None => {
                    self.hang_up(from, Close::Left);
                    return Ok(());
                }
            },
            ClientMessage::Mute { watcher, muted } => {
                return self.mute(seated()?, ConnectionId(watcher), muted);
            }
            ClientMessage::RemoveWatcher { watcher } => {
                return self.remove_watcher(seated()?, ConnectionId(watcher));
            }
            ClientMessage::Review {} => {
                seated()?;
                return self.review(from, client);
            }
            ClientMessage::Hint {} => return self.hint(from, client, seated()?),
            ClientMessage::Rename { name } => return self.rename(client, seated()?, &name).await,
            ClientMessage::Ready { ready } => return self.show_hand(seated()?, ready),
            ClientMessage::React { reaction } => return self.react(from, seated()?, reaction),
            ClientMessage::Hurry {} => return Ok(self.room.hurry(seated()?)?),
            ClientMessage::Chat { text } => return self.chat(from, player, text).await,
            ClientMessage::Sit {} => return self.take_seat(from, client, player).await,
            ClientMessage::Handover {} => {
                self.hand_over(from, seated()?);
                return Ok(());
            }
            // The socket answers these itself.
            ClientMessage::Join { .. } | ClientMessage::Ping { .. } => return Ok(()),
        };
        self.carry_out(input, Some(client)).await?;
        Ok(())
    }

    async fn chat(&mut self, from: ConnectionId, player: Option<PlayerId>, text: String) -> Result<(), NotDone> {
        let Some(Connection { name, muted, outbox, .. }) = self.connections.get(from) else { return Ok(()) };
        if *muted && player.is_none() {
            return Err(Refusal::Muted.into());
        }
        let now = self.base.clock.now();
        let said = self.room.say(player, name, &text, now)?;
        // Check the address first: a client beyond its own limit must not use up the room's.
        if !self.base.limits.may_chat(outbox.source(), text.len()) {
            return Err(Refusal::TooMuchSaid.into());
        }
        let watches = player.is_none();
        if self.budget.as_mut().is_some_and(|budget| !budget.allows_line(watches, now.steady)) {
            return Err(Refusal::RoomBusy.into());
        }
        self.note(&said, now).await?;
        self.room.hear(said);
        let Some(line) = self.room.chat().last() else { return Ok(()) };
        let message = ServerMessage::Chat { seat: line.seat, name: &line.name, text: &line.text, at: line.at };
        let message = Utf8Bytes::from(message.to_json());
        let everyone = self.connections.iter().filter(|(_, connection)| connection.welcomed);
        let dropped: usize = everyone.map(|(_, connection)| connection.outbox.send_line(message.clone())).sum();
        self.base.metrics.chat_dropped.increment(dropped as u64);
        Ok(())
    }

    /// Changes a player's name and announces it. The room view alone would look as if one player had left and another
    /// had joined.
    async fn rename(&mut self, client: ClientAddr, player: PlayerId, name: &str) -> Result<(), NotDone> {
        let name = Name::new(name).ok_or(Refusal::BadName)?;
        let now = self.base.clock.running();
        if self.budget.as_mut().is_some_and(|budget| !budget.allows_name(player, now)) {
            return Err(Refusal::TooManyNames.into());
        }
        let was = self.room.seats().get(player).map(|player| player.name.clone());
        if self.carry_out(Input::Rename { player, name }, Some(client)).await?.is_empty() {
            return Ok(());
        }
        let seats = self.room.seats();
        let (Some(was), Some(seat), Some(named)) = (was, seats.seat_of(player), seats.get(player)) else {
            return Ok(());
        };
        let name = named.name.clone();
        let message = ServerMessage::Renamed { seat, was: was.as_str(), name: name.as_str() };
        let message = Utf8Bytes::from(message.to_json());
        for (_, connection) in self.connections.iter().filter(|(_, connection)| connection.welcomed) {
            connection.outbox.send_passing(message.clone());
        }
        for id in self.connections.of(player) {
            if let Some(connection) = self.connections.get_mut(id) {
                connection.name = name.clone();
                self.tell_place(id);
            }
        }
        Ok(())
    }

    fn show_hand(&mut self, player: PlayerId, ready: bool) -> Result<(), NotDone> {
        let now = self.base.clock.running();
        if self.budget.as_mut().is_some_and(|budget| !budget.allows_hand(now)) {
            return Err(Refusal::RoomBusy.into());
        }
        Ok(self.room.show_hand(player, ready, now)?)
    }

    /// Sends a reaction to everyone. It is not stored, and slow readers may miss it.
    fn react(&mut self, from: ConnectionId, player: PlayerId, reaction: Reaction) -> Result<(), NotDone> {
        let Some(connection) = self.connections.get(from) else { return Ok(()) };
        let seat = self.room.seats().seat_of(player).ok_or(Refusal::NotSeated)?;
        let now = self.base.clock.running();
        if self.budget.as_mut().is_some_and(|budget| !budget.allows_reaction(player, now)) {
            return Err(Refusal::TooManyReactions.into());
        }
        let message = Utf8Bytes::from(ServerMessage::Reacted { seat, reaction }.to_json());
        if !self.base.limits.may_chat(connection.outbox.source(), message.len()) {
            return Err(Refusal::TooManyReactions.into());
        }
        for (_, connection) in self.connections.iter().filter(|(_, connection)| connection.welcomed) {
            connection.outbox.send_passing(message.clone());
        }
        Ok(())
    }

    async fn take_seat(
        &mut self,
        from: ConnectionId,
        client: ClientAddr,
        player: Option<PlayerId>,
    ) -> Result<(), NotDone> {
        if player.is_some() {
            return Err(Refusal::AlreadySeated.into());
        }
        let Some(Connection { name, salt, program, .. }) = self.connections.get(from) else { return Ok(()) };
        let token = new_token();
        let (id, name) = self.sit(client, name.clone(), &token, *salt, *program).await?;
        if let Some(connection) = self.connections.get_mut(from) {
            (connection.player, connection.name, connection.token) = (Some(id), name, Some(token));
            connection.outbox.seat(Some(id));
            self.room.came(id, self.base.clock.running());
        }
        Ok(())
    }

    fn hand_over(&mut self, to: ConnectionId, player: PlayerId) {
        let Some(connection) = self.connections.get(to) else { return };
        let Some(token) = connection.token.as_deref() else { return };
        let code = self.handovers.offer(player, token, self.base.clock.running());
        let message = ServerMessage::Handover { code: &code, expires_ms: GOOD_FOR_MS }.to_json();
        if !connection.outbox.send(message.into()) {
            self.forget(to);
        }
    }

    /// Informs a client that its request cannot be written. This is sent before all connections are closed with 1012,
    /// so that the client does not repeat the request each time it reconnects.
    fn tell_unwritten(&mut self, to: ConnectionId, n: Option<u32>) {
        let (code, detail) = (Code::CannotWrite.as_str(), "the journal cannot be written now");
        self.base.metrics.refused(code);
        let message = match n {
            Some(n) => ServerMessage::Rejected { n, code, detail },
            None => ServerMessage::Error { code, detail },
        };
        if let Some(connection) = self.connections.get(to) {
            let _ = connection.outbox.send(message.to_json().into());
        }
    }

    pub fn refuse(&mut self, to: ConnectionId, n: Option<u32>, refusal: &Refusal) {
        let (code, detail) = (refusal.code(), &*refusal.to_string());
        self.base.metrics.refused(code);
        // Something that is not an act of this game at all is an invalid message, not a rejected act.
        let not_of_the_contract = matches!(refusal, Refusal::BadAct(_));
        let message = match n {
            Some(n) if !not_of_the_contract => ServerMessage::Rejected { n, code, detail },
            _ => ServerMessage::Error { code, detail },
        };
        let Some(connection) = self.connections.get(to) else { return };
        if !connection.outbox.send(message.to_json().into()) {
            self.forget(to);
        } else if not_of_the_contract && connection.outbox.strike() {
            self.hang_up(to, Close::TooMany);
        }
    }
}
