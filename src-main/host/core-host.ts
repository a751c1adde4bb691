/** A core with its listeners, as run by a process: opens config and log, listens on socket and HTTP, stops in order. */
import { allModes } from '../compat/all-modes.ts';
import { rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describeEdits } from '../core/admin/server-change.ts';
import type { ActivityThread } from '../core/activity/activity-thread.ts';
import { coreGroups } from '../core/core-groups.ts';
import { type Core, createCore } from '../core/create-core.ts';
import { auditAppAccess, auditProfileTokens } from '../core/create-audit.ts';
import {
  resolveAppPaths,
  type AppPaths,
  ensurePrivateDir,
  type Env,
  quitFile,
  updateFile,
} from '../core/base/app-paths.ts';
import { AppError } from '../core/base/errors.ts';
import { createLog, type Log } from '../core/base/log.ts';
import { Masker } from '../core/base/mask.ts';
import { RequestScope } from '../core/base/trace-context.ts';
import { StoreHealth } from '../core/health/store-health.ts';
import { httpEndpoint } from '../core/client-apps/tooltray-launch.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import type { CodeRunner } from '../core/code-runner/code-runner.ts';
import type { SecretStore } from '../core/secrets/secret-store.ts';
import { openVault } from '../core/secrets/vault.ts';
import { restoreToken } from '../core/security/access-token.ts';
import { AppAccessStore } from '../core/security/app-access.ts';
import type { AuthInfo } from '../core/security/principal.ts';
import { type Endpoint, viewFor } from '../core/sessions/views/endpoint.ts';
import { serveSession } from '../core/sessions/peer-session.ts';
import type { SocketListener } from '../core/sessions/socket/socket-listener.ts';
import type { Transport } from '../core/wire/transport.ts';
import type { OfferTests } from '../core/admin/offer-tests.ts';
import type { AppSetup, AppSetupDeps } from '../core/client-apps/app-setup.ts';
import { ManualRuns } from '../core/calls/manual-runs.ts';
import { type DesktopService, type ListenAddresses, noApps, type RpcDeps } from '../rpc/deps.ts';
import type { Dashboard } from '../rpc/dashboard.ts';
import { loadPageKey, newPageKey, pageKeyFile, PageSignatures } from '../rpc/page-key.ts';
import { ViewFrames } from '../rpc/view-frames.ts';
import { AppAccessControl } from './app-access.ts';
import type { McpHttpServer, McpHttpServerOptions } from './mcp-http-server.ts';
import { createFirstConfig, openAppAccess, openConfig } from './open-config.ts';
import { ProfileAuthenticator } from './profile-authenticator.ts';
import { createSocketServer } from './socket-server.ts';
import type { TeamHostContext, TeamHost } from './team-host.ts';

export interface CoreHostOptions {
  readonly env: Env;
  readonly version: string;
  readonly configFile?: string | undefined;
  readonly mode?: string | undefined;
  /** The dashboard link stays valid across restarts; otherwise each start creates a new one. */
  readonly keepKey?: boolean | undefined;
  /** Overrides the config's port. */
  readonly port?: number | undefined;
  /** False: every program that reaches the port may call (tests only). */
  readonly askToken: boolean;
  /** Folder of the built dashboard. */
  readonly pageRoot: string;
  /** Called when an authorized client asks the core to stop. */
  readonly onStop: () => void;
  /** false: a missing config file is not created, as for the core of a single command. */
  readonly createsConfig?: boolean | undefined;
  /** The system's proxy for a URL, in PAC file format; absent if the system cannot be asked. */
  readonly resolveProxy?: ((url: string) => Promise<string>) | undefined;
  /** The desktop app around the core. */
  readonly desktop?: DesktopService | undefined;
  /** Further outputs of the log: readable on stderr, JSON on stdout. */
  readonly logTo?: Partial<Record<'stderr' | 'stdout', NodeJS.WritableStream | undefined>> | undefined;
  /** Shared by several cores of a process; closed by their creator. */
  readonly shared?: { readonly activityThread: ActivityThread; readonly codeRunner: CodeRunner } | undefined;
  /** For a core that serves a team: creates the replacements for a single user's listeners and files. */
  readonly team?: ((context: TeamHostContext) => Promise<TeamHost>) | undefined;
}

