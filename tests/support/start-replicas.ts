/** Several replicas of one team in the test's own process: real HTTP between them, a real database below. */
import type { ReplicaPlace } from '../../src-main/team/replicas/open-replicas.ts';
import type { TestConfig } from './start-core.ts';
import { startReplica, type TestReplica } from './start-replica.ts';

/** Where a replica stands among the others. A machine that stalls makes none of them be taken for gone; who is killed says a shorter lease. */
export function place(name: string, more: Partial<ReplicaPlace> = {}): ReplicaPlace {
  return {
    ...{ name, inner: { host: '127.0.0.1', port: 0 } },
    ...{ leaseMs: 60_000, beatMs: 200, noticeMs: 0 },
    ...more,
  };
}

/** Of one after the other, by name. */
export async function startReplicas<Name extends string>(
  database: string,
  names: readonly Name[],
  config: TestConfig,
): Promise<Record<Name, TestReplica>> {
  const started: [Name, TestReplica][] = [];
  for (const name of names) started.push([name, await startReplica(database, config, { among: place(name) })]);
  return Object.fromEntries(started) as Record<Name, TestReplica>;
}
