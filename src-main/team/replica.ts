/**
 * One of a team's identical replicas: the desktop's core with a team's listeners and stores. Composition root:
 * database, change notifications, stores, HTTP. No local socket, and no access to this computer's client apps.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { HomeLock } from '../core/edition.ts';
import { resolveAppPaths } from '../core/base/app-paths.ts';
import { AppError } from '../core/base/errors.ts';
import { otlpTarget } from '../core/base/otlp.ts';
import { CoreHost, type CoreHostOptions } from '../host/core-host.ts';
import type { TeamHostContext, TeamHost } from '../host/team-host.ts';
import { s3Variables, parseS3Config } from './spills/s3-config.ts';
import { ConfigProblems } from './config/config-problems.ts';
import { ChangeFeed } from './database/change-feed.ts';
import { TeamDashboard } from './dashboard/team-dashboard.ts';
import { Database } from './database/database.ts';
import { requireSchema } from './database/migrate.ts';
import { AllowedHosts } from './http/allowed-hosts.ts';
import { createRequestLog } from './http/request-log.ts';
import { TrustedProxies } from './http/trusted-proxies.ts';
import { openStores } from './open-stores.ts';
import { keysFileVariable, keysVariable, TeamKeys } from './documents/team-keys.ts';
import { SpanExporter } from './operations/span-exporter.ts';
import { openOperations, type OpenOperations } from './operations/open-operations.ts';
import { handleProbe, isProbe } from './operations/operations-server.ts';
import { Readiness } from './operations/readiness.ts';
import { stopStaleProcesses } from './placement/stop-stale-processes.ts';
import { openPlacement, type OpenPersonalProcesses } from './placement/open-placement.ts';
import { reportUnconfined } from './placement/report-unconfined.ts';
import { teamLaunchPolicy } from './placement/team-launch-policy.ts';
import { type OpenQuotas, openQuotas } from './quotas/open-quotas.ts';
import { Heartbeat } from './replicas/heartbeat.ts';
import { followRetries } from './dashboard/follow-retries.ts';
import { type IssuerSettings, oidcSecretVariable, openIdentity } from './open-identity.ts';
import { openSignIns, type OpenSignIns } from './oauth/open-oauth.ts';

/** Options of its core; `TOOLTRAY_HOME` in `env` is this replica's own folder. */
type CoreOverrides = Pick<CoreHostOptions, 'env' | 'version' | 'configFile' | 'mode' | 'pageRoot' | 'onStop'> &
  Partial<Pick<CoreHostOptions, 'logTo' | 'shared'>>;

export interface ReplicaOptions extends CoreOverrides {
  /** `postgres://user:password@host:port/name`. */
  readonly database: string;
  /** The same database without a connection pooler, for notifications and locks; undefined: `database`. */
  readonly directDatabase?: string | undefined;
  readonly listen: ListenAddress;
  /** URL for client apps, without `/mcp`; undefined: the listen address. */
  readonly publicUrl: string | undefined;
  /** Additional host names by which it may be addressed. */
  readonly allowedHosts: readonly string[];
  /** Addresses and ranges of the reverse proxies. */
  readonly trustedProxies: readonly string[];
  /** The users' identity provider; undefined: personal tokens only. */
  readonly issuer?: IssuerSettings | undefined;
  /** Display name: lowercase letters, digits and dashes; the computer's name by default. */
  readonly name?: string | undefined;
  /** Commands run without a sandbox if none is available; they can then read the replica's keys. */
  readonly allowsUnconfined?: boolean | undefined;
  /** Time that a draining replica continues as before, until load balancers stop sending requests, in ms. */
  readonly noticeMs?: number | undefined;
  /** Heartbeat interval in ms. */
  readonly heartbeatMs?: number | undefined;
  /** Address of the operations routes; undefined: none. */
  readonly operations?: ListenAddress | undefined;
  /**
   * The object store for spilled results: `s3://bucket/prefix?endpoint=…`, with its key in `env`; undefined: nothing is
   * spilled.
   */
  readonly objects?: string | undefined;
}

export interface ListenAddress {
  readonly address: string;
  /** 0: any free port. */
  readonly port: number;
}

