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
  const records = read(text.split('\n').filter((line) => line.trim()));
  if (records.length > 1) return records;
  if (file.size > MOST_BYTES) throw { doubt: { type: 'too_large' } };
  // One record may be written over several lines.
  const [record] = [...records, ...read([text])];
  if (!record) throw { doubt: { type: 'unreadable' } };
  return [record];
}

/** What does not even look like records need not be sent. @param {string[]} texts @returns {any[]} */
function read(texts) {
  try {
    const records = texts.map((text) => JSON.parse(text));
    return records.every((record) => record?.constructor === Object) ? records : [];
  } catch {
    return [];
  }
}
