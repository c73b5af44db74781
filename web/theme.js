// Applies the settings for theme and type size as attributes of the root element, which the stylesheets read. A classic
// script, so that it runs before the first paint. It knows the settings, not the page.

(() => {
  const day = matchMedia('(prefers-color-scheme: light)');

  /** @returns {Partial<import('./device.js').Settings>} */
  function stored() {
    try {
      return JSON.parse(localStorage.getItem('rookery.settings') ?? '{}');
    } catch {
      // Storage may be forbidden or hold something old.
      return {};
    }
  }

  /** @param {Partial<import('./device.js').Settings>} settings */
  function apply({ theme, type }) {
    const light = theme === 'light' || (theme === 'device' && day.matches);
    Object.assign(document.documentElement.dataset, { theme: light ? 'light' : 'dark', type: type ?? 'normal' });
    for (const [name, content] of [
      ['theme-color', light ? '#cfdcff' : '#0d1233'],
      ['color-scheme', light ? 'light' : 'dark'],
    ]) {
      document.querySelector(`meta[name="${name}"]`)?.setAttribute('content', content);
    }
  }

  const applyStored = () => apply(stored());
  day.addEventListener('change', applyStored);
  // Another tab has changed them; or this one, which may not be able to store them.
  addEventListener('storage', applyStored);
  addEventListener('settings', (event) => apply(/** @type {CustomEvent} */ (event).detail));
  applyStored();
})();
