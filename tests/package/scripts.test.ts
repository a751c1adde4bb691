/** Scripts used only by workflows, run as far as this computer can. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { electronEnv, isReal } from '../desktop/which-electron.ts';

const root = join(import.meta.dirname, '../..');

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-scripts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('the script of facts finds everything but a keychain, which this machine may lack', async () => {
  // The stand-in is Node.js, which does not read archives by itself.
  const options = isReal ? {} : { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'inside-archive.mjs')}` };
  const child = spawn(process.execPath, [join(root, 'scripts/desktop/facts.mjs')], {
    env: { ...process.env, ...electronEnv(), ...options },
  });
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect(printed).toContain('a child process with --permission');
  const failed = errors
    .split('\n')
    .filter((line) => /^(?:the|a|SQLite|zstd|certificates|time|memory)\b.*: /.test(line));
  expect(failed.filter((line) => !line.startsWith('a secret through the keychain: '))).toEqual([]);
});

test('the files of all builds are put together, with one update feed for both architectures', () => {
  const folder = makeFolder();
  const feed = (arch: string): string =>
    [
      'version: 1.2.3',
      'files:',
      `  - url: Tooltray-Setup-1.2.3-${arch}.exe`,
      `    sha512: ${arch}`,
      'path: x',
      '',
    ].join('\n');
  for (const arch of ['x64', 'arm64']) {
    const artifact = join(folder, 'artifacts', `release-win-${arch}`);
    mkdirSync(artifact, { recursive: true });
    writeFileSync(join(artifact, `Tooltray-Setup-1.2.3-${arch}.exe`), arch);
    writeFileSync(join(artifact, 'latest.yml'), feed(arch));
  }
  const merge = (): unknown =>
    execFileSync(process.execPath, [
      join(root, 'scripts/desktop/merge-feeds.mjs'),
      join(folder, 'artifacts'),
      join(folder, 'assets'),
    ]);
  merge();
  expect(readdirSync(join(folder, 'assets')).toSorted()).toEqual([
    'Tooltray-Setup-1.2.3-arm64.exe',
    'Tooltray-Setup-1.2.3-x64.exe',
    'latest.yml',
  ]);
  const merged = parse(readFileSync(join(folder, 'assets/latest.yml'), 'utf8')) as { files: { url: string }[] };
  expect(merged.files.map(({ url }) => url).toSorted()).toEqual([
    'Tooltray-Setup-1.2.3-arm64.exe',
    'Tooltray-Setup-1.2.3-x64.exe',
  ]);
  // Files of the same name would overwrite each other.
  expect(merge).toThrow();
});

test('builds of several architectures have different names, which GitHub leaves as they are', () => {
  const { nsis } = parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8')) as {
    nsis: { artifactName: string };
  };
  expect(nsis.artifactName).toContain('${arch}');
  expect(nsis.artifactName).not.toContain(' ');
});
