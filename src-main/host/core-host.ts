/** A core with its doors, as a process runs it: config and log opened, socket and HTTP listening, ended in order. */
import type { Socket } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Aggregator } from '../core/aggregator.ts';
import { appPaths, type AppPaths, ensurePrivateDir, type Env } from '../core/base/app-paths.ts';
import { tryEntry } from '../core/admin/try-entry.ts';
import { AppError, errorText } from '../core/base/errors.ts';
import { createLog, type Log } from '../core/base/log.ts';
import { Masker } from '../core/base/mask-secrets.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { requireMode } from '../core/modes/choose-mode.ts';
import { AppTokens } from '../core/security/app-tokens.ts';
import { type Endpoint, viewFor } from '../core/sessions/endpoint.ts';
import type { Hello } from '../core/sessions/hello.ts';
import type { HttpListener } from '../core/sessions/http-listener.ts';
import type { ModernEndpointOptions } from '../core/sessions/modern-http.ts';
import { servePeer } from '../core/sessions/peer-session.ts';
import { SessionSlots } from '../core/sessions/session-slots.ts';
import { SocketListener } from '../core/sessions/socket-listener.ts';
import { Peer } from '../core/wire/peer.ts';
import { StreamTransport } from '../core/wire/stream-transport.ts';
import type { Transport } from '../core/wire/transport.ts';
import { noApps } from '../rpc/no-apps.ts';
import type { AppSetup } from '../rpc/app-setup.ts';
import type { RpcDeps } from '../rpc/deps.ts';
import type { DesktopService } from '../rpc/desktop-service.ts';
import type { Doors } from '../rpc/core-state.ts';
import type { Dashboard } from '../rpc/dashboard.ts';
import { pageKey } from '../rpc/page-key.ts';
import { answerRpc } from '../rpc/answer-rpc.ts';
import { openConfig } from './open-config.ts';

export interface CoreHostOptions {
  readonly env: Env;
  readonly version: string;
  readonly configFile?: string | undefined;
  readonly mode?: string | undefined;
  /** Overrides the config's port. */
  readonly port?: number | undefined;
  /** false: whoever reaches the port may call (tests only). */
  readonly askToken: boolean;
  /** Folder of the built dashboard. */
  readonly pageRoot: string;
  /** Called when somebody with the right asked the core to end. */
  readonly onStop: () => void;
  /** The desktop app around the core. */
  readonly desktop?: DesktopService | undefined;
  readonly stderr?: NodeJS.WritableStream | undefined;
}

export class CoreHost {
  readonly core: Aggregator;
  readonly paths: AppPaths;
  /** Tokens that stand in config files of client apps. */
  readonly appTokens: AppTokens;
  readonly log: Log;
  /** What the dashboard and the desktop app talk to; there as soon as the core listens. */
  dashboard: Dashboard | undefined;
  readonly #options: CoreHostOptions;
  readonly #slots: SessionSlots;
  readonly #stops: (() => void)[] = [];
  #socket: SocketListener | undefined;
  #http: HttpListener | undefined;
  #port: number | undefined;
  #apps: AppSetup | undefined;

  private constructor(options: CoreHostOptions, paths: AppPaths, config: ConfigStore, log: Log, masker: Masker) {
    const { env, version, mode } = options;
    this.#options = options;
    this.paths = paths;
    this.appTokens = new AppTokens(join(paths.dataDir, 'app-tokens.json'));
    this.log = log;
    this.core = new Aggregator({ paths, env, config, log, masker, version, mode });
    this.#slots = new SessionSlots((id) => void this.core.servers.endSession(id));
  }

  /** Reads the config, writing a first one where there is none. Rejects with AppError config_invalid, config_not_found. */
  static async open(options: CoreHostOptions): Promise<CoreHost> {
    const paths = appPaths(options.env, process.platform, homedir());
    ensurePrivateDir(paths.logDir);
    const masker = new Masker();
    const log = createLog({
      file: join(paths.logDir, 'core.log'),
      masker,
      ...(options.stderr && { stderr: options.stderr as never }),
    });
    const config = await openConfig(
      options.configFile ?? paths.configFile,
      options.configFile === undefined,
      options.env,
    );
    for (const problem of config.problems) log.warn(`${problem.file}:${problem.line}: ${problem.reason}`);
    return new CoreHost(options, paths, config, log, masker);
  }

  get doors(): Doors {
    return {
      socket: this.paths.socketPath,
      http: this.#port === undefined ? '' : `http://127.0.0.1:${this.#port}/mcp`,
    };
  }

  /** The address of the dashboard, with the key that lets its reader in. */
  get pageUrl(): string {
    // Behind #, where no server log and no proxy sees it.
    const key = this.#options.askToken ? `#key=${pageKey(this.core.token)}` : '';
    return `http://127.0.0.1:${this.#port ?? 0}/${key}`;
  }

