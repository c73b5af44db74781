// The texts of the page, in all its catalogues.

import { readFileSync, readdirSync } from 'node:fs';

const i18n = new URL('../i18n/', import.meta.url);

/** The folders of the catalogues: of games, and of parts of the page. The first has what every visitor needs. */
export const FOLDERS = ['', ...folders(i18n)];

/** @param {URL} within @param {string} [path] @returns {string[]} */
function folders(within, path = '') {
  return readdirSync(within, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [`${path}${name}/`, ...folders(new URL(`${name}/`, within), `${path}${name}/`)]);
}

/**
 * One catalogue.
 * @param {string} folder
 * @param {string} [code]
 * @returns {Record<string, string | Record<string, string>>}
 */
export const catalogueIn = (folder, code = 'en') =>
  JSON.parse(readFileSync(new URL(`${folder}${code}.json`, i18n), 'utf8'));

/** All texts of a language. */
export const catalogue = (code = 'en') => Object.assign({}, ...FOLDERS.map((folder) => catalogueIn(folder, code)));
