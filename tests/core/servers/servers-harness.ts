/** Managed servers for tests: real processes and transports, a separate folder, and a record of every start. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { HttpServerConfig, ServerConfig, StdioServerConfig } from '../../../src-main/core/config/server-config.ts';
import { hashServerConfig } from '../../../src-main/core/config/build-server-config.ts';
import type { CallContext } from '../../../src-main/core/servers/in-flight-calls.ts';
import { Connection } from '../../../src-main/core/servers/connection.ts';
import { ProcessRegistry } from '../../../src-main/core/servers/launch/process-registry.ts';
import { EnvironmentResolver } from '../../../src-main/core/servers/launch/resolve-environment.ts';
import { ListingCache } from '../../../src-main/core/servers/listing-cache.ts';
import { ManagedServer } from '../../../src-main/core/servers/managed-server.ts';
import type { ServerDeps } from '../../../src-main/core/servers/server-deps.ts';
import { OAuthManager } from '../../../src-main/core/servers/oauth/oauth-manager.ts';
import { ServerManager } from '../../../src-main/core/servers/server-manager.ts';
import { PauseSwitch } from '../../../src-main/core/servers/shared-connection.ts';
import { StartLimiter } from '../../../src-main/core/servers/connection-opener.ts';
import { TransportFactory } from '../../../src-main/core/servers/transports/create-transport.ts';
import { RpcError, type Result } from '../../../src-main/core/wire/message.ts';
import { toObject } from '../../../src-main/core/wire/raw-json.ts';
import { fixtureCommand } from '../../fixtures/spawn-fixture.ts';
import type { Script } from './scripted-server.ts';
import { plainVault } from '../../support/plain-vault.ts';

type Limits = Partial<Omit<StdioServerConfig, 'kind' | 'hash' | 'command' | 'args'>>;

export interface Heard {
  readonly method?: string;
  readonly params?: Record<string, unknown>;
}

export interface ServersHarness {
  readonly deps: ServerDeps;
  readonly registry: ProcessRegistry;
  readonly folder: string;
  readonly oddities: string[];
  /** A fixture of tests/fixtures/servers as a server; its starts are counted. */
  fixture(name: string, file: string, args?: readonly string[], limits?: Limits): StdioServerConfig;
  /** A scripted server; its starts are counted and its input is recorded. */
  scripted(name: string, script?: Script, limits?: Limits): StdioServerConfig;
  http(name: string, url: string, more?: Partial<HttpServerConfig>): HttpServerConfig;
  /** A server that is stopped with the test; not started. */
  server(config: ServerConfig): ManagedServer;
  manager(): ServerManager;
  /** A separate initialized connection, closed with the test. */
  connection(config: ServerConfig): Promise<Connection>;
  /** The PIDs of all starts of a server, in order. */
  pids(name: string): number[];
  /** The recorded input of a scripted server, over all its processes. */
  heard(name: string): Heard[];
}

