/** Suggestions for slips of the pen. */
import { expect, test } from 'vitest';
import { closestWord } from '../../../src-main/core/base/wording.ts';

test.each([
  ['comand', 'command'],
  ['agrs', 'args'],
  ['Working-Dir', 'working_dir'],
  ['mcp_servers', 'mcpServers'],
  ['shoe', undefined],
  ['ur', undefined],
  ['', undefined],
])('%s → %s', (word, expected) => {
  expect(closestWord(word, ['command', 'args', 'working_dir', 'mcpServers', 'url'])).toBe(expected);
});