/** Time for a previous replica to stop, in ms. */
const homeWaitMs = 5_000;
/** Load balancers poll every two seconds and react to the third failure. */
const defaultNoticeMs = 6_000;

export class Replica {
  readonly host: CoreHost;
  readonly database: Database;
  readonly changes: ChangeFeed;
  readonly heartbeat: Heartbeat;
  readonly personal: OpenPersonalProcesses;
  /** The users' own sign-ins at remote servers. */
  readonly signIns: OpenSignIns;
  readonly #options: ReplicaOptions;
  readonly #parts: Parts;
  readonly #config: ConfigProblems;
  #operations: OpenOperations | undefined;
  #spans: SpanExporter | undefined;
  readonly #home: Disposable;

  private constructor(host: CoreHost, parts: Parts, home: Disposable, options: ReplicaOptions) {
    this.#options = options;
    this.#parts = parts;
    this.#home = home;
    this.host = host;
    this.database = parts.database;
    this.changes = parts.changes;
    this.heartbeat = parts.heartbeat;
    this.personal = parts.personal;
    this.signIns = parts.signIns;
    const { config, log } = host.core.context;
    this.#config = new ConfigProblems(config, log.child('config'));
    reportUnconfined(config, log);
  }

  /**
   * Rejects with AppError: `unsupported` for another schema, `store_unreachable`, `config_invalid`,
   * `config_not_found`,
   * `bad_request`.
   */
  static async open(options: ReplicaOptions): Promise<Replica> {
    const name = options.name ?? computerName();
    const { directDatabase = options.database } = options;
    const database = new Database({ url: options.database, name: `tooltray replica ${name}` });
    const listener = new Database({ url: directDatabase, most: 1, name: `tooltray listener ${name}` });
    // Two replicas that share a folder would damage each other's logs, caches, and users' homes.
    const { dataDir } = resolveAppPaths(options.env, process.platform, homedir());
    const home = await HomeLock.take(join(dataDir, 'replica.lock'), homeWaitMs);
    try {
      await requireSchema(database.sql);
      const made = Promise.withResolvers<Parts>();
      const host = await CoreHost.open({
        ...coreOptions(options),
        team: async (context) => {
          const { edition, parts } = await openParts(options, { context, database, listener, name, host: () => host });
          made.resolve(parts);
          return edition;
        },
      });
      return new Replica(host, await made.promise, home, options);
    } catch (error) {
      await Promise.all([listener.close(), database.close()]);
      home[Symbol.dispose]();
      throw error;
    }
  }

  /** Opens HTTP. Rejects with AppError `port_in_use`, `store_unreachable`, `bad_request`. */
  async listen(): Promise<void> {
    this.#spans = this.#openSpans();
    await this.#openOperations();
    await this.host.listen();
    await this.heartbeat.start();
    this.#parts.readiness.isListening = true;
  }

  /** Starts its servers, after `listen`. Never rejects. */
  async start(): Promise<void> {
    await this.host.core.start();
  }

  /** The port of /metrics; undefined if it is not open. */
  get operationsPort(): number | undefined {
    return this.#operations?.port;
  }

  /** Reports that it is draining, then lets calls finish; `stop` comes next. */
  async drain(): Promise<void> {
    this.#parts.readiness.isDraining = true;
    this.heartbeat.drain();
    await this.host.httpServer?.listener.drain(this.#options.noticeMs ?? defaultNoticeMs);
  }

  /** Stops the core and closes the database. */
  async stop(): Promise<void> {
    this.#parts.readiness.isDraining = true;
    this.#config.stop();
    await this.host.stop();
    await this.#spans?.close();
    await this.#operations?.stop();
    this.#home[Symbol.dispose]();
  }

  /** undefined if the environment configures no collector. Throws AppError `bad_request`. */
  #openSpans(): SpanExporter | undefined {
    const { env, version } = this.#options;
    const target = otlpTarget(env, 'traces');
    if (target === undefined) return undefined;
    return new SpanExporter({
      target,
      version,
      activity: this.host.core.activity.log,
      log: this.host.log.child('traces'),
      service: env['OTEL_SERVICE_NAME'] ?? 'tooltray',
      replica: this.heartbeat.id,
    });
  }

