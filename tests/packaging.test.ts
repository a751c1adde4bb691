/** Validates the packaging configuration with electron-builder's own schema, without Electron. */
import { readFileSync } from 'node:fs';
import { getConfig, validateConfiguration } from 'app-builder-lib/out/util/config/config.js';
import { DebugLogger } from 'builder-util';
import { expect, test } from 'vitest';

const root = `${import.meta.dirname}/..`;

test('electron-builder accepts the configuration', async () => {
  const config = await getConfig(root, null, null);
  expect(config.appId).toBe('app.tooltray');
  await expect(validateConfiguration(config, new DebugLogger(false))).resolves.toBeUndefined();
});

test('electron-builder rejects a misspelled key in the configuration', async () => {
  const config = { ...(await getConfig(root, null, null)), electronFuse: {} };
  await expect(validateConfiguration(config, new DebugLogger(false))).rejects.toThrow('electronFuse');
});

test('the configuration allows the packaged app to start the shim', async () => {
  const { electronFuses } = await getConfig(root, null, null);
  expect(electronFuses).toMatchObject({ runAsNode: true });
});

test('the configuration keeps files that the system loads out of the archive', async () => {
  const { asarUnpack } = await getConfig(root, null, null);
  expect(asarUnpack).toContain('dist/keychain/*');
});

test('every package is pinned to one version, and none is left to be copied into the app', () => {
  const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as Record<string, Record<string, string>>;
  const versions = Object.values(manifest['devDependencies'] ?? {});
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  expect(manifest['dependencies']).toBeUndefined();
});

test('the lock file names no registry, so that any registry works', () => {
  const lock = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8')) as { packages: Record<string, object> };
  expect(Object.values(lock.packages).filter((entry) => 'resolved' in entry)).toEqual([]);
});