export function serversHarness(overrides: Partial<ServerDeps> = {}): ServersHarness {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-servers-'));
  const registry = new ProcessRegistry();
  const oddities: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  const signIns = new OAuthManager({ folder: join(folder, 'sign-ins'), vault: plainVault(folder), env: {} });
  const transports = new TransportFactory({
    signIns,
    env: process.env,
    registry,
    environment: new EnvironmentResolver({ own: { ...process.env, TERM: 'dumb' } }),
    logDir: join(folder, 'logs'),
    mask: (text) => text,
  });
  const deps: ServerDeps = {
    createTransport: (config) => transports.create(config),
    logOf: (server) => transports.log(server),
    cache: new ListingCache(join(folder, 'listings')),
    identity: {
      clientInfo: { name: 'test', version: '1' },
      capabilities: { roots: {}, sampling: {}, elicitation: { form: {} } },
    },
    slots: new StartLimiter(10),
    pause: new PauseSwitch(),
    signIns,
    now: Date.now,
    // The shortest jitter: 750 ms to the first retry.
    random: () => 0,
    onWarning: (server, text) => oddities.push(`${server}: ${text}`),
    ...overrides,
  };
  mkdirSync(join(folder, 'logs'), { recursive: true });
  onTestFinished(async () => {
    await Promise.all(stops.map((stop) => stop()));
    signIns.close();
    transports.close();
    registry.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const startsOf = (name: string): string => join(folder, `${name}.starts`);
  const heardBy = (name: string): string => join(folder, `${name}.heard`);
  const stdio = (name: string, command: string, args: readonly string[], limits: Limits): StdioServerConfig => {
    // The shell records its PID and becomes the server.
    const counted = ['-c', 'echo $$ >> "$0"; exec "$@"', startsOf(name), command, ...args];
    const config = { ...base(name), cwd: undefined, env: {}, ...limits, kind: 'stdio' as const };
    return withHash({ ...config, command: '/bin/sh', args: counted });
  };
  return {
    deps,
    registry,
    folder,
    oddities,
    fixture: (name, file, args = [], limits = {}) => {
      const { command, args: all } = fixtureCommand(file, ...args);
      return stdio(name, command, all, limits);
    },
    scripted: (name, script = {}, limits = {}) => {
      const file = `${import.meta.dirname}/scripted-server.ts`;
      return stdio(name, process.execPath, [file, JSON.stringify({ log: heardBy(name), ...script })], limits);
    },
    http: (name, url, more = {}) => withHash({ ...base(name), kind: 'http', url, headers: {}, ...more }),
    server: (config) => {
      const server = new ManagedServer(config, deps);
      stops.push(() => server.stop());
      return server;
    },
    manager: () => {
      const manager = new ServerManager(deps);
      stops.push(() => manager.stop());
      return manager;
    },
    connection: async (config) => {
      const connection = new Connection({
        server: config.name,
        transport: deps.createTransport(config),
        identity: deps.identity,
        http: config.kind === 'http' || config.kind === 'sse',
        callTimeoutMs: config.callTimeoutMs,
        events: {
          onClose: () => undefined,
          onWarning: (text) => oddities.push(text),
          onNotification: () => undefined,
          onAsk: () => undefined,
        },
      });
      stops.push(() => connection.close());
      await connection.open({ timeoutMs: config.initTimeoutMs, signal: new AbortController().signal });
      return connection;
    },
    pids: (name) => linesOf(startsOf(name)).map(Number),
    heard: (name) => linesOf(heardBy(name)).map((line) => JSON.parse(line) as Heard),
  };
}

/** The session's context of a call; it supports no server requests unless `overrides` says so. */
export function contextOf(sessionId: string, overrides: Partial<CallContext> = {}): CallContext {
  return {
    sessionId,
    clientInfo: { name: sessionId, version: '1' },
    clientCapabilities: {},
    signal: new AbortController().signal,
    onLog: () => undefined,
    askClient: () => Promise.reject(new RpcError(-32601, 'Not answered by this test.')),
    acceptsInputRequired: false,
    ...overrides,
  };
}

/** Calls a tool and returns the text of its result. */
export async function say(
  server: ManagedServer,
  name: string,
  args: Record<string, unknown> = {},
  context: CallContext = contextOf('anna'),
): Promise<string> {
  return textOf(await server.request('tools/call', { name, arguments: args }, context));
}

export function textOf(result: Result): string {
  const [first] = toObject(result)['content'] as { text: string }[];
  return first?.text ?? '';
}

/** The error that a promise rejects with; fails the test if it resolves. */
export async function failure(work: Promise<unknown>): Promise<Error> {
  return work.then(
    (value) => Promise.reject(new Error(`It was answered: ${JSON.stringify(value)}`)),
    (error: unknown) => error as Error,
  );
}

/** For use inside of an expected value. */
export function containing(text: string): string {
  return expect.stringContaining(text) as string;
}

/** For use inside of an expected value. */
export function matching(pattern: RegExp): string {
  return expect.stringMatching(pattern) as string;
}

export function toolNames(server: ManagedServer): unknown[] {
  return server.listing.tools.map((tool) => tool['name']);
}

export function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function base(name: string): Omit<StdioServerConfig, 'kind' | 'command' | 'args' | 'env' | 'cwd' | 'hash'> {
  return {
    name,
    enabled: true,
    lazy: false,
    idleTimeoutMs: undefined,
    initTimeoutMs: 30_000,
    callTimeoutMs: 60_000,
    maxMessageBytes: 512 * 1024 * 1024,
    description: undefined,
  };
}

function withHash<T extends Omit<ServerConfig, 'hash'>>(config: T): T & { hash: string } {
  return { ...config, hash: hashServerConfig(config as unknown as ServerConfig) };
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}