interface HostParts {
  readonly config: ConfigStore;
  readonly vault: SecretStore;
  readonly health: StoreHealth;
}

export class CoreHost {
  readonly core: Core;
  readonly paths: AppPaths;
  readonly appAccess: AppAccessStore;
  readonly gate: AppAccessControl;
  readonly tokens: ProfileAuthenticator;
  readonly log: Log;
  /** Authenticates the user's browser. */
  readonly pageKey: string;
  /** API of the dashboard and the desktop app; available once the core listens. */
  dashboard: Dashboard | undefined;
  readonly #options: CoreHostOptions;
  readonly #team: TeamHost | undefined;
  readonly #stops: (() => void)[] = [];
  readonly #open = new Set<Awaited<ReturnType<typeof serveSession>>>();
  #socket: SocketListener | undefined;
  #http: McpHttpServer | undefined;
  #apps: AppSetup | undefined;
  #offerTests: OfferTests | undefined;
  readonly #runs: ManualRuns;
  readonly #views = new ViewFrames();

  private constructor(
    options: CoreHostOptions,
    { paths, log, masker }: TeamHostContext,
    { config, vault, health }: HostParts,
    team: TeamHost | undefined,
  ) {
    const { env, version, mode, shared, resolveProxy } = options;
    this.#options = options;
    this.#team = team;
    this.paths = paths;
    const appAccess = team?.stores.appAccess;
    this.appAccess = appAccess === undefined ? openAppAccess(paths) : new AppAccessStore(appAccess);
    this.log = log;
    this.core = createCore({
      context: { paths, env, config, log, masker, version, mode, health },
      modes: allModes,
      stores: { vault: () => vault },
      edition: team,
      activityThread: shared?.activityThread,
      codeRunner: shared?.codeRunner,
      resolveProxy,
    });
    const { calls, servers, trust, clients } = this.core;
    this.#runs = new ManualRuns({
      steps: calls.stages,
      version,
      endSession: (id) => servers.manager.endSession(id),
    });
    this.#stops.push(() => this.#runs.close());
    const { audit } = trust;
    this.gate = new AppAccessControl(this.appAccess, log, (app, { code, text: sentence }) =>
      audit.note({ kind: 'refusal', of: 'access', code, sentence, app }),
    );
    const { profileTokens } = clients;
    this.tokens = new ProfileAuthenticator(profileTokens, log, ({ code, text: sentence }) =>
      audit.note({ kind: 'refusal', of: 'access', code, sentence }),
    );
    this.#stops.push(auditAppAccess(audit, this.appAccess), auditProfileTokens(audit, profileTokens));
    this.pageKey = options.keepKey === true ? loadPageKey(clients.token) : newPageKey();
  }

  /**
   * Reads the config, and creates one if there is none. Rejects with AppError `config_invalid`,
   * `config_not_found`, and errors from `team`.
   */
  static async open(options: CoreHostOptions): Promise<CoreHost> {
    const paths = resolveAppPaths(options.env, process.platform, homedir());
    ensurePrivateDir(paths.logDir);
    const masker = new Masker();
    const health = new StoreHealth();
    const requests = new RequestScope();
    const log = createLog({
      requestIds: () => requests.current,
      onWrite: (error) => (error === undefined ? health.wrote('log') : health.failed('log', error, paths.logDir)),
      file: join(paths.logDir, 'core.log'),
      masker,
      ...(options.logTo?.stderr && { stderr: options.logTo.stderr as never }),
      ...(options.logTo?.stdout && { stdout: options.logTo.stdout as never }),
    });
    // Shared by config and core, so that the user's passphrase unlocks it for both.
    const vault = openVault(paths.dataDir, options.env);
    const config = await openConfig(
      options.configFile ?? paths.configFile,
      options.configFile !== undefined,
      options.env,
      paths,
      vault,
    );
    if (options.createsConfig !== false) await createFirstConfig(config);
    config.pendingEditsChanged.on(() => {
      if (config.pendingEdits.length > 0) log.warn(`${describeEdits(config.pendingEdits)} See: tooltray inbox`);
    });
    for (const problem of config.problems) log.warn(`${problem.file}:${problem.line}: ${problem.reason}`);
    const teamContext = { paths, log, masker, requests };
    return new CoreHost(options, teamContext, { config, vault, health }, await options.team?.(teamContext));
  }

  get addresses(): ListenAddresses {
    const { port } = this;
    const { problem: httpProblem = '' } = this.#http?.ports ?? {};
    const urlOf = this.#team?.http.url ?? ((at: number) => `http://127.0.0.1:${at}/mcp`);
    return {
      socket: this.#team === undefined ? this.paths.socketPath : '',
      http: port === 0 ? '' : urlOf(port),
      httpProblem,
    };
  }

  /** Port of its HTTP server; 0 if closed. */
  get port(): number {
    return this.#http?.ports.port ?? 0;
  }

  /** HTTP listener for client apps, once it listens. */
  get httpServer(): Pick<McpHttpServer, 'listener'> | undefined {
    return this.#http;
  }

  /** URL of the dashboard, with the key. */
  get pageUrl(): string {
    // In the fragment, which is not sent to servers and proxies.
    const key = `#key=${this.#options.askToken ? this.pageKey : 'none'}`;
    return `http://127.0.0.1:${this.port}/${key}`;
  }

  /** Dependencies of the RPC handlers. */
  get rpcDeps(): RpcDeps {
    const { onStop: stop, desktop } = this.#options;
    return {
      ...coreGroups(this.core),
      addresses: () => this.addresses,
      onEndpointsChange: (listener) => this.#http?.ports.changed.on(listener) ?? (() => undefined),
      stop,
      desktop,
      apps: this.#apps ?? noApps,
      offerTests: this.#offerTests,
      runs: this.#runs,
      views: this.#views,
    };
  }

  /**
   * Opens socket and HTTP (on a team's replica HTTP only); clients wait until the core has started. Rejects with
   * AppError `already_running`, or `port_in_use` if the port was given in the options.
   */
  async listen(): Promise<void> {
    this.core.expectStart();
    if (this.#team === undefined) await this.#openSocket();
    // Tooltray was started, so client apps may start it again.
    const { runDir } = this.paths;
    if (this.#team === undefined)
      for (const file of [quitFile(runDir), updateFile(runDir)]) rmSync(file, { force: true });
    // Loaded on demand: these include the SDK, without which a private core on stdin and stdout starts twice as fast.
    const { McpHttpServer } = await import('./mcp-http-server.ts');
    const { Dashboard } = await import('../rpc/dashboard.ts');
    if (this.#team === undefined) await this.#watchClientApps();
    this.#stops.push(this.#closeSessions());
    this.dashboard = new Dashboard(this.rpcDeps);
    this.#http = new McpHttpServer(this.#httpOptions(this.dashboard));
    await this.#http.start();
    if (this.#team === undefined) this.repairEntries();
  }

  /** Offers fixes for servers that do not start. Not in the core of a single command. */
  repairEntries(): void {
    const { manager: servers, healing } = this.core.servers;
    this.#stops.push(servers.changed.on(() => void healing.scan()));
  }

  /** Serves MCP on a transport. Rejects with AppError `mode_unknown` or `server_not_found`. */
  async serve(transport: Transport, endpoint: Endpoint, letIn: AuthInfo, onEnd?: () => void): Promise<void> {
    const { starting } = this.core;
    if (starting !== undefined) await starting;
    const { activity, clients } = this.core;
    let letGo = (): void => undefined;
    let isOver = false;
    const { session, end } = await serveSession({
      registry: clients.sessions,
      transport,
      ledger: activity.ledger,
      app: endpoint.app,
      view: viewFor(endpoint, clients.services),
      viewOf: (app, capabilities) => {
        const request = { ...endpoint, app: endpoint.app ?? app, capabilities };
        return viewFor(request, clients.services);
      },
      parked: clients.parkedCalls,
      letIn,
      onWarning: (text) => this.log.debug(text.slice(0, 2000)),
      onEnd: () => {
        isOver = true;
        letGo();
        onEnd?.();
      },
    });
    const { app } = endpoint;
    const open = { session, end };
    this.#open.add(open);
    const release = app === undefined ? undefined : this.gate.track(app, (why) => end(why));
    letGo = () => {
      this.#open.delete(open);
      release?.();
    };
    // It may have ended meanwhile.
    if (isOver) letGo();
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#http?.stop();
    await this.#apps?.close();
    await this.core.close();
    await this.#socket?.stop();
    await this.gate.stop();
    await this.#team?.close();
    this.log.close();
  }

  async #openSocket(): Promise<void> {
    const { context, clients } = this.core;
    const { runDir, tokenFile } = this.paths;
    const keepFiles = (): void => {
      ensurePrivateDir(runDir);
      restoreToken(tokenFile, clients.token);
      // For a second `serve`, which prints the running one's link. As secret as the token next to it.
      try {
        restoreToken(pageKeyFile(runDir), this.pageKey);
      } catch (error) {
        // Servers still work on a full disk; the dashboard opens once there is space.
        this.log.warn('Could not write the dashboard key.', { error });
      }
    };
    const serve = this.serve.bind(this);
    this.#socket = createSocketServer({
      context,
      clients,
      starting: () => this.core.starting,
      gate: this.gate,
      serve,
      rpcDeps: () => this.rpcDeps,
      keepFiles,
    });
    await this.#socket.start();
    keepFiles();
  }

  async #watchClientApps(): Promise<void> {
    const { openOfferTests, watchClientApps } = await import('./open-app-setup.ts');
    const { config } = this.core.context;
    const apps = watchClientApps(this.core, this.#access());
    this.#apps = apps;
    this.#offerTests = openOfferTests(this.core, apps);
    this.#stops.push(config.changed.on(() => apps.configChanged()));
  }

  /** Ends an app's sessions when its profile changes; new ones use the new profile. */
  #closeSessions(): () => void {
    const { config } = this.core.context;
    let before = config.current.appProfiles;
    return config.changed.on(({ appProfiles }) => {
      const apps = new Set([...Object.keys(before), ...Object.keys(appProfiles)]);
      const moved = [...apps].filter((app) => before[app] !== appProfiles[app]);
      before = appProfiles;
      for (const app of moved) {
        // An app without its own URL is identified by its handshake.
        for (const { session, end } of this.#open) if (session.servesApp(app)) void end(profileChanged(app));
        this.#http?.closeAppSessions(app);
      }
    });
  }

  #access(): AppSetupDeps['access'] {
    const { appAccess: store, gate } = this;
    const { config } = this.core.context;
    return {
      store,
      address: () => Promise.resolve(httpEndpoint(this.addresses.http, config.current.port)),
      endSessions: async (app, why) => {
        this.#http?.closeAppSessions(app);
        await gate.closeSessions(app, why);
      },
    };
  }

  #httpOptions(dashboard: Dashboard): McpHttpServerOptions {
    const { gate, tokens } = this;
    const { context, servers, calls, activity, clients } = this.core;
    const { askToken, pageRoot, port, desktop } = this.#options;
    const { config, log } = context;
    const team = this.#team?.http;
    const page = {
      root: pageRoot,
      key: askToken ? this.pageKey : undefined,
      signatures: askToken ? new PageSignatures(this.pageKey) : undefined,
    };
    return {
      config: () => config.current,
      log,
      clients,
      catalog: calls.catalog,
      servers: servers.manager,
      ledger: activity.ledger,
      starting: () => this.core.starting,
      gate,
      tokens,
      ports: {
        wanted: () => port ?? config.current.port,
        onWish: (listener) => config.changed.on(listener),
        isFixed: port !== undefined,
        // The app has a window, and a client app's URL should not change by chance.
        hasSpare: desktop === undefined,
        onProblem: (sentence) => log.warn(sentence),
      },
      token: askToken ? clients.token : undefined,
      serve: this.serve.bind(this),
      other: team?.other ?? ((request, response) => dashboard.handle(request, response, page)),
      team,
    };
  }
}

function profileChanged(app: string): AppError {
  return new AppError('not_allowed', `The permissions of ${app} have changed.`, { fix: 'Connect again.' });
}
