/** The argument of a call that identifies it. */
import { expect, test } from 'vitest';
import { argumentPreview } from '../../../src-main/core/activity/argument-preview.ts';

test.each<[unknown, string]>([
  [{ path: '/home/ada/data/orders.json', head: 20 }, 'data/orders.json'],
  [{ file_path: 'C:\\work\\a\\b.ts', content: 'x'.repeat(500) }, 'a/b.ts'],
  [{ url: 'https://www.example.com/a?b=1', maxLength: 5000 }, 'example.com/a?b=1'],
  [{ limit: 10, query: 'refund   policy\nof may' }, 'refund policy of may'],
  [{ sql: 'SELECT 1' }, 'SELECT 1'],
  [{ owner: 'acme', repo: 'web', issue_number: 12, body: 'hello' }, 'acme/web #12'],
  [{ id: 'ord_2559' }, 'ord_2559'],
  [{ count: 400 }, 'count: 400'],
  [{ a: 1, b: 2 }, 'a: 1'],
  [{ timezone: 'Europe/Paris' }, 'Europe/Paris'],
  [{ paths: ['a.txt', 'b.txt', 'c.txt'] }, 'a.txt +2'],
  [{ filter: { status: 'open' } }, 'open'],
  [{ userId: 'u1', channelName: 'general' }, 'general'],
  [{}, ''],
  [undefined, ''],
  ['text', ''],
  [{ note: '' }, ''],
])('previews %j as %j', (args, preview) => {
  expect(argumentPreview(args)).toBe(preview);
});

test('prefers a required argument among names of the same kind', () => {
  const args = { title: 'Draft', name: 'release-notes' };
  expect(argumentPreview(args, { required: ['name'] })).toBe('release-notes');
  expect(argumentPreview(args)).toBe('Draft');
});

test('never shows the value of a secret', () => {
  expect(argumentPreview({ api_key: 'abc123456', password: 'hunter2' })).toBe('');
  expect(argumentPreview({ token: 'abc', path: 'a.txt' })).toBe('a.txt');
  expect(argumentPreview({ query: 'use ghp_0123456789abcdefghijklmnopqrstuvwxyzAB now' })).not.toContain('0123456789');
});

test('shortens the preview of a long argument', () => {
  const preview = argumentPreview({ query: 'word '.repeat(10_000) });
  expect(preview.length).toBeLessThanOrEqual(120);
  expect(preview.endsWith('…')).toBe(true);
});
