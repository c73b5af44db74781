// The linter finds what neither the type checker nor the formatter does. The page runs in browsers, its tests in Node;
// functions that the browser tests hand to a page run there.

import js from '@eslint/js';
import globals from 'globals';

export default [
  js.configs.recommended,
  {
    languageOptions: { globals: globals.browser },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' }],
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  { files: ['tests/**', '*.mjs'], languageOptions: { globals: { ...globals.browser, ...globals.node } } },
];
