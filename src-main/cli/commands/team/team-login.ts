/** `tooltray team login`: where people of a team are signed in to servers, and the way in and out for them. */
import { Emitter } from '../../../core/base/emitter.ts';
import { formatCount } from '../../../core/base/text-format.ts';
import type { User } from '../../../team/users/user-store.ts';
import type { VaultedSignIn, TeamSignIns } from '../../../team/oauth/team-sign-ins.ts';
import { command, databaseFlag, jsonFlag, usageError } from '../../command.ts';
import { withTeamDatabase } from '../../team-database.ts';
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
    await withTeamDatabase(database, async (sql) => {
      const { UserStore } = await import('../../../team/users/user-store.ts');
      const { id } = await new UserStore(sql).byName(user);
      await withSignIns({ sql, publicUrl }, async (signIns) => {
        if (action === 'link') {
          const link = signIns.link({ user: id, server: server ?? '' });
          printResult(json, { user, server, link }, () => [link]);
        } else if (action === 'out') {
          const left = await signIns.signOut(id, server);
          printResult(json, { user, left: left.map(shown) }, () => [oneLine(outLine(user, left, server))]);
        } else {
          const held = await signIns.list(id);
          printResult(json, { user, signIns: held.map(shown) }, () => listLines(user, held));
        }
      });
    });
    return 0;
  },
});

interface SignInsAt {
  readonly sql: Parameters<Parameters<typeof withTeamDatabase>[1]>[0];
  readonly publicUrl?: string | undefined;
}

/** For as long as `work` takes. Rejects with AppError. */
export async function withSignIns(
  { sql, publicUrl }: SignInsAt,
  work: (signIns: TeamSignIns) => Promise<void>,
): Promise<void> {
  const { TeamKeys } = await import('../../../team/documents/team-keys.ts');
  const { TeamVaults } = await import('../../../team/secrets/team-vault.ts');
  const { TeamSignIns: Opened } = await import('../../../team/oauth/team-sign-ins.ts');
  const keys = TeamKeys.fromEnv(process.env);
  // A command is over before others change something.
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
    // Nobody comes through here.
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

/** Revokes a user's sign-ins, erases all that is sealed for them, and returns the number of sign-ins. */
export async function eraseOf({ id }: Pick<User, 'id'>, at: SignInsAt): Promise<number> {
  let erased = 0;
  await withSignIns(at, async (signIns) => {
    erased = (await signIns.list(id)).length;
    await signIns.erase(id);
  });
  return erased;
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
