/** Descriptions of a call. */
import { expect, test } from 'vitest';
import { describeLabels } from '../../../../src-main/core/calls/describe-labels.ts';
import type { CallSummary } from '../../../../src-main/rpc/contract.ts';
import {
  commandLine,
  labelsSentence,
  tokensInWords,
  tookShare,
} from '../../../../src-renderer/views/activity/call-words.ts';
import { stageBars } from '../../../../src-renderer/views/activity/stage-bars.ts';

const call = { server: 'github', tool: 'list_issues' } as CallSummary;

test.each([
  ['linux', `{"word":"it's"}`, String.raw`tooltray call github:list_issues '{"word":"it'\''s"}'`],
  ['win32', `{"word":"it's"}`, `tooltray call github:list_issues '{"word":"it''s"}'`],
  ['linux', '{}', 'tooltray call github:list_issues'],
  ['linux', undefined, 'tooltray call github:list_issues'],
])('on %s the command with %s quotes shell characters', (platform, args, line) => {
  expect(commandLine(call, args, platform)).toBe(line);
});

test('quotes a tool name that contains a shell command', () => {
  expect(commandLine({ ...call, tool: 'x; rm -rf ~' }, undefined, 'linux')).toBe(`tooltray call 'github:x; rm -rf ~'`);
});

test('shows a dash for uncounted tokens and a mark for estimates', () => {
  const counts = { request: undefined, serverResult: undefined, modelResult: undefined, estimated: false };
  const words = [{}, { request: 12 }, { request: 12, modelResult: 2400, estimated: true }].map((tokens) =>
    tokensInWords({ tokens: { ...counts, ...tokens } }),
  );
  expect(words).toEqual(['–', '12 → –', '12 → ~2.4k']);
});

test('the bar of a call is empty at 1 ms and full at 1 minute', () => {
  expect([0, 1, 60_000, 600_000].map(tookShare)).toEqual([0, 0, 1, 1]);
});

test('draws the stages one after another, adding up to the whole', () => {
  const bars = stageBars({ stages: { resolve: 1, allow: 1, call: 6, shape: 2 } });
  expect(bars.map(({ from, share }) => [from, share])).toEqual([
    [0, 0.1],
    [0.1, 0.1],
    [0.2, 0.6],
    [0.8, 0.2],
  ]);
});

test('draws bars of length zero for a call of 0 ms', () => {
  expect(stageBars({ stages: { resolve: 0, allow: 0, call: 0, shape: 0 } }).map(({ share }) => share)).toEqual([
    0, 0, 0, 0,
  ]);
});

test.each([
  [['override', 'take-talk'], 'looks like a prompt injection'],
  [['holds-key'], 'holds what looks like a key'],
  [
    ['override', 'holds-private-key', 'holds-card'],
    'looks like a prompt injection, holds a private key, and holds a card number',
  ],
  [['holds-card', 'not-scanned'], 'holds a card number and was only partly scanned'],
])('the labels %j describe a result that %s', (rules, sentence) => {
  expect(labelsSentence(describeLabels(rules))).toBe(sentence);
});
