/** Several replicas of one team in the test's own process, with a real database. */
import type { TestConfig } from './start-core.ts';
import { startReplica, type TestReplica } from './start-replica.ts';

/** Starts one after the other; returns them by name. */
export async function startReplicas<Name extends string>(
  database: string,
  names: readonly Name[],
  config: TestConfig,
): Promise<Record<Name, TestReplica>> {
  const started: [Name, TestReplica][] = [];
  for (const name of names) started.push([name, await startReplica(database, config, { name })]);
  return Object.fromEntries(started) as Record<Name, TestReplica>;
}
