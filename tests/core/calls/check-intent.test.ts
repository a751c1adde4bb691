import { expect, test } from 'vitest';
import { checkIntent, type Intent } from '../../../src-main/core/calls/call-tool.ts';

/** Annotations of the tool, and the outcome of a call with each intent. */
const matrix: [string, unknown, Record<Intent, string>][] = [
  ['destructive', { destructiveHint: true }, { read: 'destructive', write: 'destructive', destructive: 'ok' }],
  ['reading', { readOnlyHint: true }, { read: 'ok', write: 'ok', destructive: 'ok' }],
  ['not only reading', { readOnlyHint: false }, { read: 'write', write: 'ok', destructive: 'ok' }],
  [
    'not only reading, and destructive',
    { readOnlyHint: false, destructiveHint: true },
    { read: 'destructive', write: 'destructive', destructive: 'ok' },
  ],
  ['nothing', undefined, { read: 'ok', write: 'ok', destructive: 'ok' }],
  ['nonsense', 'destructiveHint', { read: 'ok', write: 'ok', destructive: 'ok' }],
  ['texts for yes and no', { destructiveHint: 'true' }, { read: 'ok', write: 'ok', destructive: 'ok' }],
];

test.each(matrix)('compares the intent of a call with a tool annotated as %s', (_what, annotations, expected) => {
  const definition = { name: 't', annotations };
  const tool = { id: 's:t', server: 's', name: 't', listedName: 't', definition };
  const outcome = (intent: Intent): string => {
    try {
      checkIntent(tool, intent);
      return 'ok';
    } catch (error) {
      const { code, data } = error as { code: string; data: { code: string; use: string } };
      expect([code, data.code]).toEqual(['not_allowed', 'SERVER_MISMATCH']);
      return data.use.replace('call_tool_', '');
    }
  };
  expect({ read: outcome('read'), write: outcome('write'), destructive: outcome('destructive') }).toEqual(expected);
});
