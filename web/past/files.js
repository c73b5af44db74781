// Records from files: one, or many with one on each line, as far as a page can tell before the server looks at them.

/** The largest record; the server reads no larger one. */
const MOST_BYTES = 2 << 20;
/** The largest file with many of them. */
const MOST_RECORDS_BYTES = 64 << 20;

/** Lets somebody choose a file. @param {(file: Blob) => void} chosen */
export function chooseFile(chosen) {
  const chooser = Object.assign(document.createElement('input'), { type: 'file', accept: '.json,.jsonl,application/json' });
  chooser.onchange = () => chooser.files?.[0] && chosen(chooser.files[0]);
  chooser.click();
}

/** The records of a file; one that is none is doubted. @param {Blob} file @returns {Promise<any[]>} */
export async function recordsOf(file) {
  if (file.size > MOST_RECORDS_BYTES) throw { doubt: { type: 'too_large' } };
  const text = await file.text();
  const records = readRecords(text);
  if (records.length > 1) return records;
  if (file.size > MOST_BYTES) throw { doubt: { type: 'too_large' } };
  return [records[0] ?? readRecord(text)];
}

/** All records of a file that has one on each line; none if it has not. @param {string} text @returns {any[]} */
function readRecords(text) {
  try {
    const records = text.split('\n').filter((line) => line.trim()).map((line) => JSON.parse(line));
    return records.every((record) => typeof record === 'object' && record !== null && !Array.isArray(record)) ? records : [];
  } catch {
    // One record may be written over several lines.
    return [];
  }
}

/** What does not even look like a record need not be sent. @param {string} text @returns {any} */
function readRecord(text) {
  try {
    const record = JSON.parse(text);
    if (typeof record === 'object' && record !== null && !Array.isArray(record)) return record;
  } catch {
    // It is said below.
  }
  throw { doubt: { type: 'unreadable' } };
}
