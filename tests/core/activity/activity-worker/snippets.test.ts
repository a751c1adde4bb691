/** The part of a payload that a search shows. */
import { expect, test } from 'vitest';
import { snippetIn } from '../../../../src-main/core/activity/activity-worker/snippets.ts';
import { Masker } from '../../../../src-main/core/base/mask.ts';

const none = { none: 'nothing' } as const;
const texts = (request: string, serverResult?: string) => ({
  request: { text: request },
  serverResult: serverResult === undefined ? none : { text: serverResult },
  modelResult: { none: 'same' } as const,
});
const masker = new Masker();

test('shows the first word that begins with a searched one, in the spelling of the payload', () => {
  expect(snippetIn(texts('{"path":"/srv/Orders.json"}'), 'orders', masker)).toEqual({
    before: '{"path":"/srv/',
    match: 'Orders',
    after: '.json"}',
  });
  expect(snippetIn(texts('{}', 'reorders, then orders'), 'orders', masker)).toMatchObject({
    before: 'reorders, then ',
  });
});

test('shows JSON without its escapes, and a bounded part of a long text', () => {
  const nested = JSON.stringify({ text: `one\n"two" ${'x '.repeat(5_000)} needle ${'y '.repeat(100)}` });
  const found = snippetIn(texts('{}', nested), 'needle', masker);
  expect(found?.before).toMatch(/^…[x ]+$/);
  expect(found?.after).toMatch(/^[y ]+$/);
  expect(`${found?.before}${found?.after}`.length).toBeLessThan(150);
  expect(snippetIn(texts('{}', nested), 'two', masker)?.before).toMatch(/one "$/);
});

test('returns nothing for a text without words, or without a match', () => {
  expect([snippetIn(texts('{"a":1}'), '*."', masker), snippetIn(texts('{"a":1}'), 'b', masker)]).toEqual([
    undefined,
    undefined,
  ]);
});

test('masks secrets', () => {
  const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
  const found = snippetIn(texts(`{"note":"use ${token} now"}`), 'use', masker);
  expect(found?.after).not.toContain('abcdef');
});
