/**
 * `tooltray list`: prints servers and sessions, one line each, from the running core, or else from the config and
 * cached
 * listings.
 */
import { join } from 'node:path';
import type { ServerConfig } from '../../core/config/server-config.ts';
import { ListingCache } from '../../core/servers/listing-cache.ts';
import type { HealthLevel, ServerStatus, SessionStatus } from '../../rpc/contract.ts';
import { endpointOf, describeProblem } from '../../rpc/deps.ts';
import { cliPaths, openCliConfig } from '../cli-config.ts';
import { runningCoreFor } from '../core-access.ts';
import { command, commonFlags } from '../command.ts';
import { oneLine, paint, type Paint, printResult, table } from '../terminal.ts';

const paints: Readonly<Record<ServerRow['level'], Paint>> = {
  ok: 'good',
  busy: 'unsure',
  attention: 'unsure',
  error: 'bad',
  off: 'quiet',
};

export const list = command({
  flags: {
    ...commonFlags,
  },
  async run({ config, json }) {
    const found = await readServerRows(config);
    printResult(json, found, () => [...serverLines(found), ...sessionLines(found.sessions)]);
    return 0;
  },
});

/** `tooltray --list-servers`: prints ToolMux's output format, for scripts that parse it. */
export const listServers = command({
  flags: commonFlags,
  async run({ config, json }) {
    const found = await readServerRows(config);
    const servers = found.servers.map(({ name, transport, endpoint }) => ({ name, transport, endpoint }));
    printResult(json, { servers }, () =>
      servers.map(({ name, transport, endpoint }) => `  ${oneLine(name)}: ${transport} - ${oneLine(endpoint)}`),
    );
    if (servers.length > 0) return 0;
    process.stderr.write(`tooltray: No servers in ${found.config}. Add one with: tooltray add NAME COMMAND\n`);
    return 1;
  },
});

function serverLines({ servers, config, broken }: ServerRows): string[] {
  const notes = broken.map((text) => `${paint('bad', 'error')} ${oneLine(text)} See: tooltray config validate.`);
  if (servers.length === 0) return [`No servers in ${config}. Add one with: tooltray add NAME COMMAND`, ...notes];
  const rows = servers.map(({ name, level, summary, tools, transport, endpoint }) => [
    oneLine(name),
    paint(paints[level], summary),
    tools === null ? '?' : String(tools),
    transport,
    oneLine(endpoint),
  ]);
  const ill = servers.filter(({ level }) => level === 'error' || level === 'attention');
  const reasons = ill.map(({ name, detail }) => `${paint('bad', oneLine(name))}: ${oneLine(detail)}`);
  const shown = table(['NAME', 'STATUS', 'TOOLS', 'TRANSPORT', 'COMMAND OR URL'], rows);
  return [...shown, ...(reasons.length + notes.length > 0 ? [''] : []), ...reasons, ...notes];
}

/** Mode of each client app, and the reason if `auto` chose it. */
function sessionLines(sessions: readonly SessionStatus[]): string[] {
  if (sessions.length === 0) return [];
  const rows = sessions.map(({ app, mode, calls, modeReason }) => [
    oneLine(app),
    mode,
    String(calls),
    modeReason ?? 'configured',
  ]);
  const notes = sessions.flatMap(({ note }) => (note === '' ? [] : [paint('unsure', oneLine(note))]));
  return ['', ...table(['APP', 'MODE', 'CALLS', 'REASON'], rows), ...(notes.length > 0 ? [''] : []), ...notes];
}

interface ServerRow {
  readonly name: string;
  readonly enabled: boolean;
  /** The core's state; `not-running` without a core. */
  readonly state: ServerStatus['state'] | 'not-running';
  readonly level: HealthLevel;
  /** Status in two or three words. */
  readonly summary: string;
  readonly detail: string;
  /** Number of tools; null if they were never listed. */
  readonly tools: number | null;
  readonly transport: ServerStatus['transport'];
  readonly endpoint: string;
}

interface ServerRows {
  readonly running: boolean;
  /** Path of the config file. */
  readonly config: string;
  readonly servers: readonly ServerRow[];
  /** Connected client apps; empty without a core. */
  readonly sessions: readonly SessionStatus[];
  /** Problems that make entries unusable, with the fix. */
  readonly broken: readonly string[];
}

async function readServerRows(config: string | undefined): Promise<ServerRows> {
  const core = await runningCoreFor(config);
  if (core === undefined) return fromConfig(config);
  try {
    const { home, servers, sessions, configProblems } = await core.ask('state', {});
    return { running: true, config: home, servers: servers.map(fromStatus), sessions, broken: configProblems };
  } finally {
    await core.close();
  }
}

function fromStatus({ action: _, ...status }: ServerStatus): ServerRow {
  return { ...status, enabled: status.state !== 'disabled' };
}

async function fromConfig(config: string | undefined): Promise<ServerRows> {
  const { current, path, problems } = await openCliConfig(config);
  const cache = new ListingCache(join(cliPaths().cacheDir, 'listings'));
  const servers = await Promise.all(current.servers.map((server) => fromEntry(server, cache)));
  const broken = problems.filter(({ severity }) => severity === 'error').map(describeProblem);
  return { running: false, config: path, servers, sessions: [], broken };
}

async function fromEntry(server: ServerConfig, cache: ListingCache): Promise<ServerRow> {
  const { name, enabled, kind, hash } = server;
  const cached = await cache.read(hash);
  return {
    name,
    enabled,
    state: enabled ? 'not-running' : 'disabled',
    level: 'off',
    summary: enabled ? 'Not running' : 'Disabled',
    detail: '',
    tools: cached?.listing.tools.length ?? null,
    transport: kind,
    endpoint: endpointOf(server),
  };
}
