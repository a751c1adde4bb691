/** The core's HTTP server: client apps of both protocol generations, and everything else on the same port. */
import { createHash } from 'node:crypto';
import type { Ledger } from '../core/activity/ledger/ledger.ts';
import type { Log } from '../core/base/log.ts';
import type { AppConfig } from '../core/config/app-config.ts';
import type { ClientsGroup } from '../core/create-clients.ts';
import type { CatalogChange, LiveCatalog } from '../core/catalog/live-catalog.ts';
import { type Endpoint, extensionsAt, viewFor } from '../core/sessions/views/endpoint.ts';
import type { SessionBinding, SessionSeed } from '../core/sessions/http/stateful-http-transport.ts';
import { type Credential, type AuthInfo, principalOf } from '../core/security/principal.ts';
import { HttpListener, type HttpListenerOptions } from '../core/sessions/http/http-listener.ts';
import { StatelessEndpoint } from '../core/sessions/http/stateless-endpoint.ts';
import { taskNotification } from '../core/sessions/subscriptions.ts';
import { RequestIds } from '../core/sessions/http/request-ids.ts';
import type { NamedNotification, ServerManager } from '../core/servers/server-manager.ts';
import type { Transport } from '../core/wire/transport.ts';
import type { AppAccessControl } from './app-access.ts';
import type { ProfileAuthenticator } from './profile-authenticator.ts';
import type { TeamHttpOptions } from './team-host.ts';
import { PortBinder, type PortBinderOptions } from './port-binder.ts';

/**
 * Team calls may take longer than a single user would wait at shutdown; below Kubernetes' 30 s termination grace
 * period.
 */
const teamDrainSeconds = 25;
/** Longer than load balancers keep idle connections, so that none sends on a connection that is being closed. */
const keepAliveTimeoutMs = 75_000;

export interface McpHttpServerOptions {
  readonly config: () => AppConfig;
  readonly log: Pick<Log, 'warn'>;
  readonly clients: ClientsGroup;
  readonly catalog: LiveCatalog;
  readonly servers: Pick<ServerManager, 'closePrivateConnections' | 'notified' | 'onUserSeen'>;
  readonly ledger: Ledger;
  /** Pending until the servers are known. */
  readonly starting: () => Promise<void> | undefined;
  readonly ports: Omit<PortBinderOptions, 'open'>;
  /** undefined: no token is required (tests only). */
  readonly token: string | undefined;
  readonly gate: AppAccessControl;
  readonly tokens: ProfileAuthenticator;
  /** Serves MCP on a transport until it ends; rejects with AppError `mode_unknown` or `server_not_found`. */
  readonly serve: (transport: Transport, endpoint: Endpoint, letIn: AuthInfo) => Promise<void>;
  /** Handles paths outside /mcp. */
  readonly other: HttpListenerOptions['other'];
  /** Authentication and listen address of a team's replica. */
  readonly team?: TeamHttpOptions | undefined;
}

export class McpHttpServer {
  /** Binds the ports. */
  readonly ports: PortBinder;
  readonly #options: McpHttpServerOptions;
  readonly #listener: HttpListener;
  readonly #requestIds: RequestIds;
  readonly #stops: (() => void)[] = [];
  /** Number of results that sessionless apps have yet to fetch. */
  #awaited = 0;

