/** Singular and plural in texts for users: `1 token`, `1 call`, `1 server`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compactCount, count } from '../../../src-renderer/lib/format.ts';
import { flowSentence, tokensInWords } from '../../../src-renderer/views/overview/overview-words.ts';
import { modeCost } from '../../../src-renderer/views/settings/settings-words.ts';
import { appFacts } from '../../../src-renderer/views/setup/setup-words.ts';
import { traySummary } from '../../../src-main/desktop/tray-menu.ts';

const root = join(import.meta.dirname, '../../..');

/** Counted nouns on screens, in the tray, and on the command line. */
const nouns = [
  ...['token', 'call', 'server', 'tool', 'app', 'session', 'step', 'answer', 'row', 'line', 'character', 'byte', 'hit'],
  ...['problem', 'decision', 'value', 'part', 'file', 'key', 'field', 'entry', 'change', 'minute', 'hour', 'second'],
  ...[
    'day',
    'secret',
    'profile',
    'sentence',
    'question',
    'result',
    'place',
    'argument',
    'restart',
    'process',
    'proposal',
  ],
];
/**
 * A number before a plural without the helper function: `{many} tokens`, `${many} more calls`. Not an attribute of
 * that name.
 */
const byHand = new RegExp(String.raw`\} (?:(?:more|new|other|kept|big) )?(?:${nouns.join('|')})s\b(?!=)`);

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|svelte)$/.test(file))
    .map((file) => join(folder, file));
}

test('plurals are made by count and its variants, never by hand', () => {
  const files = ['src-renderer', 'src-main/cli', 'src-main/desktop', 'src-main/rpc'].flatMap(sources);
  const found = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, at) => (byHand.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(found).toEqual([]);
});

test('the pattern finds a plural made by hand, and ignores other text', () => {
  for (const line of ['`${whole(many)} tokens`', '<p>{many} more calls</p>']) expect(line).toMatch(byHand);
  for (const line of ["{count(many, 'token')}", '<Bar {filter} calls={feed.calls} />'])
    expect(line).not.toMatch(byHand);
});

test('uses the singular for one, also after rounding', () => {
  expect([count(1, 'token'), count(2, 'token'), count(0, 'call')]).toEqual(['1 token', '2 tokens', '0 calls']);
  expect([compactCount(1, 'token'), compactCount(1.3, 'token'), compactCount(-1, 'token')]).toEqual([
    ...['1 token', '1 token', '−1 token'],
  ]);
  expect(compactCount(1_000, 'token')).toBe('1k tokens');
  expect(tokensInWords(1)).toBe('1 token');
  expect(flowSentence(1)).toMatch(/^1 call in the last 7 days/);
  expect(modeCost({ tools: 1, tokens: 1 })).toBe('1 tool listed, 1 token');
  expect(appFacts({ running: false, servers: 1 })).toBe('1 other server');
  expect(traySummary({ servers: [] })).toBe('0 servers');
});
