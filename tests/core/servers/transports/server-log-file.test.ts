/** Each server has a log file of its own, whatever its name. */
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

test('no two names fold to one file, also where case does not count', () => {
  const files = names.map((name) => serverLogFile('/logs', name).toLowerCase());
  expect(new Set(files).size).toBe(names.length);
});

test.each(names)('the file of %j lies in the folder and has a short, safe name', (name) => {
  const file = serverLogFile('/logs', name);
  expect(file.startsWith('/logs/')).toBe(true);
  expect(basename(file)).toMatch(/^[A-Za-z0-9._~-]{4,110}$/);
  expect(basename(file)).not.toMatch(/^(?:con|nul)\./i);
});

test('a plain name stays readable', () => {
  expect(serverLogFile('/logs', 'github-2')).toBe('/logs/github-2.log');
});
