import { spawn } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSameToken } from '../../../src-main/core/base/core-proof.ts';
import { readOrCreateToken } from '../../../src-main/core/security/access-token.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooltray-token-'));
  file = join(folder, 'token');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('creates a token of 32 bytes in base64url in a private file, and keeps it', () => {
  const token = readOrCreateToken(file);
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readOrCreateToken(file)).toBe(token);
  expect(readdirSync(folder)).toEqual(['token']);
});

test('makes a file that others can read private, and keeps its token', () => {
  const token = readOrCreateToken(file);
  chmodSync(file, 0o644);
  expect(readOrCreateToken(file)).toBe(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test.each(['', 'short', `${'x'.repeat(43)} and more`])('replaces a file without a complete token (%j)', (content) => {
  writeFileSync(file, content);
  const token = readOrCreateToken(file);
  expect(token).not.toBe(content);
  expect(readFileSync(file, 'utf8').trim()).toBe(token);
});

test('rejects a link in place of the file', () => {
  symlinkSync(join(folder, 'elsewhere'), file);
  expect(() => readOrCreateToken(file)).toThrow(/not a plain file/);
});

test('returns the same token to many processes that create it at once', async () => {
  const module = pathToFileURL(join(import.meta.dirname, '../../../src-main/core/security/access-token.ts')).href;
  const script = `import { readOrCreateToken } from '${module}'; process.stdout.write(readOrCreateToken(${JSON.stringify(file)}));`;
  const run = () => text(spawn(process.execPath, ['--input-type=module', '-e', script]).stdout);
  const tokens = await Promise.all(Array.from({ length: 6 }, run));
  expect(new Set(tokens)).toEqual(new Set([readOrCreateToken(file)]));
});

test('compares tokens exactly', () => {
  expect([isSameToken('a', 'a'), isSameToken('a', 'b'), isSameToken('a', ''), isSameToken('', '')]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
