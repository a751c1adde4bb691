/** Finds commands of version managers that are not on PATH. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCommand } from '../../../../src-main/core/servers/launch/find-command.ts';
import { EnvironmentResolver } from '../../../../src-main/core/servers/launch/resolve-environment.ts';
import { toolFolders } from '../../../../src-main/core/servers/launch/tool-folders.ts';

let home = '';

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tooltray-tools-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

async function program(folder: string, name: string): Promise<string> {
  const file = join(home, folder, name);
  await mkdir(join(home, folder), { recursive: true });
  await writeFile(file, '#!/bin/sh\n');
  await chmod(file, 0o755);
  return file;
}

const own = (path: string) =>
  new EnvironmentResolver({ own: { HOME: home, PATH: path, TERM: 'xterm' }, platform: 'linux' });

test.each([
  ['nvm', '.nvm/versions/node/v22.1.0/bin'],
  ['mise', '.local/share/mise/shims'],
  ['asdf', '.asdf/shims'],
  ['Volta', '.volta/bin'],
  ['fnm', '.local/share/fnm/node-versions/v22.1.0/installation/bin'],
  ['uv', '.local/bin'],
  ['Bun', '.bun/bin'],
])('finds commands installed by %s', async (_, folder) => {
  const file = await program(folder, 'tooltray-test-tool');
  const env = await own('/usr/bin:/opt/none').resolve();
  expect(await findCommand('tooltray-test-tool', env)).toBe(file);
});

test('prefers PATH, then the newest of several versions', async () => {
  await program('.nvm/versions/node/v9.0.0/bin', 'tooltray-test-tool');
  const newest = await program('.nvm/versions/node/v22.1.0/bin', 'tooltray-test-tool');
  expect(await findCommand('tooltray-test-tool', await own('/usr/bin:/opt/none').resolve())).toBe(newest);
  const chosen = await program('chosen', 'tooltray-test-tool');
  expect(await findCommand('tooltray-test-tool', await own(join(home, 'chosen')).resolve())).toBe(chosen);
});

test('ignores missing folders and invalid home folders', async () => {
  expect(await toolFolders({ HOME: join(home, 'none') }, 'linux')).toEqual(await toolFolders({}, 'linux'));
  expect(await toolFolders({ HOME: 'relative' }, 'linux')).toEqual(await toolFolders({}, 'linux'));
});
