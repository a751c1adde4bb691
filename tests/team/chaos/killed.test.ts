/** Replicas that end under load: one is killed, one is told to end. */
import { expect, test } from 'vitest';
import { openChaosTeam } from './chaos-team.ts';
import { startLoad } from './load.ts';
import { expectWhole } from './verdict.ts';

test('a replica that is killed loses what was in flight on it, says so, and nothing else', async () => {
  const team = await openChaosTeam();
  const load = startLoad(team);
  await load.progress(2);
  const [a] = team.replicas;
  const begun = performance.now();
  await a.end('SIGKILL');
  const killed = [begun, performance.now()] as const;
  // Its sessions are taken over when its lease is out.
  await load.progress(3);
  // What it had written and not sent goes with its next life.
  await a.start();
  await load.progress(2);
  await expectWhole(team, await load.end(), { killed });
}, 600_000);

test('a replica that is told to end loses nothing, and one after the other can be replaced', async () => {
  const team = await openChaosTeam();
  const load = startLoad(team);
  await load.progress(2);
  for (const replica of team.replicas) {
    expect(await replica.end('SIGTERM')).toBe(0);
    await load.progress(1);
    await replica.start();
    await load.progress(1);
  }
  await expectWhole(team, await load.end());
}, 600_000);
