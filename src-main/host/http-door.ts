/** The core's HTTP: client apps of both eras, and whatever else is answered on the same port. */
import { join } from 'node:path';
import type { Aggregator } from '../core/aggregator.ts';
import type { CatalogChange, LiveCatalog } from '../core/catalog/live-catalog.ts';
import { type Endpoint, viewFor } from '../core/sessions/views/endpoint.ts';
import { HttpListener, type HttpListenerOptions } from '../core/sessions/http/http-listener.ts';
import { ModernEndpoint } from '../core/sessions/http/modern-http.ts';
import { SessionSlots } from '../core/sessions/http/session-slots.ts';
import type { NamedNotification } from '../core/servers/server-manager.ts';
import type { Transport } from '../core/wire/transport.ts';
import type { AppGate } from './app-gate.ts';
import type { ProfileGate } from './profile-gate.ts';
import { HttpPorts, type HttpPortsOptions } from './http-ports.ts';

export interface HttpDoorOptions {
  readonly core: Aggregator;
  readonly ports: Omit<HttpPortsOptions, 'open'>;
  /** undefined: no token is asked for (tests only). */
  readonly token: string | undefined;
  readonly gate: AppGate;
  readonly tokens: ProfileGate;
  /** Serves MCP on a line until it ends; rejects with AppError mode_unknown or server_not_found. */
  readonly serve: (transport: Transport, endpoint: Endpoint, principal: string) => Promise<void>;
  /** Anything outside of /mcp. */
  readonly other: HttpListenerOptions['other'];
}

export class HttpDoor {
  /** Where it is open. */
  readonly ports: HttpPorts;
  readonly #options: HttpDoorOptions;
  readonly #listener: HttpListener;
  readonly #slots: SessionSlots;
  readonly #stops: (() => void)[] = [];

  constructor(options: HttpDoorOptions) {
    const { core, ports, token, gate, tokens, serve, other } = options;
    this.#options = options;
    this.#slots = new SessionSlots((id) => void core.servers.endSession(id));
    this.#listener = new HttpListener({
      token,
      acceptsAppToken: (app, given) => gate.accepts(app, given),
      judgeProfileToken: (profile, given) => tokens.judge(profile, given),
      admitApp: (app) => gate.admit(app),
      openLegacy: (endpoint) => (transport) => serve(transport, endpoint, 'http'),
      openModern: (endpoint, path) => this.#openModern(endpoint, path),
      other,
      limits: () => core.options.config.current.http,
      budgets: core.budgets,
      sessionsFile: join(core.options.paths.runDir, 'http-sessions.json'),
      onOddity: (text) => core.options.log.warn(text),
    });
    this.ports = new HttpPorts({ ...ports, open: (port) => this.#listener.open(port) });
  }

  /** Rejects with AppError port_in_use where the port was named for this run. */
  async start(): Promise<void> {
    await this.ports.start();
    const { catalog, profiles, servers } = this.#options.core;
    this.#stops.push(
      catalog.changed.on((change) => this.#tellChange(catalog, change)),
      profiles.changed.on(({ catalog: own, change }) => this.#tellChange(own, change)),
      servers.notified.on((notification) => this.#tellResource(notification)),
      this.#options.tokens.follow((isOver) => void this.#listener.endTokens(isOver)),
    );
  }

  /** What the app has open here beside its sessions. */
  endApp(app: string): void {
    this.#listener.endApp(app);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#slots.close();
    await this.ports.stop();
    await this.#listener.stop();
  }

  #openModern(endpoint: Endpoint, path: string): ModernEndpoint {
    const { sessionCore, parked, ledger } = this.#options.core;
    const view = viewFor(endpoint, sessionCore);
    return new ModernEndpoint({ key: path, app: endpoint.app, view, parked, slots: this.#slots, ledger });
  }

  /** Endpoints of 2026-07-28 have no sessions: they are told themselves. */
  #tellChange(catalog: LiveCatalog, change: CatalogChange): void {
    for (const endpoint of this.#listener.modernEndpoints)
      if (endpoint.view.catalog === catalog) endpoint.announce(change);
  }

  #tellResource({ server, method, params }: NamedNotification): void {
    if (method !== 'notifications/resources/updated') return;
    const { name } = server.config;
    for (const endpoint of this.#listener.modernEndpoints) {
      const { view } = endpoint;
      if (view.shows(name)) endpoint.resourceUpdated(view.listedUri(name, String(params['uri'])));
    }
  }
}
