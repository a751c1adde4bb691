/** Each server has its own log file for any name. */
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { serverLogFile } from '../../../../src-main/core/servers/transports/create-transport.ts';

const names = [
  'a_b',
  'a b',
  'a/b',
  'a:b',
  'A_B',
  'A b',
  'a~b',
  'é',
  'e\u0301',
  '.',
  '..',
  '../x',
  'con',
  'NUL.txt',
  '',
  'x'.repeat(300),
];

test('maps different names to different files, even case-insensitively', () => {
  const files = names.map((name) => serverLogFile('/logs', name).toLowerCase());
  expect(new Set(files).size).toBe(names.length);
});

test.each(names)('maps %j to a short, safe file name in the folder', (name) => {
  const file = serverLogFile('/logs', name);
  expect(file.startsWith('/logs/')).toBe(true);
  expect(basename(file)).toMatch(/^[A-Za-z0-9._~-]{4,110}$/);
  expect(basename(file)).not.toMatch(/^(?:con|nul)\./i);
});

test('keeps a plain name readable', () => {
  expect(serverLogFile('/logs', 'github-2')).toBe('/logs/github-2.log');
});