  async #openOperations(): Promise<void> {
    const { operations, version } = this.#options;
    if (operations === undefined) return;
    this.#operations = await openOperations({
      host: this.host,
      version,
      database: this.database,
      at: operations,
      readiness: this.#parts.readiness,
      config: this.#config,
      quotas: this.#parts.quotas.quotas,
      personal: () => this.personal.processes.counts,
    });
  }
}

interface Parts {
  readonly database: Database;
  readonly changes: ChangeFeed;
  readonly heartbeat: Heartbeat;
  readonly readiness: Readiness;
  readonly personal: OpenPersonalProcesses;
  readonly signIns: OpenSignIns;
  readonly quotas: OpenQuotas;
}

interface PartsDeps {
  readonly context: TeamHostContext;
  readonly database: Database;
  /** Direct connection to PostgreSQL, because poolers do not pass on notifications. */
  readonly listener: Database;
  readonly name: string;
  /** Available once it listens. */
  readonly host: () => CoreHost;
}

async function openParts(
  options: ReplicaOptions,
  { context, database, listener, name, host }: PartsDeps,
): Promise<{ readonly edition: TeamHost; readonly parts: Parts }> {
  const { listen, publicUrl, version, env } = options;
  const { log } = context;
  const objects = options.objects === undefined ? undefined : parseS3Config(options.objects, env);
  const core = (): CoreHost['core'] => host().core;
  const sql = database.sql;
  const keys = TeamKeys.fromEnv(env);
  const changes = new ChangeFeed(listener.sql, log.child('changes'));
  await changes.start();
  const readiness = new Readiness(database.sql);
  const stores = await openStores({ ...context, env, version, sql, database, changes, keys, objects, replica: name });
  const quotas = openQuotas(sql, log.child('quotas'));
  const allowsUnconfined = options.allowsUnconfined === true;
  const launch = teamLaunchPolicy({
    paths: context.paths,
    config: options.configFile,
    env,
    allowsUnconfined,
    limits: () => core().context.config.current.commandLimits,
  });
  const personal = openPlacement({
    host: context,
    policy: launch,
    core,
    database: options.directDatabase ?? options.database,
    env: coreOptions(options).env,
    readOwn: ({ user }, secret) => stores.readOwn(user, secret),
  });
  const { processes } = personal;
  const heartbeat = new Heartbeat({
    sql,
    name,
    version,
    log,
    intervalMs: options.heartbeatMs,
    config: () => core().context.config.version,
    servers: () => core().servers.manager,
    users: () => processes.people,
    mask: (text) => context.masker.maskText(text),
  });
  const proxies = new TrustedProxies(options.trustedProxies);
  const hosts = new AllowedHosts(allowedHostNames(options), proxies);
  const url = (port: number): string => `${publicUrl?.replace(/\/+$/, '') ?? addressOf(listen, port)}/mcp`;
  const door = openIdentity({
    host: context,
    sql,
    changes,
    proxies,
    env,
    settings: options.issuer,
    core,
    resource: () => url(host().port),
    came: (user, token, until) => signIns.came(user, token, until),
  });
  const { people, tokens, gate } = door;
  const home = (): string => isReachableByBrowsers(options, host().port);
  const dashboard = new TeamDashboard({
    sql,
    database,
    changes,
    people,
    tokens,
    gate,
    proxies,
    publicUrl,
    root: options.pageRoot,
    heartbeat,
    keys,
    host,
    home,
    issuer: door.issuer,
    notes: door.notes,
    hasProcess: (user, server) => processes.has({ user }, server),
    signIns: () => signIns.signIns,
  });
  const signIns = openSignIns({
    keys,
    people,
    changes,
    env,
    core,
    vaults: stores.vaults,
    log: log.child('sign-ins'),
    publicUrl: home,
    whoIs: (request) => dashboard.whoIs(request),
  });
  const stops = [
    stopStaleProcesses(processes, { changes, people, vaults: stores.vaults, log: log.child('personal') }),
    followRetries({ changes, core }),
  ];
  const isPublic = (request: IncomingMessage): boolean => isProbe(request) || door.metadata?.matches(request) === true;
  const edition: TeamHost = {
    stores: stores.stores,
    perUserProcesses: processes.open,
    launch,
    perUserConnections: signIns.own,
    reserveQuota: quotas.quotas.admit,
    newTraceId:
      otlpTarget(env, 'traces') && (() => context.requests.current?.traceId ?? randomBytes(16).toString('hex')),
    approvalLocation: () => `in the team dashboard ${url(host().port).replace(/mcp$/, '#/inbox')}`,
    http: {
      address: listen.address,
      url,
      inScope: createRequestLog(context.requests, log.child('http')),
      refuseStranger: (request) => (isPublic(request) ? undefined : hosts.reject(request)),
      letIn: door.letIn,
      refuseRequest: door.refuseRequest,
      follow: door.follow,
      other: async (request, response) =>
        door.metadata?.respond(request, response) === true ||
        (await handleProbe(readiness, request, response)) ||
        (await signIns.routes.handle(request, response)) ||
        dashboard.handle(request, response),
    },
    close: async () => {
      dashboard.close();
      for (const stop of stops) stop();
      await personal.stop();
      await door.close();
      signIns.close();
      await quotas.close();
      await stores.close();
      await heartbeat.stop();
      await changes.stop();
      await Promise.all([listener.close(), database.close()]);
    },
  };
  return { edition, parts: { database, changes, heartbeat, readiness, personal, signIns, quotas } };
}

