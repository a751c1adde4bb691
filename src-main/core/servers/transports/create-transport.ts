/** Creates the transport for a server's configuration. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Env } from '../../base/app-paths.ts';
import { AppError } from '../../base/errors.ts';
import { RotatingFile } from '../../base/rotating-file.ts';
import type {
  BuiltinServerConfig,
  HttpServerConfig,
  Isolation,
  ServerConfig,
  StdioServerConfig,
} from '../../config/server-config.ts';
import { resolveSecrets, secretNamesOf } from '../../secrets/resolve-secrets.ts';
import type { ProtectedPaths } from '../../security/protected-paths.ts';
import type { ConnectionBudgets } from '../../wire/byte-budget.ts';
import type { Message } from '../../wire/message.ts';
import type { SendOptions, Transport, TransportHandlers } from '../../wire/transport.ts';
import type { ProcessRegistry } from '../launch/process-registry.ts';
import type { ServerSandboxes } from '../launch/sandbox/server-sandboxes.ts';
import type { EnvironmentResolver } from '../launch/resolve-environment.ts';
import type { OutboundNetwork } from '../network/outbound-network.ts';
import type { TokenSource } from '../oauth/server-oauth.ts';
import type { OAuthManager } from '../oauth/oauth-manager.ts';
import type { HttpTransportOptions } from './http-transport-base.ts';
import { adaptSdkTransport, type SdkTransport } from './memory-transport.ts';
import { ServerLog } from './server-log.ts';
import { StdioTransport } from './stdio-transport.ts';

interface TransportDeps {
  readonly environment: EnvironmentResolver;
  readonly boxes?: ServerSandboxes | undefined;
  /** The isolation that applies to a command; by default that of its entry. */
  readonly isolationOf?: ((config: StdioServerConfig) => Isolation | undefined) | undefined;
  readonly registry: ProcessRegistry;
  /** The server's log; outlives the transport. */
  readonly log: ServerLog;
  /** Our own environment, with the proxies for HTTP servers. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Additional proxies and certificate authorities for them. */
  readonly network?: OutboundNetwork | undefined;
  /** Absent if sign-ins to servers over HTTP are unsupported. */
  readonly signIns?: { readonly find: (config: ServerConfig) => TokenSource | undefined } | undefined;
  /** Masks secrets in error messages of HTTP servers. */
  readonly mask?: ((text: string) => string) | undefined;
  /** Memory budgets shared by all connections. */
  readonly budgets?: ConnectionBudgets | undefined;
  /**
   * Fills in the secrets that an entry names; without it there are none. Rejects with AppError `secret_missing` or
   * `secret_locked`.
   */
  readonly fill?: ResolveSecretsFn | undefined;
  /** Starts a built-in server and returns our end of its connection. */
  readonly connectBuiltin: (config: BuiltinServerConfig) => Promise<SdkTransport>;
}

export type ResolveSecretsFn = <C extends ServerConfig>(config: C) => Promise<C>;

const noSecrets: ResolveSecretsFn = (config) => resolveSecrets(config, () => Promise.resolve(undefined));

/** A new, unstarted transport; each is used once. */
export function createTransport(config: ServerConfig, deps: TransportDeps): Transport {
  const { fill = noSecrets } = deps;
  switch (config.kind) {
    case 'stdio': {
      const start = (filled: StdioServerConfig): Transport =>
        new StdioTransport({
          ...filled,
          ...deps,
          env: { ...deps.network?.serverEnv, ...filled.env },
          serverName: filled.name,
          written: config,
          isolate: (deps.isolationOf ?? ((one) => one.isolate))(config),
          inherited: config.inheritEnv ?? [],
        });
      if (secretNamesOf(config).length === 0) return start(config);
      return new LazyTransport(async () => start(await fill(config)));
    }
    case 'http':
      return new LazyTransport(async () => {
        const { HttpOrSseTransport } = await import('./http-or-sse-transport.ts');
        return new HttpOrSseTransport(await httpOptions(config, deps));
      });
    case 'sse':
      return new LazyTransport(async () => {
        const { SseTransport } = await import('./sse-transport.ts');
        return new SseTransport(await httpOptions(config, deps));
      });
    case 'openapi':
      return new LazyTransport(async () => {
        const { connectOpenApi } = await import('../openapi/openapi-server.ts');
        const { openapi = { spec: '', operations: undefined } } = config;
        return adaptSdkTransport(await connectOpenApi(await httpOptions(config, deps), openapi));
      });
    case 'builtin':
      return new LazyTransport(async () => adaptSdkTransport(await deps.connectBuiltin(config)));
  }
}

