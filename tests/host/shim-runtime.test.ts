/** The shim's own runtime, copied from an app whose executable is a script that runs Node.js. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { copyShimRuntime, findShimRuntime, removeUnusedRuntimes } from '../../src-main/host/shim-runtime.ts';

describe.skipIf(process.platform === 'win32')('the runtime of the shim', () => {
  let folder: string;
  let runtimes: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tooltray-runtime '));
    runtimes = join(folder, 'data/runtime');
    onTestFinished(() => rmSync(folder, { recursive: true }));
  });

  /** Installs a version of the app; `body` is its executable as a shell script. */
  function install(version: string, body = `exec '${process.execPath}' "$@"`) {
    const app = join(folder, 'Programs');
    rmSync(app, { recursive: true, force: true });
    mkdirSync(join(app, 'resources/shim/chunks'), { recursive: true });
    const program = join(app, 'Tooltray.exe');
    writeFileSync(program, `#!/bin/sh\n# ${version}\n${body}\n`, { mode: 0o755 });
    for (const name of ['ffmpeg.dll', 'icudtl.dat', 'snapshot_blob.bin', 'resources.pak', 'resources/app.asar'])
      writeFileSync(join(app, name), version);
    const script = join(app, 'resources/shim/tooltray.cjs');
    writeFileSync(script, `require('./chunks/shim.cjs');`);
    writeFileSync(join(app, 'resources/shim/chunks/shim.cjs'), `console.log('${version}', ...process.argv.slice(2));`);
    return { program, script, runtimes };
  }

  test('runs without the app', async () => {
    const source = install('1.0.0');
    expect(await findShimRuntime(source)).toBeUndefined();
    const runtime = await copyShimRuntime(source);
    expect(await findShimRuntime(source)).toEqual(runtime);
    expect(readdirSync(dirname(runtime.program)).toSorted()).toEqual([
      'ffmpeg.dll',
      'icudtl.dat',
      'shim',
      'snapshot_blob.bin',
      'tooltray-shim.exe',
    ]);
    rmSync(dirname(source.program), { recursive: true });
    const printed = execFileSync(runtime.program, [runtime.script, 'stdio'], { encoding: 'utf8' });
    expect(printed).toBe('1.0.0 stdio\n');
  });

  test('of another version is another one, and the old one goes when nothing uses it', async () => {
    const old = await copyShimRuntime(install('1.0.0'));
    const source = install('1.0.0-next');
    expect(await findShimRuntime(source)).toBeUndefined();
    const current = await copyShimRuntime(source);
    expect(await removeUnusedRuntimes(runtimes, current)).toEqual([]);
    expect([old, current].map(({ program }) => existsSync(program))).toEqual([false, true]);
    expect(await removeUnusedRuntimes(runtimes)).toEqual([]);
    expect(readdirSync(runtimes)).toEqual([]);
  });

  test('in use is left whole', async () => {
    const { program, script } = await copyShimRuntime(install('1.0.0'));
    // Cannot be removed as a file, like a running program on Windows.
    rmSync(program);
    mkdirSync(program);
    expect(await removeUnusedRuntimes(runtimes)).toEqual([dirname(program)]);
    expect(existsSync(script)).toBe(true);
  });

  test('that does not run is not kept', async () => {
    const source = install('1.0.0', 'exit 3');
    await expect(copyShimRuntime(source)).rejects.toThrow();
    expect(await findShimRuntime(source)).toBeUndefined();
    expect(readdirSync(runtimes)).toEqual([]);
  });

  test('is none before the first start', async () => {
    expect(await removeUnusedRuntimes(runtimes)).toEqual([]);
  });
});
