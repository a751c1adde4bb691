/**
 * `npm run team`: starts a whole team on this computer: PostgreSQL, an S3 store and an OIDC provider from npm, three
 * replicas, and a load balancer if HAProxy is installed. Prints the URL, the users, and what to try; Ctrl+C stops all
 * of it. `--fresh` starts over, `--port N` and `--data DIR` change the port and the folder. Not for real users.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ended } from './engines/ended.ts';
import { hasHaproxy, startHaproxy } from './engines/haproxy.ts';
import { startOidc } from './engines/oidc.ts';
import { startPostgres } from './engines/postgres.ts';
import { startObjects } from './engines/s3.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cli = join(root, 'dist/cli.js');
const usualPort = 8700;
const usage = `Usage: npm run team -- [--fresh] [--port N] [--data DIR]

Runs a team on this machine: PostgreSQL, an object store, an OIDC provider, three replicas, and HAProxy if it is
installed. Ctrl+C stops all of it.

  --fresh    Start with empty data
  --port N   First port (default ${usualPort})
  --data DIR Folder of the data (default .cache/team)
  -h, --help Show this help`;
const replicas = 3;
/** Client ID of the dashboard. */
const clientId = 'tooltray';
const people = [
  { name: 'ana', role: 'admin', groups: ['platform'] },
  { name: 'ben', role: 'member', groups: ['sales'] },
] as const;

/** Environment of replicas and commands. */
type Team = Readonly<Record<string, string>>;

/** Time for what runs to end by itself after Ctrl+C, in ms. */
const endMs = 1_000;

const { port, fresh, home } = words();
/** Functions that stop what was started, called in reverse order. */
const ends: (() => Promise<void>)[] = [];
/** The replicas. */
const running: ChildProcess[] = [];

let isEnding = false;
process.on('SIGINT', () => void end(0));
process.on('SIGTERM', () => void end(0));
try {
  await start();
} catch (error) {
  console.error(`team: ${(error as Error).message}`);
  await end(1);
}

function words(): { readonly port: number; readonly fresh: boolean; readonly home: string } {
  try {
    const flag = { type: 'boolean', default: false } as const;
    const text = { type: 'string' } as const;
    const options = { port: text, data: text, fresh: flag, help: { ...flag, short: 'h' } } as const;
    const { values } = parseArgs({ options });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const home = resolve(values.data ?? join(root, '.cache/team'));
    return { port: Number(values.port ?? usualPort), fresh: values.fresh, home };
  } catch (error) {
    console.error(`team: ${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

async function start(): Promise<void> {
  if (fresh) rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const isBalanced = hasHaproxy();
  const ports = Array.from({ length: replicas }, (_, at) => port + 1 + at);
  const publicUrl = `http://127.0.0.1:${isBalanced ? port : ports[0]}`;

  const cluster = await startPostgres({ folder: join(home, 'postgres'), port: port + 90 });
  ends.push(() => cluster.stop());
  const objects = await startObjects({ folder: join(home, 'objects'), port: port + 91 });
  ends.push(() => objects.stop());
  const scopes = ['tools:read', 'tools:call'];
  const secret = randomBytes(32).toString('base64url');
  const client = { id: clientId, secret, redirect: `${publicUrl}/session/callback` };
  const provider = await startOidc({ people, audience: `${publicUrl}/mcp`, scopes, port: port + 92, client });
  ends.push(() => provider.stop());

  const team = {
    TOOLTRAY_DATABASE: cluster.url,
    TOOLTRAY_TEAM_KEYS_FILE: keysFile(),
    TOOLTRAY_OIDC_SECRET: secret,
    TOOLTRAY_OBJECTS: objects.address,
    ...objects.env,
  };
  tooltray(team, 'team', 'migrate');
  // For the trial, all users have access to everything.
  tooltray(team, 'team', 'user', 'grant', 'everyone');
  const tokens = givenTokens(team, provider.issuer);
  const config = join(home, 'config');
  if (!existsSync(config)) writeConfig(config);
  const told = { publicUrl, config, issuer: provider.issuer };
  for (const [index, at] of ports.entries()) await startReplica(team, { name: `r${index + 1}`, at }, told);
  if (isBalanced) {
    const addresses = ports.map((each) => `127.0.0.1:${each}`);
    const balancer = await startHaproxy({ folder: join(home, 'haproxy'), port, replicas: addresses });
    ends.push(() => balancer.stop());
  }
  tell({
    publicUrl,
    ports,
    isBalanced,
    tokens,
    config,
    issuer: provider.issuer,
    database: cluster.url,
    keys: team.TOOLTRAY_TEAM_KEYS_FILE,
  });
}

/** Encrypts the database's contents: created once, and stored next to it, which must never be done in production. */
function keysFile(): string {
  const file = join(home, 'team-keys');
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  return file;
}

/** Creates missing users, and one-day tokens at each start, because tokens are shown only once. */
function givenTokens(team: Team, issuer: string): Map<string, string> {
  const known = JSON.parse(tooltray(team, 'team', 'user', 'list', '--json')) as { users: { name: string }[] };
  return new Map(
    people.map(({ name, role, groups }) => {
      const inGroups = groups.flatMap((group) => ['--group', group]);
      const identity = ['--email', `${name}@example.org`, '--issuer', issuer, '--subject', name];
      if (!known.users.some((user) => user.name === name))
        tooltray(team, 'team', 'user', 'add', name, '--role', role, ...inGroups, ...identity);
      const words = ['team', 'token', 'create', name, '--label', 'npm run team', '--expires', '1d', '--json'];
      return [name, (JSON.parse(tooltray(team, ...words)) as { token: string }).token];
    }),
  );
}

/** Config layers, with examples for a group and for a user. */
function writeConfig(folder: string): void {
  const files = {
    'organization.jsonc': firstConfig(),
    'groups/sales.jsonc': { profile: { noDestructive: true } },
    'users/ana.jsonc': { favoriteTools: ['everything:echo'] },
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
  }
}

/** Servers for the trial: a shared one, and one with a process per user. */
function firstConfig(): object {
  const npx = (name: string): object => ({
    command: 'npx',
    args: ['-y', `@modelcontextprotocol/${name}@2026.8.31`],
    // Without bubblewrap, commands need Docker or Podman.
    ...(!hasBubblewrap() && { isolation: { mode: 'container', network: true } }),
  });
  return {
    servers: {
      everything: npx('server-everything'),
      thinking: { ...npx('server-sequential-thinking'), placement: 'per-user' },
    },
  };
}

function hasBubblewrap(): boolean {
  return process.platform === 'linux' && spawnSync('bwrap', ['--version'], { stdio: 'ignore' }).status === 0;
}

interface Started {
  readonly name: string;
  readonly at: number;
}

async function startReplica(
  team: Team,
  { name, at }: Started,
  { publicUrl, config, issuer }: Pick<Told, 'publicUrl' | 'config' | 'issuer'>,
): Promise<void> {
  const place = ['--listen', `127.0.0.1:${at}`, '--replica-name', name];
  const door = [
    '--public-url',
    publicUrl,
    '--trusted-proxies',
    '127.0.0.1/32',
    '--issuer',
    issuer,
    '--client-id',
    clientId,
  ];
  const child = spawn(
    process.execPath,
    [cli, 'team', 'serve', '--json', ...place, ...door, '--config', config, '--allow-unconfined'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...team, TOOLTRAY_HOME: join(home, `replica-${at}`) },
    },
  );
  running.push(child);
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).once('line', () => resolve());
    child.once('exit', (code) => reject(new Error(`The replica at port ${at} ended with ${code}.`)));
  });
}