  constructor(options: McpHttpServerOptions) {
    const { config, log, clients, servers, starting, ports, token, gate, tokens, serve, other, team } = options;
    this.#options = options;
    this.#requestIds = new RequestIds((id) => servers.closePrivateConnections(id));
    this.#listener = new HttpListener({
      access: team,
      token,
      acceptsAppToken: (app, given) => gate.accepts(app, given),
      judgeProfileToken: (profile, given) => tokens.authenticate(profile, given),
      admitApp: (app) => gate.admit(app),
      starting,
      openLegacy: (endpoint) => (transport, seed) => serve(transport, endpoint, authenticate(endpoint, seed)),
      openModern: (...args) => this.#openStateless(...args),
      takesKind: (endpoint) => {
        const kind = extensionsAt(endpoint, config());
        return kind === undefined || clients.extensions.accepts(kind);
      },
      other,
      limits: () => config().http,
      fallbackDrainSeconds: team && teamDrainSeconds,
      retainMs: team && keepAliveTimeoutMs,
      budgets: clients.budgets,
      awaited: () => this.#awaited + clients.parkedCalls.count,
      onWarning: (text) => log.warn(text),
    });
    clients.sessions.addCatalogUsers((catalog) =>
      this.#listener.statelessEndpoints.some(({ isBusy, view }) => isBusy && view.catalog === catalog),
    );
    this.ports = new PortBinder({ ...ports, open: (port) => this.#listener.open(port) });
  }

  /** Rejects with AppError `port_in_use` if the port was given for this run. */
  async start(): Promise<void> {
    await this.ports.start();
    const { catalog, clients, servers } = this.#options;
    const { extensions, profiles } = clients;
    this.#stops.push(
      catalog.changed.on((change) => this.#notifyChange(catalog, change)),
      profiles.changed.on(({ catalog: own, change }) => this.#notifyChange(own, change)),
      extensions.changed.on(({ catalog: own, change }) => this.#notifyChange(own, change)),
      extensions.evicted.on((isGone) => this.#listener.endStateless(({ view }) => isGone(view.catalog))),
      profiles.evicted.on((isGone) => this.#listener.endStateless(({ view }) => isGone(view.catalog))),
      servers.notified.on((notification) => this.#pass(notification)),
      this.#followTokens(),
    );
  }

  /** For team replicas, which forward requests to it, drain it, and read its counts. */
  get listener(): HttpListener {
    return this.#listener;
  }

  /** Ends the app's open HTTP streams besides its sessions. */
  closeAppSessions(app: string): void {
    this.#listener.endApp(app);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#requestIds.close();
    await this.ports.stop();
    await this.#listener.stop();
  }

  /** Ends users' connections when their tokens end. */
  #followTokens(): () => void {
    const { team, tokens } = this.#options;
    const end = (isOver: (token: string) => boolean): void => void this.#listener.endTokens(isOver);
    return team === undefined ? tokens.onRevoked(end) : team.follow(() => this.#listener.openTokens, end);
  }

  #openStateless(endpoint: Endpoint, place: SessionBinding, key: string): StatelessEndpoint {
    const { clients, ledger, servers } = this.#options;
    const view = viewFor(endpoint, clients.services);
    const principal = principalOf(credentialOf(endpoint, place), endpoint.app, undefined);
    servers.onUserSeen(principal);
    const awaited = (until: Promise<void>): void => {
      this.#awaited++;
      void until.then(() => this.#awaited--);
    };
    return new StatelessEndpoint({
      key,
      principal,
      app: endpoint.app,
      view,
      parked: clients.parkedCalls,
      requestIds: this.#requestIds,
      ledger,
      awaited,
    });
  }

  /** Endpoints of revision 2026-07-28 have no sessions, so they are notified directly. */
  #notifyChange(catalog: LiveCatalog, change: CatalogChange): void {
    for (const endpoint of this.#listener.statelessEndpoints)
      if (endpoint.view.catalog === catalog) endpoint.announce(change);
  }

  #pass({ server, method, params }: NamedNotification): void {
    if (method !== 'notifications/resources/updated' && method !== taskNotification) return;
    const { name } = server.config;
    for (const endpoint of this.#listener.statelessEndpoints) {
      const { view } = endpoint;
      if (!view.includesServer(server)) continue;
      const mapped = method === taskNotification ? view.mapTaskNotification(name, params) : undefined;
      if (mapped !== undefined) endpoint.notifyTask(mapped);
      else if (method !== taskNotification) endpoint.resourceUpdated(view.listedUri(name, String(params['uri'])));
    }
  }
}

/** The credential of the token's owner; names in the URL or from the client are not trusted. */
function credentialOf({ app }: Endpoint, { holder, token, person }: SessionBinding): Credential {
  if (person !== undefined) {
    return { kind: 'person token', user: person.user, token: person.token };
  }
  if (token !== undefined) return { kind: 'profile token', id: token };
  if (holder === 'person' || app === undefined) return { kind: 'shared token' };
  return { kind: 'app token', app };
}

/** A session's ID is a credential, so records use a derived ID that is stable across restarts. */
function authenticate(endpoint: Endpoint, seed: SessionSeed): AuthInfo {
  return {
    credential: credentialOf(endpoint, seed),
    session: createHash('sha256').update(seed.id).digest('base64url'),
  };
}
