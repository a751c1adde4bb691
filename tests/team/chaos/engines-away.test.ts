/** Engines that go away under load, and come back: nothing is lost, what cannot be done says so, and then all goes on. */
import { expect, test } from 'vitest';
import { takesSystem } from '../../../scripts/team/engines/system.ts';
import { until } from '../../support/until.ts';
import { People } from '../../../src-main/team/people/people.ts';
import { type ChaosTeam, openChaosTeam } from './chaos-team.ts';
import { type Call, eras, type Load, notTold, startLoad } from './load.ts';
import { expectWhole } from './verdict.ts';

/** For so long nobody's token has to be looked at again (`people-gate.ts`), in ms; twice that is a long time to be without a database. */
const knownMs = 30_000;

/** Since when everybody is known anew at every replica they come to: on a busy machine what was known may be over before it is of use. */
async function knownAnew(team: ChaosTeam, load: Load): Promise<number> {
  for (let round = 0; ; round++) {
    const since = performance.now();
    await new People(team.sql, 'main').add({ name: `newcomer-${round}` });
    await new People(team.other, 'other').add({ name: `newcomer-${round}` });
    await load.progress(3);
    if (performance.now() - since < knownMs / 3) return since;
  }
}

/** Who calls: an asker in an era. */
function whoseAre(calls: readonly Call[]): readonly string[] {
  return calls.map(({ id }) => id.split('/').slice(0, 2).join('/'));
}

test('without PostgreSQL calls go on, long answers are told whole, and the record is written afterwards', async () => {
  const team = await openChaosTeam({ look: '/healthz' });
  const load = startLoad(team);
  await load.progress(2);
  const end = (await knownAnew(team, load)) + knownMs;
  await team.database.shut();
  const shutAt = performance.now();
  const all = team.askers.flatMap(({ name }) => eras.map((era) => `${name}/${era}`)).sort();
  const meanwhile = (kind: string): readonly Call[] =>
    load.calls.filter((call) => call.kind === kind && call.from > shutAt && call.to < end);
  // Who is in already and keeps nothing does not need it.
  const withThreeNotes = (): readonly string[] =>
    Object.entries(Object.groupBy(whoseAre(meanwhile('note')), (who) => who)).flatMap(([who, each = []]) =>
      each.length < 3 ? [] : who,
    );
  // What was kept before is there again with its engine, and is waited for.
  const readsOn = (): readonly Call[] =>
    load.calls.filter((call) => call.kind === 'long' && call.from < shutAt && call.to > end && call.texts.length > 0);
  const told = (): readonly string[] => [
    withThreeNotes().toSorted().join(),
    [...new Set([...whoseAre(meanwhile('long')), ...whoseAre(readsOn())])].sort().join(),
  ];
  const isWhole = ({ texts }: Call): boolean => texts.join().includes('tooltray/notKept');
  const isEnough = (): boolean => told().every((who) => who === all.join()) && meanwhile('long').some(isWhole);
  await until(() => isEnough() || performance.now() > end);
  expect(told()).toEqual([all.join(), all.join()]);
  expect(meanwhile('note').flatMap(({ refusals }) => refusals)).toEqual([]);
  expect(meanwhile('long').some(isWhole)).toBe(true);
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