  /** Opens socket and HTTP. Rejects with AppError already_running or port_in_use. */
  async listen(): Promise<void> {
    const { core } = this;
    this.#socket = new SocketListener({
      socketPath: this.paths.socketPath,
      token: core.token,
      version: this.#options.version,
      check: (hello) => this.#check(hello),
      onConnection: (socket, hello, rest) => this.#welcome(socket, hello, rest),
      onRefused: (error) => this.log.warn(error.text),
    });
    await this.#socket.start();
    // Loaded only here: they bring the SDK along, and a private core on stdin and stdout starts twice as fast without it.
    const { HttpListener } = await import('../core/sessions/http-listener.ts');
    const { ModernEndpoint } = await import('../core/sessions/modern-http.ts');
    const { Dashboard } = await import('../rpc/dashboard.ts');
    await this.#lookAfterApps();
    this.dashboard = new Dashboard(this.rpcDeps);
    const page = { root: this.#options.pageRoot, key: this.#options.askToken ? pageKey(core.token) : undefined };
    this.#http = new HttpListener({
      port: this.#options.port ?? core.options.config.current.port,
      token: this.#options.askToken ? core.token : undefined,
      acceptsAppToken: (app, token) => this.#acceptsAppToken(app, token),
      openLegacy: (endpoint) => (transport) => this.serve(transport, endpoint, 'http'),
      openModern: (endpoint, path) => new ModernEndpoint(this.#modern(endpoint, path)),
      other: (request, response) => this.dashboard?.answer(request, response, page) ?? Promise.resolve(false),
      onOddity: (text) => this.log.warn(text),
    });
    this.#port = await this.#http.start();
    this.#followCatalog(this.#http);
    // Not in a private core: that one lives for one command, and what it does stays its own.
    this.#stops.push(core.servers.changed.on(() => void core.healing.look()));
  }

  /** Serves MCP on a line of its own. Rejects with AppError mode_unknown or server_not_found. */
  async serve(transport: Transport, endpoint: Endpoint, principal: string, onEnd?: () => void): Promise<void> {
    const { sessions, parked } = this.core;
    await servePeer({
      registry: sessions,
      transport,
      ledger: this.core.ledger,
      app: endpoint.app,
      view: viewFor(endpoint, this.core.viewDeps),
      viewOf: (app) => viewFor({ ...endpoint, app }, this.core.viewDeps),
      parked,
      principal,
      onOddity: (text) => this.log.debug(text.slice(0, 2000)),
      ...(onEnd && { onEnd }),
    });
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#slots.close();
    await this.#http?.stop();
    await this.#apps?.close();
    await this.core.stop();
    await this.#socket?.stop();
    this.log.close();
  }

  /** A broken file of tokens opens no door, and is no reason to answer anything else than that. */
  #acceptsAppToken(app: string, token: string): boolean {
    try {
      return this.appTokens.accepts(app, token);
    } catch (error) {
      this.log.warn(errorText(error));
      return false;
    }
  }

  /** Throws AppError for what a shim asks for and this core cannot give. */
  #check({ mode, config }: Hello): void {
    if (mode !== undefined) requireMode(mode);
    const own = this.core.options.config.path;
    if (config === undefined || config === own) return;
    throw new AppError('config_conflict', `The running Tooltray uses the config ${own}, not ${config}.`, {
      fix: 'Leave --config away, add --standalone, or set TOOLTRAY_HOME to a folder of its own.',
    });
  }

  #welcome(socket: Socket, hello: Hello, rest: Buffer): void {
    const transport = new StreamTransport(socket, socket, { leftover: rest });
    if (hello.purpose === 'control') void this.#control(transport);
    else {
      this.serve(transport, { app: hello.app, mode: hello.mode }, `socket ${hello.pid ?? ''}`).catch(
        (error: unknown) => {
          this.log.warn(String(error));
          socket.destroy();
        },
      );
    }
  }

  async #control(transport: Transport): Promise<void> {
    const deps = this.rpcDeps;
    const peer = new Peer(transport, {
      onRequest: (method, params, { signal }) => answerRpc(method, params, deps, signal),
      onNotification: () => undefined,
      onClose: () => undefined,
    });
    await peer.start();
  }

  /** What answers people's questions. */
  get rpcDeps(): RpcDeps {
    const { onStop: stop, desktop } = this.#options;
    return { core: this.core, doors: () => this.doors, stop, desktop, apps: this.#apps ?? noApps };
  }

  async #lookAfterApps(): Promise<void> {
    const { core, log } = this;
    const { config, paths, env, version } = core.options;
    const { openAppSetup } = await import('./open-app-setup.ts');
    const apps = openAppSetup({
      env,
      paths,
      config: () => config.current,
      add: (servers) => core.edits.addAll(servers),
      remove: (servers) => core.edits.remove(...servers),
      tryEntry: (entry) => tryEntry(entry, { config, transports: core.transports, version }),
    });
    this.#apps = apps;
    this.#stops.push(config.changed.on(() => apps.configChanged()));
    // In the background: nobody waits for it, and it may fail without harm.
    void apps
      .repair(({ app }, error) => log.warn(`The entry in ${app.name} could not be mended: ${errorText(error)}`))
      .then((mended) => mended.forEach((name) => log.info(`The entry in ${name} starts Tooltray again.`)))
      .catch((error: unknown) => log.warn(errorText(error)));
  }

  #modern(endpoint: Endpoint, path: string): ModernEndpointOptions {
    const view = viewFor(endpoint, this.core.viewDeps);
    return {
      key: path,
      app: endpoint.app,
      view,
      parked: this.core.parked,
      slots: this.#slots,
      ledger: this.core.ledger,
    };
  }

  /** Endpoints of 2026-07-28 have no sessions: they are told themselves. */
  #followCatalog(http: HttpListener): void {
    const { catalog, servers } = this.core;
    this.#stops.push(
      catalog.changed.on((change) => {
        for (const endpoint of http.modernEndpoints) endpoint.announce(change);
      }),
      servers.notified.on(({ server, method, params }) => {
        if (method !== 'notifications/resources/updated') return;
        const { name } = server.config;
        for (const { view, ...endpoint } of http.modernEndpoints.map((one) => ({
          view: one.view,
          tell: (uri: string) => one.resourceUpdated(uri),
        }))) {
          if (view.shows(name)) endpoint.tell(view.listedUri(name, String(params['uri'])));
        }
      }),
    );
  }
}
