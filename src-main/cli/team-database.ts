/** URL of a team's database: a flag, or a variable, because other users can read a process's command line. */
import { AppError } from '../core/base/errors.ts';
import type { Database } from '../team/database/database.ts';

const variable = 'TOOLTRAY_DATABASE';

/** Throws AppError `bad_request` if neither is given. */
export function databaseUrl(given: string | undefined): string {
  const url = given ?? process.env[variable];
  if (url) return url;
  throw new AppError('bad_request', 'No database specified.', {
    fix: `Pass --database postgres://user:password@host:5432/name or set ${variable}.`,
  });
}

/** Whether either is given. */
export function hasDatabase(given: string | undefined): boolean {
  return Boolean(given ?? process.env[variable]);
}

/**
 * Connects to the team's database while `work` runs. Rejects with AppError `unsupported` for another schema,
 * `store_unreachable`, `bad_request`.
 */
export async function withTeamDatabase<T>(
  url: string | undefined,
  work: (sql: Database['sql']) => Promise<T>,
): Promise<T> {
  const { Database: Opened } = await import('../team/database/database.ts');
  const { requireSchema } = await import('../team/database/migrate.ts');
  const database = new Opened({ url: databaseUrl(url), most: 2, name: 'tooltray command' });
  try {
    await requireSchema(database.sql);
    return await work(database.sql);
  } finally {
    await database.close();
  }
}
