/**
 * One of a team's identical replicas: the same core as on a desktop, whose doors and stores are a team's. Composition root: the database, what
 * tells of changes in it, the stores that are kept there, the door. No socket, no look at this machine's client apps.
 *
 * A replica serves one tenant. Every row carries its tenant and every connection is bound to one (`Database.of`), so that several may have
 * their cores in one process later; what a core has is never another tenant's.
 */
import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import { AppError } from '../core/base/errors.ts';
import type { HttpSettings } from '../core/config/app-config.ts';
import { CoreHost, type CoreHostOptions } from '../host/core-host.ts';
import type { TeamRoom, TeamSeams } from '../host/team-seams.ts';
import { objectsVariables, readObjectsAddress } from './answers/objects-address.ts';
import { ConfigWatch } from './config/config-watch.ts';
import { Changes } from './database/changes.ts';
import { TeamDashboard } from './dashboard/team-dashboard.ts';
import { Database } from './database/database.ts';
import { requireSchema } from './database/migrate.ts';
import { AllowedHosts } from './door/allowed-hosts.ts';
import { lockHome } from './home-lock.ts';
import { refuseClients } from './door/let-in.ts';
import { Proxies } from './door/proxies.ts';
import { type OpenStores, openStores } from './open-stores.ts';
import { keysFileVariable, keysVariable, TeamKeys } from './records/team-keys.ts';
import { CallSpans, tracesTarget } from './operations/call-spans.ts';
import { openOperations, type OpenOperations } from './operations/open-operations.ts';
import { answerProbe, isProbe } from './operations/operations-door.ts';
import { Readiness } from './operations/readiness.ts';
import { SharedListings } from './replicas/shared-listings.ts';
import { SharedInbox } from './replicas/shared-inbox.ts';
import { SharedStandings } from './replicas/shared-standings.ts';
import { openPersonal, type Placement } from './placement/open-personal.ts';
import { type OpenQuotas, openQuotas } from './quotas/open-quotas.ts';
import { OpenReplicas, type ReplicaPlace } from './replicas/open-replicas.ts';
import { type IssuerSettings, oidcSecretVariable, openPeople } from './open-people.ts';
import { openSignIns, type OpenSignIns } from './sign-ins/open-sign-ins.ts';

/** Of its core; `env` has in `TOOLTRAY_HOME` the folder that is this replica's alone. */
type OwnCore = Pick<CoreHostOptions, 'env' | 'version' | 'configFile' | 'mode' | 'pageRoot' | 'onStop'> &
  Partial<Pick<CoreHostOptions, 'stderr' | 'counter' | 'sandbox'>>;

export interface ReplicaOptions extends OwnCore {
  /** `postgres://user:password@host:port/name`. */
  readonly database: string;
  /** Whose installation it serves. */
  readonly tenant: string;
  readonly listen: ListenAt;
  /** Where client apps reach it, without `/mcp`; undefined: where it listens. */
  readonly publicUrl: string | undefined;
  /** Names by which it may be addressed beside that one. */
  readonly allowedHosts: readonly string[];
  /** Addresses and ranges of the proxies in front. */
  readonly trustedProxies: readonly string[];
  /** Where its people sign in; undefined: personal tokens are all there is. */
  readonly issuer?: IssuerSettings | undefined;
  /** What it is among the others; undefined: it is the only one. */
  readonly among?: ReplicaPlace | undefined;
  /** Where it tells how it fares; undefined: nowhere. */
  readonly operations?: ListenAt | undefined;
  /** Where kept answers' bytes go: `s3://bucket/prefix?endpoint=…`, with its key in `env`; undefined: into the database. */
  readonly objects?: string | undefined;
}

export interface ListenAt {
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
}

export class Replica {
  readonly host: CoreHost;
  readonly database: Database;
  readonly changes: Changes;
  /** undefined: it is the only one. */
  readonly replicas: OpenReplicas | undefined;
  /** Of its people, at servers at an address. */
  readonly signIns: OpenSignIns;
  readonly #options: ReplicaOptions;
  readonly #readiness: Readiness;
  readonly #config: ConfigWatch;
  readonly #personal: Placement;
  readonly #quotas: OpenQuotas;
  #operations: OpenOperations | undefined;
  #spans: CallSpans | undefined;
  readonly #home: Disposable;
  #listings: SharedListings | undefined;
  readonly #shared: OpenShared;

