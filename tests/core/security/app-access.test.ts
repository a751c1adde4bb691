/**
 * Access of client apps: each token is valid for one app, stored in a private file, and can be revoked and granted
 * again.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { appAccessFile, AppAccessStore } from '../../../src-main/core/security/app-access.ts';

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooltray-access-'));
  file = join(folder, 'app-access.json');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const tokenFor = async (store: AppAccessStore, app: string): Promise<string> =>
  (await store.grant(app, true)).token ?? '';

test('keeps the token of an app, which is accepted for that app only', async () => {
  const store = new AppAccessStore(appAccessFile(file));
  const token = await tokenFor(store, 'cursor');
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  expect(await tokenFor(new AppAccessStore(appAccessFile(file)), 'cursor')).toBe(token);
  expect([store.accepts('cursor', token), store.accepts('zed', token), store.accepts('cursor', 'x')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('grants access without a token to an app that is started by a command', async () => {
  const store = new AppAccessStore(appAccessFile(file), () => 5);
  expect((await store.grant('cursor')).token).toBeUndefined();
  expect([store.list(), store.tokenOf('cursor')]).toEqual([
    [{ app: 'cursor', since: 5, seen: undefined, revoked: undefined }],
    undefined,
  ]);
});

test('lists apps without their tokens, and stores them in a private file', async () => {
  const store = new AppAccessStore(appAccessFile(file), () => 5);
  await store.grant('cursor', true);
  await store.grant('__proto__', true);
  const facts = { since: 5, seen: undefined, revoked: undefined };
  expect(store.list()).toEqual([
    { app: 'cursor', ...facts },
    { app: '__proto__', ...facts },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['app-access.json']);
});

test('revokes access for stores that read the file before, and grants it again with the same token', async () => {
  let now = 1;
  const [one, other] = [
    new AppAccessStore(appAccessFile(file), () => now),
    new AppAccessStore(appAccessFile(file), () => now),
  ];
  const token = await tokenFor(one, 'cursor');
  now = 2;
  expect([await other.revoke('cursor'), one.isRevoked('cursor'), await other.revoke('cursor')]).toEqual([
    true,
    true,
    false,
  ]);
  now = 3;
  expect([await tokenFor(one, 'cursor'), other.isRevoked('cursor'), other.list()[0]?.since]).toEqual([token, false, 3]);
});

test('revokes access of an app that was never connected', async () => {
  const store = new AppAccessStore(appAccessFile(file), () => 7);
  await store.revoke('cursor');
  expect(store.list()).toEqual([{ app: 'cursor', since: undefined, seen: undefined, revoked: 7 }]);
});

test('restores the previous access when a grant is taken back', async () => {
  const store = new AppAccessStore(appAccessFile(file));
  await (await store.grant('cursor', true)).takeBack();
  expect(store.list()).toEqual([]);
  await store.revoke('cursor');
  await (await store.grant('cursor', true)).takeBack();
  expect([store.isRevoked('cursor'), store.tokenOf('cursor')]).toEqual([true, undefined]);
});

test('rejects a token that was removed, and accepts it once it is set again', async () => {
  const store = new AppAccessStore(appAccessFile(file));
  const token = await tokenFor(store, 'cursor');
  await store.setToken('cursor', undefined);
  expect(store.accepts('cursor', token)).toBe(false);
  await store.setToken('cursor', token);
  expect(store.accepts('cursor', token)).toBe(true);
});

test('keeps the latest hundred seen names, and all decisions', async () => {
  const store = new AppAccessStore(appAccessFile(file), () => 1);
  await store.revoke('revoked');
  for (let at = 0; at < 103; at++) await store.recordSeen(`app${at}`, at);
  const names = store.list().map(({ app }) => app);
  expect([names.length, names.includes('revoked'), names.includes('app2'), names.includes('app3')]).toEqual([
    101,
    true,
    false,
    true,
  ]);
});

test('keeps all grants made at once', async () => {
  const apps = Array.from({ length: 8 }, (_, index) => `app${index}`);
  const given = await Promise.all(apps.map((app) => tokenFor(new AppAccessStore(appAccessFile(file)), app)));
  const store = new AppAccessStore(appAccessFile(file));
  expect(apps.map((app, index) => store.accepts(app, given[index] ?? ''))).toEqual(apps.map(() => true));
});

test.skipIf(process.platform === 'win32')(
  'rejects tokens of a file that others can read, and still applies revocations',
  async () => {
    const store = new AppAccessStore(appAccessFile(file));
    const token = await tokenFor(store, 'cursor');
    await store.revoke('zed');
    chmodSync(file, 0o644);
    expect(() => store.accepts('cursor', token)).toThrow('is accessible to other users');
    expect([store.isRevoked('zed'), store.isRevoked('cursor')]).toEqual([true, false]);
    expect(readFileSync(file, 'utf8')).toContain(token);
  },
);

test('keeps only the revocation of an app that was disconnected', async () => {
  const store = new AppAccessStore(appAccessFile(file), () => 7);
  for (const app of ['cursor', 'zed']) {
    await store.grant(app, true);
    await store.recordSeen(app, 6);
  }
  await store.revoke('zed');
  await store.disconnect('cursor');
  await store.disconnect('zed');
  expect(store.list()).toEqual([{ app: 'zed', since: undefined, seen: undefined, revoked: 7 }]);
});
