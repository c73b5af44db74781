// Finds out whether the server has been updated since this page was loaded. Such a page still works, but parts of it
// that were not loaded yet may be gone. Its own version is in the address of its files, `/a/{version}/…`.

import { homeUrl } from './urls.js';

/** Timeout of the request. It is made after a failure, so the network may be slow. */
const TIMEOUT_MS = 10000;

/** @param {string} text an address, or a page that contains one */
const versionIn = (text) => /\/a\/(\w+)\//.exec(text)?.[1] ?? null;

/** Asks the server for the version of its page. */
async function askVersion() {
  const answer = await fetch(homeUrl, { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
  return answer.ok ? versionIn(await answer.text()) : null;
}

export class PageVersion {
  /** @param {{own?: string | null, ask?: typeof askVersion}} [options] for tests */
  constructor({ own = versionIn(import.meta.url), ask = askVersion } = {}) {
    this.own = own;
    this.ask = ask;
    /** The server's version, as last heard over HTTP. @type {string | null} */
    this.heard = null;
    /** @type {Promise<void> | null} */
    this.asking = null;
  }

  /** Whether the server has another version than this page. @param {string | null} welcomed that of the last welcome */
  isOutdated(welcomed) {
    return [welcomed, this.heard].some((version) => version !== null && this.own !== null && version !== this.own);
  }

  /** Asks the server after a part has failed to load. If it cannot be reached, nothing is known. */
  check() {
    this.asking ??= this.ask()
      .then(
        (version) => {
          this.heard = version;
        },
        () => {},
      )
      .finally(() => {
        this.asking = null;
      });
    return this.asking;
  }
}
