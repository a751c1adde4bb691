/** Setup: the lock that lets `npm start` and `npm test` run at the same time, and the stamps that skip finished work. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const scripts = join(import.meta.dirname, '../../scripts');
const run = promisify(execFile);
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tooltray-setup-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Runs a script with the lock function and a folder in a separate process. */
function script(body: string): string[] {
  const lock = pathToFileURL(join(scripts, 'setup/lock.mjs')).href;
  return [
    '--input-type=module',
    '--eval',
    `import { takeLock } from '${lock}';\nconst root = process.argv[1];\n${body}`,
    root,
  ];
}

describe('the lock', () => {
  test('lets one process in at a time', async () => {
    const body = `import fs from 'node:fs';
      const release = await takeLock(root);
      fs.appendFileSync(root + '/log', 'in ');
      await new Promise((resolve) => setTimeout(resolve, 30));
      fs.appendFileSync(root + '/log', 'out ');
      release();`;
    await Promise.all(Array.from({ length: 5 }, () => run(process.execPath, script(body))));
    expect(readFileSync(join(root, 'log'), 'utf8')).toBe('in out '.repeat(5));
    expect(existsSync(join(root, '.cache/setup.lock'))).toBe(false);
  });

  test('of a process that died is taken over', async () => {
    const holder = spawn(
      process.execPath,
      script('await takeLock(root); console.log(1); setInterval(() => {}, 1000);'),
    );
    await once(holder.stdout, 'data');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const { stdout } = await run(process.execPath, script(`(await takeLock(root))(); console.log('taken');`));
    expect(stdout).toBe('taken\n');
  });

  test('left empty by a process that died while releasing it is taken over', async () => {
    mkdirSync(join(root, '.cache/setup.lock'), { recursive: true });
    const { stdout } = await run(process.execPath, script(`(await takeLock(root))(); console.log('taken');`));
    expect(stdout).toBe('taken\n');
  });
});

describe('a stamp', () => {
  async function hash(): Promise<string> {
    const stamp = pathToFileURL(join(scripts, 'setup/stamp.mjs')).href;
    const body = `import { hashOf } from '${stamp}'; console.log(hashOf(process.argv[1], ['sources', 'missing']));`;
    return (await run(process.execPath, ['--input-type=module', '--eval', body, root])).stdout;
  }

  test('is valid for the same contents, and invalid for a changed text or name', async () => {
    const file = (name: string): string => join(root, 'sources', name);
    mkdirSync(join(root, 'sources'));
    writeFileSync(file('a'), 'one');
    const before = await hash();
    writeFileSync(file('a'), 'one');
    expect(await hash()).toBe(before);
    writeFileSync(file('a'), 'two');
    const changed = await hash();
    rmSync(file('a'));
    writeFileSync(file('b'), 'two');
    expect(new Set([before, changed, await hash()]).size).toBe(3);
  });
});

describe('progress', () => {
  async function staged(work: string): Promise<{ code: number; stdout: string; stderr: string }> {
    const progress = pathToFileURL(join(scripts, 'setup/progress.mjs')).href;
    const body = `import { runQuietly, stage } from '${progress}';
      const node = (code) => runQuietly(process.execPath, ['--eval', code], {});
      process.exitCode = await stage('Building', () => ${work});`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', body]);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    const [code] = (await once(child, 'close')) as [number];
    return { code, stdout, stderr };
  }

  test('writes a line when a stage begins and one with its time when it ends, only to stderr', async () => {
    expect(await staged(`node('console.log("noise")')`)).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^Building …\nBuilding: done \(\d+ s\)\n$/) as string,
    });
  });

  test("shows a program's output if it fails", async () => {
    const { code, stderr } = await staged(`node('console.log("the cause"); process.exitCode = 3')`);
    expect([code, stderr.includes('the cause')]).toEqual([3, true]);
  });
});

test('./tooltray runs the command line', async () => {
  const { stdout } = await run(join(scripts, '../tooltray'), ['--version']);
  expect(stdout).toMatch(/^Tooltray \d+\.\d+\.\d+\n$/);
});
