/**
 * A team's dashboard as served by one replica: sign-in, state, and requests of each user. All replicas serve the same.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DashboardRoutesOptions, dispatchRpc, type RpcDeps, StatePublisher } from '../../rpc/edition.ts';
import { coreGroups } from '../../core/edition.ts';
import { AppError, errorText } from '../../core/base/errors.ts';
import type { CoreHost } from '../../host/core-host.ts';
import { CallQueries } from '../activity/call-queries.ts';
import { StepQueries } from '../activity/step-queries.ts';
import { SavingsQueries } from '../activity/savings-queries.ts';
import { SpillTable } from '../spills/spill-table.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Database } from '../database/database.ts';
import type { AccessAudit } from '../http/access-audit.ts';
import type { TrustedProxies } from '../http/trusted-proxies.ts';
import { CodeFlow } from '../oidc/authorization-code-flow.ts';
import type { OpenIssuer } from '../open-identity.ts';
import type { Authenticator } from '../users/authenticator.ts';
import { type UserStore, usersTopic } from '../users/user-store.ts';
import type { AccessTokenStore } from '../users/access-tokens.ts';
import type { Heartbeat } from '../replicas/heartbeat.ts';
import type { TeamKeys } from '../documents/team-keys.ts';
import type { TeamSignIns } from '../oauth/team-sign-ins.ts';
import { requirePermission } from './method-permissions.ts';
import { callbackPath } from './oidc-routes.ts';
import { OidcSignIn } from './oidc-sign-in.ts';
import { InboxService, type InboxServiceDeps } from './inbox-service.ts';
import type { ServerServiceDeps } from './server-service.ts';
import { DashboardRoutes } from './dashboard-routes.ts';
import { DashboardSessions } from './dashboard-sessions.ts';
import { teamRpcHandlers } from './team-rpc-handlers.ts';
import { TeamActivityCache } from './team-activity-cache.ts';
import { TokenSignIn } from './token-sign-in.ts';
import { readerOf, type Viewer } from './viewer.ts';
import { viewerSource, viewerState } from './viewer-state.ts';

export interface TeamDashboardDeps extends Omit<ServerServiceDeps, 'admin'> {
  readonly database: Database;
  readonly changes: Pick<ChangeFeed, 'changed'>;
  readonly people: UserStore;
  readonly tokens: AccessTokenStore;
  readonly gate: Pick<Authenticator, 'authenticate'>;
  readonly proxies: TrustedProxies;
  readonly keys: Pick<TeamKeys, 'encryptionKeys'>;
  readonly notes: AccessAudit;
  /** The issuer, also used for sign-ins if it has a client ID. */
  readonly issuer: OpenIssuer | undefined;
  /**
   * Returns the URL to which a browser returns after a sign-in. Throws AppError `bad_request` if none is configured.
   */
  readonly home: () => string;
  /** URL for browsers; undefined: the listen address. */
  readonly publicUrl: string | undefined;
  /** Folder of the built page. */
  readonly root: string;
  readonly heartbeat: Heartbeat;
  /** Whether a user's own process of a server runs. */
  readonly hasProcess: (user: string, server: string) => boolean;
  /** Users' sign-ins at servers; available on the first request, like the core. */
  readonly signIns: () => TeamSignIns;
  /** Available once the first request arrives. */
  readonly host: () => CoreHost;
}

interface Stream {
  readonly secret: string;
  readonly viewer: Viewer;
  readonly response: ServerResponse;
}

/** Maximum number of open state streams of all users on one replica. */
const maxStreams = 500;
/** Interval of permission checks in case a notification was lost, in ms. */
const pollIntervalMs = 15_000;

export class TeamDashboard {
  readonly #parts: TeamDashboardDeps;
  readonly #sessions: DashboardSessions;
  readonly #record: TeamActivityCache;
  readonly #pages: CallQueries;
  readonly #steps: StepQueries;
  readonly #spills: SpillTable;
  readonly #routes: DashboardRoutes;
  readonly #publishers = new Map<string, StatePublisher>();
  readonly #streams = new Set<Stream>();
  readonly #stopFollowing: () => void;
  readonly #polling: NodeJS.Timeout;

