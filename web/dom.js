// A small virtual DOM: changes the page to match a description, touching only what differs. Elements that stay keep
// their focus, scroll position and running animations. It knows nothing of games or rooms.

/** @typedef {import('./props.js').Props} Props */
/**
 * @typedef {{tag: string, key: string | undefined, at?: string, props: Props, children: Node_[], el: Element | Text |
 *   null, text?: string}} Node_
 */
/** @typedef {Node_ | string | number | null | undefined | false | Child[]} Child */

const SVG = 'http://www.w3.org/2000/svg';

/** What each root showed last. @type {WeakMap<Element, Node_[]>} */
const shown = new WeakMap();

/** Hooks of elements created in this render. They run once everything is in the document. @type {(() => void)[]} */
let arrivals = [];

/**
 * Describes an element. Siblings are matched by `key`, or without one by their place among the children, counting empty
 * places. So an element beside a conditional child stays the same element. `hook` runs once with the new element.
 * @template {string} Tag
 * @param {Tag} tag
 * @param {import('./props.js').Props<Tag> | null} [props]
 * @param {...Child} children
 * @returns {Node_}
 */
export function h(tag, props, ...children) {
  const key = props?.key;
  return {
    tag,
    key: key === undefined ? undefined : String(key),
    props: props ?? {},
    children: flat(children),
    el: null,
  };
}

/**
 * Makes `root` show exactly these children.
 * @param {Element} root
 * @param {Child} children
 */
export function render(root, children) {
  const next = flat([children]);
  patchChildren(root, shown.get(root) ?? [], next, false);
  shown.set(root, next);
  const hooks = arrivals;
  arrivals = [];
  for (const hook of hooks) hook();
}

/**
 * Flattens the nodes, each with its place.
 * @param {Child[]} children
 * @param {string} [path] place of the list itself
 * @returns {Node_[]}
 */
function flat(children, path = '') {
  return children.flatMap((child, i) => {
    const at = `${path}.${i}`;
    if (child === false || child === null || child === undefined) return [];
    if (Array.isArray(child)) return flat(child, at);
    if (typeof child === 'object') return Object.assign(child, { at });
    return { tag: '#text', key: undefined, at, props: {}, children: [], el: null, text: String(child) };
  });
}

/** Identifies a node among its siblings across renders. @param {Node_} node */
const identity = (node) => `${node.tag} ${node.key ?? node.at}`;

/**
 * @param {Element} parent
 * @param {Node_[]} old
 * @param {Node_[]} next
 * @param {boolean} svg
 */
function patchChildren(parent, old, next, svg) {
  /** @type {Map<string, Node_[]>} */
  const waiting = new Map();
  for (const node of old) {
    const queue = waiting.get(identity(node));
    if (queue) queue.push(node);
    else waiting.set(identity(node), [node]);
  }
  for (const node of next) {
    const before = waiting.get(identity(node))?.shift();
    if (before) patch(before, node, svg);
    else node.el = create(node, svg);
  }
  for (const queue of waiting.values()) for (const node of queue) node.el?.remove();
  // From the end, and only where the order differs: moving an element would lose its focus and animations.
  /** @type {ChildNode | null} */
  let after = null;
  for (let i = next.length - 1; i >= 0; i--) {
    const el = /** @type {Element | Text} */ (next[i].el);
    if (el.parentNode !== parent || el.nextSibling !== after) parent.insertBefore(el, after);
    after = el;
  }
}

/** @param {Node_} node @param {boolean} svg @returns {Element | Text} */
function create(node, svg) {
  if (node.tag === '#text') return document.createTextNode(textOf(node));
  const inSvg = svg || node.tag === 'svg';
  const el = inSvg ? document.createElementNS(SVG, node.tag) : document.createElement(node.tag);
  patchChildren(el, [], node.children, inSvg);
  for (const [name, value] of Object.entries(node.props)) setProp(el, name, undefined, value);
  const hook = node.props.hook;
  if (hook) arrivals.push(() => hook(el));
  return el;
}

/** @param {Node_} old @param {Node_} next @param {boolean} svg */
function patch(old, next, svg) {
  next.el = old.el;
  if (next.tag === '#text') {
    if (textOf(old) !== textOf(next)) /** @type {Text} */ (next.el).data = textOf(next);
    return;
  }
  const el = /** @type {Element} */ (next.el);
  patchChildren(el, old.children, next.children, svg || next.tag === 'svg');
  for (const name of Object.keys(old.props)) if (!(name in next.props)) setProp(el, name, old.props[name], undefined);
  for (const [name, value] of Object.entries(next.props)) {
    if (value !== old.props[name] || name === 'style' || wasTouched(el, name, value))
      setProp(el, name, old.props[name], value);
  }
}

/** @param {Node_} node */
const textOf = (node) => node.text ?? '';

/** Set as properties, because their attributes are only initial values. */
const PROPERTIES = new Set(['value', 'checked', 'disabled']);

/**
 * Controlled inputs: a user changes a switch before anything has accepted the change, so the description is compared
 * with the element itself. Typed text is kept.
 * @param {Element} el
 * @param {string} name
 * @param {any} value
 */
const wasTouched = (el, name, value) =>
  (name === 'checked' || (name === 'value' && el.tagName === 'SELECT')) && /** @type {any} */ (el)[name] !== value;

/** @param {Element} el @param {string} name @param {any} old @param {any} value */
function setProp(el, name, old, value) {
  if (name === 'key' || name === 'hook') return;
  if (name.startsWith('on') || PROPERTIES.has(name)) {
    /** @type {any} */ (el)[name] = value ?? (name.startsWith('on') ? null : name === 'value' ? '' : false);
  } else if (name === 'style') {
    // Set through the object model, because the Content-Security-Policy forbids style attributes.
    const style = /** @type {HTMLElement} */ (el).style;
    for (const part of Object.keys(old ?? {})) if (!(part in (value ?? {}))) style.removeProperty(part);
    for (const [part, to] of Object.entries(value ?? {})) if (old?.[part] !== to) style.setProperty(part, String(to));
  } else if (value === null || value === undefined || (value === false && !name.startsWith('aria-'))) {
    el.removeAttribute(name);
  } else {
    el.setAttribute(name, value === true && !name.startsWith('aria-') ? '' : String(value));
  }
}

/**
 * Joins class names and skips falsy ones: `classes('card', lit && 'lit')`.
 * @param {...(string | false | null | undefined)} names
 */
export const classes = (...names) => names.filter(Boolean).join(' ');
