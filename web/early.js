// The page's words are asked for first: they come while its other modules are still on their way. It knows the language of this device, and nothing
// of what is said.

import { settings } from './device.js';
import { bestLanguage, speak } from './i18n.js';

/** Kept once they are there. */
export const words = speak(settings().language ?? bestLanguage(navigator.languages));
