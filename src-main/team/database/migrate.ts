/**
 * Migrates the database to the schema of this version, forward only. Replicas of other versions may use it meanwhile.
 */
import type { Sql } from 'postgres';
import { AppError } from '../../core/base/errors.ts';
import { formatCount } from '../../core/base/text-format.ts';
import { connect, rethrowDatabaseError } from './database.ts';
import { grants, ground, type Step, steps as allSteps } from './schema.ts';

export interface Migrated {
  readonly from: number;
  readonly to: number;
  /** Names of the applied steps. */
  readonly steps: readonly string[];
}

/** Advisory lock that serializes concurrent migrations (the letters "tooltray" as a number). */
const lock = '8389754676633367929';
/**
 * Lock timeout in ms: a step that waits longer for a table would block every call behind it, so it fails and can be
 * retried.
 */
const lockTimeoutMs = 5_000;

/**
 * Migrates the schema as its owner. Each step is atomic. Rejects with AppError `unsupported` for a newer schema that
 * this version cannot use, `store_unreachable`, and with PostgreSQL's error of a step.
 */
export async function migrate(url: string, steps: readonly Step[] = allSteps): Promise<Migrated> {
  const sql = connect({ url, most: 1, name: 'tooltray team migrate' });
  try {
    await sql`SELECT pg_advisory_lock(${lock}::bigint)`;
    await sql.unsafe(`SET lock_timeout = ${lockTimeoutMs}`);
    await sql.unsafe(ground);
    const { version: from, isUsable } = await schemaIn(sql, steps.length);
    if (!isUsable) throw tooNew(from, steps.length);
    if (from > steps.length) return { from, to: from, steps: [] };
    const wanted = steps.slice(from);
    for (const [at, step] of wanted.entries()) await take(sql, step, from + at + 1);
    await sql.unsafe(grants);
    return { from, to: steps.length, steps: wanted.map(({ name }) => name) };
  } catch (error) {
    return rethrowDatabaseError(error);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/**
 * Rejects with AppError `unsupported` if the schema is older than this version's, or newer by a step that is not
 * additive.
 */
export async function requireSchema(sql: Sql, steps: readonly Step[] = allSteps): Promise<void> {
  const { version, isUsable } = await schemaIn(sql, steps.length).catch((error: unknown) => {
    // Codes for an undefined table, an invalid schema name, and the role that the first migration creates.
    if (['42P01', '3F000', '22023', '42704'].includes(String((error as { code?: unknown }).code)))
      return { version: 0, isUsable: true };
    return rethrowDatabaseError(error);
  });
  if (!isUsable) throw tooNew(version, steps.length);
  if (version >= steps.length) return;
  throw new AppError(
    'unsupported',
    `The database lacks ${formatCount(steps.length - version, 'step')} of the schema of this version.`,
    { fix: 'Run tooltray team migrate --database URL as the owner of the database, then start again.' },
  );
}

async function take(sql: Sql, { name, sql: text, isAdditive, isOnline = false }: Step, version: number): Promise<void> {
  const note = (work: Pick<Sql, 'unsafe'>): Promise<unknown> =>
    work.unsafe('INSERT INTO tooltray.migrations (version, name, is_additive) VALUES ($1, $2, $3)', [
      version,
      name,
      isAdditive,
    ]);
  if (isOnline) {
    await sql.unsafe(text);
    await note(sql);
  } else
    await sql.begin(async (work) => {
      await work.unsafe(text);
      await note(work);
    });
}

/** `isUsable` is true if every step after `known` is additive. */
async function schemaIn(
  sql: Pick<Sql, 'unsafe'>,
  known: number,
): Promise<{ readonly version: number; readonly isUsable: boolean }> {
  const [row] = await sql.unsafe<{ version: number | null; usable: boolean | null }[]>(
    'SELECT max(version) AS version, bool_and(is_additive OR version <= $1) AS usable FROM tooltray.migrations',
    [known],
  );
  return { version: row?.version ?? 0, isUsable: row?.usable ?? true };
}

function tooNew(version: number, known: number): AppError {
  return new AppError(
    'unsupported',
    `The database was migrated by a newer Tooltray (step ${version}, this version supports ${known}) and cannot be used by this version.`,
    { fix: 'Upgrade Tooltray, or restore a backup.' },
  );
}
