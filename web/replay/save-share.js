// Saves and shares: with the system's share sheet if there is one, otherwise by copying or downloading.

import { gameName, t } from '../i18n.js';

/** @param {import('../view.js').View} view @param {string} url */
export function shareLink(view, url) {
  if (!('share' in navigator)) return void view.commands.copy(url);
  navigator.share({ title: t('share.game', { game: gameName(view.game) }), url }).catch((problem) => {
    // A cancelled share is not copied either.
    if (problem?.name !== 'AbortError') view.commands.copy(url);
  });
}

/**
 * Shares a file on touch devices if the system accepts it, otherwise saves it.
 * @param {Blob} blob
 * @param {string} name
 */
export function saveOrShareFile(blob, name) {
  const file = new File([blob], name, { type: blob.type });
  if (navigator.canShare?.({ files: [file] }) && matchMedia('(pointer: coarse)').matches) {
    return void navigator.share({ files: [file] }).catch((problem) => problem?.name !== 'AbortError' && save(file));
  }
  save(file);
}

/** @param {File} file */
function save(file) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
