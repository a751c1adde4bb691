/** `tooltray user`: a team's people and service accounts, and what their groups give. */
import { count } from '../../../core/base/wording.ts';
import { everything } from '../../../core/profiles/profile-scope.ts';
import type { User } from '../../../team/people/people.ts';
import { command, jsonFlag, wrongUse } from '../../command.ts';
import { tenantFlags, withTenant } from '../../team-database.ts';
import { oneLine, paint, printAnswer, table } from '../../terminal.ts';

export const user = command({
  actions: {
    list: { help: 'who there is' },
    add: { words: 'NAME', help: 'let somebody in; a token or a sign-in is theirs then' },
    off: { words: 'NAME', help: 'nobody comes in as them any more, and what they have open ends' },
    on: { words: 'NAME', help: 'they may again' },
    role: { words: 'NAME ROLE', help: 'admin or member' },
    groups: { words: 'NAME [GROUP …]', help: 'the groups that they are in from now on' },
    grant: {
      words: 'GROUP [PROFILE]',
      help: 'a group gives that profile, or without one everything; `everyone` is a group, too',
    },
    ungrant: { words: 'GROUP [PROFILE]', help: 'it gives that no more, or without a profile nothing' },
  },
  usual: 'list',
  flags: {
    email: { value: 'ADDRESS', help: 'with add: shown beside the name; nobody signs in by it' },
    issuer: { value: 'URL', help: 'with add and --subject: the OIDC issuer where they sign in' },
    subject: { value: 'ID', help: 'with add and --issuer: who they are there (the claim sub)' },
    role: { value: 'ROLE', help: 'with add: admin or member (member)' },
    group: { value: 'NAME', many: true, help: 'with add: a group they are in' },
    service: { help: 'with add: a program’s account, as which nobody signs in' },
    erase: { help: 'with off: what they signed in to is signed out there, and their secrets are erased' },
    ...tenantFlags,
    json: jsonFlag,
  },
  notes: [
    'With --erase the team’s keys are needed, as replicas take them.',
    'Profiles are written in the config. Grants of several groups add up; who is in none has what `everyone` gives, which is nothing until it is granted.',
  ],
  async run({ email, issuer, subject, role, group, service, erase, json, ...where }, [word = '', ...more], action) {
    await withTenant(where, async (sql, tenant) => {
      const { People } = await import('../../../team/people/people.ts');
      const people = new People(sql, tenant);
      const tell = (changed: User): void => printAnswer(json, changed, () => [line(changed).join('  ')]);
      if (action === 'list') {
        const [users, given] = await Promise.all([people.list(), people.grants()]);
        const groups = Object.fromEntries(given);
        printAnswer(json, { users, groups }, () => listLines(users, groups));
      } else if (action === 'grant' || action === 'ungrant') {
        if (action === 'grant') await people.grant(word, more[0] ?? everything);
        else await people.ungrant(word, more[0]);
        const profiles = (await people.grants()).get(word) ?? [];
        printAnswer(json, { group: word, profiles }, () => [grantLine(word, profiles)]);
      } else if (action === 'add') {
        const identity = identityOf(issuer, subject);
        tell(
          await people.add({ name: word, email, role: readRole(role), groups: group, isService: service, identity }),
        );
      } else if (action === 'role') tell(await people.change(word, { role: readRole(more[0]) ?? 'member' }));
      else if (action === 'groups') tell(await people.change(word, { groups: more }));
      else {
        if (erase && action !== 'off') throw wrongUse('--erase goes with off');
        const changed = await people.change(word, { isOff: action === 'off' });
        if (!erase) return tell(changed);
        const { eraseOf } = await import('./team-sign-in.ts');
        const signIns = await eraseOf(changed, { sql, tenant });
        printAnswer(json, { ...changed, signedOut: signIns }, () => [
          line(changed).join('  '),
          `Signed out of ${count(signIns, 'server')}; nothing sealed of theirs is kept.`,
        ]);
      }
    });
    return 0;
  },
});

/** Throws AppError bad_request for one without the other. */
function identityOf(
  issuer: string | undefined,
  subject: string | undefined,
): { readonly issuer: string; readonly subject: string } | undefined {
  if (issuer !== undefined && subject !== undefined) return { issuer, subject };
  if (issuer !== undefined || subject !== undefined) throw wrongUse('--issuer and --subject go together');
  return undefined;
}

/** Throws AppError bad_request. */
function readRole(text: string | undefined): User['role'] | undefined {
  if (text === undefined || text === 'admin' || text === 'member') return text;
  throw wrongUse('A role is admin or member');
}

function listLines(users: readonly User[], grants: Readonly<Record<string, readonly string[]>>): string[] {
  if (users.length === 0) return ['There is nobody yet. Somebody is let in with: tooltray user add NAME.'];
  const groups = Object.entries(grants).map(([group, profiles]) => grantLine(group, profiles));
  return [...table(['NAME', 'ROLE', 'STATE', 'GROUPS', 'EMAIL'], users.map(line)), ...groups];
}

function grantLine(group: string, profiles: readonly string[]): string {
  const what = profiles.includes(everything) ? 'everything' : profiles.join(', ');
  return oneLine(`The group ${group} gives ${what === '' ? 'nothing' : what}.`);
}

function line({ name, role, isService, isOff, groups, email }: User): string[] {
  const kind = isService ? `${role}, service` : role;
  const state = isOff ? paint('quiet', 'off') : 'on';
  return [oneLine(name), kind, state, oneLine(groups.join(', ')), oneLine(email ?? '')];
}
