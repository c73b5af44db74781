//! Intruders that try to get a seat that is not theirs.

use super::Intruder;
use crate::judge::Promise;
use crate::line::{NotIn, WitnessedConnection};
use client::scripted::MessageSummary;
use client::{Join, Request};
use game::{Level, Seat};
use protocol::{ClientMessage, Close, RoomPhase, RoomView};
use std::time::Duration;
use tokio::time::timeout;

/// Time to wait for an answer.
const ANSWER: Duration = Duration::from_secs(3);

impl Intruder {
    /// Joins with random tokens and handover codes.
    pub async fn wrong_token(&mut self) {
        let (room, token) = (self.room(), self.dice.hex(16));
        self.knock(&room, &token).await;
        for odd in ["", "null", "00", "' or 1=1 --"] {
            self.knock(&room, odd).await;
        }
    }

    /// Joins with a valid token of another room, and with a token that differs from a valid one in one digit.
    pub async fn token_of_another_room(&mut self) {
        let room = self.room();
        let foreign = self.way.judge.foreign_tokens(&room);
        if foreign.is_empty() {
            return;
        }
        let token = self.dice.pick(&foreign).clone();
        self.knock(&room, &token).await;
        let other = self.room();
        let near = match token.strip_suffix('0') {
            Some(rest) => format!("{rest}1"),
            None => format!("{}0", &token[..token.len() - 1]),
        };
        self.knock(&other, &near).await;
    }

    /// Joins with a token that must be rejected.
    async fn knock(&self, room: &str, token: &str) {
        match self.way.join(room, Join::back(token)).await {
            Err(NotIn::Ended(end)) if end.close() == Some(Close::BadToken) => {
                self.way.judge.did("key refused");
            }
            Ok((line, heard)) if heard.welcome => {
                let what = format!("{} joined with a token of another room", self.way.who);
                self.way.judge.accuse(Promise::Foreign, Some(room), what);
                line.close().await;
            }
            // The server is down, or has rate-limited this address.
            _ => self.way.judge.did("key not tried"),
        }
    }

    /// Joins as a spectator and sends actions for the players.
    pub async fn acts_for_others(&mut self) {
        let code = self.room();
        let Ok((mut line, heard)) = self.way.join(&code, Join::watch("Stranger")).await else { return };
        let Some(turn) = heard.turn else { return };
        let acts = [r#"{"type":"pass"}"#, r#"{"type":"bid","count":1}"#, r#"{"type":"roll"}"#, r#"{"type":"skip"}"#];
        let n = turn.version as u32;
        for number in [0, 1, n / 2, n] {
            let action = *self.dice.pick(&acts);
            let sent = line.send(format!(r#"{{"type":"act","n":{number},"action":{action}}}"#)).await;
            if sent.is_err() || !self.is_refused(&mut line, "act").await {
                return;
            }
        }
        for message in [
            ClientMessage::Start {},
            ClientMessage::Handover {},
            ClientMessage::AddBot { level: Level::Easy },
            ClientMessage::Remove { seat: Seat(0), name: None },
            ClientMessage::Substitute { seat: Seat(1), level: Level::Easy },
            ClientMessage::Configure {
                game: None,
                rules: None,
                clock: Some(None),
                forced: None,
                pace: None,
                starter: None,
            },
            ClientMessage::Rematch {},
        ] {
            if line.say(&message).await.is_err() || !self.is_refused(&mut line, "message").await {
                return;
            }
        }
        line.close().await;
    }

    /// Waits for a refusal, and returns whether one arrived before the connection ended or the timeout.
    async fn is_refused(&self, line: &mut WitnessedConnection, what: &'static str) -> bool {
        let answer = async {
            loop {
                match line.hear().await {
                    Ok(MessageSummary { refusal: Some(_), .. }) => return true,
                    Ok(_) => {}
                    Err(_) => return false,
                }
            }
        };
        let refused = timeout(ANSWER, answer).await.unwrap_or(false);
        if refused {
            self.way.judge.did(if what == "act" { "stranger's act refused" } else { "stranger's wish refused" });
        }
        refused
    }

    /// Joins with a player's name and public salt. A salt is no longer a key once it has been shown to everyone.
    pub async fn public_salt(&mut self) {
        let code = self.room();
        let request = Request::get(format!("/api/rooms/{code}")).body(String::new()).expect("the request is valid");
        let Ok(answer) = self.way.request(request).await else { return };
        let Ok(view) = serde_json::from_str::<RoomView>(&answer.body) else { return };
        // Only games in progress are tried: in a lobby an intruder could legitimately take a seat and so block a
        // player.
        let salts = view.fair.salts.unwrap_or_default();
        if view.phase != RoomPhase::Playing || salts.is_empty() {
            return;
        }
        let at = self.dice.between(0..salts.len() as u32) as usize;
        let Some(salt) = salts[at] else { return };
        let join = Join { salt: Some(hex::encode(salt.0)), ..Join::watch(&view.seats[at].name) };
        if let Ok((line, _)) = self.way.join(&code, join).await {
            self.way.judge.did("public salt tried");
            line.close().await;
        }
    }
}
