/** Which inbox item is shown, and which action is the default. */
import { expect, test } from 'vitest';
import type { InboxAction, InboxPart, InboxSummary } from '../../../../src-main/rpc/contract.ts';
import { actionLabel, chosenItem, easyAction, partsMeant } from '../../../../src-renderer/views/inbox/inbox-words.ts';

const action = (id: string, isRisky: boolean): InboxAction => ({ id, label: id, meaning: '', isRisky, isByPart: true });
const summary = (id: string, server?: string): InboxSummary => ({
  id,
  kind: 'change',
  cause: id,
  at: 1,
  until: undefined,
  server,
  title: '',
  sentence: '',
  from: '',
  risks: [],
  isGrave: false,
});
const part = (...keys: string[]): InboxPart => ({ keys, title: '', notes: [], added: [], lines: [], more: 0 });

test('makes no risky action the default; for a possible attack the default is the safe one', () => {
  const risky = [action('reject', false), action('approve', true)];
  const calm = [action('reject', false), action('approve', false)];
  expect(easyAction({ actions: risky, isGrave: false })).toBeUndefined();
  expect(easyAction({ actions: risky, isGrave: true })).toBe('reject');
  expect(easyAction({ actions: calm, isGrave: false })).toBe('approve');
  expect(easyAction({ actions: [action('approve', true)], isGrave: true })).toBeUndefined();
});

test('finds an item by id or server, else the first; never falls back from an unknown name', () => {
  const items = [summary('a'), summary('b', 'mail')];
  expect(chosenItem(items, [])?.id).toBe('a');
  expect(chosenItem(items, ['b'])?.id).toBe('b');
  expect(chosenItem(items, ['server', 'mail'])?.id).toBe('b');
  expect([['gone'], ['server', 'gone'], ['server']].map((path) => chosenItem(items, path))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('an action on some parts names only these, and its button shows how many', () => {
  const parts = [part('tool:a', 'tool:b'), part('tool:c')];
  expect(partsMeant(parts, new Set())).toBeUndefined();
  expect(partsMeant(parts, new Set([1]))).toEqual(['tool:a', 'tool:b']);
  expect(actionLabel(action('Accept', true), 2, 2)).toBe('Accept');
  expect(actionLabel(action('Accept', true), 2, 1)).toBe('Accept (1 of 2)');
});
