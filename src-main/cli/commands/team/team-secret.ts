/**
 * `tooltray team secret`: manages a team's secrets, encrypted in its database: the organization's and each user's own.
 */
import { parseSecretVaultKey, type SecretStore, serverSecretPrefix } from '../../../core/edition.ts';
import { Emitter } from '../../../core/base/emitter.ts';
import { formatCount } from '../../../core/base/text-format.ts';
import type { SecretOwner, TeamAdmin } from '../../../team/admin/team-admin.ts';
import type { TeamVaults } from '../../../team/secrets/team-vault.ts';
import { command, databaseFlag, jsonFlag } from '../../command.ts';
import { type AdminCommand, withTeamAdmin } from '../../team-admin.ts';
import { formatTime, oneLine, printResult, readSecret, table } from '../../terminal.ts';

export const teamSecret = command({
  actions: {
    list: { help: 'List secrets (default)' },
    set: { words: 'NAME', help: 'Set a secret; prompts for the value or reads stdin' },
    rm: { words: 'NAME', help: 'Delete a secret' },
    rotate: { help: 'Re-encrypt secrets and documents with the first team key; replicas stay online' },
  },
  usual: 'list',
  flags: {
    user: { value: 'NAME', help: 'User (default: organization secrets)' },
    database: databaseFlag,
    json: jsonFlag,
  },
  notes: [
    'In the config, ${secret:NAME} is an organization secret and ${user:NAME} a secret of the calling user.',
    'Requires TOOLTRAY_TEAM_KEYS_FILE or TOOLTRAY_TEAM_KEYS.',
  ],
  async run({ user, json, database }, [name = ''], action) {
    await withTeamAdmin(database, async ({ admin, sql, keys }) => {
      const { TeamVaults: Vaults } = await import('../../../team/secrets/team-vault.ts');
      const ring = keys.encryptionKeys('secrets');
      // A command ends before changes by others matter.
      const vaults = new Vaults({ sql, ring, changes: { changed: new Emitter() } });
      try {
        if (action === 'rotate') return await rotate({ admin, sql, keys }, vaults, json);
        const { UserStore } = await import('../../../team/users/user-store.ts');
        // Prevents storing a secret for a mistyped user name.
        const owner = user === undefined ? undefined : await new UserStore(sql).byName(user);
        const vault = owner === undefined ? vaults.organization : vaults.forUser(owner.id);
        if (action === 'set') await set(admin, { vault, user: owner }, name, json);
        else if (action === 'rm') await remove(admin, { vault, user: owner }, name, json);
        else await list(vault, user, json);
      } finally {
        vaults.close();
      }
    });
    return 0;
  },
});

async function set(admin: TeamAdmin, owner: SecretOwner, name: string, json: boolean): Promise<void> {
  const value = await readSecret(`Value of ${oneLine(name)}:`);
  await admin.setSecret(owner, name, value);
  const user = owner.user?.name;
  printResult(json, { name, user: user ?? null }, () => [oneLine(`Set ${name} for ${ownerName(user)}.`)]);
}

async function remove(admin: TeamAdmin, owner: SecretOwner, name: string, json: boolean): Promise<void> {
  const removed = await admin.removeSecret(owner, name);
  const user = owner.user?.name;
  printResult(json, { name, user: user ?? null, removed }, () => [
    oneLine(removed ? `Deleted ${name} of ${ownerName(user)}.` : `${name} of ${ownerName(user)} not found.`),
  ]);
}

async function list(vault: SecretStore, user: string | undefined, json: boolean): Promise<void> {
  const stored = await vault.names(serverSecretPrefix);
  const secrets = stored.flatMap(({ name, changedAt }) =>
    parseSecretVaultKey(name).map((one) => ({ name: one, changedAt })),
  );
  const rows = secrets.map(({ name, changedAt }) => [oneLine(name), formatTime(changedAt)]);
  printResult(json, { user: user ?? null, secrets }, () =>
    rows.length > 0
      ? table(['NAME', 'CHANGED'], rows)
      : [oneLine(`No secrets of ${ownerName(user)}. Set one with: ${vault.setWith} NAME`)],
  );
}

function ownerName(user: string | undefined): string {
  return user ?? 'the organization';
}

async function rotate({ admin, sql, keys }: AdminCommand, vaults: TeamVaults, json: boolean): Promise<void> {
  const { DocumentTable } = await import('../../../team/documents/document-table.ts');
  const rows = await admin.rotateKeys(vaults, new DocumentTable(sql, keys.encryptionKeys('documents')));
  printResult(json, { rows }, () => [
    `Re-encrypted ${formatCount(rows, 'row')} of secrets and documents. Previous keys can be removed from every replica.`,
  ]);
}