/** The computer's name, as a valid replica name. */
function computerName(): string {
  const name = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .slice(0, 40);
  return name === '' ? 'replica' : name;
}

function coreOptions({ env, listen, configFile, ...options }: ReplicaOptions): CoreHostOptions {
  const { version, mode, pageRoot, onStop, logTo, shared } = options;
  return {
    env: withoutKeys(env, options.objects),
    version,
    configFile,
    mode,
    pageRoot,
    onStop,
    logTo,
    shared,
    port: listen.port,
    askToken: true,
  };
}

/** Returns the environment without the replica's keys, which its child processes must not inherit. */
function withoutKeys(env: CoreHostOptions['env'], objects: string | undefined): CoreHostOptions['env'] {
  const keys: ReadonlySet<string> = new Set(keyVariables(env, objects));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !keys.has(name)));
}

/** Names of variables that contain or locate a key of a replica. `objects`: URL of the object store. */
export function keyVariables(env: CoreHostOptions['env'], objects: string | undefined): readonly string[] {
  return [
    'TOOLTRAY_DATABASE',
    'TOOLTRAY_DATABASE_DIRECT',
    oidcSecretVariable,
    keysVariable,
    keysFileVariable,
    ...s3Variables(objects, env),
  ];
}

/** Throws AppError `bad_request` if no host name is configured. */
function allowedHostNames({ publicUrl, allowedHosts, listen }: ReplicaOptions): readonly string[] {
  const named = [...(publicUrl === undefined ? [] : [new URL(publicUrl).host]), ...allowedHosts];
  if (named.length > 0) return named;
  if (isLoopback(listen.address)) return ['127.0.0.1', 'localhost', '[::1]'];
  throw new AppError('bad_request', 'The public host name is missing.', {
    fix: 'Set --public-url https://tools.example.com or --allowed-hosts tools.example.com.',
  });
}

/** Whether browsers can reach it without a configured public URL. */
function isReachableByBrowsers({ publicUrl, listen }: ReplicaOptions, port: number): string {
  if (publicUrl !== undefined) return publicUrl;
  if (isLoopback(listen.address)) return addressOf(listen, port);
  throw new AppError('bad_request', 'Sign-in is not available because no public URL is configured.', {
    fix: 'Ask an administrator to set --public-url.',
  });
}

function addressOf({ address }: ListenAddress, port: number): string {
  return `http://${bracketIpv6(address)}:${port}`;
}

function isLoopback(address: string): boolean {
  return /^(127\.|::1$|localhost$)/.test(address);
}

function bracketIpv6(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
