/** The vault decrypts a value only under its name, and creates or loses no key while another may exist. */
import { readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { VaultData } from '../../../src-main/core/secrets/vault-file.ts';
import { until } from '../../support/until.ts';
import { VaultHome } from './vault-fixture.ts';

const locked = expect.objectContaining({ code: 'secret_locked' }) as Error;

test('is readable by another process, stores no plaintext and only its owner can read its file', async () => {
  using home = new VaultHome();
  await home.open().write('secret/A', 'the value of A');
  expect(await home.open().read('secret/A')).toBe('the value of A');
  expect(await home.open().read('secret/B')).toBeUndefined();
  expect(readFileSync(home.file, 'utf8')).not.toContain('the value of A');
  expect(statSync(home.file).mode & 0o777).toBe(0o600);
  expect([...home.keychain.items.values()]).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
});

test('opens a sealed value for its own name only, and not after it was modified', async () => {
  using home = new VaultHome();
  const vault = home.open();
  await vault.write('secret/A', 'value A');
  await vault.write('secret/B', 'value B');
  const data = JSON.parse(readFileSync(home.file, 'utf8')) as VaultData;
  const [a, b] = [data.entries['secret/A'], data.entries['secret/B']];
  writeFileSync(home.file, JSON.stringify({ ...data, entries: { 'secret/A': b, 'secret/B': a } }));
  await expect(home.open().read('secret/A')).rejects.toEqual(locked);
  const flipped = { ...a, sealed: `${a?.sealed.slice(0, -2)}${a?.sealed.endsWith('AA') ? 'BB' : 'AA'}` };
  writeFileSync(home.file, JSON.stringify({ ...data, entries: { 'secret/A': flipped, 'secret/B': b } }));
  await expect(home.open().read('secret/A')).rejects.toEqual(locked);
  expect(await home.open().read('secret/B')).toBe('value B');
});

test('loses nothing of concurrent writes', async () => {
  using home = new VaultHome();
  const names = Array.from({ length: 20 }, (_, at) => `secret/N${at}`);
  await Promise.all(names.map((name) => home.open().write(name, `value of ${name}`)));
  const vault = home.open();
  expect(await Promise.all(names.map((name) => vault.read(name)))).toEqual(names.map((name) => `value of ${name}`));
  // The first key is the only one.
  expect(home.keychain.items.size).toBe(1);
});

test('stores the key in a file of the user if there is no keychain, and reports it', async () => {
  using home = new VaultHome();
  home.keychain.problem = 'there is none';
  expect((await home.open().status()).sentence).toMatch(/there is no keychain \(there is none\)/);
  await home.open().write('secret/A', 'value');
  const [key = ''] = readdirSync(join(home.folder, 'secrets')).filter((name) => name.startsWith('key-'));
  expect(statSync(join(home.folder, 'secrets', key)).mode & 0o777).toBe(0o600);
  expect(await home.open().status()).toMatchObject({ state: 'open', place: 'file', sealed: 0 });
  // A later key changes nothing by itself.
  home.keychain.problem = undefined;
  expect(await home.open().read('secret/A')).toBe('value');
  await home.open().write('secret/B', 'value B');
  expect(home.keychain.writes).toBe(0);
});

test.for([
  ['gone', (home: VaultHome): void => void (home.keychain.problem = 'no D-Bus')],
  ['locked, showing nothing', (home: VaultHome): void => void (home.keychain.isHidden = true)],
  ['empty', (home: VaultHome): void => home.keychain.items.clear()],
] as const)('loses nothing and creates no new key while the keychain is %s', async ([, spoil]) => {
  using home = new VaultHome();
  await home.open().write('secret/A', 'value A');
  const [before, items] = [readFileSync(home.file, 'utf8'), [...home.keychain.items]];
  spoil(home);
  const vault = home.open();
  await expect(vault.read('secret/A')).rejects.toEqual(locked);
  await expect(vault.write('secret/B', 'value B')).rejects.toEqual(locked);
  await expect(vault.write('secret/A', 'another')).rejects.toEqual(locked);
  expect(await vault.names('secret/')).toMatchObject([{ name: 'secret/A' }]);
  expect(await vault.status()).toMatchObject({ state: 'locked', place: 'keychain', sealed: 1 });
  expect(readFileSync(home.file, 'utf8')).toBe(before);
  expect(readdirSync(join(home.folder, 'secrets'))).toEqual(['vault.json']);
  home.keychain.problem = undefined;
  home.keychain.isHidden = false;
  for (const [name, value] of items) home.keychain.items.set(name, value);
  expect(await vault.read('secret/A')).toBe('value A');
});

test('does not wait for a slow keychain, and uses it once it responds', async () => {
  using home = new VaultHome();
  await home.open().write('secret/A', 'value A');
  const dialog = Promise.withResolvers<void>();
  home.keychain.opening = dialog.promise;
  const vault = home.open();
  let opened = 0;
  vault.onOpened.on(() => opened++);
  await expect(vault.read('secret/A')).rejects.toMatchObject({
    code: 'secret_locked',
    fix: expect.stringContaining('prompt') as string,
  });
  await expect(vault.read('secret/A')).rejects.toEqual(locked);
  expect(opened).toBe(0);
  dialog.resolve();
  await until(() => opened === 1);
  expect(await vault.read('secret/A')).toBe('value A');
});

test('moves the key between places and keeps sealed values', async () => {
  using home = new VaultHome();
  await home.open().write('secret/A', 'value A');
  const sealed = readFileSync(home.file, 'utf8').match(/"sealed":"[^"]+"/)?.[0] ?? 'none';
  const words = 'correct horse battery';
  await home.open().placeKey('passphrase', words);
  expect(home.keychain.items.size).toBe(0);
  await expect(home.open().read('secret/A')).rejects.toEqual(locked);
  const vault = home.open();
  await expect(vault.unlock('another horse')).rejects.toMatchObject({ code: 'not_allowed' });
  await vault.unlock(words);
  expect(await vault.read('secret/A')).toBe('value A');
  const given = { TOOLTRAY_VAULT_PASSPHRASE: words };
  await home.open(given).placeKey('file');
  expect(await home.open().read('secret/A')).toBe('value A');
  await home.open().placeKey('keychain');
  expect(readdirSync(join(home.folder, 'secrets'))).toEqual(['vault.json']);
  expect(await home.open().read('secret/A')).toBe('value A');
  expect(readFileSync(home.file, 'utf8')).toContain(sealed);
});

test('stores the first key under a passphrase given at the start, the first line of a file', async () => {
  using home = new VaultHome();
  const file = join(home.folder, 'words');
  writeFileSync(file, 'correct horse battery\nnot this\n');
  await home.open({ TOOLTRAY_VAULT_PASSPHRASE_FILE: file }).write('secret/A', 'value A');
  expect(home.keychain.writes).toBe(0);
  expect(await home.open({ TOOLTRAY_VAULT_PASSPHRASE: 'correct horse battery' }).read('secret/A')).toBe('value A');
  unlinkSync(file);
  await expect(home.open({ TOOLTRAY_VAULT_PASSPHRASE_FILE: file }).read('secret/A')).rejects.toEqual(locked);
});

test('creates a new key only on request if the old one is missing, which still opens its own values', async () => {
  using home = new VaultHome();
  await home.open().write('secret/A', 'value A');
  home.keychain.problem = 'no D-Bus';
  await expect(home.open().placeKey('file')).rejects.toEqual(locked);
  await home.open().placeKey('file', undefined, true);
  await home.open().write('secret/B', 'value B');
  const vault = home.open();
  expect(await vault.read('secret/B')).toBe('value B');
  await expect(vault.read('secret/A')).rejects.toEqual(locked);
  expect(await vault.status()).toMatchObject({ state: 'open', place: 'file', sealed: 1 });
  home.keychain.problem = undefined;
  expect(await vault.read('secret/A')).toBe('value A');
});

test('leaves an unreadable vault unchanged', async () => {
  using home = new VaultHome();
  await home.open().write('secret/A', 'value A');
  for (const text of ['', '{"version":2}', 'half of it {']) {
    writeFileSync(home.file, text);
    await expect(home.open().read('secret/A')).rejects.toEqual(locked);
    await expect(home.open().write('secret/B', 'b')).rejects.toEqual(locked);
    expect(await home.open().status()).toMatchObject({ state: 'locked' });
    expect(readFileSync(home.file, 'utf8')).toBe(text);
  }
});

test('reports opened values before they are used, and keeps replaced ones masked', async () => {
  using home = new VaultHome();
  await home.open().write('secret/A', 'first value');
  const vault = home.open();
  const seen: (readonly string[])[] = [];
  vault.learned.on(() => seen.push(vault.values));
  await vault.read('secret/A');
  await vault.write('secret/A', 'second value');
  expect(seen[0]).toEqual(['first value']);
  expect(vault.values.toSorted()).toEqual(['first value', 'second value']);
});
