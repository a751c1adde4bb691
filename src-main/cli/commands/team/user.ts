/** `tooltray team user`: manages a team's users and service accounts, and shows the rights from their groups. */
import { everything } from '../../../core/edition.ts';
import { formatCount } from '../../../core/base/text-format.ts';
import type { User } from '../../../team/users/user-store.ts';
import { command, databaseFlag, jsonFlag, usageError } from '../../command.ts';
import { withTeamAdmin } from '../../team-admin.ts';
import { withTeamDatabase } from '../../team-database.ts';
import { oneLine, paint, printResult, table } from '../../terminal.ts';

export const user = command({
  actions: {
    list: { help: 'List users' },
    add: { words: 'NAME', help: 'Add a user' },
    suspend: { words: 'NAME', help: 'Suspend a user and end their sessions' },
    restore: { words: 'NAME', help: 'Restore a suspended user' },
    delete: { words: 'NAME', help: 'Suspend a user, revoke their sign-ins, and delete their secrets' },
    role: { words: 'NAME ROLE', help: 'Set the role: admin or member' },
    groups: { words: 'NAME [GROUP …]', help: 'Set the groups of a user' },
    grant: {
      words: 'GROUP [PROFILE]',
      help: 'Grant a profile to a group (default: all tools); `everyone` contains all users',
    },
    ungrant: { words: 'GROUP [PROFILE]', help: 'Revoke a profile from a group (default: all grants)' },
  },
  usual: 'list',
  flags: {
    email: { value: 'ADDRESS', help: 'add: email address, for display only' },
    issuer: { value: 'URL', help: 'add: OIDC issuer of the user (with --subject)' },
    subject: { value: 'ID', help: 'add: subject of the user at the issuer (claim sub)' },
    role: { value: 'ROLE', help: 'add: admin or member (default member)' },
    group: { value: 'NAME', many: true, help: 'add: group (repeatable)' },
    service: { help: 'add: create a service account' },
    database: databaseFlag,
    json: jsonFlag,
  },
  notes: [
    'Changes require TOOLTRAY_TEAM_KEYS_FILE or TOOLTRAY_TEAM_KEYS, and are in the audit log.',
    'Profiles are defined in the config. Grants of several groups add up; `everyone` grants nothing by default.',
  ],
  async run({ email, issuer, subject, role, group, service, json, database }, [word = '', ...more], action) {
    if (action === 'list') return list(database, json);
    const print = (changed: User): void => printResult(json, changed, () => [line(changed).join('  ')]);
    await withTeamAdmin(database, async ({ admin, sql, keys }) => {
      if (action === 'grant' || action === 'ungrant') {
        if (action === 'grant') await admin.grant(word, more[0] ?? everything);
        else await admin.ungrant(word, more[0]);
        const { UserStore } = await import('../../../team/users/user-store.ts');
        const profiles = (await new UserStore(sql).grants()).get(word) ?? [];
        printResult(json, { group: word, profiles }, () => [grantLine(word, profiles)]);
      } else if (action === 'add') {
        const identity = identityOf(issuer, subject);
        print(
          await admin.addUser({ name: word, email, role: readRole(role), groups: group, isService: service, identity }),
        );
      } else if (action === 'role') print(await admin.setRole(word, readRole(more[0]) ?? 'member'));
      else if (action === 'groups') print(await admin.setGroups(word, more));
      else if (action !== 'delete') print(await admin.setSuspended(word, action === 'suspend'));
      else {
        const { withSignIns } = await import('./team-login.ts');
        await withSignIns({ sql, keys }, async (open) => {
          const { user: deleted, signIns } = await admin.deleteUser(word, open);
          printResult(json, { ...deleted, signedOut: signIns }, () => [
            line(deleted).join('  '),
            `Signed out of ${formatCount(signIns, 'server')}; their secrets are deleted.`,
          ]);
        });
      }
    });
    return 0;
  },
});

async function list(database: string | undefined, json: boolean): Promise<number> {
  const { UserStore } = await import('../../../team/users/user-store.ts');
  await withTeamDatabase(database, async (sql) => {
    const userStore = new UserStore(sql);
    const [users, given] = await Promise.all([userStore.list(), userStore.grants()]);
    const groups = Object.fromEntries(given);
    printResult(json, { users, groups }, () => listLines(users, groups));
  });
  return 0;
}

/** Throws AppError `bad_request` if only one of them is given. */
function identityOf(
  issuer: string | undefined,
  subject: string | undefined,
): { readonly issuer: string; readonly subject: string } | undefined {
  if (issuer !== undefined && subject !== undefined) return { issuer, subject };
  if (issuer !== undefined || subject !== undefined) throw usageError('--issuer and --subject go together');
  return undefined;
}

/** Throws AppError `bad_request`. */
function readRole(text: string | undefined): User['role'] | undefined {
  if (text === undefined || text === 'admin' || text === 'member') return text;
  throw usageError('Role must be admin or member');
}

function listLines(users: readonly User[], grants: Readonly<Record<string, readonly string[]>>): string[] {
  if (users.length === 0) return ['No users yet. Add one with: tooltray team user add NAME.'];
  const groups = Object.entries(grants).map(([group, profiles]) => grantLine(group, profiles));
  return [...table(['NAME', 'ROLE', 'STATUS', 'GROUPS', 'EMAIL'], users.map(line)), ...groups];
}

function grantLine(group: string, profiles: readonly string[]): string {
  const what = profiles.includes(everything) ? 'everything' : profiles.join(', ');
  return oneLine(`The group ${group} grants ${what === '' ? 'nothing' : what}.`);
}

function line({ name, role, isService, isSuspended, groups, email }: User): string[] {
  const kind = isService ? `${role}, service` : role;
  const state = isSuspended ? paint('quiet', 'suspended') : 'active';
  return [oneLine(name), kind, state, oneLine(groups.join(', ')), oneLine(email ?? '')];
}
