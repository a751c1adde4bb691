/** What has to hold after any fault: nothing ran twice, nothing was lost that need not be, nobody was answered what is another's, the record is whole. */
import { expect } from 'vitest';
import type { ChaosTeam } from './chaos-team.ts';
import { type Call, marksIn } from './load.ts';

/** By `performance.now()`: what was in flight then may be lost. */
interface Broken {
  /** When a replica was killed, and when it was gone. */
  readonly killed?: readonly [number, number];
  /** When connections between replicas were, and until when. */
  readonly cut?: readonly (readonly [number, number])[];
}

/** A replica writes its record this often, in ms (`activity-log.ts`), or later on a busy machine: killed, it has not written the last of it. */
const unwrittenMs = 2_000;

export async function expectWhole(
  team: ChaosTeam,
  calls: readonly Call[],
  { killed, cut = [] }: Broken = {},
): Promise<void> {
  const breaks = [...cut, ...(killed === undefined ? [] : [killed])];
  const runs = team.runs();
  const times = Map.groupBy(runs, (run) => run);
  expect([...times].filter(([, each]) => each.length > 1).map(([run]) => run)).toEqual([]);
  const lost = calls.filter(({ outcome }) => outcome !== 'answered');
  const wasInFlight = ({ from, to }: Call): boolean => breaks.some(([begun, over]) => from <= over && begun <= to);
  expect(lost.filter((call) => !wasInFlight(call)).map(({ id, refusals }) => [id, refusals])).toEqual([]);
  const ran = new Set(runs.map((run) => run.slice(run.indexOf(' ') + 1)));
  expect(calls.filter(({ id, outcome }) => outcome === 'answered' && !ran.has(id)).map(({ id }) => id)).toEqual([]);
  expectOwnMarks(calls);
  await expectRecorded(team, calls, killed);
}

/** Each answer has the mark of its call, and no other. */
function expectOwnMarks(calls: readonly Call[]): void {
  const wrong = calls
    .filter(({ outcome }) => outcome === 'answered')
    .flatMap(({ id, texts }) => (marksIn(texts).join() === id ? [] : [{ id, marks: marksIn(texts), texts }]));
  expect(wrong).toEqual([]);
}

/** Each run is in the record once: as many rows of each person and tool as there were runs, but for what a killed replica had not written. */
async function expectRecorded(team: ChaosTeam, calls: readonly Call[], killed: Broken['killed']): Promise<void> {
  for (const [tenant, sql] of [
    ['main', team.sql],
    ['other', team.other],
  ] as const) {
    const kinds = Map.groupBy(
      team.runs().filter((run) => run.includes(` ${tenant}.`)),
      (run) => `${run.split(' ')[1]?.split('/')[0]} ${run.split(' ')[0]}`,
    );
    const missing = async (): Promise<object> => {
      const rows = await sql<{ name: string; tool: string; count: number }[]>`
        SELECT u.name, c.tool, count(*)::int AS count FROM tooltray.calls c
        JOIN tooltray.users u ON u.tenant = c.tenant AND u.id = c.person
        WHERE c.server IN ('marks', 'asks') GROUP BY 1, 2`;
      const counted = new Map(rows.map(({ name, tool, count }) => [`${tenant}.${name} ${tool}`, count]));
      const found = [...kinds].map(([key, runs]) => [key, runs.length - (counted.get(key) ?? 0)] as const);
      return Object.fromEntries(found.filter(([key, less]) => less < 0 || less > unwritten(calls, key, killed)));
    };
    await expect.poll(missing, { timeout: 40_000 }).toEqual({});
  }
}

/** How many calls of that person and tool may have run without being written down: of a killed replica, and those that go on. */
function unwritten(calls: readonly Call[], key: string, killed: Broken['killed']): number {
  const [asker, kind] = key.split(' ');
  const theirs = calls.filter((call) => call.asker === asker && call.kind === kind);
  // Whose question was lost on the way runs still, and waits for what nobody will say.
  const waiting = kind === 'ask' ? theirs.filter(({ outcome }) => outcome === 'lost').length : 0;
  if (killed === undefined) return waiting;
  return waiting + theirs.filter(({ from, to }) => from <= killed[1] && to >= killed[0] - unwrittenMs).length;
}
