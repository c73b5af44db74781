//! What the clients of a room are sent, and when. The room never waits for a slow reader: a client whose queue is full
//! is disconnected and removed.

use super::connections::Connection;
use super::{RoomTask, Shown};
use crate::handle::ConnectionId;
use crate::page;
use crate::websocket::Utf8Bytes;
use game::{Seat, Viewer};
use protocol::{Have, PROTOCOL, ServerMessage, StateMessages, You};

impl RoomTask {
    /// Sends a newcomer the complete state, without the events that it already has.
    pub fn welcome(&mut self, id: ConnectionId, have: Option<Have>) {
        let Some(connection) = self.connections.get(id) else { return };
        let seat = self.seat_of(connection);
        let rest = have.and_then(|have| Some((have.events, self.room.history_after(&have)?)));
        let (since, history) = rest.map_or((None, self.room.history()), |(since, rest)| (Some(since), rest));
        let message = ServerMessage::Welcome {
            protocol: PROTOCOL,
            page: Some(page::version()),
            you: You { seat, token: connection.token.as_deref(), name: connection.name.as_str() },
            room: &self.view(),
            state: self.room.state(viewer(seat), self.base.clock.running()),
            since,
            history,
            chat: self.room.chat(),
        };
        let message = Utf8Bytes::from(message.to_json());
        let connection = self.connections.get_mut(id).expect("just looked up");
        connection.told = seat;
        connection.welcomed = true;
        if !connection.outbox.send(message) {
            self.forget(id);
        }
    }

    /// Sends everyone what has changed since the last call.
    pub fn show(&mut self) {
        let moved: Vec<ConnectionId> = self
            .connections
            .iter()
            .filter(|(_, connection)| connection.welcomed && self.seat_of(connection) != connection.told)
            .map(|(id, _)| id)
            .collect();
        for id in moved {
            self.tell_place(id);
        }
        // A loop, because removing a slow reader changes the room again.
        loop {
            let to_show = self.to_show();
            if self.shown == to_show {
                break;
            }
            self.shown = to_show;
            let message = Utf8Bytes::from(ServerMessage::Room { room: &self.view() }.to_json());
            self.send_all(|_, connection| connection.outbox.send_room(message.clone()));
        }
        if self.shown_version != self.room.version() {
            self.shown_version = self.room.version();
            self.send_states();
            // Repeat if a reader was removed because it was too slow for its state.
            if self.shown != self.to_show() {
                self.show();
            }
        }
    }

    fn to_show(&self) -> Shown {
        let watchers = self.connections.iter().filter(|(_, connection)| connection.player.is_none());
        let audience = watchers.map(|(id, connection)| (id, connection.muted)).collect();
        Shown { revision: self.room.revision(), audience }
    }

    fn send_states(&mut self) {
        // All spectators get the same bytes. For a seat that is open twice the message is built twice, which is rare.
        let (mut messages, mut for_watchers) = (None, None);
        let now = self.base.clock.running();
        self.send_all(|task, connection| {
            let seat = task.seat_of(connection);
            let mut build = || {
                let state = task.room.state(viewer(seat), now).expect("the version changes only during a game");
                Utf8Bytes::from(messages.get_or_insert_with(|| StateMessages::of(&state)).message(&state))
            };
            let message = if seat.is_some() { build() } else { for_watchers.get_or_insert_with(build).clone() };
            connection.outbox.send(message)
        });
    }

    pub fn tell_place(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.get(id) else { return };
        let seat = self.seat_of(connection);
        let (token, name) = (connection.token.as_deref(), connection.name.as_str());
        let message = ServerMessage::You { seat, token, name }.to_json();
        let connection = self.connections.get_mut(id).expect("just looked up");
        connection.told = seat;
        if !connection.outbox.send(message.into()) {
            self.forget(id);
        }
    }

    /// Sends each welcomed connection its message. Connections that are too slow are removed.
    fn send_all(&mut self, mut send: impl FnMut(&RoomTask, &Connection) -> bool) {
        let mut slow = Vec::new();
        for (id, connection) in self.connections.iter() {
            if connection.welcomed && !send(self, connection) {
                slow.push(id);
            }
        }
        for id in slow {
            self.forget(id);
        }
    }
}

fn viewer(seat: Option<Seat>) -> Viewer {
    seat.map_or(Viewer::Watcher, Viewer::Seat)
}
