/** `tooltray profiles`: named sets of servers and tools, and the tokens that open one of them until a day. */
import { AppError } from '../../../core/base/errors.ts';
import type { ProfileRow, ProfileTokenRow } from '../../../rpc/contract.ts';
import { command, commonFlags, readUntil } from '../../command.ts';
import { withCore } from '../../core-access.ts';
import { moment, oneLine, paint, printAnswer, table } from '../../terminal.ts';

const usualDays = 30;

export const profiles = command({
  actions: {
    list: { help: 'the profiles there are' },
    show: { words: 'NAME', help: 'what one lets through, and who has it' },
    token: { words: 'NAME', help: 'give a token that opens /mcp/p/NAME; it is shown once' },
    tokens: { help: 'the tokens that were given, and until when' },
    revoke: { words: 'ID', help: 'take a token back; what it has open ends' },
  },
  usual: 'list',
  flags: {
    expires: {
      value: 'WHEN',
      isFuture: true,
      help: `when the token ends: 30d, 12h …, or a date, within a year (${usualDays}d)`,
    },
    ...commonFlags,
  },
  notes: ['Profiles are written in the config file, under "profiles"; docs/profiles.md tells how.'],
  async run({ config, json, expires }, [word = ''], action) {
    await withCore(config, async (core) => {
      if (action === 'token') {
        const ends = expires ?? readUntil(`${usualDays}d`, Date.now()) ?? 0;
        const given = await core.ask('giveProfileToken', { profile: word, ends });
        printAnswer(json, given, () => givenLines(given));
        return;
      }
      if (action === 'revoke') {
        const revoked = await core.ask('revokeProfileToken', { id: word });
        printAnswer(json, revoked, () => [oneLine(revoked.sentence)]);
        return;
      }
      const all = await core.ask('profiles', {});
      if (action === 'tokens') printAnswer(json, { tokens: all.tokens }, () => tokenLines(all.tokens));
      else if (action === 'list') printAnswer(json, { profiles: all.profiles }, () => profileLines(all.profiles));
      else {
        const profile = all.profiles.find(({ name }) => name === word);
        if (profile === undefined) throw noProfile(word, all.profiles);
        const tokens = all.tokens.filter((token) => token.profile === word);
        printAnswer(json, { ...profile, tokens }, () => shownLines(profile, tokens));
      }
    });
    return 0;
  },
});

function profileLines(all: readonly ProfileRow[]): string[] {
  if (all.length === 0) return ['There are no profiles. They are written in the config file, under "profiles".'];
  const rows = all.map((profile) => {
    const apps = profile.apps.map(({ appName }) => appName).join(', ');
    return [oneLine(profile.name), oneLine(serversText(profile)), oneLine(rulesText(profile)), oneLine(apps)];
  });
  return table(['PROFILE', 'SERVERS', 'RULES', 'APPS'], rows);
}

function shownLines(profile: ProfileRow, tokens: readonly ProfileTokenRow[]): string[] {
  const { name, apps, url } = profile;
  const held = apps.map(({ app, appName }) => `${appName} (${app})`).join(', ');
  const facts = [
    ['Servers', serversText(profile)],
    ['Rules', rulesText(profile)],
    ['Apps', held === '' ? 'none is held to it' : held],
    ['Address', url === '' ? 'none: Tooltray is not running' : url],
  ];
  const lines = facts.map(([label, text]) => `  ${`${label}`.padEnd(9)}${oneLine(`${text}`)}`);
  return [paint('head', oneLine(name)), ...lines, ...(tokens.length === 0 ? [] : ['', ...tokenLines(tokens)])];
}

function tokenLines(tokens: readonly ProfileTokenRow[]): string[] {
  if (tokens.length === 0) return ['No token was given. One is given with: tooltray profiles token NAME.'];
  const rows = tokens.map(({ id, profile, since, ends, revoked, state }) => {
    const word = state === 'in force' ? 'in force' : paint('quiet', state);
    return [id, oneLine(profile), word, moment(since), moment(revoked ?? ends)];
  });
  return table(['ID', 'PROFILE', 'STATE', 'GIVEN', 'ENDS'], rows);
}

function givenLines({ id, profile, ends, token, url }: ProfileTokenRow & { token: string; url: string }): string[] {
  return [
    token,
    '',
    'It is shown this once and kept nowhere.',
    `It opens ${url === '' ? `/mcp/p/${profile}` : url} until ${moment(ends)}: Authorization: Bearer <token>.`,
    `Take it back: tooltray profiles revoke ${id}`,
  ].map(oneLine);
}

function serversText({ servers }: ProfileRow): string {
  if (servers === undefined) return 'all';
  return servers.length === 0 ? 'none' : servers.join(', ');
}

function rulesText({ rules }: ProfileRow): string {
  return rules.length === 0 ? 'none' : rules.join('; ');
}

function noProfile(name: string, all: readonly ProfileRow[]): AppError {
  return new AppError('not_found', `There is no profile named ${JSON.stringify(name)}.`, {
    fix: all.length === 0 ? 'There are none.' : `There are: ${all.map((one) => one.name).join(', ')}.`,
  });
}
