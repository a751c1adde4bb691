/** Aggregates the status of a server over replicas into one level and one number. */
import { describe, expect, test } from 'vitest';
import {
  statusByReplica,
  aggregateReplicas,
  aggregateRunners,
} from '../../../src-main/team/dashboard/aggregate-status.ts';
import type { ReplicaState, ServerState } from '../../../src-main/team/replicas/heartbeat.ts';

type Standing = Omit<ServerState, 'since' | 'users'>;

const ready: Standing = { state: 'ready', level: 'ok', summary: 'Ready', detail: '3 tools.', tools: 3 };
const odd: Standing = {
  ...ready,
  level: 'attention',
  summary: 'Ready, with problems',
  detail: 'It lists a tool twice.',
};
const asleep: Standing = { state: 'disconnected', level: 'off', summary: 'Idle', detail: 'Starts later.', tools: 3 };
const off: Standing = { state: 'disabled', level: 'off', summary: 'Off', detail: 'Switched off.', tools: 0 };
const starting: Standing = { state: 'connecting', level: 'busy', summary: 'Starting', detail: '', tools: 0 };
const stopped: Standing = { state: 'error', level: 'error', summary: 'Stopped', detail: 'It ended.', tools: 0 };

function replica(name: string, server: Standing | undefined, users = 0): ReplicaState {
  const servers = server === undefined ? {} : { x: { ...server, since: 1, users } };
  return { id: `${name}_000000`, name, version: '1', isDraining: false, config: 'c', servers };
}

function told(...standings: readonly (Standing | undefined)[]): string {
  const all = standings.map((one, at) => replica('abc'[at] ?? '', one));
  const { level, summary, detail } = aggregateReplicas(standings[0] ?? ready, statusByReplica('x', all));
  return `${level}: ${summary}. ${detail}`;
}

describe('over replicas', () => {
  test.each([
    ['ok: Ready. 3 tools.', [ready]],
    ['ok: Ready on 3 of 3 replicas. 3 tools.', [ready, ready, ready]],
    ['attention: Ready on 2 of 3 replicas. b: It ended.', [ready, stopped, ready]],
    ['error: Stopped on 2 of 2 replicas. It ended.', [stopped, stopped]],
    ['error: Stopped on 1 of 2 replicas. a: It ended.', [stopped, starting]],
    ['busy: Ready on 1 of 2 replicas. 3 tools.', [ready, starting]],
    ['busy: Ready on 1 of 2 replicas. 3 tools.', [ready, undefined]],
    ['ok: Ready on 1 of 2 replicas. 3 tools.', [ready, asleep]],
    ['attention: Ready, with problems on 1 of 2 replicas. b: It lists a tool twice.', [ready, odd]],
    ['off: Idle. Starts later.', [asleep, asleep]],
    ['off: Off. Switched off.', [off, off]],
  ] as const)('%s', (expected, standings) => expect(told(...standings)).toBe(expected));
});

test('counts users’ private processes by replica, and shows a member only their own', () => {
  const { runners } = statusByReplica('x', [replica('a', asleep, 2), replica('b', asleep, 0), replica('c', asleep, 1)]);
  expect(aggregateRunners({ ...off, tools: 0 }, runners, false)).toMatchObject({
    level: 'ok',
    summary: 'Runs for 3 users',
    detail: 'On a: 2, c: 1.',
    tools: 0,
  });
  const own = [{ name: '', users: 1 }];
  expect(aggregateRunners(asleep, own, true)).toMatchObject({ level: 'ok', summary: 'Runs for you', detail: '' });
  expect(aggregateRunners(asleep, [], false).summary).toBe('Idle');
  // Running processes do not hide why others could not be started.
  expect(aggregateRunners(stopped, runners, false)).toEqual(stopped);
});
