/** The stand-in for Electron must reject everything that it does not implement. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decode, encode } from './message-codec.ts';
import { refuseUnwritten } from './refuse-unwritten.ts';

const program = join(import.meta.dirname, 'bin/electron');

/** Runs a main process that exits before it is ready, so that no browser is needed. */
function runMain(script: string): { code: number | null; said: string } {
  const folder = mkdtempSync(join(tmpdir(), 'stand-in-test-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{"name":"toy","version":"1.2.3","type":"module","main":"main.js"}');
    writeFileSync(join(folder, 'main.js'), script);
    const env = { ...process.env, STAND_IN_NODE: process.execPath, TOY: folder };
    const { status, stdout, stderr } = spawnSync(program, [folder], { env, encoding: 'utf8', timeout: 20_000 });
    return { code: status, said: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('throws for a member that is not defined, and not for one that is', () => {
  const thing = { is: 1 };
  refuseUnwritten(thing, 'thing');
  expect(thing.is).toBe(1);
  expect(() => (thing as unknown as { isNot: number }).isNot).toThrow('does not have thing.isNot');
});

test.skipIf(process.platform === 'win32')('an app that uses an undefined member exits with its name', () => {
  const { code, said } = runMain(`import { app } from 'electron'; app.setUserTasks([]);`);
  expect(code).not.toBe(0);
  expect(said).toContain('app.setUserTasks');
});

test.skipIf(process.platform === 'win32')('a main process sees the app and the versions of Electron', () => {
  const { code, said } = runMain(
    `import { app } from 'electron'; import { createRequire } from 'node:module';
     const same = createRequire(import.meta.url)('electron').app === app;
     console.log(app.name, app.getVersion(), same, process.type, 'electron' in process.versions); app.quit();`,
  );
  expect([code, said]).toEqual([0, 'toy 1.2.3 true browser true\n']);
});

test.skipIf(process.platform === 'win32')('rejects a window before the app is ready, as Electron does', () => {
  const { said } = runMain(`import { BrowserWindow } from 'electron'; new BrowserWindow();`);
  expect(said).toContain('Cannot create BrowserWindow before app is ready');
});

test('plain data passes whole; rejects what Electron rejects, and what nobody needed', () => {
  const data = { a: [1, undefined, { kind: 'object', value: null }], b: 'x', c: undefined, d: -Infinity };
  expect(decode(encode(data))).toStrictEqual(data);
  expect(() => encode({ a: () => 1 })).toThrow('An object could not be cloned.');
  expect(() => encode(new Map())).toThrow('does not send [object Map]');
});
