/** The servers as `list` shows them: from the running core with its sessions, else from the config and what was listed last time. */
import { join } from 'node:path';
import type { ServerConfig } from '../core/config/app-config.ts';
import { ListingCache } from '../core/servers/listing-cache.ts';
import { endpointOf } from '../rpc/endpoint-of.ts';
import type { HealthLevel, ServerStatus, SessionStatus } from '../rpc/contract.ts';
import { problemSentence } from '../rpc/core-state.ts';
import { runningCoreFor } from './core-access.ts';
import { cliPaths, openCliConfig } from './open-cli-config.ts';

export interface ServerRow {
  readonly name: string;
  readonly enabled: boolean;
  /** As the core names states; `not-running` without a core. */
  readonly state: ServerStatus['state'] | 'not-running';
  readonly level: HealthLevel;
  /** Two or three words. */
  readonly summary: string;
  readonly detail: string;
  /** Null when it was never listed. */
  readonly tools: number | null;
  readonly transport: ServerStatus['transport'];
  readonly endpoint: string;
}

export interface ServerRows {
  readonly running: boolean;
  /** Path of the config file. */
  readonly config: string;
  readonly servers: readonly ServerRow[];
  /** Client apps that are connected; none without a core. */
  readonly sessions: readonly SessionStatus[];
  /** What keeps entries from being used, with what to do. */
  readonly broken: readonly string[];
}

export async function readServerRows(config: string | undefined): Promise<ServerRows> {
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
  const broken = problems.filter(({ severity }) => severity === 'error').map(problemSentence);
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
    summary: enabled ? 'Not running' : 'Off',
    detail: '',
    tools: cached?.listing.tools.length ?? null,
    transport: kind,
    endpoint: endpointOf(server),
  };
}
