// The types of Qwantum.

import type * as page from '../../view.js';
import type { Choice } from './choice.js';
import type { Step } from './script.js';
import type * as wire from './wire.js';

export interface Qwantum {
  table: wire.Table;
  mine: wire.Mine;
  action: wire.Action;
  event: wire.Event;
  choice: Choice;
  rules: wire.Rules;
  step: Step;
  /** The dice as they lie, by number. */
  hidden: { lie: wire.Die[] };
}

/** What a module of this game receives while a table is shown. */
export type View = page.TableView<Qwantum>;
