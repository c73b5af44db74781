// Opens the guided first round. This file, the script, the coach and the other end of the line are fetched only when wanted.

import { rememberedName } from '../device.js';
import { t } from '../i18n.js';

/** @param {import('../view.js').View} view */
export async function learn(view) {
  const guide = await view.face?.guide?.();
  if (!guide) return;
  const { Lesson, coach } = guide;
  let begin = () => {};
  view.acts.rehearse((hear) => {
    const lesson = new Lesson(rememberedName() || t('lesson.you'), hear);
    view.acts.show({ lesson: (now) => coach(now, lesson) });
    begin = () => lesson.begin();
    return lesson;
  });
  // Only once the line counts as open: a welcome before that would be told as a return.
  begin();
  // A step back in the browser leaves the lesson, not the page.
  history.pushState(null, '', '#learn');
}
