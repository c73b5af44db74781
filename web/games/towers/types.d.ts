// The types of Five Towers.

import type * as page from '../../view.js';
import type { Choice } from './choice.js';
import type { Step } from './script.js';
import type * as wire from './wire.js';

export interface Towers {
  table: wire.Table;
  mine: wire.Mine;
  action: wire.Action;
  event: wire.Event;
  choice: Choice;
  rules: wire.Rules;
  step: Step;
  hidden: { deck: wire.Card[]; discarded: wire.Card[] };
}

/** What a module of this game receives while a table is shown. */
export type View = page.TableView<Towers>;
