// A player without a browser: speaks the wire contract, and keeps every event. Tests use it to fill a seat and to learn
// what the server says has happened.

import { EventEmitter } from 'node:events';
import { connect } from './websocket.js';

/** Longer than a page takes to come back to a server that was killed. */
const WAIT_MS = 40000;

export class Friend extends EventEmitter {
  /** Joins and resolves once seated. `plays` chooses an act from those listed, or null to leave the turn alone. */
  static async join(server, code, name, plays = () => null, watch = false) {
    const friend = new Friend();
    Object.assign(friend, {
      server,
      code,
      name,
      plays,
      watch,
      token: null,
      seat: null,
      room: null,
      state: null,
      history: [],
      sent: -1,
    });
    await friend.connect();
    return friend;
  }

  async connect() {
    this.line?.close();
    this.sent = -1;
    this.line = connect(
      this.server.port,
      `/ws/${this.code}`,
      (text) => this.hear(JSON.parse(text)),
      () => this.emit('gone'),
    );
    this.send({ type: 'join', name: this.name, token: this.token, watch: this.watch });
    await this.until((friend, message) => message?.type === 'welcome', 'a welcome');
  }

  send(message) {
    this.line.send(JSON.stringify(message));
  }

  hear(message) {
    if (message.type === 'welcome') {
      this.history = [...message.history];
      if (message.you.token) this.token = message.you.token;
    }
    if (message.type === 'welcome' || message.type === 'you') this.seat = (message.you ?? message).seat;
    if (message.type === 'welcome' || message.type === 'room') this.room = message.room;
    if (message.type === 'welcome' || message.type === 'state') this.state = message.state;
    if (message.type === 'state') this.history.push(...message.state.events);
    this.emit('heard', message);
    this.play();
  }

  play() {
    const { state } = this;
    if (!state?.asked.includes(this.seat) || state.next === this.sent || this.room.phase !== 'playing') return;
    const action = this.plays(state.actions, state);
    if (!action) return;
    this.sent = state.next;
    this.send({ type: 'act', n: state.next, action });
  }

  /** Waits until it holds, and says in words what was waited for when it never does. */
  until(holds, what) {
    return new Promise((resolve, reject) => {
      const look = (message) => {
        if (!holds(this, message)) return;
        clearTimeout(timer);
        this.off('heard', look);
        resolve(this);
      };
      const timer = setTimeout(() => {
        this.off('heard', look);
        reject(new Error(`${this.name} waited ${WAIT_MS / 1000} s for ${what}`));
      }, WAIT_MS);
      this.on('heard', look);
      if (this.room) look(null);
    });
  }

  /** How often this happened in the game so far. */
  count(type, seat) {
    return this.history.filter((event) => event.type === type && (seat === undefined || event.seat === seat)).length;
  }

  leave() {
    this.line.close();
  }
}

/** Calls as little as possible and never wins an auction unless it must. */
export const modest = (actions) =>
  actions.find((act) => act.type === 'pass') ??
  actions.find((act) => act.type === 'bid' && act.count === 0) ??
  actions.find((act) => act.type === 'finish') ??
  actions[0];
