/** Runs what the core relies on against both vaults, a user's and a team's. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { until } from '../../support/until.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { VaultHome } from '../../core/secrets/vault-fixture.ts';
import { openVaults } from './vaults.ts';

/** Returns a function that opens the same store like another process. */
type Open = () => Promise<SecretStore>;

async function desktop(): Promise<Open> {
  const home = new VaultHome();
  onTestFinished(() => home[Symbol.dispose]());
  return () => Promise.resolve(home.open());
}

async function team(): Promise<Open> {
  const url = await teamDatabase();
  return async () => (await openVaults(url)).vaults.organization;
}

describe.for([
  ['of a user', desktop],
  ['of a team', team],
] as const)('a vault %s', ([, make]) => {
  test('another process reads written values and names, and undefined for others', async () => {
    const open = await make();
    const vault = await open();
    await vault.write('secret/B', 'value B');
    await vault.write('secret/A', 'value A');
    await vault.write('secret/A', 'value A 2');
    await vault.write('sign-in/x', 'tokens');
    const other = await open();
    expect(await other.read('secret/A')).toBe('value A 2');
    expect(await other.read('secret/C')).toBeUndefined();
    const names = await other.names('secret/');
    expect(names.map(({ name }) => name)).toEqual(['secret/A', 'secret/B']);
    expect(names.every(({ changedAt }) => Math.abs(Date.now() - changedAt) < 60_000)).toBe(true);
    expect(await other.status()).toMatchObject({ state: 'open', sealed: 0 });
  });

  test('notifies about changes of all secrets, and the masker only about servers’ secrets', async () => {
    const vault = await (await make())();
    const heard: (readonly string[])[] = [];
    let learned = 0;
    vault.changed.on((names) => heard.push(names));
    vault.learned.on(() => learned++);
    await vault.write('secret/A', 'value A');
    await vault.write('sign-in/x', 'tokens');
    expect(await vault.remove('secret/A')).toBe(true);
    expect(await vault.remove('secret/A')).toBe(false);
    await until(() => heard.length >= 3);
    expect(heard.flat()).toEqual(['secret/A', 'sign-in/x', 'secret/A']);
    // A server that still runs may have been started with it.
    expect([vault.values, learned]).toEqual([['value A'], 1]);
  });

  test('creates a missing value once across processes', async () => {
    const open = await make();
    const many = await Promise.all(Array.from({ length: 4 }, open));
    const made = await Promise.all(many.map((vault, at) => vault.ensure('audit/key', () => `made by ${at}`)));
    expect(new Set(made).size).toBe(1);
    expect(await (await open()).read('audit/key')).toBe(made[0]);
  });

  test('rejects values that are too long', async () => {
    const vault = await (await make())();
    const refused = expect.objectContaining({ code: 'not_allowed' }) as Error;
    await expect(vault.write('secret/A', 'x'.repeat(512 * 1024 + 1))).rejects.toEqual(refused);
    expect(await vault.read('secret/A')).toBeUndefined();
  });
});
