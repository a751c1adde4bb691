/** Reads the latest fetched version from the caches of npx and uvx. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { installedVersion } from '../../../../src-main/core/servers/launch/installed-version.ts';

const home = mkdtempSync(join(tmpdir(), 'tooltray-installed-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, text: string, seconds: number): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, seconds, seconds);
  utimesSync(dirname(dirname(file)), seconds, seconds);
}

test('returns the newest version in the npx cache, in its default or a configured place', async () => {
  const of = (cache: string, hash: string): string => `${cache}/_npx/${hash}/node_modules/@scope/server/package.json`;
  write(of('.npm', 'aa'), '{"version":"1.0.0"}', 1000);
  write(of('.npm', 'bb'), '{"version":"1.2.0"}', 3000);
  write(of('.npm', 'cc'), '{"version":"1.1.0"}', 2000);
  write(of('.npm', 'dd'), 'broken', 4000);
  write(of('other', 'aa'), '{"version":"3.0.0"}', 1000);
  expect(await installedVersion('npx', '@scope/server', { HOME: home })).toBe('1.2.0');
  const env = { HOME: home, npm_config_cache: join(home, 'other') };
  expect(await installedVersion('/usr/bin/npx', '@scope/server', env)).toBe('3.0.0');
  expect(await installedVersion('npx', 'another', { HOME: home })).toBeUndefined();
});

test('returns the newest version in the uv cache, for any spelling of the name', async () => {
  write('.cache/uv/archive-v0/x1/mcp_server_git-0.6.2.dist-info/METADATA', '', 1000);
  write('.cache/uv/archive-v0/x2/mcp_server_git-2025.1.14.dist-info/METADATA', '', 2000);
  expect(await installedVersion('uvx', 'mcp-server-git', { HOME: home })).toBe('2025.1.14');
  expect(await installedVersion('uvx', 'mcp-server-git[extra]', { HOME: home })).toBe('2025.1.14');
});

test('returns undefined for other programs', async () => {
  expect(await installedVersion('docker', 'ghcr.io/x/y', { HOME: home })).toBeUndefined();
});
