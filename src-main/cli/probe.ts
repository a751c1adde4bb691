/**
 * Connects to servers directly, without a running core, for `test`, `doctor` and `build-cache`, and prints the
 * results.
 */
import packageJson from '../../package.json' with { type: 'json' };
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../core/base/log.ts';
import { Masker } from '../core/base/mask.ts';
import type { AppConfig } from '../core/config/app-config.ts';
import type { ServerConfig } from '../core/config/server-config.ts';
import { secretValuesOf } from '../core/config/config-secrets.ts';
import { assertReviewed } from '../core/config/server-holds.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { resolveSecrets } from '../core/secrets/resolve-secrets.ts';
import { openVault } from '../core/secrets/vault.ts';
import { ProcessRegistry } from '../core/servers/launch/process-registry.ts';
import { createServerSandboxes } from '../core/servers/launch/sandbox/server-sandboxes.ts';
import { EnvironmentResolver } from '../core/servers/launch/resolve-environment.ts';
import { openNetwork } from '../core/servers/network/outbound-network.ts';
import { StartLimiter } from '../core/servers/connection-opener.ts';
import { type ProbeFailure, type ProbeResult, probeConnection } from '../core/servers/probe-connection.ts';
import { OAuthManager } from '../core/servers/oauth/oauth-manager.ts';
import { type ResolveSecretsFn, TransportFactory } from '../core/servers/transports/create-transport.ts';
import type { CoreAccess, CoreState } from '../rpc/contract.ts';
import { cliPaths, serverNames, unknownServer } from './cli-config.ts';
import { exitOnSignal } from './process-context.ts';
import { oneLine, paint, plainText, table } from './terminal.ts';

const concurrency = 10;

/** Probes servers of `config`, ten at a time; results are in input order. */
export function probeServers(servers: readonly ServerConfig[], config: AppConfig): Promise<ProbeResult[]> {
  const slots = new StartLimiter(concurrency);
  return withTransports(config, (transports) =>
    Promise.all(servers.map((server) => slots.run(() => probeConnection(server, transports, packageJson.version)))),
  );
}

/** Lets `work` connect to servers from this process; everything it started is stopped afterwards. */
export async function withTransports<T>(
  config: AppConfig,
  work: (transports: TransportFactory) => Promise<T>,
): Promise<T> {
  exitOnSignal();
  const masker = new Masker(secretValuesOf(config));
  const mask = (text: string): string => masker.maskText(text);
  const registry = new ProcessRegistry();
  const environment = new EnvironmentResolver({ own: process.env });
  // A running core writes its servers' logs; ours are written next to them.
  const logDir = join(cliPaths().logDir, 'probes');
  const vault = openVault(cliPaths().dataDir, process.env);
  const fill: ResolveSecretsFn = (server) => resolveSecrets(server, (name) => vault.read(name));
  const signIns = new OAuthManager({ folder: join(cliPaths().dataDir, 'sign-ins'), vault, env: process.env, fill });
  const hide = (): void => masker.setSecrets([...secretValuesOf(config), ...signIns.secrets, ...vault.values]);
  signIns.secretsChanged.on(hide);
  vault.learned.on(hide);
  const boxes = createServerSandboxes(cliPaths(), config.path);
  const transports = new TransportFactory({
    env: process.env,
    network: openNetwork({ env: process.env, environment, config: { current: config }, log: createLog() }),
    registry,
    environment,
    boxes,
    logDir,
    mask,
    signIns,
    fill,
  });
  try {
    return await work(transports);
  } finally {
    signIns.close();
    registry.close();
  }
}

interface PickedServers {
  readonly wanted: readonly ServerConfig[];
  /** Skipped because they are disabled; a server given by name is not skipped. */
  readonly off: readonly ServerConfig[];
  /** Names of invalid entries in the file. */
  readonly broken: readonly string[];
}

