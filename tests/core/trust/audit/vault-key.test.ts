/** The audit key in the vault: nothing is lost while it cannot be read. */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { AuditKeys, VaultKey } from '../../../../src-main/core/trust/audit/audit-keys.ts';
import { verifyLog } from '../../../../src-main/core/trust/audit/verify-audit-log.ts';
import { FileAuditLog } from '../../../../src-main/core/trust/audit/audit-segments.ts';
import { ScriptedKeychain } from '../../secrets/vault-fixture.ts';
import { Vault } from '../../../../src-main/core/secrets/vault.ts';
import { until } from '../../../support/until.ts';
import { call, decision, linesOf, openAudit, openFolder } from './fixture.ts';

function vaultIn(folder: string, keychain = new ScriptedKeychain()): Vault {
  return new Vault({ folder: join(folder, 'secrets'), env: {}, keychain, graceMs: 50 });
}

test('creates the key in the vault and in no file, and signs the decisions that wait for it', async () => {
  using open = openFolder();
  const vault = vaultIn(open.folder);
  const audit = openAudit(open.folder, { keys: new VaultKey(vault) });
  const digest = audit.digest('said before the key was there');
  audit.note(call({ arguments: digest }));
  await audit.close();
  expect(existsSync(join(open.folder, 'key'))).toBe(false);
  const keys = await AuditKeys.inVault(vault);
  expect(linesOf(open.folder).join('\n')).toContain(keys?.digest('said before the key was there').hmac);
  expect(await verifyLog({ log: new FileAuditLog(open.folder), ownKey: keys?.publicKey })).toMatchObject({
    holds: true,
    unsigned: 0,
  });
});

test('writes unsigned records while the vault is locked, and signs them once it opens', async () => {
  using open = openFolder();
  const keychain = new ScriptedKeychain();
  const first = openAudit(open.folder, { keys: new VaultKey(vaultIn(open.folder, keychain)) });
  first.note(decision());
  await first.close();
  const dialog = Promise.withResolvers<void>();
  keychain.opening = dialog.promise;
  const vault = vaultIn(open.folder, keychain);
  const audit = openAudit(open.folder, { keys: new VaultKey(vault) });
  audit.note(decision({ id: 'while locked' }));
  await until(() => linesOf(open.folder).some((line) => line.includes('while locked')));
  expect(linesOf(open.folder).at(-1)).not.toContain('"sig"');
  dialog.resolve();
  await until(() => linesOf(open.folder).at(-1)?.includes('"sig"') === true);
  await audit.close();
  const ownKey = (await AuditKeys.inVault(vault))?.publicKey;
  expect(await verifyLog({ log: new FileAuditLog(open.folder), ownKey })).toMatchObject({
    holds: true,
    unsigned: 0,
    keys: [ownKey],
  });
});

test('verifies a log whose key is locked, and reports what is unknown', async () => {
  using open = openFolder();
  const vault = vaultIn(open.folder);
  const audit = openAudit(open.folder, { keys: new VaultKey(vault) });
  audit.note(decision());
  await audit.close();
  renameSync(join(open.folder, 'secrets'), join(open.folder, 'away'));
  const told = await verifyLog({ log: new FileAuditLog(open.folder), ownKey: undefined, isLocked: true });
  expect(told).toMatchObject({ holds: true, notes: [expect.stringContaining('vault is locked')] });
});
