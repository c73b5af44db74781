// Where this page lives and how it asks the server plain questions.
// Everything is relative to one base, so the page also works under a sub-path.

import { inTime } from './patience.js';

/** For a plain question, on a slow line too. */
const ANSWER_MS = 10000;

const meta = /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="rookery-base"]'));
const base = new URL(meta?.content || '/', location.href);

/** A file of the page itself. @param {string} path */
export const asset = (path) => new URL(path, import.meta.url).href;

/** @param {string} path */
export const apiUrl = (path) => new URL(`api/${path}`, base).href;

/** The link friends get. @param {string} code */
export const roomUrl = (code) => new URL(`r/${code}`, base).href;

/** @param {string} code */
export function socketUrl(code) {
  const url = new URL(`ws/${code}`, base);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}

/** The room named in the address, or null on the front page. */
export function codeInAddress() {
  const path = location.pathname.startsWith(base.pathname) ? location.pathname.slice(base.pathname.length) : '';
  const match = /^r\/([0-9A-Za-z]{1,12})\/?$/.exec(path);
  return match ? match[1].toUpperCase() : null;
}

/** Whether the address asks for a room as a television shows it. */
export const isScreen = () => new URLSearchParams(location.search).has('screen');

/** The same for a television. @param {string} code */
export const screenUrl = (code) => `${roomUrl(code)}?screen`;

/** Whether the address names a game to be seen again. */
export const isReplay = () => /\/replay\/\d+\/?$/.test(location.pathname);

/** The link to a moment of a game. @param {string} code @param {number} number @param {number} moment */
export const replayUrl = (code, number, moment) => `${roomUrl(code)}/replay/${number}#m=${moment}`;

/** A seat handed over by another device, taken out of the address at once: it is a secret, and good for one use. */
export function keyInAddress() {
  const key = /^#k=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  if (key) history.replaceState(null, '', location.pathname + location.search);
  return key;
}

/** @param {string | null} code */
export function showAddress(code) {
  const to = code ? roomUrl(code) : base.href;
  if (to !== location.href) history.pushState(null, '', to);
}

/**
 * What people type or paste: a code with spaces, in lower case, or the whole link.
 * @param {string} text
 */
export function readCode(text) {
  const link = /\/r\/([0-9A-Za-z]+)/.exec(text);
  return (link ? link[1] : text).replace(/[^0-9A-Za-z]/g, '').toUpperCase();
}

/** A refusal over HTTP, with its stable code; `unreachable` when it was not this server that answered. */
export class Refused extends Error {
  /** @param {string} code @param {number} status */
  constructor(code, status) {
    super(code);
    this.code = code;
    this.status = status;
  }
}

/**
 * @param {string} path
 * @param {unknown} [body] sent as JSON with POST when given
 * @param {(response: Response) => Promise<any>} [read] what is made of a good answer
 * @returns {Promise<any>}
 */
export async function ask(path, body, read = (response) => response.json()) {
  try {
    return await inTime(ANSWER_MS, async (signal) => {
      const response = await fetch(apiUrl(path), body === undefined
        ? { cache: 'no-store', signal }
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal });
      if (response.ok) return read(response);
      const answer = await response.json();
      throw Object.assign(new Refused(answer.error.code, response.status), { doubt: answer.error.doubt });
    });
  } catch (problem) {
    // No line, no time, or an answer that is not of the contract: a proxy's page while a container is replaced,
    // or that of a hotel's network. It says nothing about the room.
    throw problem instanceof Refused ? problem : new Refused('unreachable', 0);
  }
}
