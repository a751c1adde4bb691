/** A separate database for a test, in a real PostgreSQL, with this version's schema. */
import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { connect } from '../../src-main/team/database/database.ts';
import { engineUrl } from './engine-on-demand.ts';
import { clusterVariable, template, urlOf } from './team-cluster.ts';

/** Its URL, as a superuser; dropped after the test. `isEmpty`: without the schema. */
export async function teamDatabase(wishes: { readonly isEmpty?: boolean } = {}): Promise<string> {
  const { url, drop } = await openTeamDatabase(wishes);
  onTestFinished(drop);
  return url;
}

/** The same for several tests, until `drop`. */
export async function openTeamDatabase({ isEmpty = false } = {}): Promise<{ url: string; drop: () => Promise<void> }> {
  const url = await engineUrl(clusterVariable);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await inCluster(url, `CREATE DATABASE ${name} ${isEmpty ? '' : `TEMPLATE ${template}`}`);
  return { url: urlOf(url, name), drop: () => inCluster(url, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function inCluster(url: string, statement: string): Promise<void> {
  const sql = connect({ url, most: 1 });
  await sql.unsafe(statement);
  await sql.end();
}
