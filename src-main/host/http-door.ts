/** The core's HTTP: client apps of both eras, and whatever else is answered on the same port. */
import { createHash } from 'node:crypto';
import type { Aggregator } from '../core/aggregator.ts';
import type { CatalogChange, LiveCatalog } from '../core/catalog/live-catalog.ts';
import { type Endpoint, kindAt, viewFor } from '../core/sessions/views/endpoint.ts';
import type { SessionPlace, SessionSeed } from '../core/sessions/http/legacy-line.ts';
import { type Credential, type LetIn, principalOf } from '../core/security/principal.ts';
import { HttpListener, type HttpListenerOptions } from '../core/sessions/http/http-listener.ts';
import { ModernEndpoint } from '../core/sessions/http/modern-http.ts';
import { taskTold } from '../core/sessions/subscriptions.ts';
import { RequestIds } from '../core/sessions/http/request-ids.ts';
import type { NamedNotification } from '../core/servers/server-manager.ts';
import type { Transport } from '../core/wire/transport.ts';
import type { AppGate } from './app-gate.ts';
import type { ProfileGate } from './profile-gate.ts';
import type { TeamDoor } from './team-seams.ts';
import { HttpPorts, type HttpPortsOptions } from './http-ports.ts';

/** A team's calls take longer than one person likes to wait for the end; below the 30 s that Kubernetes gives a process. */
const teamDrainSeconds = 25;
/** Longer than balancers keep a connection on which nothing comes, so that none sends on one that is just being closed. */
const keptForBalancerMs = 75_000;

export interface HttpDoorOptions {
  readonly core: Aggregator;
  readonly ports: Omit<HttpPortsOptions, 'open'>;
  /** undefined: no token is asked for (tests only). */
  readonly token: string | undefined;
  readonly gate: AppGate;
  readonly tokens: ProfileGate;
  /** Serves MCP on a line until it ends; rejects with AppError mode_unknown or server_not_found. */
  readonly serve: (transport: Transport, endpoint: Endpoint, letIn: LetIn) => Promise<void>;
  /** Anything outside of /mcp. */
  readonly other: HttpListenerOptions['other'];
  /** Whom a team's replica lets in, and where it listens. */
  readonly team?: TeamDoor | undefined;
}

export class HttpDoor {
  /** Where it is open. */
  readonly ports: HttpPorts;
  readonly #options: HttpDoorOptions;
  readonly #listener: HttpListener;
  readonly #requestIds: RequestIds;
  readonly #stops: (() => void)[] = [];
  /** Answers that apps without sessions were promised and have not fetched. */
  #awaited = 0;

