/** `tooltray team token`: manages personal access tokens of a team's users; each is shown once. */
import type { AccessToken } from '../../../team/users/access-tokens.ts';
import { command, databaseFlag, jsonFlag, readUntil } from '../../command.ts';
import { withTeamAdmin } from '../../team-admin.ts';
import { withTeamDatabase } from '../../team-database.ts';
import { formatTime, oneLine, paint, printResult, table } from '../../terminal.ts';

const defaultDays = 30;

export const token = command({
  actions: {
    list: { words: '[USER]', help: 'List tokens of a user or of all users' },
    create: { words: 'USER', help: 'Create a token; shown once' },
    revoke: { words: 'ID', help: 'Revoke a token and end its sessions' },
  },
  usual: 'list',
  flags: {
    label: { value: 'TEXT', help: 'create: name of the token, e.g. the app' },
    profile: { value: 'NAME', help: 'create: limit to a profile' },
    readOnly: { help: 'create: limit to read-only tools' },
    expires: {
      value: 'WHEN',
      isFuture: true,
      help: `create: expiry as a duration or date, at most 30 days, for service accounts 1 year (default ${defaultDays}d)`,
    },
    database: databaseFlag,
    json: jsonFlag,
  },
  notes: [
    'Use one token per app, so tokens can be revoked independently.',
    'Changes require TOOLTRAY_TEAM_KEYS_FILE or TOOLTRAY_TEAM_KEYS, and are in the audit log.',
  ],
  async run({ label = '', profile, readOnly, expires, json, database }, [word], action) {
    if (action === 'list') {
      const { AccessTokenStore } = await import('../../../team/users/access-tokens.ts');
      const all = await withTeamDatabase(database, (sql) => new AccessTokenStore(sql).list(word));
      printResult(json, { tokens: all }, () => listLines(all));
      return 0;
    }
    await withTeamAdmin(database, async ({ admin }) => {
      if (action === 'create') {
        const expiresAt = expires ?? readUntil(`${defaultDays}d`, Date.now()) ?? 0;
        const given = await admin.createToken({ user: word ?? '', label, profile, readOnly, expiresAt });
        printResult(json, given, () => createdLines(given));
      } else {
        const revoked = await admin.revokeToken(word ?? '');
        printResult(json, revoked, () => [oneLine(`Revoked token ${revoked.id} of ${revoked.user}.`)]);
      }
    });
    return 0;
  },
});

function createdLines({ id, token: secret, expiresAt }: AccessToken & { readonly token: string }): string[] {
  return [
    secret,
    '',
    'Copy it now. It will not be shown again.',
    `It opens the team’s /mcp until ${formatTime(expiresAt.getTime())}: Authorization: Bearer <token>.`,
    `Take it back: tooltray team token revoke ${id}`,
  ].map(oneLine);
}

function listLines(tokens: readonly AccessToken[]): string[] {
  if (tokens.length === 0) return ['No token exists. Create one: tooltray team token create USER.'];
  const rows = tokens.map((one) => [
    ...[one.id, oneLine(one.user), oneLine(one.label), stateOf(one), scopeOf(one), formatTime(one.expiresAt.getTime())],
    one.lastUsedAt === null ? 'never' : formatTime(one.lastUsedAt.getTime()),
  ]);
  return table(['ID', 'USER', 'NAME', 'STATUS', 'SCOPE', 'EXPIRES', 'LAST USED'], rows);
}

function stateOf({ revokedAt, expiresAt }: AccessToken): string {
  if (revokedAt !== null) return paint('quiet', 'revoked');
  return expiresAt.getTime() <= Date.now() ? paint('quiet', 'expired') : 'active';
}

function scopeOf({ profile, readOnly }: AccessToken): string {
  const words = [...(profile === null ? [] : [profile]), ...(readOnly ? ['read-only'] : [])];
  return oneLine(words.length === 0 ? 'all' : words.join(', '));
}
