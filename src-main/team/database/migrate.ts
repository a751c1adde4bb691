/** Brings the database to the schema that this version knows, forward only; a newer one is refused. */
import type { Sql } from 'postgres';
import { AppError } from '../../core/base/errors.ts';
import { count } from '../../core/base/wording.ts';
import { connect, databaseError } from './database.ts';
import { grants, ground, migrations } from './migrations.ts';

export interface Migrated {
  readonly from: number;
  readonly to: number;
  /** Names of the steps that were taken now. */
  readonly steps: readonly string[];
}

/** Two that migrate at once take turns at this lock of PostgreSQL's (the letters "tooltray" as a number). */
const lock = '8389754676633367929';

/** As the owner of the schema. All steps are taken, or none. Rejects with AppError unsupported or store_unreachable. */
export async function migrate(url: string, steps = migrations): Promise<Migrated> {
  const sql = connect({ url, most: 1, name: 'tooltray migrate' });
  try {
    return await sql.begin(async (work) => {
      await work`SELECT pg_advisory_xact_lock(${lock}::bigint)`;
      await work.unsafe(ground);
      const from = await versionIn(work);
      if (from > steps.length) throw tooNew(from, steps.length);
      const wanted = steps.slice(from);
      for (const [at, { name, sql: step }] of wanted.entries()) {
        await work.unsafe(step);
        await work`INSERT INTO tooltray.migrations (version, name) VALUES (${from + at + 1}, ${name})`;
      }
      await work.unsafe(grants);
      return { from, to: steps.length, steps: wanted.map(({ name }) => name) };
    });
  } catch (error) {
    throw databaseError(error);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Rejects with AppError unsupported where the schema is another one than this version knows, or is not there. */
export async function requireSchema(sql: Sql, steps = migrations): Promise<void> {
  const version = await versionIn(sql).catch((error: unknown) => {
    // undefined_table, invalid_schema_name, and the role that the first migration makes.
    if (['42P01', '3F000', '22023', '42704'].includes(String((error as { code?: unknown }).code))) return 0;
    throw databaseError(error);
  });
  if (version > steps.length) throw tooNew(version, steps.length);
  if (version === steps.length) return;
  throw new AppError(
    'unsupported',
    `The database lacks ${count(steps.length - version, 'step')} of this version’s schema.`,
    {
      fix: 'Run tooltray migrate --database URL as the owner of the database, then start again.',
    },
  );
}

async function versionIn(sql: Pick<Sql, 'unsafe'>): Promise<number> {
  const [row] = await sql.unsafe<{ version: number | null }[]>(
    'SELECT max(version) AS version FROM tooltray.migrations',
  );
  return row?.version ?? 0;
}

function tooNew(version: number, known: number): AppError {
  return new AppError(
    'unsupported',
    `The database was migrated by a newer Tooltray (step ${version}, this one knows ${known}).`,
    {
      fix: 'Start that version, or restore the backup from before.',
    },
  );
}
