/**
 * The team's PostgreSQL. A tenant's connections are the tenant's for as long as they live: row-level security (the
 * schema's own) lets them see and write its rows alone, so that a query without a filter of its own shows nobody
 * else's.
 */
import postgres, { type Options, type Sql } from 'postgres';
import { AppError } from '../../core/base/errors.ts';

export type { ISql as Query } from 'postgres';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/name`; several hosts with commas between them. */
  readonly url: string;
  /** Connections for each tenant and for what belongs to none; 8 by default. */
  readonly most?: number;
  /** Connections stay open until they are ended or break: for locks that belong to one. */
  readonly isPermanent?: boolean;
  /** Name of the connection in PostgreSQL. */
  readonly name?: string;
}

/**
 * The role without rights of its own that replicas work as; owners of tables and superusers would pass row-level
 * security.
 */
export const replicaRole = 'tooltray_replica';

/** A statement that takes longer is ended by the server, in ms. */
const statementMs = 30_000;
const connectSeconds = 5;
/** A database that was away is asked anew at least this often. */
const maxWaitSeconds = 0.5;
/** Connections of a tenant that asks nothing are closed, in s. */
const idleSeconds = 60;

export class Database {
  readonly #options: DatabaseOptions;
  readonly #tenants = new Map<string, Sql>();
  #shared: Sql | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: DatabaseOptions) {
    checkUrl(options.url);
    this.#options = options;
  }

  /** Connections for data of no tenant: replicas, leases, versions. Rows of tenants are refused. */
  get shared(): Sql {
    return (this.#shared ??= this.#connect({}));
  }

  /** One tenant's rows, and no others. */
  forTenant(tenant: string): Sql {
    const known = this.#tenants.get(tenant);
    if (known !== undefined) return known;
    const made = this.#connect({ 'tooltray.tenant': tenant });
    this.#tenants.set(tenant, made);
    return made;
  }

  /** Waits up to five seconds for what is under way, then ends it. */
  close(): Promise<void> {
    const open = [...this.#tenants.values(), ...(this.#shared ? [this.#shared] : [])];
    return (this.#closing ??= Promise.all(open.map((sql) => sql.end({ timeout: 5 }))).then(() => undefined));
  }

  #connect(settings: Record<string, string>): Sql {
    if (this.#closing !== undefined) throw new AppError('store_unreachable', 'The database is closed.');
    return connect(this.#options, { role: replicaRole, statement_timeout: statementMs, ...settings });
  }
}

/** Connections with settings of their own, as migrations need them. Who asked ends them. */
export function connect(
  { url, most = 8, name = 'tooltray', isPermanent = false }: DatabaseOptions,
  settings: object = {},
): Sql {
  checkUrl(url);
  const options: Options<Record<string, never>> = {
    max: most,
    connect_timeout: connectSeconds,
    ...(isPermanent ? { max_lifetime: null } : { idle_timeout: idleSeconds }),
    // The client's own waits grow to 20 s: what changed meanwhile would be heard as late.
    backoff: (tries) => Math.min(0.05 * 2 ** tries, maxWaitSeconds),
    // Notices are of no use to whoever runs it; what matters comes as an error.
    onnotice: () => undefined,
    connection: { application_name: name, ...settings },
  };
  return postgres(url, options);
}

/** Converts connection failures to an AppError; returns other errors unchanged. */
export function databaseError(error: unknown): unknown {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code !== 'string' || !isUnreachable(code)) return error;
  return new AppError('store_unreachable', 'The team’s database cannot be reached at the moment.', {
    fix: 'Try again in a moment; whoever runs Tooltray sees more in its log.',
    cause: error,
  });
}

/** Codes of Node.js, of the client, and PostgreSQL's classes 08 (connection) and 57P (shutting down, starting up). */
function isUnreachable(code: string): boolean {
  const gone = ['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'];
  const system = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOENT'];
  return gone.includes(code) || system.includes(code) || /^(08...|57P0[123])$/.test(code);
}

/** The error names no password. Throws AppError bad_request. */
function checkUrl(url: string): void {
  // Of several servers (`one:5432,two:5432`) the first.
  const first = url.replace(/^(\w+:\/\/[^/?,]*),[^/?]*/, '$1');
  if (URL.canParse(first) && /^postgres(ql)?:$/.test(new URL(first).protocol)) return;
  throw new AppError('bad_request', 'The database’s address is not one of PostgreSQL.', {
    fix: 'Give it as postgres://user:password@host:5432/name.',
  });
}

/** Throws AppError store_unreachable where the database could not be reached, else the error itself: for `catch`. */
export function rethrowDatabaseError(error: unknown): never {
  throw databaseError(error);
}
