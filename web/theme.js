// What the page wears over its night sky: light, large type, or the few colours a system forces. Each is a stylesheet of its own, fetched
// where it is worn. A classic script, so that it runs before the first paint; it knows the settings, not the page.

(() => {
  const own = /** @type {HTMLScriptElement} */ (document.currentScript).src;
  const day = matchMedia('(prefers-color-scheme: light)');
  const forced = matchMedia('(forced-colors: active)');

  /** @returns {Partial<import('./device.js').Settings>} */
  function kept() {
    try {
      return JSON.parse(localStorage.getItem('rookery.settings') ?? '{}');
    } catch {
      // Storage may be forbidden or hold something old.
      return {};
    }
  }

  /** @param {Partial<import('./device.js').Settings>} settings */
  function wear(settings) {
    const light = settings.theme === 'light' || (settings.theme === 'device' && day.matches);
    put('light', light);
    put('large', settings.type === 'large');
    put('forced', forced.matches);
    for (const [name, content] of [['theme-color', light ? '#cfdcff' : '#0d1233'], ['color-scheme', light ? 'light' : 'dark']]) {
      document.querySelector(`meta[name="${name}"]`)?.setAttribute('content', content);
    }
  }

  /** @param {string} name @param {boolean} on */
  function put(name, on) {
    const worn = document.getElementById(`wears-${name}`);
    if (!on) worn?.remove();
    if (!on || worn) return;
    const link = Object.assign(document.createElement('link'), { id: `wears-${name}`, rel: 'stylesheet', href: new URL(`styles/${name}.css`, own).href });
    link.setAttribute('blocking', 'render');
    document.head.append(link);
  }

  const again = () => wear(kept());
  day.addEventListener('change', again);
  forced.addEventListener('change', again);
  // Another tab has changed them; or this one, which may not be able to keep them.
  addEventListener('storage', again);
  addEventListener('settings', (event) => wear(/** @type {CustomEvent} */ (event).detail));
  again();
})();