  constructor(options: HttpDoorOptions) {
    const { core, ports, token, gate, tokens, serve, other, team } = options;
    this.#options = options;
    this.#requestIds = new RequestIds((id) => core.servers.endPrivateLines(id));
    this.#listener = new HttpListener({
      address: team?.address,
      refuseStranger: team?.refuseStranger,
      letIn: team?.letIn,
      refuseRequest: team?.refuseRequest,
      token,
      acceptsAppToken: (app, given) => gate.accepts(app, given),
      judgeProfileToken: (profile, given) => tokens.judge(profile, given),
      admitApp: (app) => gate.admit(app),
      beginning: () => core.beginning,
      openLegacy: (endpoint) => (transport, seed) => serve(transport, endpoint, letIn(endpoint, seed)),
      openModern: (...asked) => this.#openModern(...asked),
      takesKind: (endpoint) => {
        const kind = kindAt(endpoint, core.options.config.current);
        return kind === undefined || core.kinds.takes(kind);
      },
      other,
      limits: () => core.options.config.current.http,
      usualDrainSeconds: team && teamDrainSeconds,
      keptMs: team && keptForBalancerMs,
      budgets: core.budgets,
      awaited: () => this.#awaited + core.parked.count,
      onOddity: (text) => core.options.log.warn(text),
    });
    core.kinds.keepWhile((catalog) =>
      this.#listener.modernEndpoints.some(({ isBusy, view }) => isBusy && view.catalog === catalog),
    );
    this.ports = new HttpPorts({ ...ports, open: (port) => this.#listener.open(port) });
  }

  /** Rejects with AppError port_in_use where the port was named for this run. */
  async start(): Promise<void> {
    await this.ports.start();
    const { catalog, kinds, profiles, servers } = this.#options.core;
    this.#stops.push(
      catalog.changed.on((change) => this.#tellChange(catalog, change)),
      profiles.changed.on(({ catalog: own, change }) => this.#tellChange(own, change)),
      kinds.changed.on(({ catalog: own, change }) => this.#tellChange(own, change)),
      kinds.letGo.on((isGone) => this.#listener.endModern(({ view }) => isGone(view.catalog))),
      profiles.letGo.on((isGone) => this.#listener.endModern(({ view }) => isGone(view.catalog))),
      servers.notified.on((notification) => this.#pass(notification)),
      this.#followTokens(),
    );
  }

  /** For who passes on to it what other cores have let in, lets it end in peace, and counts. */
  get listener(): HttpListener {
    return this.#listener;
  }

  /** What the app has open here beside its sessions. */
  endApp(app: string): void {
    this.#listener.endApp(app);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#requestIds.close();
    await this.ports.stop();
    await this.#listener.stop();
  }

  /** What they have open ends where they are over. */
  #followTokens(): () => void {
    const { team, tokens } = this.#options;
    const end = (isOver: (token: string) => boolean): void => void this.#listener.endTokens(isOver);
    return team === undefined ? tokens.follow(end) : team.follow(() => this.#listener.openTokens, end);
  }

  #openModern(endpoint: Endpoint, place: SessionPlace, key: string): ModernEndpoint {
    const { sessionCore, parked, ledger, servers } = this.#options.core;
    const view = viewFor(endpoint, sessionCore);
    const principal = principalOf(credentialOf(endpoint, place), endpoint.app, undefined);
    servers.meet(principal);
    const awaited = (until: Promise<void>): void => {
      this.#awaited++;
      void until.then(() => this.#awaited--);
    };
    return new ModernEndpoint({
      key,
      principal,
      app: endpoint.app,
      view,
      parked,
      requestIds: this.#requestIds,
      ledger,
      awaited,
    });
  }

  /** Endpoints of 2026-07-28 have no sessions: they are told themselves. */
  #tellChange(catalog: LiveCatalog, change: CatalogChange): void {
    for (const endpoint of this.#listener.modernEndpoints)
      if (endpoint.view.catalog === catalog) endpoint.announce(change);
  }

  #pass({ server, method, params }: NamedNotification): void {
    if (method !== 'notifications/resources/updated' && method !== taskTold) return;
    const { name } = server.config;
    for (const endpoint of this.#listener.modernEndpoints) {
      const { view } = endpoint;
      if (!view.shows(server)) continue;
      const told = method === taskTold ? view.toldOfTask(name, params) : undefined;
      if (told !== undefined) endpoint.taskTold(told);
      else if (method !== taskTold) endpoint.resourceUpdated(view.listedUri(name, String(params['uri'])));
    }
  }
}

/** By whose token it is; what the address or the client calls the app says nothing. */
function credentialOf({ app }: Endpoint, { holder, token, person }: SessionPlace): Credential {
  if (person !== undefined) {
    const { tenant, user, token: came } = person;
    return { kind: 'person token', tenant, user, token: came };
  }
  if (token !== undefined) return { kind: 'profile token', id: token };
  if (holder === 'person' || app === undefined) return { kind: 'shared token' };
  return { kind: 'app token', app };
}

/** A session's id opens it, so what is written down of it is another word that is the same over restarts. */
function letIn(endpoint: Endpoint, seed: SessionSeed): LetIn {
  return {
    credential: credentialOf(endpoint, seed),
    session: createHash('sha256').update(seed.id).digest('base64url'),
  };
}
