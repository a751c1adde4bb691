/** Combines a server's status on every replica of a team into one status and one number. Pure. */
import { formatCount } from '../../core/base/text-format.ts';
import type { HealthLevel, ReplicaStatus, ServerRow, ServerStatusByReplica } from '../../rpc/contract.ts';
import type { ReplicaState } from '../replicas/heartbeat.ts';

type AggregatedStatus = Pick<ServerRow, 'level' | 'summary' | 'detail' | 'tools'>;

const worst: readonly HealthLevel[] = ['error', 'attention', 'busy', 'ok', 'off'];
const unknown = {
  state: 'disconnected',
  level: 'busy',
  summary: 'Unknown',
  detail: '',
  tools: 0,
  since: 0,
  users: 0,
} as const;

/** Status on every replica, by name; empty if there is only one replica. */
export function statusByReplica(server: string, all: readonly ReplicaState[]): ServerStatusByReplica {
  const inOrder = all.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  const replicas = inOrder.map(({ id, name, servers }) => ({ id, name, ...(servers[server] ?? unknown) }));
  return {
    replicas: replicas.length < 2 ? [] : replicas.map(({ users: _users, ...replica }): ReplicaStatus => replica),
    runners: replicas.flatMap(({ name, users }) => (users === 0 ? [] : [{ name, users }])),
  };
}

/** `Ready on 2 of 3 replicas`. With a single replica, its own status. */
export function aggregateReplicas(row: AggregatedStatus, { replicas }: ServerStatusByReplica): AggregatedStatus {
  if (replicas.length < 2) return row;
  const inOrder = replicas.toSorted((a, b) => worst.indexOf(a.level) - worst.indexOf(b.level));
  const ready = replicas.filter(({ state }) => state === 'ready');
  const [first = row] = inOrder;
  const shown = ready.length > 0 && first.level !== 'attention' ? 'Ready' : first.summary;
  const same = replicas.filter(({ summary, state }) => (shown === 'Ready' ? state === 'ready' : summary === shown));
  // A status that follows from the config is the same everywhere and needs no count.
  const isSaid = same.length === replicas.length && (first.level === 'off' || shown === 'Idle');
  return {
    // The server responds on some replicas.
    level: first.level === 'error' && ready.length > 0 ? 'attention' : levelOf(first.level, ready.length),
    summary: isSaid ? shown : `${shown} on ${same.length} of ${formatCount(replicas.length, 'replica')}`,
    detail: causes(inOrder, row),
    // This replica may not have listed them yet.
    tools: Math.max(row.tools, ...replicas.map(({ tools }) => tools)),
  };
}

/** Merges the runners of users' processes. `isOwn`: shown to the user who owns them. */
export function aggregateRunners(
  row: AggregatedStatus,
  runners: ServerStatusByReplica['runners'],
  isOwn: boolean,
): AggregatedStatus {
  // Why the server could not be started for any user.
  if (row.level === 'error' || row.level === 'attention') return row;
  const users = runners.reduce((sum, one) => sum + one.users, 0);
  if (users === 0) return { ...row, level: 'off', summary: 'Idle', detail: 'Starts with the user’s next call.' };
  const where = runners.map(({ name, users: some }) => (runners.length === 1 ? name : `${name}: ${some}`)).join(', ');
  const whom = isOwn ? 'you' : users === 1 ? '1 user' : `${users} users`;
  return { ...row, level: 'ok', summary: `Runs for ${whom}`, detail: isOwn ? '' : `On ${where}.` };
}

function levelOf(level: HealthLevel, ready: number): HealthLevel {
  return level === 'off' && ready > 0 ? 'ok' : level;
}

/** Each cause once, with its replicas; only of unhealthy ones. */
function causes(replicas: readonly ReplicaStatus[], row: AggregatedStatus): string {
  const ill = replicas.filter(({ level }) => level === 'error' || level === 'attention');
  if (ill.length === 0) return row.detail;
  const texts = [...new Set(ill.map(({ detail }) => detail))];
  return texts
    .map((text) => {
      const names = ill.flatMap(({ detail, name }) => (detail === text ? [name] : []));
      return names.length === replicas.length ? text : `${names.join(', ')}: ${text}`;
    })
    .join(' ');
}
