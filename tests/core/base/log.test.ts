/** The log is limited, masked, private, and never throws. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { createLog } from '../../../src-main/core/base/log.ts';
import { Masker, secretValues } from '../../../src-main/core/base/mask.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'));
  file = join(folder, 'logs', 'core.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function lines(path = file): Record<string, unknown>[] {
  const texts = readFileSync(path, 'utf8').trimEnd().split('\n');
  return texts.map((text) => JSON.parse(text) as Record<string, unknown>);
}

test('writes one JSON object per line with scope, fields and the chain of causes', () => {
  const log = createLog({ file });
  const cause = Object.assign(new Error('spawn npx ENOENT'), { code: 'ENOENT' });
  const error = new AppError('server_not_started', 'github did not start.', { fix: 'Install Node.js.', cause });
  log.child('servers').child('github').error('start failed', { error, attempt: 2 });
  log.flush();
  expect(lines()).toMatchObject([
    {
      level: 'error',
      scope: 'servers.github',
      message: 'start failed',
      fields: {
        attempt: 2,
        error: { code: 'server_not_started', cause: { message: 'spawn npx ENOENT', code: 'ENOENT' } },
      },
    },
  ]);
});

test('writes a line without its fields if they cannot be masked', () => {
  const masker = new Masker();
  vi.spyOn(masker, 'maskObject').mockImplementation(() => {
    throw new RangeError('Maximum call stack size exceeded');
  });
  const log = createLog({ file, masker });
  log.warn('still here', { answer: 'long' });
  log.flush();
  expect(lines()).toMatchObject([{ message: 'still here', fields: { unwritable: true } }]);
});

test('writes nothing below its level', () => {
  const log = createLog({ file, level: 'warn' });
  log.info('no');
  log.debug('no');
  log.warn('yes');
  log.flush();
  expect(lines().map((line) => line['message'])).toEqual(['yes']);
});

test('writes lines shortly after they are logged, and at once after it is closed', async () => {
  const log = createLog({ file });
  log.info('soon');
  await expect.poll(() => lines()).toHaveLength(1);
  log.close();
  log.info('after close');
  expect(lines()).toHaveLength(2);
});

test('writes no secret to the file or to stderr', () => {
  const secret = 'pl41n-words-secret';
  const stderr = new PassThrough();
  const log = createLog({ file, masker: new Masker(secretValues({ MY_TOKEN: secret, MODE: 'production' })), stderr });
  log.child(secret).warn(`said ${secret}`, { env: { GITHUB_TOKEN: 'abc' }, error: new Error('x', { cause: secret }) });
  log.info('in production', { [secret]: [secret] });
  log.flush();
  const texts = [readFileSync(file, 'utf8'), String(stderr.read())];
  for (const text of texts) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain('"abc"');
    expect(text).toContain('in production');
  }
});

test('stays within two files of maxBytes, and loses only the oldest lines', () => {
  const log = createLog({ file, maxBytes: 20_000 });
  for (let n = 0; n < 3000; n++) log.info(`line ${n}`, { filler: 'x'.repeat(50) });
  log.flush();
  expect([statSync(file).size, statSync(`${file}.1`).size].filter((size) => size > 20_000)).toEqual([]);
  expect(lines().at(-1)?.['message']).toBe('line 2999');
  expect(existsSync(`${file}.2`)).toBe(false);
});

test('truncates a huge text, and states its length', () => {
  const log = createLog({ file });
  log.info('y'.repeat(5_000_000), { answer: 'z'.repeat(5_000_000), many: Array(1000).fill('w'.repeat(1000)) });
  log.flush();
  expect(statSync(file).size).toBeLessThan(200_000);
  expect(lines()[0]?.['message']).toMatch(/5000000 characters/);
});

test('makes the file private, also an existing one', () => {
  mkdirSync(join(folder, 'logs'));
  writeFileSync(file, '');
  chmodSync(file, 0o666);
  const log = createLog({ file });
  log.info('x');
  log.flush();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('does not fail the caller if the log cannot be written, and later reports the lost lines', () => {
  mkdirSync(file, { recursive: true });
  const log = createLog({ file });
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  log.info('lost', { circular, big: 10n });
  log.flush();
  rmSync(file, { recursive: true });
  log.info('kept');
  log.flush();
  expect(lines()).toMatchObject([{ lostLines: 1 }, { message: 'kept' }]);
});

test('replaces control characters of a server text on stderr', () => {
  const stderr = new PassThrough();
  createLog({ stderr }).info('a\u001b[2Jb\nc\u009b');
  expect(String(stderr.read())).toMatch(/info {2}a \[2Jb c \n$/);
});

test('survives a closed stderr', async () => {
  const stderr = new PassThrough();
  const log = createLog({ stderr });
  stderr.destroy(new Error('EPIPE'));
  await new Promise((resolve) => stderr.once('close', resolve));
  expect(() => log.info('still here')).not.toThrow();
});
