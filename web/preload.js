// Requests the texts first, while the other modules are still loading.

import { settings } from './device.js';
import { bestLanguage, setLanguage } from './i18n.js';

/** Resolves when the texts are loaded. */
export const catalogueLoaded = setLanguage(settings().language ?? bestLanguage(navigator.languages));
