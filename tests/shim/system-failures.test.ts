/** Errors of the operating system reach the client app as sentences with path and fix, never as raw error numbers. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { socketLocation } from '../../src-main/core/base/app-paths.ts';
import { errorLineText, failureText } from '../../src-main/shim/failure-text.ts';
import { ShimClient, TestHome } from './shim-client.ts';

const raw = /\bE[A-Z]{3,}\b|errno|syscall/;

test.each<[string, (home: TestHome) => { readonly env?: NodeJS.ProcessEnv; readonly names: string }]>([
  [
    'a home that is a file',
    (home) => {
      rmSync(home.path, { recursive: true });
      writeFileSync(home.path, '');
      return { names: home.path };
    },
  ],
  [
    'a token that is a folder',
    (home) => {
      const { tokenFile } = socketLocation(home.env, process.platform, '');
      mkdirSync(tokenFile, { recursive: true });
      return { names: tokenFile };
    },
  ],
  [
    'a token whose links go in a circle',
    (home) => {
      const { tokenFile } = socketLocation(home.env, process.platform, '');
      mkdirSync(join(tokenFile, '..'), { recursive: true });
      symlinkSync(tokenFile, tokenFile);
      return { names: tokenFile };
    },
  ],
  [
    'a core that is not there',
    () => ({ env: { TOOLTRAY_CORE_COMMAND: '["/no/such/program"]' }, names: '/no/such/program' }),
  ],
  [
    'a core that ends with an error of the system',
    () => {
      const script = `require('node:fs').openSync('/no/such/folder/file', 'w')`;
      const command = JSON.stringify([process.execPath, '-e', script]);
      return { env: { TOOLTRAY_CORE_COMMAND: command }, names: '/no/such/folder/file' };
    },
  ],
])('%s', async (_what, prepare) => {
  using home = new TestHome();
  const { env, names } = prepare(home);
  using client = new ShimClient({ ...home.env, ...env });
  client.say({ id: 1, method: 'tools/list' });
  const { error } = await client.answer(1);
  expect(error?.message).toContain(names);
  expect(error?.message).not.toMatch(raw);
  expect(client.stderr).not.toMatch(raw);
});

test.each(['connect', 'open', 'mkdir'])('returns a system error as a sentence: %s', (syscall) => {
  const error = Object.assign(new Error(`EACCES: x, ${syscall} '/run/x'`), {
    code: 'EACCES',
    syscall,
    path: '/run/x',
    address: '/run/x',
  });
  expect(failureText(error)).not.toMatch(raw);
  expect(failureText(error)).toContain('/run/x');
});

test('returns any other error unchanged', () => {
  expect(errorLineText('TypeError: it is wrong')).toBe('TypeError: it is wrong');
  expect(failureText(new Error('Tooltray is running but not responding.'))).toBe(
    'Tooltray is running but not responding.',
  );
});