  private constructor(
    host: CoreHost,
    { database, changes, replicas, readiness, personal, signIns, quotas, shared, home }: MadeAtHome,
    options: ReplicaOptions,
  ) {
    this.#options = options;
    this.#readiness = readiness;
    this.#home = home;
    this.#personal = personal;
    this.#shared = shared;
    this.host = host;
    this.database = database;
    this.changes = changes;
    this.replicas = replicas;
    this.signIns = signIns;
    this.#quotas = quotas;
    const { config, log } = host.core.options;
    this.#config = new ConfigWatch({ config, registry: replicas?.registry, log: log.child('config') });
  }

  /** Rejects with AppError: unsupported for another schema, store_unreachable, config_invalid, config_not_found, bad_request. */
  static async open(options: ReplicaOptions): Promise<Replica> {
    checkTenant(options.tenant);
    const database = new Database({
      url: options.database,
      name: ['tooltray replica', options.among?.name ?? ''].join(' ').trim(),
    });
    const home = await lockHome(options.env);
    try {
      await requireSchema(database.shared);
      const made = Promise.withResolvers<Made>();
      const limits = (): HttpSettings => host.core.options.config.current.http;
      const ofConfig = (): string => host.core.options.config.version;
      const remembersReading = (): boolean => host.core.options.config.current.flow.mode === 'ask';
      const host = await CoreHost.open({
        ...coreOptions(options),
        team: async (room) => {
          const changes = new Changes(database.shared, room.log.child('changes'));
          const { among, tenant, version } = options;
          const { log } = room;
          const readiness = new Readiness(database.shared);
          const keys = TeamKeys.fromEnv(options.env);
          const replicas =
            among &&
            new OpenReplicas({
              ...{
                ...among,
                tenant,
                keys,
                version,
                database,
                changes,
                log,
                limits,
                config: ofConfig,
                remembersReading,
              },
            });
          const stores = Promise.withResolvers<OpenStores>();
          const personal = openPersonal({
            ...{ room, database, version, tenant, replicas },
            env: coreOptions(options).env,
            replica: replicas?.registry.id ?? `${hostname()}:${options.listen.port}`,
            core: () => host.core,
            readOwn: async ({ user }, name) => (await stores.promise).readOwn(user, name),
          });
          const quotas = openQuotas(database.of(options.tenant), options.tenant, log.child('quotas'));
          const { seams, signIns, shared } = await openSeams(options, {
            ...{ room, database, changes, keys, replicas, readiness, personal, quotas },
            onStores: stores.resolve,
            host: () => host,
          });
          made.resolve({ database, changes, replicas, readiness, personal, signIns, quotas, shared });
          return seams;
        },
      });
      const parts = await made.promise;
      host.core.options.config.changed.on(() => parts.personal.configChanged());
      return new Replica(host, { ...parts, home }, options);
    } catch (error) {
      await database.close();
      home[Symbol.dispose]();
      throw error;
    }
  }

  /** Opens HTTP, and among others its inner door. Rejects with AppError port_in_use, store_unreachable, bad_request. */
  async listen(): Promise<void> {
    this.#spans = this.#openSpans();
    await this.#openOperations();
    await this.host.listen();
    const listener = this.host.httpDoor?.listener;
    if (listener !== undefined) await this.replicas?.start(listener);
    if (!this.#isRunner) {
      this.#listings = this.#shareListings();
      this.#shared.get();
    }
    this.#readiness.isListening = true;
  }

  /** Begins what it is there for, after `listen`: a runner starts no server but single people's, when they are asked for. Never rejects. */
  async start(): Promise<void> {
    const { core } = this.host;
    if (this.#isRunner) await core.options.config.start();
    else await core.start();
  }

  /** As people and measures know it. */
  get #name(): string {
    return this.#options.among?.name ?? `${hostname()}:${this.host.port}`;
  }

