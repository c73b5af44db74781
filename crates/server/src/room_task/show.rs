//! What everyone in a room is shown, and when. Backpressure ends here: nobody waits for a slow
//! reader, who cannot take a message in is cut off and forgotten.

use super::connections::Connection;
use super::{RoomTask, Shown};
use crate::handle::ConnectionId;
use crate::websocket::Utf8Bytes;
use game::{Seat, Viewer};
use protocol::{PROTOCOL, ServerMessage, StateMessages, You};

impl RoomTask {
    /// A newcomer is shown everything as it is now.
    pub fn welcome(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.get(id) else { return };
        let seat = self.seat_of(connection);
        let message = ServerMessage::Welcome {
            protocol: PROTOCOL,
            you: You { seat, token: connection.token.as_deref(), name: connection.name.as_str() },
            room: &self.view(),
            state: self.room.state(viewer(seat), self.shared.clock.running()),
            history: self.room.history(),
            chat: self.room.chat(),
        };
        let message = Utf8Bytes::from(message.to_json());
        let connection = self.connections.get_mut(id).expect("just looked up");
        connection.told = seat;
        connection.welcomed = true;
        if !connection.line.send(message) {
            self.forget(id);
        }
    }

    /// Shows everyone what changed since they were last shown anything.
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
        // A loop, for cutting a slow reader off changes the room again.
        loop {
            let to_show = self.to_show();
            if self.shown == to_show {
                break;
            }
            self.shown = to_show;
            let message = Utf8Bytes::from(ServerMessage::Room { room: &self.view() }.to_json());
            self.send_all(|_, connection| connection.line.send_room(message.clone()));
        }
        if self.shown_version != self.room.version() {
            self.shown_version = self.room.version();
            self.send_states();
            // And once more, should a reader have been too slow for its state.
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
        // All who watch get the same bytes; a seat that is open twice has its message built twice, which is rare.
        let (mut messages, mut for_watchers) = (None, None);
        let now = self.shared.clock.running();
        self.send_all(|task, connection| {
            let seat = task.seat_of(connection);
            let mut build = || {
                let state = task.room.state(viewer(seat), now).expect("the version changes only with a game");
                Utf8Bytes::from(messages.get_or_insert_with(|| StateMessages::of(&state)).message(&state))
            };
            let message =
                if seat.is_some() { build() } else { for_watchers.get_or_insert_with(build).clone() };
            connection.line.send(message)
        });
    }

    pub fn tell_place(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.get(id) else { return };
        let seat = self.seat_of(connection);
        let (token, name) = (connection.token.as_deref(), connection.name.as_str());
        let message = ServerMessage::You { seat, token, name }.to_json();
        let connection = self.connections.get_mut(id).expect("just looked up");
        connection.told = seat;
        if !connection.line.send(message.into()) {
            self.forget(id);
        }
    }

    /// Sends everyone who has been welcomed their message; who is too slow for it is cut off and forgotten.
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
