/** `tooltray profile`: manages named sets of servers and tools, and expiring access tokens for them. */
import { createLog } from '../../../core/base/log.ts';
import { Masker } from '../../../core/base/mask.ts';
import { auditProfileTokens, createAudit } from '../../../core/create-audit.ts';
import { ProfileService } from '../../../core/profiles/profile-service.ts';
import { profileNotFoundError } from '../../../core/profiles/profile-scope.ts';
import { openProfileTokens } from '../../../core/profiles/profile-tokens.ts';
import { openVault } from '../../../core/secrets/vault.ts';
import type { ProfileRow, ProfilesOverview, ProfileTokenRow, RpcMethods } from '../../../rpc/contract.ts';
import { cliPaths, openCliConfig } from '../../cli-config.ts';
import { command, commonFlags, readUntil } from '../../command.ts';
import { runningCoreFor } from '../../core-access.ts';
import { formatTime, oneLine, paint, printResult, table } from '../../terminal.ts';

const defaultDays = 30;

export const profile = command({
  actions: {
    list: { help: 'List profiles (default)' },
    show: { words: 'NAME', help: 'Show a profile' },
    'token list': { help: 'List tokens' },
    'token create': { words: 'NAME', help: 'Create a token for /mcp/p/NAME; shown once' },
    'token revoke': { words: 'ID', help: 'Revoke a token and end its sessions' },
  },
  usual: 'list',
  flags: {
    expires: {
      value: 'WHEN',
      isFuture: true,
      help: `Token expiry as a duration or date, at most 1 year (default ${defaultDays}d)`,
    },
    ...commonFlags,
  },
  notes: ['Profiles are defined in the configuration file under "profiles"; see docs/how-to/limit-tools.md.'],
  async run({ config, json, expires }, [stateText = ''], action) {
    await withProfileService(config, async (ask) => {
      if (action === 'token create') {
        const expiresAt = expires ?? readUntil(`${defaultDays}d`, Date.now()) ?? 0;
        const given = await ask('createProfileToken', { profile: stateText, expiresAt });
        printResult(json, given, () => issuedLines(given));
      } else if (action === 'token revoke') {
        const revoked = await ask('revokeProfileToken', { id: stateText });
        printResult(json, revoked, () => [oneLine(revoked.sentence)]);
      } else {
        const all = await ask('profiles', {});
        if (action === 'token list') printResult(json, { tokens: all.tokens }, () => tokenLines(all.tokens));
        else if (action === 'list') printResult(json, { profiles: all.profiles }, () => profileLines(all.profiles));
        else show(all, stateText, json);
      }
    });
    return 0;
  },
});

type ProfileMethod = 'profiles' | 'createProfileToken' | 'revokeProfileToken';
type Ask = <M extends ProfileMethod>(method: M, input: RpcMethods[M]['input']) => Promise<RpcMethods[M]['output']>;

/**
 * Uses the running core, so that revoking a token closes its sessions; otherwise edits the files directly, without
 * starting servers.
 */
async function withProfileService(config: string | undefined, work: (ask: Ask) => Promise<void>): Promise<void> {
  const core = await runningCoreFor(config);
  if (core === undefined) return withLocalProfileService(config, work);
  try {
    await work((method, input) => core.ask(method, input));
  } finally {
    await core.close();
  }
}

async function withLocalProfileService(config: string | undefined, work: (ask: Ask) => Promise<void>): Promise<void> {
  const store = await openCliConfig(config);
  const { dataDir } = cliPaths();
  const tokens = openProfileTokens(dataDir);
  const service = new ProfileService({ config: () => store.current, tokens, http: () => '' });
  const audit = createAudit(dataDir, openVault(dataDir, process.env), new Masker(), createLog());
  auditProfileTokens(audit, tokens);
  const handlers: {
    readonly [M in ProfileMethod]: (input: RpcMethods[M]['input']) => Promise<RpcMethods[M]['output']>;
  } = {
    profiles: async () => service.overview(),
    createProfileToken: ({ profile, expiresAt }) => service.issueToken(profile, expiresAt),
    revokeProfileToken: ({ id }) => service.revoke(id),
  };
  try {
    await work((method, input) => handlers[method](input));
  } finally {
    await audit.close();
  }
}

function show({ profiles: all, tokens }: ProfilesOverview, name: string, json: boolean): void {
  const profile = all.find((one) => one.name === name);
  const names = all.map((one) => one.name);
  if (profile === undefined) throw profileNotFoundError(name, names);
  const profileTokens = tokens.filter((token) => token.profile === name);
  printResult(json, { ...profile, tokens: profileTokens }, () => shownLines(profile, profileTokens));
}

function profileLines(all: readonly ProfileRow[]): string[] {
  if (all.length === 0) return ['No profiles. Define them in the config under "profiles".'];
  const rows = all.map((profile) => {
    const apps = profile.apps.map(({ appName }) => appName).join(', ');
    return [oneLine(profile.name), oneLine(serversText(profile)), oneLine(rulesText(profile)), oneLine(apps)];
  });
  return table(['PROFILE', 'SERVERS', 'RULES', 'APPS'], rows);
}

function shownLines(profile: ProfileRow, tokens: readonly ProfileTokenRow[]): string[] {
  const { name, apps, url } = profile;
  const assignedApps = apps.map(({ app, appName }) => `${appName} (${app})`).join(', ');
  const facts = [
    ['Servers', serversText(profile)],
    ['Rules', rulesText(profile)],
    ['Apps', assignedApps === '' ? 'none' : assignedApps],
    ['URL', url === '' ? 'not available (Tooltray is not running)' : url],
  ];
  const lines = facts.map(([label, text]) => `  ${`${label}`.padEnd(9)}${oneLine(`${text}`)}`);
  return [paint('head', oneLine(name)), ...lines, ...(tokens.length === 0 ? [] : ['', ...tokenLines(tokens)])];
}

function tokenLines(tokens: readonly ProfileTokenRow[]): string[] {
  if (tokens.length === 0) return ['No tokens yet. Create one with: tooltray profile token create NAME.'];
  const rows = tokens.map(({ id, profile, since, expiresAt, revoked, state }) => {
    const word = state === 'active' ? 'active' : paint('quiet', state);
    return [id, oneLine(profile), word, formatTime(since), formatTime(revoked ?? expiresAt)];
  });
  return table(['ID', 'PROFILE', 'STATUS', 'CREATED', 'EXPIRES'], rows);
}

function issuedLines({
  id,
  profile,
  expiresAt,
  token,
  url,
}: ProfileTokenRow & { token: string; url: string }): string[] {
  return [
    token,
    '',
    'Copy it now. It will not be shown again.',
    `It opens ${url === '' ? `/mcp/p/${profile}` : url} until ${formatTime(expiresAt)}: Authorization: Bearer <token>.`,
    `Take it back: tooltray profile token revoke ${id}`,
  ].map(oneLine);
}

function serversText({ servers }: ProfileRow): string {
  if (servers === undefined) return 'all';
  return servers.length === 0 ? 'none' : servers.join(', ');
}

function rulesText({ rules }: ProfileRow): string {
  return rules.length === 0 ? 'none' : rules.join('; ');
}
