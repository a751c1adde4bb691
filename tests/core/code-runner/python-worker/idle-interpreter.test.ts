/** One prewarmed interpreter waits for the next Python run, until it idles too long or the code runner closes. */
import { expect, test } from 'vitest';
import { until } from '../../../support/until.ts';
import { isAlive } from '../../../support/processes.ts';
import { Harness, javascript } from '../sandbox-harness.ts';

const python = { language: 'python' } as const;

/** A harness with a tool `gate`, which returns once it is opened. */
function gated(idleMs = 300_000): { harness: Harness; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const gate = async (): Promise<object> => (await promise, { content: [] });
  return { harness: new Harness({ gate }, { idleMs }), open: resolve };
}

test('starts no interpreter before Python is used', async () => {
  const harness = new Harness({}, {}, javascript);
  const { sandbox } = harness;
  sandbox.prewarm();
  expect(await harness.value('1')).toBe(1);
  expect([sandbox.idlePid, sandbox.processes]).toEqual([undefined, 0]);
});

test('uses the prewarmed interpreter for a run, and starts the next one meanwhile', async () => {
  const { harness, open } = gated();
  const { sandbox } = harness;
  await harness.value('global_name = 1', python);
  const ahead = sandbox.idlePid ?? 0;
  expect(isAlive(ahead)).toBe(true);
  const second = harness.value('await call_tool("gate")\nreturn "global_name" in globals()', python);
  await until(() => harness.called.length === 1);
  // One process serves the run: the prewarmed one, which is no longer idle but alive.
  expect([sandbox.processes, isAlive(ahead)]).toEqual([1, true]);
  const next = sandbox.idlePid ?? 0;
  expect(next).not.toBe(ahead);
  expect(isAlive(next)).toBe(true);
  open();
  // No run sees what an earlier one left.
  expect(await second).toBe(false);
  await until(() => !isAlive(ahead));
  expect(sandbox.idlePid).toBe(next);
});

test('prewarms one interpreter for concurrent runs', async () => {
  const { harness, open } = gated();
  const runs = ['a', 'b'].map((owner) => harness.value('await call_tool("gate")\nreturn 1', { ...python, owner }));
  await until(() => harness.called.length === 2);
  const ahead = harness.sandbox.idlePid;
  expect(harness.sandbox.processes).toBe(2);
  open();
  expect(await Promise.all(runs)).toEqual([1, 1]);
  await until(() => harness.sandbox.processes === 0);
  expect(harness.sandbox.idlePid).toBe(ahead);
});

test('ends the idle interpreter after a while, and starts one for the next run', async () => {
  const { harness } = gated(300);
  const { sandbox } = harness;
  await harness.value('1', python);
  const ahead = sandbox.idlePid ?? 0;
  await until(() => sandbox.idlePid === undefined);
  await until(() => !isAlive(ahead));
  expect(await harness.value('2', python)).toBe(2);
});

test('replaces an idle interpreter that was killed with the next run', async () => {
  const { harness } = gated();
  const { sandbox } = harness;
  await harness.value('1', python);
  process.kill(sandbox.idlePid ?? 0, 'SIGKILL');
  await until(() => sandbox.idlePid === undefined);
  expect(await harness.value('2', python)).toBe(2);
  expect(sandbox.idlePid).toBeDefined();
});

test('ends running and idle interpreters when it closes', async () => {
  const { harness } = gated();
  const { sandbox } = harness;
  await harness.value('1', python);
  const ahead = sandbox.idlePid ?? 0;
  const run = harness.error('await call_tool("gate")', python);
  await until(() => harness.called.length === 1);
  const next = sandbox.idlePid ?? 0;
  await sandbox.close();
  expect(await run).toMatchObject({ code: 'CANCELLED' });
  expect([ahead, next].map(isAlive)).toEqual([false, false]);
  expect(await harness.error('1', python)).toMatchObject({ code: 'CANCELLED' });
  expect([sandbox.idlePid, sandbox.processes]).toEqual([undefined, 0]);
});
