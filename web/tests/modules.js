// The modules that a module imports, directly or indirectly. Dynamic imports do not count.

import { readFileSync } from 'node:fs';

const web = new URL('..', import.meta.url);

export function modules(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name] of readFileSync(new URL(path, web), 'utf8').matchAll(/^import (?:[^;']*from )?'(.+)';$/gm)) {
    modules(new URL(name, new URL(path, web)).href.slice(web.href.length), found);
  }
  return found;
}
