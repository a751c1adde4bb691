/** The vault's key for the record of approved config (config/accepted-record.ts). */
import { randomBytes } from 'node:crypto';
import type { RecordKey } from '../config/accepted-record.ts';
import type { SecretStore } from './secret-store.ts';

const name = 'config/acceptance';

export function acceptanceKey(vault: SecretStore): RecordKey {
  return {
    exists: async () => (await vault.names(name)).length > 0,
    read: () => vault.read(name),
    ensure: () => vault.ensure(name, () => randomBytes(32).toString('base64url')),
  };
}
