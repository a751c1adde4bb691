/** Address of a team's database: a flag, or a variable, because other users can read a command line. */
import { AppError } from '../core/base/errors.ts';
import type { Database } from '../team/database/database.ts';
import { databaseFlag, type Flag } from './command.ts';

const variable = 'TOOLTRAY_DATABASE';

/** Throws AppError bad_request where neither says it. */
export function databaseUrl(given: string | undefined): string {
  const url = given ?? process.env[variable];
  if (url) return url;
  throw new AppError('bad_request', 'No database specified.', {
    fix: `Pass --database postgres://user:password@host:5432/name or set ${variable}.`,
  });
}

/** Whether one is said. */
export function hasDatabase(given: string | undefined): boolean {
  return Boolean(given ?? process.env[variable]);
}

export const defaultTenant = 'main';
/** Flags of commands that manage a team. */
export const tenantFlags = {
  database: databaseFlag,
  tenant: { value: 'NAME', help: `Tenant (default ${defaultTenant})` },
} as const satisfies Readonly<Record<string, Flag>>;

export interface TenantFlags {
  readonly database: string | undefined;
  readonly tenant: string | undefined;
}

/**
 * Works on one tenant's rows. Rejects with AppError: unsupported for another schema, store_unreachable, bad_request.
 */
export async function withTenant<T>(
  { database: url, tenant = defaultTenant }: TenantFlags,
  work: (sql: Database['sql'], tenant: string) => Promise<T>,
): Promise<T> {
  const { Database: Opened } = await import('../team/database/database.ts');
  const { requireSchema } = await import('../team/database/migrate.ts');
  const database = new Opened({ url: databaseUrl(url), most: 2, name: 'tooltray command' });
  try {
    await requireSchema(database.sql);
    return await work(database.sql, tenant);
  } finally {
    await database.close();
  }
}