  constructor(parts: TeamDashboardDeps) {
    const { sql, database, people, gate, proxies, publicUrl, root, changes } = parts;
    this.#parts = parts;
    this.#sessions = new DashboardSessions(sql);
    this.#pages = new CallQueries(sql);
    this.#steps = new StepQueries(sql);
    this.#spills = new SpillTable(database);
    this.#record = new TeamActivityCache({
      ledger: new SavingsQueries(sql),
      pages: this.#pages,
      steps: this.#steps,
      namesOf: async (users) => new Map([...(await people.byId(users))].map(([id, { name }]) => [id, name])),
    });
    this.#routes = new DashboardRoutes({
      root,
      proxies,
      sessions: this.#sessions,
      isSecure: publicUrl?.startsWith('https:') ?? false,
      signIn: new TokenSignIn({
        gate,
        people,
        sessions: this.#sessions,
        entered: ({ id, name }) =>
          this.#noteAccess('signed in', id, `${name} signed in to the dashboard with a token.`),
      }),
      issuer: this.#issuerSignIn(),
      of: (viewer) => this.#of(viewer),
      follow: (...stream) => this.#follow(...stream),
      left: ({ user, name }) => this.#noteAccess('signed out', user, `${name} signed out of the dashboard.`),
    });
    this.#stopFollowing = changes.changed.on(({ topic, user }) => {
      if (topic === usersTopic) void this.#closeExpiredStreams(user);
    });
    this.#polling = setInterval(() => void this.#closeExpiredStreams(), pollIntervalMs).unref();
  }

  /** Returns false if the path does not belong to the dashboard. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    return this.#routes.handle(request, response);
  }

  /** ID of the user who is signed in in this browser; undefined if unknown. */
  async whoIs(request: IncomingMessage): Promise<string | undefined> {
    return (await this.#routes.viewer(request))?.user;
  }

  close(): void {
    this.#stopFollowing();
    clearInterval(this.#polling);
    for (const { response } of this.#streams) response.destroy();
  }

  #issuerSignIn(): OidcSignIn | undefined {
    const { home, issuer, keys, notes } = this.#parts;
    if (issuer?.hasClient !== true) return undefined;
    const { people, rules, tokens } = issuer;
    const redirect = (): string => `${home().replace(/\/+$/, '')}${callbackPath}`;
    const flow = new CodeFlow({ issuer: tokens, redirect });
    return new OidcSignIn({
      flow,
      issuer: tokens,
      rules,
      people,
      notes,
      sessions: this.#sessions,
      now: Date.now,
      ring: keys.encryptionKeys('page sign-ins'),
      entered: ({ id, name }) =>
        this.#noteAccess('signed in', id, `${name} signed in to the dashboard at ${flow.host}.`),
      left: ({ id, name }) =>
        this.#noteAccess('signed out', id, `${flow.host} signed ${name} out; all tokens of the user are revoked.`),
    });
  }

  #of(viewer: Viewer): Pick<DashboardRoutesOptions, 'publisher' | 'ask' | 'spillFile'> {
    const { calls } = this.#parts.host().core;
    return {
      publisher: this.#publisherOf(viewer),
      ask: async (method, input, signal) => {
        requirePermission(method, viewer.role);
        return dispatchRpc(method, input, this.#depsOf(viewer), signal, this.#questionsOf(viewer));
      },
      spillFile: async (id) => {
        const found = await calls.spills.fileOf(id, readerOf(viewer));
        if (found === undefined) throw new AppError('not_found', 'Spill not found.');
        return found;
      },
    };
  }

  /** One publisher per user, while the user has the page open. */
  #publisherOf(viewer: Viewer): StatePublisher {
    const key = JSON.stringify(viewer);
    const known = this.#publishers.get(key);
    if (known !== undefined) return known;
    const { hasProcess, heartbeat } = this.#parts;
    const parts = {
      deps: this.#depsOf(viewer),
      record: this.#record,
      spills: this.#spills,
      hasProcess,
      heartbeat,
      inbox: new InboxService(this.#inboxParts, viewer),
    };
    const log = this.#parts.host().log.child('dashboard');
    const made = new StatePublisher(viewerState(viewer, parts), viewerSource(parts), (slice, error) =>
      log.warn(`Could not publish the state slice "${slice}".`, { error }),
    );
    for (const [other, { watchers }] of this.#publishers) if (watchers === 0) this.#publishers.delete(other);
    this.#publishers.set(key, made);
    return made;
  }

  get #inboxParts(): InboxServiceDeps {
    const { host } = this.#parts;
    const namesOf = (users: readonly string[]): ReturnType<TeamActivityCache['namesOf']> => this.#record.namesOf(users);
    return { inbox: host().core.trust.inbox, namesOf };
  }

  #questionsOf(viewer: Viewer): ReturnType<typeof teamRpcHandlers> {
    const { people, tokens, host, signIns, sql, heartbeat } = this.#parts;
    const groups = coreGroups(host().core);
    const { audit } = groups.trust;
    const rows = { record: this.#record, pages: this.#pages, steps: this.#steps };
    return teamRpcHandlers(viewer, {
      ...this.#inboxParts,
      ...groups,
      people,
      tokens,
      audit,
      signIns: signIns(),
      sql,
      heartbeat,
      ...rows,
    });
  }

  #depsOf(viewer: Viewer): RpcDeps {
    const { host } = this.#parts;
    const { addresses, stop, apps } = host().rpcDeps;
    return {
      ...coreGroups(host().core),
      addresses,
      stop,
      apps,
      desktop: undefined,
      reader: readerOf(viewer),
    };
  }

  /** Throws AppError `session_limit`. */
  #follow(secret: string, viewer: Viewer, response: ServerResponse): void {
    if (this.#streams.size >= maxStreams) throw new AppError('session_limit', 'Too many open dashboards.');
    const stream = { secret, viewer, response };
    this.#streams.add(stream);
    response.once('close', () => this.#streams.delete(stream));
  }

  /** `user`: only this user changed. */
  async #closeExpiredStreams(user?: string): Promise<void> {
    for (const { secret, viewer, response } of [...this.#streams]) {
      if (user !== undefined && viewer.user !== user) continue;
      try {
        const now = await this.#sessions.viewer(secret);
        // The browser reconnects if the user's permissions have changed.
        if (JSON.stringify(now) !== JSON.stringify(viewer)) response.destroy();
      } catch (error) {
        this.#parts.host().log.debug(`Could not read dashboard sessions: ${errorText(error)}`);
      }
    }
  }

  #noteAccess(change: 'signed in' | 'signed out', user: string, sentence: string): void {
    this.#parts.host().core.trust.audit.note({ kind: 'access', change, user, sentence });
  }
}
