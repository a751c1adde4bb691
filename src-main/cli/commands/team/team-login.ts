/** `tooltray team login`: lists which servers a team's users are signed in to; signs them in and out. */
import { Emitter } from '../../../core/base/emitter.ts';
import { formatCount } from '../../../core/base/text-format.ts';
import type { VaultedSignIn, TeamSignIns } from '../../../team/oauth/team-sign-ins.ts';
import { command, databaseFlag, jsonFlag, usageError } from '../../command.ts';
import { type AdminCommand, withTeamAdmin } from '../../team-admin.ts';
import { formatTime, oneLine, printResult, table } from '../../terminal.ts';

export const teamLogin = command({
  actions: {
    list: { help: 'List sign-ins of a user (default)' },
    link: {
      words: 'SERVER',
      help: 'Create a sign-in link for a user (valid 15 minutes)',
    },
    out: { words: '[SERVER]', help: 'Sign the user out of a server, or of all servers, and revoke tokens' },
  },
  usual: 'list',
  flags: {
    user: { value: 'NAME', help: 'User' },
    publicUrl: { value: 'URL', help: 'link: public URL of the team' },
    database: databaseFlag,
    json: jsonFlag,
  },
  notes: ['Requires TOOLTRAY_TEAM_KEYS_FILE or TOOLTRAY_TEAM_KEYS.'],
  async run({ user, publicUrl, json, database }, [server], action) {
    if (user === undefined) throw usageError('--user is required');
    await withTeamAdmin(database, async ({ admin, sql, keys }) => {
      const { UserStore } = await import('../../../team/users/user-store.ts');
      const found = await new UserStore(sql).byName(user);
      await withSignIns({ sql, keys, publicUrl }, async (signIns) => {
        if (action === 'link') {
          const link = await admin.createSignInLink(signIns, found, server ?? '');
          printResult(json, { user, server, link }, () => [link]);
        } else if (action === 'out') {
          const left = await admin.signOut(signIns, found, server);
          printResult(json, { user, left: left.map(shown) }, () => [oneLine(outLine(user, left, server))]);
        } else {
          const held = await signIns.list(found.id);
          printResult(json, { user, signIns: held.map(shown) }, () => listLines(user, held));
        }
      });
    });
    return 0;
  },
});

interface SignInsAt {
  readonly sql: AdminCommand['sql'];
  readonly keys: AdminCommand['keys'];
  readonly publicUrl?: string | undefined;
}

/** Opens the sign-ins while `work` runs. Rejects with AppError. */
export async function withSignIns(
  { sql, keys, publicUrl }: SignInsAt,
  work: (signIns: TeamSignIns) => Promise<void>,
): Promise<void> {
  const { TeamVaults } = await import('../../../team/secrets/team-vault.ts');
  const { TeamSignIns: Opened } = await import('../../../team/oauth/team-sign-ins.ts');
  // A command ends before changes by others matter.
  const vaults = new TeamVaults({
    sql,
    ring: keys.encryptionKeys('secrets'),
    changes: { changed: new Emitter() },
  });
  const signIns = new Opened({
    vaults,
    ring: keys.encryptionKeys('sign-ins'),
    env: process.env,
    now: Date.now,
    publicUrl: () => {
      if (publicUrl !== undefined) return publicUrl;
      throw usageError('--public-url is required');
    },
    // Unused by this command.
    server: () => undefined,
    nameOf: () => Promise.resolve(undefined),
  });
  try {
    await work(signIns);
  } finally {
    signIns.close();
    vaults.close();
  }
}

function shown({ server, account, issuer, grantedAt }: VaultedSignIn): object {
  return { server, account: account ?? null, issuer: issuer ?? null, since: grantedAt ?? null };
}

function outLine(user: string, left: readonly VaultedSignIn[], server: string | undefined): string {
  if (left.length === 0) return `${user} is not signed in ${server === undefined ? 'anywhere' : `to ${server}`}.`;
  return `${user} is signed out of ${formatCount(left.length, 'server')}: ${left.map((one) => one.server).join(', ')}.`;
}

function listLines(user: string, held: readonly VaultedSignIn[]): string[] {
  if (held.length === 0) return [oneLine(`No sign-ins for ${user}.`)];
  const rows = held.map(({ server, account = '', issuer = '', grantedAt }) => [
    ...[oneLine(server), oneLine(account), oneLine(issuer)],
    grantedAt === undefined ? '' : formatTime(grantedAt),
  ]);
  return table(['SERVER', 'ACCOUNT', 'ISSUER', 'SINCE'], rows);
}