/** Returns the output of a command. */
function tooltray(team: Team, ...words: string[]): string {
  return execFileSync(process.execPath, [cli, ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...team, TOOLTRAY_HOME: join(home, 'command-line') },
  });
}

interface Told {
  readonly publicUrl: string;
  readonly ports: readonly number[];
  readonly isBalanced: boolean;
  readonly tokens: ReadonlyMap<string, string>;
  readonly config: string;
  readonly issuer: string;
  readonly database: string;
  /** Path of the team's key file. */
  readonly keys: string;
}

function tell({ publicUrl, ports, isBalanced, tokens, config, issuer, database, keys }: Told): void {
  const [ana = ''] = tokens.values();
  const ask = `--header "Authorization: Bearer ${ana}"`;
  const lines = [
    `A team runs at ${publicUrl}/mcp`,
    `Dashboard  ${publicUrl}/ (sign in as ana or ben at the provider, or with a token below; ana sees everybody's, ben his own)`,
    ...(isBalanced
      ? []
      : [
          '(HAProxy is not installed, so this is the first replica; apt install haproxy puts one address in front of all.)',
        ]),
    '',
    `Replicas   ${ports.map((each, at) => `r${at + 1} at ${each}`).join(', ')}`,
    `Database   ${database}`,
    `Provider   ${issuer} (any password)`,
    `Config     ${config}`,
    `Keys       ${keys}`,
    ...people.map(({ name, role }) => `${name.padEnd(10)} ${role}: ${tokens.get(name)}`),
    '',
    'Try:',
    `  npx -y -p node@24 -p @modelcontextprotocol/inspector@latest mcp-inspector --cli ${publicUrl}/mcp --transport http ${ask} --method tools/list`,
    `  claude mcp add -s user -t http team ${publicUrl}/mcp ${ask}`,
    `  claude mcp add -s user -t http team-oauth ${publicUrl}/mcp   (no token: then /mcp in Claude Code opens the provider; sign in as ana or ben)`,
    '  kill a replica (kill -9 its process) and call again',
    '',
    'Commands for an admin, in another terminal:',
    `  export TOOLTRAY_DATABASE=${database} TOOLTRAY_TEAM_KEYS_FILE=${keys}`,
    '  node dist/cli.js team user list    (also: team user off ben, team secret set NAME --user ben, team login --user ben, audit verify)',
    '',
    'Ctrl+C ends all of it; the data stays (npm run team -- --fresh starts over).',
  ];
  console.log(lines.join('\n'));
}

async function end(code: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  // The second signal ends a replica without waiting for load balancers. Two equal signals could be merged.
  for (const replica of running) replica.kill('SIGTERM');
  const stopped = Promise.all(running.map((replica) => ended(replica, 'SIGINT')));
  await Promise.race([stopped.then(stopEngines), sleep(endMs)]);
  for (const replica of running) replica.kill('SIGKILL');
  // An engine that needs longer has its signal, and ends by itself.
  void stopEngines();
  process.exit(code);
}

async function stopEngines(): Promise<void> {
  await Promise.all(
    ends
      .splice(0)
      .toReversed()
      .map((stop) => stop().catch((error: unknown) => console.error(error))),
  );
}
