// Opens the guided first round of the game chosen. This folder and the game's own part of it are fetched only when wanted.

import { rememberedName } from '../device.js';
import { alsoSpeak, t } from '../i18n.js';
import { loadPart } from '../loading.js';
import { coach } from './coach.js';

/** @param {import('../view.js').View} view */
export async function learn(view) {
  const [guide] = await Promise.all([view.face?.guide?.(), loadPart('lesson/lesson.css'), alsoSpeak('lesson')]);
  if (!guide) return;
  // The address keeps the step: whoever loads the page anew goes on there.
  const at = Number(/^#learn=(\d+)$/.exec(location.hash)?.[1] ?? 0);
  let begin = () => {};
  view.acts.rehearse((hear) => {
    const lesson = new guide.Lesson(rememberedName() || t('lesson.you'), (message) => {
      history.replaceState(null, '', `#learn=${lesson.at}`);
      hear(message);
    });
    view.acts.show({ lesson: (now) => coach(now, lesson, guide) });
    begin = () => lesson.begin(at);
    return lesson;
  });
  // A step back in the browser leaves the lesson, not the page.
  if (!location.hash) history.pushState(null, '', '#learn');
  // Only once the line counts as open: a welcome before that would be told as a return.
  begin();
}
