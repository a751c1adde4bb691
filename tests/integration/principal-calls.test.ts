/** A pending call belongs to its app's session: its handle or task looks unknown to every other. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  callBy,
  type Caller,
  Callers,
  modernCallers,
  modernOwners,
  othersThan,
  owners,
  reachBy,
} from '../support/callers.ts';
import { handleIn } from '../support/finished.ts';
import { startCore, type TestCore } from '../support/start-core.ts';
import { writeAtomically } from '../support/write-atomically.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-whose-calls-'));
const tasks = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };
let core: TestCore;
let callers: Callers;
let files = 0;

beforeAll(async () => {
  const slow = { command: process.execPath, args: [join(import.meta.dirname, 'servers/slow.ts'), join(folder, 'log')] };
  const profiles = { wide: {} };
  core = await startCore(
    { servers: { slow }, profiles, slowCallSeconds: 0.5, extraTools: ['await_result'] },
    { askToken: true },
  );
  callers = await Callers.of(core);
});
afterAll(async () => {
  await core[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** A running call: the file that ends it, and its handle or task. */
async function slowCall(caller: Caller): Promise<{ readonly id: string; readonly finish: () => void }> {
  const file = join(folder, String((files += 1)));
  const { result } = await callBy(caller, 'slow_work', { file });
  const id = handleIn(result) ?? String(result?.['taskId']);
  const finish = (): void => {
    writeAtomically(file, 'done');
  };
  return { id, finish };
}

describe('a call in progress', () => {
  const wait = {
    await_result: (caller: Caller, handle: string) => callBy(caller, 'await_result', { handle, waitSeconds: 0 }),
    'ending it': (caller: Caller, handle: string) => callBy(caller, 'await_result', { handle, cancel: true }),
  };

  test('is neither read nor ended by another app, whoever owns it', async () => {
    await Promise.all(owners.map(keepsItsCall));
  });

  async function keepsItsCall(owner: string): Promise<void> {
    const first = await callers.open(owner);
    const { id, finish } = await slowCall(first);
    for (const how of othersThan(owner)) {
      const reached = await reachBy(await callers.open(how), id, wait);
      expect([how, reached]).toEqual([how, { await_result: 'as unknown', 'ending it': 'as unknown' }]);
    }
    finish();
    const answer = async (): Promise<string> => JSON.stringify(await callBy(first, 'await_result', { handle: id }));
    await expect.poll(answer).toContain('"text":"done"');
  }

  const ofTask = {
    'tasks/get': (caller: Caller, taskId: string) => caller.ask('tasks/get', { taskId }),
    'tasks/update': (caller: Caller, taskId: string) => caller.ask('tasks/update', { taskId, inputResponses: {} }),
    'tasks/cancel': (caller: Caller, taskId: string) => caller.ask('tasks/cancel', { taskId }),
  };

  test('is neither read nor ended by another app as a task', async () => {
    await Promise.all(modernOwners.map(keepsItsTask));
  });

  async function keepsItsTask(owner: string): Promise<void> {
    const first = await callers.open(owner, tasks);
    const { id, finish } = await slowCall(first);
    for (const how of othersThan(owner, modernCallers))
      expect(await reachBy(await callers.open(how, tasks), id, ofTask)).toEqual({
        'tasks/get': 'as unknown',
        'tasks/update': 'as unknown',
        'tasks/cancel': 'as unknown',
      });
    finish();
    const status = async (): Promise<unknown> => (await ofTask['tasks/get'](first, id)).result?.['status'];
    await expect.poll(status).toBe('completed');
  }
});
