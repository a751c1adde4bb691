/** What replicas say of a server, put into one word and one number. */
import { describe, expect, test } from 'vitest';
import { standingOf, toldOfReplicas, toldOfRunners } from '../../../src-main/team/dashboard/over-replicas.ts';
import type { Standing } from '../../../src-main/team/replicas/shared-standings.ts';

const ready: Standing = { state: 'ready', level: 'ok', summary: 'Ready', detail: '3 tools.', tools: 3 };
const odd: Standing = { ...ready, level: 'attention', summary: 'Ready, oddly', detail: 'It lists a tool twice.' };
const asleep: Standing = { state: 'disconnected', level: 'off', summary: 'Asleep', detail: 'Starts later.', tools: 3 };
const off: Standing = { state: 'disabled', level: 'off', summary: 'Off', detail: 'Switched off.', tools: 0 };
const starting: Standing = { state: 'connecting', level: 'busy', summary: 'Starting', detail: '', tools: 0 };
const stopped: Standing = { state: 'error', level: 'error', summary: 'Stopped', detail: 'It ended.', tools: 0 };

function told(...standings: readonly (Standing | undefined)[]): string {
  const fronts = standings.map((_, at) => `${'abc'[at]}_000000`);
  const rows = standings.flatMap((one, at) =>
    one === undefined ? [] : [{ ...one, replica: fronts[at] ?? '', server: 'x', since: 1 }],
  );
  const standing = standingOf('x', { fronts, rows, runners: [] });
  const { level, summary, detail } = toldOfReplicas(standings[0] ?? ready, standing);
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
    ['attention: Ready, oddly on 1 of 2 replicas. b: It lists a tool twice.', [ready, odd]],
    ['off: Asleep. Starts later.', [asleep, asleep]],
    ['off: Off. Switched off.', [off, off]],
  ] as const)('%s', (expected, standings) => expect(told(...standings)).toBe(expected));
});

test('of people’s own processes is told how many run and where, to one of them only that theirs does', () => {
  const runners = [
    { server: 'x', runner: 'a_000000', people: 2 },
    { server: 'x', runner: 'run-b_000000', people: 1 },
    { server: 'y', runner: 'a_000000', people: 9 },
  ];
  const standing = standingOf('x', { fronts: ['a_000000'], rows: [], runners });
  expect(toldOfRunners({ ...off, tools: 0 }, standing, false)).toMatchObject({
    level: 'ok',
    summary: 'Runs for 3 people',
    detail: 'On a: 2, run-b: 1.',
    tools: 0,
  });
  const own = standingOf('x', { fronts: ['a_000000'], rows: [], runners: runners.slice(1, 2) });
  expect(toldOfRunners(asleep, own, true)).toMatchObject({ level: 'ok', summary: 'Runs for you', detail: '' });
  const none = standingOf('x', { fronts: ['a_000000'], rows: [], runners: [] });
  expect(toldOfRunners(asleep, none, false).summary).toBe('Asleep');
  // Why none could be begun is not covered by those that run.
  expect(toldOfRunners(stopped, standing, false)).toEqual(stopped);
});
