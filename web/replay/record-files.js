// Reads record files: one record, or many with one on each line. The server checks them fully.

/** @typedef {import('./record.js').GameRecord} GameRecord */

/** Maximum size of a record; the server has the same limit. */
const MOST_BYTES = 2 << 20;
/** Maximum size of a file with many records. */
const MOST_RECORDS_BYTES = 64 << 20;

/** Asks for a file. @param {(file: Blob) => void} chosen */
export function chooseFile(chosen) {
  const chooser = Object.assign(document.createElement('input'), {
    type: 'file',
    accept: '.json,.jsonl,application/json',
  });
  chooser.onchange = () => chooser.files?.[0] && chosen(chooser.files[0]);
  chooser.click();
}

/**
 * Returns the records of a file. Fails if there are none.
 * @param {Blob} file
 * @returns {Promise<GameRecord[]>}
 */
export async function recordsOf(file) {
  if (file.size > MOST_RECORDS_BYTES) throw { doubt: { type: 'too_large' } };
  const text = await file.text();
  const records = read(text.split('\n').filter((line) => line.trim()));
  if (records.length > 1) return records;
  if (file.size > MOST_BYTES) throw { doubt: { type: 'too_large' } };
  // One record may span several lines.
  const [record] = [...records, ...read([text])];
  if (!record) throw { doubt: { type: 'unreadable' } };
  return [record];
}

/**
 * What does not look like records is not sent.
 * @param {string[]} texts
 * @returns {GameRecord[]}
 */
function read(texts) {
  try {
    const records = texts.map((text) => JSON.parse(text));
    return records.every((record) => record?.constructor === Object) ? records : [];
  } catch {
    return [];
  }
}
