/** The environment of worker threads. */
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startWorkerThread } from '../../../src-main/core/base/workers.ts';

const code = 'import { parentPort } from "node:worker_threads"; parentPort.postMessage({ ...process.env });';
const entry = new URL(`data:text/javascript,${encodeURIComponent(code)}`);

const folder = join(import.meta.dirname, '../../../node_modules/.cache/compiled');

async function environment(): Promise<unknown> {
  const thread = startWorkerThread(entry, { memory: 32 });
  const [said] = (await once(thread, 'message')) as [unknown];
  await thread.terminate();
  return said;
}

test('gives a thread no environment variable except NODE_COMPILE_CACHE', async () => {
  vi.stubEnv('API_TOKEN', 'secret');
  vi.stubEnv('NODE_COMPILE_CACHE', undefined);
  expect(await environment()).toEqual({});
  vi.stubEnv('NODE_COMPILE_CACHE', folder);
  expect(await environment()).toEqual({ NODE_COMPILE_CACHE: folder });
  vi.unstubAllEnvs();
});
