/** Threads: found wherever the code lies, shared, killed when they must be, and gone when they are not needed. */
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

test('worker and engine are found among the sources, beside the bundle, and above its chunks', () => {
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

test('one thread is kept for the next run, and ends when there is none for long', async () => {
  const harness = new Harness({}, { idleMs: 500 }, javascript);
  expect(harness.sandbox.threads).toBe(0);
  await harness.run('1');
  await harness.run('1');
  expect(harness.sandbox.threads).toBe(1);
  await expect.poll(() => harness.sandbox.threads).toBe(0);
  expect(await harness.value('2')).toBe(2);
});

test('runs beyond the number of threads wait in line and all get their answer', async () => {
  let running = 0;
  let most = 0;
  const pair = Promise.withResolvers<void>();
  // The first waits for a second beside it: a thread may take long to start on a busy machine.
  const begin = async (): Promise<object> => {
    most = Math.max(most, ++running);
    if (running === 2) pair.resolve();
    await pair.promise;
    return { content: [], running };
  };
  const end = (): object => ({ content: [], running: --running });
  // One owner has half of the threads.
  const harness = new Harness({ begin, end }, { threads: 4 }, javascript);
  const code = 'await call_tool("begin"); await new Promise((r) => setTimeout(r, 5)); await call_tool("end");';
  const runs = Array.from({ length: 6 }, (_, n) => harness.value(`${code} ${n}`));
  expect(await Promise.all(runs)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(most).toBe(2);
  expect(harness.sandbox.threads).toBeLessThanOrEqual(2);
});

test('one that asks often waits for itself, and holds up nobody else', async () => {
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
  // Half of the threads are left for others, whatever one of them asks for.
  const late = run('late', 'late');
  await expect.poll(() => begun).toEqual(['greedy 1', 'late']);
  gate.resolve();
  await Promise.all([...runs, late]);
});

test('a line is full for its owner alone', async () => {
  const harness = new Harness({}, { threads: 2 }, javascript);
  const controller = new AbortController();
  const stuck = { owner: 'greedy', language: 'javascript', signal: controller.signal } as const;
  const runs = Array.from({ length: 51 }, () => harness.error('await call_tool("never")', stuck));
  expect(await harness.error('1', stuck)).toMatchObject({
    message: expect.stringContaining('waiting already') as string,
  });
  expect(await harness.value('2', { owner: 'other', language: 'javascript' })).toBe(2);
  controller.abort();
  expect(await Promise.all(runs)).toHaveLength(51);
});

test('a thread that had to be killed is replaced', async () => {
  const harness = new Harness({}, {}, javascript);
  const stuck = 'const s = "ab".repeat(5e6); for (;;) s.lastIndexOf("ba" + "b".repeat(3))';
  expect(await harness.error(stuck, { limits: { timeMs: 50 } })).toMatchObject({ code: 'TIMEOUT' });
  expect(await harness.value('1 + 1')).toBe(2);
  await expect.poll(() => harness.sandbox.threads).toBe(1);
});

test('a run that is cancelled ends at once, busy or waiting, and its calls with it', async () => {
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

test('a run that is cancelled in line never starts', async () => {
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

test('closing cancels what runs and ends every thread', async () => {
  const harness = new Harness({}, {}, javascript);
  const run = harness.error('for (;;) {}');
  await expect.poll(() => harness.sandbox.threads).toBe(1);
  await harness.sandbox.close();
  expect(await run).toMatchObject({ code: 'CANCELLED' });
  await expect.poll(() => harness.sandbox.threads).toBe(0);
  expect(await harness.error('1')).toMatchObject({ code: 'CANCELLED' });
});

test('a worker that is missing is an error with words, every time', async () => {
  const harness = new Harness({}, { workerUrl: new URL('file:///nowhere/js-runner-worker.js') }, javascript);
  for (let n = 0; n < 2; n++) {
    expect(await harness.error('1')).toMatchObject({
      code: 'RUNTIME_ERROR',
      message: expect.stringContaining('The sandbox ended') as string,
    });
  }
});

test('answers to a run that is over do not reach the next one', async () => {
  const late = Promise.withResolvers<unknown>();
  const harness = new Harness({ late: () => late.promise }, { threads: 1 }, javascript);
  await harness.run('await Promise.race([call_tool("late"), Promise.reject(new Error("first"))])');
  const next = harness.value('await new Promise((r) => setTimeout(r, 30)); await call_tool("say", { text: "mine" })');
  late.resolve({ content: [{ type: 'text', text: 'stale' }] });
  expect(await next).toBe('mine');
});