/**
 * Servers of a command: the named one, else all enabled ones. Throws AppError
 * `server_not_found`, and `not_allowed` for one that the user has not accepted.
 */
export function pickServers(store: ConfigStore, name: string | undefined): PickedServers {
  const { servers } = store.current;
  const names = serverNames(store);
  if (name !== undefined && !names.includes(name)) throw unknownServer(name, names);
  const known = new Set(servers.map((server) => server.name));
  const broken = names.filter((one) => !known.has(one) && (name === undefined || one === name));
  if (name !== undefined) {
    const wanted = servers.filter((server) => server.name === name);
    // Otherwise this would be a first start of an unreviewed server, outside its sandbox.
    for (const server of wanted) assertReviewed(server);
    return { wanted, off: [], broken };
  }
  return { wanted: servers.filter(({ enabled }) => enabled), off: servers.filter(({ enabled }) => !enabled), broken };
}

/** A table of results with failures below it. `off`: skipped because they are disabled. Empty without either. */
export function probeLines(probes: readonly ProbeResult[], off: readonly ServerConfig[], masker: Masker): string[] {
  const rows = [
    ...probes.map(row),
    ...off.map(({ name }) => [oneLine(name), paint('quiet', 'disabled'), '-', '-', '-']),
  ];
  if (rows.length === 0) return [];
  const below = probes.flatMap((probe) => notes(probe, masker));
  return [
    ...table(['NAME', 'RESULT', 'TOOLS', 'PROTOCOL', 'DURATION'], rows),
    ...(below.length > 0 ? ['', ...below] : []),
  ];
}

export function probeData(probe: ProbeResult, masker: Masker): Record<string, unknown> {
  const { name } = probe.server;
  if (isFailed(probe)) {
    const { code } = probe.error;
    return {
      name,
      ok: false,
      ms: probe.ms,
      error: { code, message: masker.maskText(failureText(probe)) },
      stderr: probe.stderr,
    };
  }
  const { era, protocolVersion, serverInfo } = probe.handshake;
  const { tools, resources, prompts } = probe.listing;
  const counts = { tools: tools.length, resources: resources.length, prompts: prompts.length };
  return { name, ok: true, ms: probe.ms, era, protocolVersion, ...counts, serverInfo, problems: probe.problems };
}

export function isFailed(probe: ProbeResult): probe is ProbeFailure {
  return 'error' in probe;
}

/** The reason and the fix; begins with the server's name. */
export function failureText({ server, error }: ProbeFailure): string {
  const { text } = error;
  return text.startsWith(server.name) ? text : `${server.name}: ${text}`;
}

function row(probe: ProbeResult): string[] {
  const name = oneLine(probe.server.name);
  const time = `${(probe.ms / 1000).toFixed(1)} s`;
  if (isFailed(probe)) return [name, paint('bad', 'failed'), '-', '-', time];
  const { protocolVersion, era } = probe.handshake;
  return [name, paint('good', 'ok'), String(probe.listing.tools.length), `${protocolVersion} (${era})`, time];
}

function notes(probe: ProbeResult, masker: Masker): string[] {
  const name = oneLine(probe.server.name);
  if (!isFailed(probe))
    return probe.problems.map((problem) => `${paint('unsure', name)}: ${oneLine(masker.maskText(problem))}`);
  const said = probe.stderr.map((line) => `  ${paint('quiet', '|')} ${plainText(line)}`);
  return [oneLine(masker.maskText(failureText(probe))), ...said];
}

const settleTimeoutMs = 10_000;
const pollIntervalMs = 100;

/** Returns the state of a core's servers after those that are starting have had a moment to finish. */
export async function settledState(core: CoreAccess): Promise<CoreState> {
  const until = Date.now() + settleTimeoutMs;
  for (;;) {
    const state = await core.ask('state', {});
    if (Date.now() > until || !state.servers.some(({ level }) => level === 'busy')) return state;
    await sleep(pollIntervalMs);
  }
}
