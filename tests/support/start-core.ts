/** Runs a whole core in the test's own process, with a separate home, and connects client apps to its listeners. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ManagedServer } from '../../src-main/core/servers/managed-server.ts';
import { CoreHost } from '../../src-main/host/core-host.ts';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { activityThread, sandbox } from './shared-workers.ts';
import type { HelloWishes } from './socket-client.ts';
import { openSocket, type SocketClient } from './socket-client.ts';
import { until } from './until.ts';

export interface TestConfig {
  readonly servers: Readonly<Record<string, object>>;
  readonly [setting: string]: unknown;
}

export interface TestCore extends AsyncDisposable {
  readonly host: CoreHost;
  readonly home: string;
  readonly configFile: string;
  /** URL of the HTTP endpoints: `http://127.0.0.1:PORT/mcp`. */
  readonly url: string;
  /** A connection to the core after the hello. */
  connect(wishes?: HelloWishes): Promise<SocketClient>;
  /** The same, after the handshake of the revisions up to 2025-11-25. */
  open(capabilities?: Record<string, unknown>, wishes?: HelloWishes): Promise<SocketClient>;
  /** Rewrites the config file, like an editor. */
  write(config: TestConfig | string): Promise<void>;
  server(name: string): ManagedServer;
}

const usual = { mode: 'proxy', reviews: { onChange: 'warn' } };

export interface StartOptions {
  /** The home of an earlier core, which is then kept. */
  readonly home?: string;
  /** false: resolves immediately instead of when every server has settled. */
  readonly settled?: boolean;
  /** Additional variables. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * true: the config is the home's own, so external edits need approval; otherwise it is used as if named by
   * `--config`.
   */
  readonly ownConfig?: boolean;
  /** true: HTTP requires the token. */
  readonly askToken?: boolean;
}

export async function startCore(
  config: TestConfig | string,
  { home, settled = true, askToken = false, ownConfig = false, env = {} }: StartOptions = {},
): Promise<TestCore> {
  const folder = home ?? (await mkdtemp(join(tmpdir(), 'tooltray-integration-')));
  const configFile = join(folder, 'config.json');
  const write = (next: TestConfig | string): Promise<void> =>
    // Every tool is listed by default, because `auto` depends on their number, and new tools need approval.
    writeFile(configFile, typeof next === 'string' ? next : JSON.stringify({ ...usual, ...next }, null, 2));
  await write(config);
  const host = await CoreHost.open({
    // Without a terminal the login shell is asked for PATH, and a test's own would be ignored.
    env: { ...process.env, ...(env['PATH'] !== undefined && { TERM: 'dumb' }), ...env, TOOLTRAY_HOME: folder },
    version: '0.0.0',
    configFile: ownConfig ? undefined : configFile,
    port: 0,
    askToken,
    pageRoot: folder,
    onStop: () => undefined,
    shared: { activityThread, codeRunner: sandbox },
  });
  await host.listen();
  const started = host.core.start();
  if (settled) await started;
  const connect = (wishes?: HelloWishes): Promise<SocketClient> =>
    openSocket(host.paths.socketPath, host.core.clients.token, wishes);
  return {
    host,
    home: folder,
    configFile,
    url: host.addresses.http,
    connect,
    open: async (capabilities, wishes) => {
      const client = await connect(wishes);
      await client.initialize(capabilities);
      return client;
    },
    write,
    server: (name) => host.core.servers.manager.get(name),
    [Symbol.asyncDispose]: async () => {
      await host.stop();
      if (home === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A config entry that starts a fixture server. */
export function fixture(name: string, ...args: string[]): { command: string; args: string[] } {
  return fixtureCommand(name, ...args);
}

/** Resolves when the server is ready. */
export function ready(server: ManagedServer): Promise<void> {
  return until(() => server.state.kind === 'ready');
}
