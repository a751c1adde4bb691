/** A vault for unrelated tests: its key is in a file, and the system keychain is not used. */
import { join } from 'node:path';
import { Vault } from '../../src-main/core/secrets/vault.ts';

const none = (): Promise<never> => Promise.reject(new Error('there is none'));

export function plainVault(folder: string): Vault {
  return new Vault({ folder: join(folder, 'secrets'), env: {}, keychain: { read: none, write: none, remove: none } });
}

/** Its contents as text. */
export async function storedIn(vault: Vault): Promise<string> {
  const names = await vault.names('');
  return (await Promise.all(names.map(({ name }) => vault.read(name)))).join('\n');
}
