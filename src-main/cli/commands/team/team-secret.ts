/** `tooltray team-secret`: secrets of a team, sealed in its database: the organisation's, and of each user their own. */
import { Event } from '../../../core/base/events.ts';
import { count } from '../../../core/base/wording.ts';
import { secretOfName, vaultName } from '../../../core/secrets/fill-secrets.ts';
import { checkSecret } from '../../../core/secrets/secret-desk.ts';
import { ofServers, type SecretStore } from '../../../core/secrets/secret-store.ts';
import type { TeamVaults } from '../../../team/secrets/team-vault.ts';
import { command, jsonFlag } from '../../command.ts';
import { tenantFlags, withTenant } from '../../team-database.ts';
import { moment, oneLine, printAnswer, readSecret, table } from '../../terminal.ts';

export const teamSecret = command({
  actions: {
    list: { help: 'List secrets (default)' },
    set: { words: 'NAME', help: 'Set a secret; prompts for the value or reads stdin' },
    rm: { words: 'NAME', help: 'Delete a secret' },
    rotate: { help: 'Re-encrypt all secrets with the first team key; replicas stay online' },
  },
  usual: 'list',
  flags: {
    user: { value: 'NAME', help: 'User (default: organization secrets)' },
    ...tenantFlags,
    json: jsonFlag,
  },
  notes: [
    'In the config, ${secret:NAME} is an organization secret and ${user:NAME} a secret of the calling user.',
    'Requires TOOLTRAY_TEAM_KEYS_FILE or TOOLTRAY_TEAM_KEYS.',
  ],
  async run({ user, json, ...where }, [name = ''], action) {
    await withTenant(where, async (sql, tenant) => {
      const { TeamKeys } = await import('../../../team/records/team-keys.ts');
      const { TeamVaults: Vaults } = await import('../../../team/secrets/team-vault.ts');
      const ring = TeamKeys.fromEnv(process.env).sealing(tenant, 'secrets');
      // A command is over before others change something.
      const vaults = new Vaults({ tenant, sql, ring, changes: { changed: new Event() } });
      try {
        if (action === 'rotate') return await rotate(vaults, json);
        const { People } = await import('../../../team/people/people.ts');
        // A mistyped name would keep something that nobody is ever given.
        const owner = user === undefined ? undefined : (await new People(sql, tenant).named(user)).id;
        const vault = owner === undefined ? vaults.organisation : vaults.of(owner);
        if (action === 'set') await set(vault, name, user, json);
        else if (action === 'rm') await remove(vault, name, user, json);
        else await list(vault, user, json);
      } finally {
        vaults.close();
      }
    });
    return 0;
  },
});

async function set(vault: SecretStore, name: string, user: string | undefined, json: boolean): Promise<void> {
  const value = await readSecret(`Value of ${oneLine(name)}:`);
  checkSecret(name, value);
  await vault.write(vaultName(name), value);
  printAnswer(json, { name, user: user ?? null }, () => [oneLine(`${name} of ${whose(user)} is kept.`)]);
}

async function remove(vault: SecretStore, name: string, user: string | undefined, json: boolean): Promise<void> {
  const removed = await vault.remove(vaultName(name));
  printAnswer(json, { name, user: user ?? null, removed }, () => [
    oneLine(removed ? `${name} of ${whose(user)} is forgotten.` : `There was no ${name} of ${whose(user)}.`),
  ]);
}

async function list(vault: SecretStore, user: string | undefined, json: boolean): Promise<void> {
  const kept = await vault.names(ofServers);
  const secrets = kept.flatMap(({ name, changedAt }) => secretOfName(name).map((one) => ({ name: one, changedAt })));
  const rows = secrets.map(({ name, changedAt }) => [oneLine(name), moment(changedAt)]);
  printAnswer(json, { user: user ?? null, secrets }, () =>
    rows.length > 0
      ? table(['NAME', 'CHANGED'], rows)
      : [oneLine(`Nothing of ${whose(user)} is kept. Keep something: ${vault.setWith} NAME`)],
  );
}

function whose(user: string | undefined): string {
  return user ?? 'the organisation';
}

async function rotate(vaults: TeamVaults, json: boolean): Promise<void> {
  const rows = await vaults.rotate();
  printAnswer(json, { rows }, () => [
    `${count(rows, 'secret')} sealed anew. The team’s other keys open none of them any more; documents may still need them.`,
  ]);
}
