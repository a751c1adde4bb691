/** Replicas that do not agree: one whose clock is half a minute ahead, one that the others do not reach. */
import { expect, test } from 'vitest';
import { openChaosTeam } from './chaos-team.ts';
import { type Call, startLoad } from './load.ts';
import { expectWhole } from './verdict.ts';

const aheadMs = 30_000;

test.each([aheadMs, -aheadMs])(
  'a replica whose clock is off by %i ms is one among the others',
  async (ms) => {
    const team = await openChaosTeam();
    const [a] = team.replicas;
    await a.end('SIGTERM');
    await a.start(ms);
    const load = startLoad(team);
    await load.progress(4);
    await expectWhole(team, await load.end());
  },
  600_000,
);

test('a replica that the others do not reach has what is its own refused before it runs, or said to be lost', async () => {
  const team = await openChaosTeam({ innerDoors: true });
  const load = startLoad(team);
  await load.progress(2);
  const [a] = team.replicas;
  const cut = performance.now();
  await a.inner?.shut();
  await expect.poll(() => load.calls.some(({ refusals }) => refusals.join().includes('does not answer'))).toBe(true);
  await a.inner?.reopen();
  await load.progress(2);
  await expectWhole(team, await load.end(), { cut: [[cut, cut]] });
}, 600_000);

test('a way between replicas that takes all and answers nothing loses what was on it, and nothing is run again', async () => {
  const team = await openChaosTeam({ innerDoors: true });
  const load = startLoad(team);
  await load.progress(2);
  const [a] = team.replicas;
  const stalled = performance.now();
  a.inner?.hold();
  // Those of 2026-07-28 that name nothing do not need it.
  await load.progress(3, (kind, era) => kind === 'note' && era === '2026-07-28');
  // Who asked for something there is told, while the way is as it is.
  await expect.poll(() => load.calls.some(isLostSince(stalled)), { timeout: 120_000 }).toBe(true);
  const healed = performance.now();
  await a.inner?.reopen();
  await load.progress(2);
  await expectWhole(team, await load.end(), { cut: [[stalled, healed]] });
}, 600_000);

/** Begun after that, and told that it may have run. */
function isLostSince(at: number): (call: Call) => boolean {
  return ({ from, outcome, refusals }) =>
    from > at && outcome === 'lost' && refusals.join().includes('lost in the middle');
}
