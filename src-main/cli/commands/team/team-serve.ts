/** `tooltray team serve`: runs one replica of a team until it receives a stop signal. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import packageJson from '../../../../package.json' with { type: 'json' };
import { resolveAppPaths, type Env } from '../../../core/base/app-paths.ts';
import type { CoreHost } from '../../../host/core-host.ts';
import type { ListenAddress, ReplicaOptions } from '../../../team/replica.ts';
import {
  command,
  configFlag,
  databaseFlag,
  type Flag,
  type ParsedFlags,
  modeFlag,
  flagName,
  usageError,
} from '../../command.ts';
import { bundleFile, handleSignals } from '../../process-context.ts';
import { databaseUrl } from '../../team-database.ts';

const flags = {
  config: configFlag,
  mode: modeFlag,
  background: { help: 'Write only to the log' },
  json: { help: 'Print connection details as JSON once listening' },
  database: databaseFlag,
  directDatabase: {
    value: 'URL',
    help: 'The same database without a connection pooler (default: $TOOLTRAY_DATABASE_DIRECT, then --database)',
  },
  listen: { value: 'HOST:PORT', help: 'Listen address (default 127.0.0.1:8690)' },
  publicUrl: { value: 'URL', help: 'Public URL of the team' },
  allowedHosts: { value: 'A,B', help: 'Additional allowed Host names' },
  trustedProxies: { value: 'CIDR,…', help: 'Proxies trusted for X-Forwarded-* headers' },
  issuer: { value: 'URL', help: 'OIDC issuer for sign-in (default: access tokens only)' },
  issuerAudience: { value: 'A,B', help: 'Accepted token audiences (default: public URL of /mcp)' },
  clientId: {
    value: 'ID',
    help: 'OIDC client ID for dashboard sign-in; client secret in $TOOLTRAY_OIDC_SECRET',
  },
  groupsClaim: {
    value: 'NAME',
    help: 'Claim or path with the groups of a user, e.g. realm_access.roles (default groups)',
  },
  adminGroup: { value: 'NAME', help: 'Members of this group are admins' },
  requireInvite: { help: 'Only allow sign-in of users added with `tooltray team user add --subject`' },
  ssoOnly: { help: 'Allow personal tokens for service accounts only' },
  requireAtJwt: { help: 'Only accept access tokens of type at+jwt' },
  replicaName: { value: 'NAME', help: 'Replica name (default: host name)' },
  s3: {
    value: 'S3 URL',
    help: 'Object store for large results: s3://bucket?endpoint=… (default: $TOOLTRAY_OBJECTS)',
  },
  allowUnconfined: {
    help: 'Run commands without a sandbox where none is available (they can read the keys of the replica)',
  },
  logStdout: { help: 'Also write the log to stdout as JSON lines' },
  metricsListen: { value: 'HOST:PORT', help: 'Listen address for /healthz, /readyz and /metrics' },
} as const satisfies Readonly<Record<string, Flag>>;

const defaultPort = 8690;

type ServeTeamFlags = ParsedFlags<typeof flags>;

export const teamServe = command({ flags, run: serveTeam });

/** Resolves to the exit code. Rejects with AppError. */
async function serveTeam(given: ServeTeamFlags): Promise<number> {
  const { keyVariables, Replica } = await import('../../../team/replica.ts');
  const stopped = Promise.withResolvers<void>();
  const options = replicaOptions(given, stopped.resolve);
  for (const name of keyVariables(process.env, options.objects)) delete process.env[name];
  const replica = await Replica.open(options);
  const { host } = replica;
  let isRequested = false;
  handleSignals(host, () => {
    // A second signal ends the process without waiting.
    if (isRequested) process.exit(1);
    isRequested = true;
    stopped.resolve();
  });
  let exitCode = 0;
  // The state after an unexpected error is undefined: running calls may finish, then the supervisor starts a new
  // process.
  const endAfterError = (error: unknown): void => {
    host.log.error('Unexpected error: this replica ends.', { error });
    exitCode = 1;
    stopped.resolve();
  };
  process.on('uncaughtException', endAfterError);
  process.on('unhandledRejection', endAfterError);
  try {
    await replica.listen();
    void replica.start();
    announce(host, given);
    await stopped.promise;
    await replica.drain();
  } finally {
    await replica.stop();
  }
  return exitCode;
}

