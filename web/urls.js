// URLs of the page, and requests to the HTTP API. Everything is relative to one base URL, so the page also works under
// a sub-path.

/** Timeout of a request, also over a slow connection. */
const TIMEOUT_MS = 10000;

/** @type {HTMLMetaElement | null} */
const meta = document.querySelector('meta[name="rookery-base"]');
const base = new URL(meta?.content || '/', location.href);

/** URL of the home page. */
export const homeUrl = base.href;

/** URL of a file of the page. @param {string} path */
export const assetUrl = (path) => new URL(path, import.meta.url).href;

/** @param {string} path */
export const apiUrl = (path) => new URL(`api/${path}`, base).href;

/** The link to a room for friends. @param {string} code */
export const roomUrl = (code) => new URL(`r/${code}`, base).href;

/** @param {string} code */
export function socketUrl(code) {
  const url = new URL(`ws/${code}`, base);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}

/** The room in the address, or null on the home page. */
export function roomCodeInAddress() {
  const path = location.pathname.startsWith(base.pathname) ? location.pathname.slice(base.pathname.length) : '';
  const match = /^r\/([0-9A-Za-z]{1,12})\/?$/.exec(path);
  return match ? match[1].toUpperCase() : null;
}

/** Whether the address asks for the television screen. */
export const isTelevision = () => new URLSearchParams(location.search).has('screen');

/** The link to a room's television screen. @param {string} code */
export const televisionUrl = (code) => `${roomUrl(code)}?screen`;

/** Whether the address names a replay. */
export const isReplayAddress = () => /\/replay\/\d+\/?$/.test(location.pathname);

/**
 * The link to a moment of a game.
 * @param {string} code
 * @param {number} number
 * @param {number} moment
 */
export const replayUrl = (code, number, moment) => `${roomUrl(code)}/replay/${number}#m=${moment}`;

/**
 * Takes the key of a seat handed over by another device. It is removed from the address, because it is secret and can
 * be used once.
 */
export function takeHandoverKey() {
  const key = /^#k=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  if (key) history.replaceState(null, '', location.pathname + location.search);
  return key;
}

/** @param {string | null} code */
export function pushAddress(code) {
  const to = code ? roomUrl(code) : homeUrl;
  if (to !== location.href) history.pushState(null, '', to);
}

/**
 * Reads a room code as people type or paste it: with spaces, in lower case, or as a whole link.
 * @param {string} text
 */
export function parseCode(text) {
  const link = /\/r\/([0-9A-Za-z]+)/.exec(text);
  return (link ? link[1] : text).replace(/[^0-9A-Za-z]/g, '').toUpperCase();
}

/** A refusal over HTTP, with its stable code; `unreachable` if the answer is not from this server. */
export class RequestError extends Error {
  /** @param {string} code @param {number} status */
  constructor(code, status) {
    super(code);
    this.code = code;
    this.status = status;
  }
}

/**
 * Sends a request to the HTTP API.
 * @template {string} Path
 * @overload
 * @param {Path} path
 * @param {unknown} [body] sent as JSON with POST
 * @returns {Promise<import('./api.js').Answer<Path>>}
 */
/**
 * @template T
 * @overload
 * @param {string} path
 * @param {unknown} body
 * @param {(response: Response) => Promise<T>} read reads a successful response
 * @returns {Promise<T>}
 */
/**
 * @param {string} path
 * @param {unknown} [body]
 * @param {(response: Response) => Promise<unknown>} [read]
 * @returns {Promise<unknown>}
 */
export async function ask(path, body, read = (response) => response.json()) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(
      apiUrl(path),
      body === undefined
        ? { cache: 'no-store', signal }
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal },
    );
    if (response.ok) return await read(response);
    const answer = await response.json();
    throw Object.assign(new RequestError(answer.error.code, response.status), { doubt: answer.error.doubt });
  } catch (problem) {
    // No connection, a timeout, or an answer that is not of this server, such as a proxy's error page or a hotel
    // network's login. It says nothing about the room.
    throw problem instanceof RequestError ? problem : new RequestError('unreachable', 0);
  }
}