async function httpOptions(config: HttpServerConfig, deps: TransportDeps): Promise<HttpTransportOptions> {
  const { fill = noSecrets } = deps;
  const { name, url, headers, maxMessageBytes } = await fill(config);
  const signIn = deps.signIns?.find(config);
  const { env, network, mask, budgets } = deps;
  return { serverName: name, url, headers, maxMessageBytes, env, network, mask, budgets, signIn };
}

// Creates the transports of all servers, and their logs, which outlive restarts.

interface TransportFactoryOptions {
  readonly env: Env;
  readonly network?: OutboundNetwork | undefined;
  readonly registry: ProcessRegistry;
  readonly environment: EnvironmentResolver;
  /** Without it, servers that require a sandbox do not start. */
  readonly boxes?: ServerSandboxes | undefined;
  readonly isolationOf?: TransportDeps['isolationOf'];
  /** Folder of the servers' logs. */
  readonly logDir: string;
  readonly mask: (text: string) => string;
  /** Paths that built-in servers must not access. */
  readonly own?: ProtectedPaths | undefined;
  /** Memory budgets shared by all connections. */
  readonly budgets?: ConnectionBudgets | undefined;
  /** Absent if sign-ins to servers over HTTP are unsupported. */
  readonly signIns?: OAuthManager | undefined;
  readonly fill?: ResolveSecretsFn | undefined;
}

export class TransportFactory {
  readonly #options: TransportFactoryOptions;
  readonly #logs = new Map<string, ServerLog>();

  constructor(options: TransportFactoryOptions) {
    this.#options = options;
  }

  /** `own`: dependencies of one user, instead of the shared ones. */
  create(config: ServerConfig, own: Pick<TransportDeps, 'signIns' | 'fill'> = {}): Transport {
    return createTransport(config, {
      ...this.#options,
      ...own,
      log: this.log(config.name),
      connectBuiltin: async ({ builtin, folders }) => {
        const { own } = this.#options;
        const { connectBuiltin } = await import('../builtin/utils-server.ts');
        return connectBuiltin(builtin, { folders, ...(own !== undefined && { own }) });
      },
    });
  }

  /** The last lines of a server's stderr, oldest first. */
  lastLines(server: string): readonly string[] {
    return this.#logs.get(server)?.lines() ?? [];
  }

  /** The server's log, kept across restarts. */
  log(server: string): ServerLog {
    const known = this.#logs.get(server);
    if (known !== undefined) return known;
    const log = new ServerLog({ file: new RotatingFile(this.logFile(server)), mask: this.#options.mask });
    this.#logs.set(server, log);
    return log;
  }

  /** The absolute path of its log file. */
  logFile(server: string): string {
    return serverLogFile(this.#options.logDir, server);
  }

  /** Writes out and closes the logs. */
  close(): void {
    for (const log of this.#logs.values()) log.close();
  }
}

/**
 * The log file of a server, distinct for each name, also on case-insensitive file systems. A name that is not a valid
 * file name is followed by `~` and its hash, which no plain name contains.
 */
export function serverLogFile(folder: string, server: string): string {
  const isPlain = /^[a-z0-9_-][a-z0-9._-]{0,99}$/.test(server) && !reserved.test(server);
  if (isPlain) return join(folder, `${server}.log`);
  const readable = server.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60);
  const digest = createHash('sha256').update(server).digest('hex').slice(0, 16);
  return join(folder, `${readable}~${digest}.log`);
}

/** Device names on Windows, with any extension. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * A transport that is imported when it is opened, because those of the SDK take longer to load than the rest of the
 * core.
 */
export class LazyTransport implements Transport {
  readonly #load: () => Promise<Transport>;
  #loaded: Transport | undefined;
  #closed = false;

  constructor(load: () => Promise<Transport>) {
    this.#load = load;
  }

  async start(handlers: TransportHandlers): Promise<void> {
    const transport = await this.#load();
    if (this.#closed) throw new AppError('cancelled', 'The connection was closed before it was open.');
    this.#loaded = transport;
    await transport.start(handlers);
  }

  async send(message: Message, options?: SendOptions): Promise<void> {
    if (this.#loaded === undefined) throw new AppError('internal', 'The connection is not open yet.');
    await this.#loaded.send(message, options);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#loaded?.close();
  }

  setProtocolVersion(version: string): void {
    this.#loaded?.setProtocolVersion?.(version);
  }

  get isInstalling(): boolean {
    return this.#loaded?.isInstalling === true;
  }

  setReadPaused(held: boolean): void {
    this.#loaded?.setReadPaused?.(held);
  }
}