function replicaOptions(given: ServeTeamFlags, onStop: () => void): ReplicaOptions {
  const { config, mode, publicUrl } = given;
  const listen = listenAt(given.listen);
  if (publicUrl !== undefined && !isWebAddress(publicUrl)) throw usageError('--public-url must be an http(s) URL');
  return {
    env: { ...process.env, TOOLTRAY_HOME: replicaFolder(process.env, listen) },
    version: packageJson.version,
    ...(config !== undefined && { configFile: resolve(config) }),
    mode,
    pageRoot: bundleFile('renderer'),
    onStop,
    logTo: { stdout: given.logStdout ? process.stdout : undefined },
    database: databaseUrl(given.database),
    directDatabase: given.directDatabase ?? (process.env['TOOLTRAY_DATABASE_DIRECT'] || undefined),
    listen,
    publicUrl,
    objects: given.s3 ?? (process.env['TOOLTRAY_OBJECTS'] || undefined),
    allowedHosts: listOf(given.allowedHosts),
    trustedProxies: listOf(given.trustedProxies),
    issuer: issuerOf(given),
    allowsUnconfined: given.allowUnconfined,
    name: given.replicaName,
    operations: given.metricsListen === undefined ? undefined : listenAt(given.metricsListen, '--metrics-listen'),
  };
}

/** Throws AppError `bad_request` if a flag of the issuer is set without `--issuer`: no user could sign in then. */
function issuerOf(given: ServeTeamFlags): ReplicaOptions['issuer'] {
  const {
    issuer,
    issuerAudience,
    groupsClaim = 'groups',
    adminGroup,
    requireInvite,
    requireAtJwt,
    ssoOnly,
    clientId,
  } = given;
  if (issuer !== undefined)
    return {
      issuer,
      clientId,
      groupsClaim,
      adminGroup,
      takesNew: !requireInvite,
      needsType: requireAtJwt,
      isSsoOnly: ssoOnly,
      audiences: listOf(issuerAudience),
    };
  const needing = [
    'issuerAudience',
    'clientId',
    'groupsClaim',
    'adminGroup',
    'requireInvite',
    'requireAtJwt',
    'ssoOnly',
  ] as const;
  const lonely = needing.find((name) => given[name] !== undefined && given[name] !== false);
  if (lonely !== undefined) throw usageError(`--${flagName(lonely)} requires --issuer`);
  return undefined;
}

/** Data folder of a replica, separate from the user's own. Two replicas on one computer use different ports. */
function replicaFolder(env: Env, { address, port }: ListenAddress): string {
  if (env['TOOLTRAY_HOME']) return env['TOOLTRAY_HOME'];
  const { dataDir } = resolveAppPaths(env, process.platform, homedir());
  return join(dataDir, 'team', `${address}_${port}`.replaceAll(/[^\w.-]/g, '_'));
}

/** Throws AppError `bad_request`. */
function listenAt(text: string | undefined, flag = '--listen'): ListenAddress {
  if (text === undefined) return { address: '127.0.0.1', port: defaultPort };
  const [, address = '', port = ''] = /^\[?([^[\]]*?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535) throw usageError(`${flag} must be HOST:PORT, e.g. 0.0.0.0:8690`);
  return { address: address === '' ? '0.0.0.0' : address, port: Number(port) };
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function listOf(text = ''): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function announce({ addresses, core }: CoreHost, { background, json }: ServeTeamFlags): void {
  const { path: config } = core.context.config;
  if (json) process.stdout.write(`${JSON.stringify({ http: addresses.http, pid: process.pid, config })}\n`);
  else if (!background)
    process.stdout.write(`A replica of the team listens at ${addresses.http}\nConfig     ${config}\n`);
}
