/** The error line of a core that exited while it started. */
import { expect, test } from 'vitest';
import { lastWordsIn } from '../../src-main/shim/start-core.ts';

test.each([
  [
    'node:fs:441\n    throw e;\n    ^\n\nError: ENOSPC: no space\n    at open (node:fs:1:2)\n\nNode.js v24.1.0\n',
    'Error: ENOSPC: no space',
  ],
  [
    'TypeError [ERR_X]: it is wrong\n    at a (b:1:2) {\n  code: 1\n}\n\nNode.js v24.1.0',
    'TypeError [ERR_X]: it is wrong',
  ],
  ['a warning\ntooltray: The config cannot be read.\n', 'tooltray: The config cannot be read.'],
  ['nothing of the kind\nKilled\n', 'Killed'],
  ['', ''],
])('returns the line of the error', (text, words) => expect(lastWordsIn(text)).toBe(words));
