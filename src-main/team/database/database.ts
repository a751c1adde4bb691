/**
 * Connections of a replica or a command to the team's PostgreSQL. Each tenant has its own database, so all rows belong
 * to it.
 */
import postgres, { type Options, type Sql } from 'postgres';
import { AppError } from '../../core/base/errors.ts';

export type { ISql as Query } from 'postgres';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/name`; several hosts separated by commas. */
  readonly url: string;
  /** Maximum number of connections; 8 by default. */
  readonly most?: number;
  /** Connections stay open until closed or lost: for locks that belong to a connection. */
  readonly isPermanent?: boolean;
  /** Application name in PostgreSQL. */
  readonly name?: string;
}

/** Role with the rights that replicas need. Their login is a member of it. */
export const replicaRole = 'tooltray_replica';

/** Statement timeout in ms. */
const statementMs = 30_000;
const connectSeconds = 5;
/** Maximum wait between reconnection attempts. */
const maxWaitSeconds = 0.5;
/** Unused connections are closed after this many seconds. */
const idleSeconds = 60;

export class Database {
  readonly sql: Sql;

  /** Connects with the first query. Throws AppError `bad_request` for a URL that is not one of PostgreSQL. */
  constructor(options: DatabaseOptions) {
    this.sql = connect(options, { statement_timeout: statementMs });
  }

  /** Waits up to five seconds for running queries, then ends them. */
  close(): Promise<void> {
    return this.sql.end({ timeout: 5 });
  }
}

/** Connections with their own settings, as needed for migrations. The caller closes them. */
export function connect(
  { url, most = 8, name = 'tooltray', isPermanent = false }: DatabaseOptions,
  settings: object = {},
): Sql {
  checkUrl(url);
  const options: Options<Record<string, never>> = {
    max: most,
    connect_timeout: connectSeconds,
    ...(isPermanent ? { max_lifetime: null } : { idle_timeout: idleSeconds }),
    // The client's default wait grows to 20 s, which would delay notifications as much.
    backoff: (tries) => Math.min(0.05 * 2 ** tries, maxWaitSeconds),
    // Notices do not help the operator; important messages arrive as errors.
    onnotice: () => undefined,
    connection: { application_name: name, ...settings },
  };
  return postgres(url, options);
}

/** Converts connection failures to an AppError; returns other errors unchanged. */
export function databaseError(error: unknown): unknown {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code !== 'string' || !isUnreachable(code)) return error;
  return new AppError('store_unreachable', 'The database is currently unreachable.', {
    fix: 'Try again later. Administrators can find details in the log.',
    cause: error,
  });
}

/**
 * Error codes of Node.js and the client, and PostgreSQL's classes 08 (connection) and 57P (shutting down, starting
 * up).
 */
function isUnreachable(code: string): boolean {
  const gone = ['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'];
  const system = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOENT'];
  return gone.includes(code) || system.includes(code) || /^(08...|57P0[123])$/.test(code);
}

/** The error contains no password. Throws AppError `bad_request`. */
function checkUrl(url: string): void {
  // Of several servers (`one:5432,two:5432`) the first.
  const first = url.replace(/^(\w+:\/\/[^/?,]*),[^/?]*/, '$1');
  if (URL.canParse(first) && /^postgres(ql)?:$/.test(new URL(first).protocol)) return;
  throw new AppError('bad_request', 'The database URL is not a PostgreSQL URL.', {
    fix: 'Use postgres://user:password@host:5432/name.',
  });
}

/** Throws AppError `store_unreachable` if the database is unreachable, else the error itself: for `catch`. */
export function rethrowDatabaseError(error: unknown): never {
  throw databaseError(error);
}
