/** Threads are found in source and bundle, shared between runs, killed if necessary, and ended when idle. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { resolveWorkerUrl } from '../../../src-main/core/base/workers.ts';
import { engineUrl } from '../../../src-main/core/code-runner/js-worker/guest-vm.ts';
import { codeRunnerWorkerUrl } from '../../../src-main/core/code-runner/code-runner.ts';
import { Harness, javascript, text } from './sandbox-harness.ts';

const root = new URL('../../../', import.meta.url);
const workerUrl = new URL('src-main/core/code-runner/js-worker/js-runner-worker.ts', root);

test('finds worker and engine among the sources, beside the bundle, and above its chunks', () => {
  expect(codeRunnerWorkerUrl()).toEqual(workerUrl);
  expect(engineUrl(workerUrl.href)).toEqual(new URL('node_modules/quickjs-wasi/quickjs.wasm', root));
  const dist = mkdtempSync(join(tmpdir(), 'dist-'));
  mkdirSync(join(dist, 'chunks'));
  writeFileSync(join(dist, 'js-runner-worker.js'), '');
  const built = resolveWorkerUrl('js-runner-worker', pathToFileURL(join(dist, 'chunks/core-x1.js')).href);
  expect(built).toEqual(pathToFileURL(join(dist, 'js-runner-worker.js')));
  expect(engineUrl(built.href)).toEqual(pathToFileURL(join(dist, 'quickjs.wasm')));
  rmSync(dist, { recursive: true });
});

test('keeps one thread for the next run, and ends it when idle', async () => {
  const harness = new Harness({}, { idleMs: 500 }, javascript);
  expect(harness.sandbox.threads).toBe(0);
  await harness.run('1');
  await harness.run('1');
  expect(harness.sandbox.threads).toBe(1);
  await expect.poll(() => harness.sandbox.threads).toBe(0);
  expect(await harness.value('2')).toBe(2);
});

test('queues runs beyond the number of threads, and completes all', async () => {
  let running = 0;
  let most = 0;
  const pair = Promise.withResolvers<void>();
  // The first waits for a second one, since a thread may start late on a busy computer.
  const begin = async (): Promise<object> => {
    most = Math.max(most, ++running);
    if (running === 2) pair.resolve();
    await pair.promise;
    return { content: [], running };
  };
  const end = (): object => ({ content: [], running: --running });
  // One owner gets half of the threads.
  const harness = new Harness({ begin, end }, { threads: 4 }, javascript);
  const code = 'await call_tool("begin"); await new Promise((r) => setTimeout(r, 5)); await call_tool("end");';
  const runs = Array.from({ length: 6 }, (_, n) => harness.value(`${code} ${n}`));
  expect(await Promise.all(runs)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(most).toBe(2);
  expect(harness.sandbox.threads).toBeLessThanOrEqual(2);
});

test('makes an owner with many runs wait without delaying others', async () => {
  const gate = Promise.withResolvers<void>();
  const begun: unknown[] = [];
  const harness = new Harness(
    {
      begin: async ({ who }) => {
        begun.push(who);
        await gate.promise;
        return text('1');
      },
    },
    { threads: 2 },
  );
  const run = (owner: string, who: string): Promise<unknown> =>
    harness.value(`const who = "${who}"; await call_tool("begin", { who })`, { owner, language: 'javascript' });
  const runs = [1, 2, 3, 4].map((n) => run('greedy', `greedy ${n}`));
  await expect.poll(() => begun).toEqual(['greedy 1']);
  // Half of the threads are left for other owners.
  const late = run('late', 'late');
  await expect.poll(() => begun).toEqual(['greedy 1', 'late']);
  gate.resolve();
  await Promise.all([...runs, late]);
});

test('limits the queue of each owner separately', async () => {
  const harness = new Harness({}, { threads: 2 }, javascript);
  const controller = new AbortController();
  const stuck = { owner: 'greedy', language: 'javascript', signal: controller.signal } as const;
  const runs = Array.from({ length: 51 }, () => harness.error('await call_tool("never")', stuck));
  expect(await harness.error('1', stuck)).toMatchObject({
    message: expect.stringContaining('Too many queued runs. Try again later.') as string,
  });
  expect(await harness.value('2', { owner: 'other', language: 'javascript' })).toBe(2);
  controller.abort();
  expect(await Promise.all(runs)).toHaveLength(51);
});

test('replaces a killed thread', async () => {
  const harness = new Harness({}, {}, javascript);
  const stuck = 'const s = "ab".repeat(5e6); for (;;) s.lastIndexOf("ba" + "b".repeat(3))';
  expect(await harness.error(stuck, { limits: { timeMs: 50 } })).toMatchObject({ code: 'TIMEOUT' });
  expect(await harness.value('1 + 1')).toBe(2);
  await expect.poll(() => harness.sandbox.threads).toBe(1);
});

test('ends a cancelled run at once, busy or waiting, and its calls', async () => {
  const harness = new Harness({}, {}, javascript);
  for (const [n, code] of ['for (;;) {}', 'await call_tool("never", {})'].entries()) {
    const controller = new AbortController();
    const run = harness.error(`await call_tool("echo", {}); ${code}`, { signal: controller.signal });
    await expect.poll(() => harness.called.length).toBe([1, 3][n]);
    controller.abort();
    expect(await run).toEqual({ code: 'CANCELLED', message: 'The run was cancelled.' });
  }
  expect(harness.called.at(-1)).toMatchObject({ name: 'never', signal: { aborted: true } });
});

test('never starts a run that was cancelled while queued', async () => {
  const harness = new Harness({}, { threads: 1 }, javascript);
  const controller = new AbortController();
  const first = harness.value('await new Promise((r) => setTimeout(r, 50)); 1');
  const second = harness.error('await call_tool("echo", {})', { signal: controller.signal });
  controller.abort();
  expect(await second).toMatchObject({ code: 'CANCELLED' });
  expect(await first).toBe(1);
  expect(harness.called).toEqual([]);
  expect(await harness.error('1', { signal: AbortSignal.abort() })).toMatchObject({ code: 'CANCELLED' });
});

test('cancels running code and ends all threads when it closes', async () => {
  const harness = new Harness({}, {}, javascript);
  const run = harness.error('for (;;) {}');
  await expect.poll(() => harness.sandbox.threads).toBe(1);
  await harness.sandbox.close();
  expect(await run).toMatchObject({ code: 'CANCELLED' });
  await expect.poll(() => harness.sandbox.threads).toBe(0);
  expect(await harness.error('1')).toMatchObject({ code: 'CANCELLED' });
});

test('reports an error if the worker file is missing, every time', async () => {
  const harness = new Harness({}, { workerUrl: new URL('file:///nowhere/js-runner-worker.js') }, javascript);
  for (let n = 0; n < 2; n++) {
    expect(await harness.error('1')).toMatchObject({
      code: 'RUNTIME_ERROR',
      message: expect.stringContaining('The sandbox exited') as string,
    });
  }
});

test('does not pass late results of an earlier run to the next one', async () => {
  const late = Promise.withResolvers<unknown>();
  const harness = new Harness({ late: () => late.promise }, { threads: 1 }, javascript);
  await harness.run('await Promise.race([call_tool("late"), Promise.reject(new Error("first"))])');
  const next = harness.value('await new Promise((r) => setTimeout(r, 30)); await call_tool("say", { text: "mine" })');
  late.resolve({ content: [{ type: 'text', text: 'stale' }] });
  expect(await next).toBe('mine');
});