  get #isRunner(): boolean {
    return this.replicas?.role === 'runner';
  }

  /** Of its operations door; undefined where it has none. */
  get operationsPort(): number | undefined {
    return this.#operations?.port;
  }

  /** Lets the others go on with what it has, as far as that is possible; `stop` comes next. */
  async drain(): Promise<void> {
    this.#readiness.isDraining = true;
    const drainMs = this.host.httpDoor?.listener.drainMs ?? 0;
    await Promise.all([this.replicas?.drain(), this.#personal.drain(drainMs)]);
  }

  /** Ends the core with all that it has open, then lets go of the database. */
  async stop(): Promise<void> {
    this.#readiness.isDraining = true;
    await this.#listings?.stop();
    await this.#shared.stop();
    this.#config.stop();
    await this.host.stop();
    await this.#spans?.close();
    await this.#operations?.stop();
    this.#home[Symbol.dispose]();
  }

  #shareListings(): SharedListings {
    const { host, database, changes } = this;
    const { tenant } = this.#options;
    return new SharedListings({
      ...{ tenant, changes, sql: database.of(tenant), servers: host.core.servers },
      tell: () => host.httpDoor?.tellLists(),
      log: host.log.child('listings'),
    });
  }

  /** undefined where the environment names no collector. Throws AppError bad_request. */
  #openSpans(): CallSpans | undefined {
    const { env, version } = this.#options;
    const target = tracesTarget(env);
    if (target === undefined) return undefined;
    return new CallSpans({
      ...{ target, version, activity: this.host.core.activity, log: this.host.log.child('traces') },
      service: env['OTEL_SERVICE_NAME'] ?? 'tooltray',
      replica: this.#name,
    });
  }

  async #openOperations(): Promise<void> {
    const { operations, version } = this.#options;
    if (operations === undefined) return;
    this.#operations = await openOperations({
      ...{ host: this.host, version, database: this.database, at: operations },
      readiness: this.#readiness,
      config: this.#config,
      quotas: this.#quotas.quotas,
      passedOn: () => this.replicas?.passOn.count ?? 0,
      personal: this.#personal.counts,
      droppedSpans: () => this.#spans?.dropped,
    });
  }
}

interface Made {
  readonly database: Database;
  readonly changes: Changes;
  readonly replicas: OpenReplicas | undefined;
  readonly readiness: Readiness;
  readonly personal: Placement;
  readonly signIns: OpenSignIns;
  readonly quotas: OpenQuotas;
  readonly shared: OpenShared;
}

interface MadeAtHome extends Made {
  readonly home: Disposable;
}

/** What the replicas tell each other of themselves. */
interface OpenShared {
  /** Made when it is first asked for: it follows a core that is there. */
  readonly get: () => { readonly standings: SharedStandings; readonly inbox: SharedInbox };
  readonly stop: () => Promise<void>;
}

interface Opened extends Omit<Made, 'signIns' | 'shared'> {
  readonly keys: TeamKeys;
  readonly room: TeamRoom;
  readonly onStores: (stores: OpenStores) => void;
  /** Its core; there when it listens. */
  readonly host: () => CoreHost;
}

async function openSeams(
  options: ReplicaOptions,
  opened: Opened,
): Promise<{ readonly seams: TeamSeams } & Pick<Made, 'signIns' | 'shared'>> {
  const { database, changes, host, keys, personal, replicas, readiness, room } = opened;
  const isRunner = replicas?.role === 'runner';
  const { tenant, listen, publicUrl } = options;
  const objects = options.objects === undefined ? undefined : readObjectsAddress(options.objects, options.env);
  await changes.start();
  const proxies = new Proxies(options.trustedProxies);
  const hosts = new AllowedHosts(allowedNames(options), proxies);
  const sql = database.of(tenant);
  const url = (port: number): string => `${publicUrl?.replace(/\/+$/, '') ?? addressOf(listen, port)}/mcp`;
  const door = openPeople({
    ...{ room, tenant, sql, changes, proxies, env: options.env, settings: options.issuer },
    resource: () => url(host().port),
    core: () => host().core,
    came: (user, token, until) => signIns.came(user, token, until),
  });
  const { people, tokens, gate } = door;
  const shared = openShared(options, opened);
  const dashboard = new TeamDashboard({
    ...{ tenant, database, changes, people, tokens, gate, proxies, publicUrl, root: options.pageRoot, replicas },
    ...{ standings: () => shared.get().standings, shared: () => shared.get().inbox },
    ...{ keys, host, issuer: door.issuer, notes: door.notes },
    home: () => browsersReach(options, host().port),
    signIns: () => signIns.signIns,
  });
  for (const [kind, answer] of Object.entries(dashboard.answers)) replicas?.questions.answer(kind, answer);
  const isPublic = (request: IncomingMessage): boolean => isProbe(request) || door.metadata?.isAsked(request) === true;
  const replica = `${hostname()}:${listen.port}`;
  const stores = await openStores({ ...room, tenant, sql, database, changes, keys, objects, replica });
  opened.onStores(stores);
  const signIns = openSignIns({
    ...{ tenant, keys, people, changes, env: options.env, vaults: stores.vaults, log: room.log.child('sign-ins') },
    publicUrl: () => browsersReach(options, host().port),
    whoIs: (request) => dashboard.whoIs(request),
    core: () => host().core,
  });
  const stopFollowing = personal.follow({
    ...{ tenant, changes, people, vaults: stores.vaults, log: room.log.child('personal') },
  });
  const seams: TeamSeams = {
    stores: stores.stores,
    personal: personal.line,
    own: signIns.own,
    admit: opened.quotas.quotas.admit,
    isTraced: tracesTarget(options.env) !== undefined,
    answerAt: () => `on the team’s page ${url(host().port).replace(/mcp$/, '#/inbox')}`,
    replicas,
    door: {
      address: listen.address,
      url,
      refuseStranger: (request) => (isPublic(request) ? undefined : hosts.refuse(request)),
      letIn: isRunner ? refuseClients : door.letIn,
      ...{ refuseRequest: door.refuseRequest, follow: door.follow },
      other: async (request, response) =>
        door.metadata?.answer(request, response) === true ||
        (await answerProbe(readiness, request, response)) ||
        (!isRunner && ((await signIns.door.answer(request, response)) || dashboard.answer(request, response))),
    },
    close: async () => {
      dashboard.close();
      stopFollowing();
      await personal.stop();
      await door.close();
      signIns.close();
      await opened.quotas.close();
      await stores.close();
      await replicas?.stop();
      await changes.stop();
      await database.close();
    },
  };
  return { seams, signIns, shared };
}

