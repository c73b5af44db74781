// Opens the guided first round of the chosen game. This folder and the game's part of it are loaded on demand.

import { rememberedName } from '../device.js';
import { t } from '../i18n.js';
import { coach } from './coach.js';

/** @param {import('../view.js').View} view @param {import('../view.js').Guide} guide */
export function startLesson(view, guide) {
  // The address contains the step, so that a reload continues there.
  const at = Number(/^#learn=(\d+)$/.exec(location.hash)?.[1] ?? 0);
  let begin = () => {};
  view.commands.playScripted((hear) => {
    const lesson = new guide.Lesson(rememberedName() || t('lesson.you'), (message) => {
      history.replaceState(null, '', `#learn=${lesson.at}`);
      hear(message);
    });
    begin = () => lesson.begin(at);
    return { server: lesson, show: (now) => coach(now, lesson, guide) };
  });
  // The browser's Back button leaves the lesson, not the page.
  if (!location.hash) history.pushState(null, '', '#learn');
  // Only after the connection counts as open; otherwise the welcome would be announced as a reconnect.
  begin();
}
