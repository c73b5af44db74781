// To send and to keep: the system's own way to share where there is one, else a copy or a file.

import { gameName, t } from '../i18n.js';

/** @param {import('../view.js').View} view @param {string} url */
export function shareLink(view, url) {
  if (!('share' in navigator)) return void view.acts.copy(url);
  navigator.share({ title: t('share.game', { game: gameName(view.game) }), url }).catch((problem) => {
    // Whoever thought better of it wants no copy either.
    if (problem?.name !== 'AbortError') view.acts.copy(url);
  });
}

/** Shared where fingers are, if the system takes such files; saved elsewhere. @param {Blob} blob @param {string} name */
export function keepFile(blob, name) {
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