function openShared({ tenant }: ReplicaOptions, { changes, database, host, keys, replicas, room }: Opened): OpenShared {
  let shared: ReturnType<OpenShared['get']> | undefined;
  const open = (): ReturnType<OpenShared['get']> => {
    const { inbox, servers } = host().core;
    const rows = { tenant, changes, sql: database.of(tenant), registry: replicas?.registry };
    const mask = (text: string): string => room.masker.maskText(text);
    return {
      standings: new SharedStandings({ ...rows, servers, mask, log: room.log.child('standings') }),
      inbox: new SharedInbox({ ...rows, inbox, ring: keys.sealing(tenant, 'inbox'), log: room.log.child('inbox') }),
    };
  };
  return {
    get: () => (shared ??= open()),
    stop: async () => {
      await Promise.all([shared?.standings.stop(), shared?.inbox.stop()]);
    },
  };
}

function coreOptions({ env, listen, configFile, ...options }: ReplicaOptions): CoreHostOptions {
  const { version, mode, pageRoot, onStop, stderr, counter, sandbox } = options;
  return {
    ...{ env: withoutDatabase(env, options.objects), version, configFile, mode, pageRoot, onStop, counter, sandbox },
    ...(stderr && { stderr }),
    port: listen.port,
    askToken: true,
  };
}

/** No server is to inherit where the database is, or what opens it: its rows are not for code of others. */
function withoutDatabase(env: CoreHostOptions['env'], objects: string | undefined): CoreHostOptions['env'] {
  const hidden: ReadonlySet<string> = new Set([
    'TOOLTRAY_DATABASE',
    oidcSecretVariable,
    keysVariable,
    keysFileVariable,
    ...objectsVariables(objects, env),
  ]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)));
}

/** Throws AppError bad_request where nobody said by which name others reach it. */
function allowedNames({ publicUrl, allowedHosts, listen }: ReplicaOptions): readonly string[] {
  const named = [...(publicUrl === undefined ? [] : [new URL(publicUrl).host]), ...allowedHosts];
  if (named.length > 0) return named;
  if (isLoopback(listen.address)) return ['127.0.0.1', 'localhost', '[::1]'];
  throw new AppError('bad_request', 'A replica that others reach has to know by which name.', {
    fix: 'Give --public-url https://tools.example.com, or --allowed-hosts tools.example.com.',
  });
}

/** Where a browser comes back to after a sign-in. Throws AppError bad_request where nobody said that. */
function browsersReach({ publicUrl, listen }: ReplicaOptions, port: number): string {
  if (publicUrl !== undefined) return publicUrl;
  if (isLoopback(listen.address)) return addressOf(listen, port);
  throw new AppError('bad_request', 'Nobody can sign in to servers here: browsers do not know where to come back to.', {
    fix: 'Whoever runs Tooltray starts its replicas with --public-url https://tools.example.com.',
  });
}

function addressOf({ address }: ListenAt, port: number): string {
  return `http://${bracketed(address)}:${port}`;
}

function isLoopback(address: string): boolean {
  return /^(127\.|::1$|localhost$)/.test(address);
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/** It stands in tokens and in front of owners' names. */
function checkTenant(tenant: string): void {
  if (/^[a-z][a-z0-9-]{0,39}$/.test(tenant)) return;
  throw new AppError('bad_request', `${JSON.stringify(tenant)} is no name of a tenant.`, {
    fix: 'Take small letters, digits and hyphens, beginning with a letter, at most 40.',
  });
}
