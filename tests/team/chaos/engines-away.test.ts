/** Engines that go away under load, and come back: nothing is lost, what cannot be done says so, and then all goes on. */
import { expect, test } from 'vitest';
import { takesSystem } from '../../../scripts/team/engines/system.ts';
import { until } from '../../support/until.ts';
import { openChaosTeam } from './chaos-team.ts';
import { notTold, startLoad } from './load.ts';
import { expectWhole } from './verdict.ts';

/** For so long nobody's token has to be looked at again (`people-gate.ts`), in ms; twice that is a long time to be without a database. */
const knownMs = 30_000;

test('without PostgreSQL calls go on, long answers are told whole, and the record is written afterwards', async () => {
  const team = await openChaosTeam({ look: '/healthz' });
  const load = startLoad(team);
  await load.progress(2);
  await team.database.shut();
  // Who is in already and keeps nothing does not need it.
  await load.progress(3, (kind) => kind === 'note');
  const before = load.calls.filter(({ kind, outcome }) => kind === 'long' && outcome === 'answered').length;
  await load.progress(1, (kind) => kind === 'long');
  expect(load.calls.slice(-200).some(({ texts }) => texts.join().includes('tooltray/notKept'))).toBe(true);
  expect(before).toBeLessThan(load.calls.filter(({ kind }) => kind === 'long').length);
  await team.database.reopen();
  await load.progress(2);
  await expectWhole(team, await load.end());
}, 600_000);

// A minute of nothing else is for the run before a release.
test.runIf(takesSystem('postgres'))(
  'after a minute without PostgreSQL all requests are refused before they run, and then go on',
  async () => {
    const team = await openChaosTeam({ look: '/healthz' });
    const load = startLoad(team);
    await load.progress(2);
    await team.database.shut();
    const away = performance.now();
    await until(() => performance.now() - away > 2 * knownMs);
    expect(load.calls.some(({ refusals }) => refusals.some((said) => said.startsWith('503')))).toBe(true);
    await expect.poll(() => notTold(load.calls, away), { timeout: 60_000 }).toEqual([]);
    await team.database.reopen();
    await load.progress(2);
    await expectWhole(team, await load.end());
  },
  300_000,
);

test('without the S3 store long answers are told whole and say why; what was kept is read again when it is back', async () => {
  const team = await openChaosTeam({ look: '/healthz' });
  const load = startLoad(team);
  await load.progress(2);
  const since = performance.now();
  await team.objects.shut();
  await load.progress(3);
  const whole = load.calls.filter(({ kind, from, texts }) => kind === 'long' && from > since && texts.length > 0);
  expect(whole.some(({ texts }) => texts.join().includes('store of answers'))).toBe(true);
  await team.objects.reopen();
  // What has failed is tried again after five seconds.
  await expect
    .poll(() => load.calls.some(({ kind, texts }) => kind === 'long' && /line 200 of .*no kept/.test(texts.join())))
    .toBe(false);
  await load.progress(3);
  await expectWhole(team, await load.end());
}, 600_000);
