/** Manual runs of tools, on a real core with servers that send requests and take time. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';
import { until } from '../../support/until.ts';
import { ask } from '../dashboard-client.ts';

const patience = { timeout: 30_000 };

test("runs a tool that is not read-only after the user agrees, and records it as the user's", async () => {
  const core = await start();
  const wish = { server: 'echo', tool: 'echo', arguments: { message: 'hello' } };
  expect(await ask(core, 'startRun', wish)).toEqual({ asks: 'destroys' });
  expect(await ask(core, 'activity', {})).toMatchObject({ total: 0 });
  const end = await ended(core, await begin(core, wish));
  expect(end).toMatchObject({ outcome: 'ok', cut: false });
  expect(JSON.stringify(end)).toContain('hello');
  await vi.waitUntil(async () => (await ask(core, 'activity', {}))['total'] === 1, patience);
  expect(await ask(core, 'activity', {})).toMatchObject({ calls: [{ app: 'You', server: 'echo', tool: 'echo' }] });
  expect(await ask(core, 'savings', {})).toMatchObject({ rows: [] });
});

test("the user answers a server's questions: a form, a page, and text in place of a model", async () => {
  const core = await start();
  const form = await begin(core, { server: 'asker', tool: 'ask_form', arguments: {} });
  const asked = await question(core, form);
  expect(asked).toMatchObject({ method: 'elicitation/create', params: { requestedSchema: { required: ['name'] } } });
  const answer = { action: 'accept', content: { name: 'Ada' } };
  await ask(core, 'respondToRun', { id: form, question: asked['id'], answer });
  expect(JSON.stringify(await ended(core, form))).toContain('Ada');

  const sampling = await begin(core, { server: 'asker', tool: 'ask_sampling', arguments: {} });
  const words = { action: 'accept', text: 'my own words' };
  await ask(core, 'respondToRun', { id: sampling, question: (await question(core, sampling))['id'], answer: words });
  expect(JSON.stringify(await ended(core, sampling))).toContain('my own words');

  const refused = await begin(core, { server: 'asker', tool: 'ask_sampling', arguments: {} });
  const { id } = await question(core, refused);
  await ask(core, 'respondToRun', { id: refused, question: id, answer: { action: 'decline' } });
  expect(JSON.stringify(await ended(core, refused))).toContain('declined');
  expect(await ask(core, 'respondToRun', { id: refused, question: id, answer: { action: 'decline' } })).toMatchObject({
    error: { code: 'not_found' },
  });
});

test('asks each of two concurrent runs its own question', async () => {
  const core = await start();
  const answerAs = async (id: string, name: string): Promise<string> => {
    const { id: put } = await question(core, id);
    await ask(core, 'respondToRun', { id, question: put, answer: { action: 'accept', content: { name } } });
    return JSON.stringify(await ended(core, id));
  };
  const wish = (message: string): object => ({ server: 'asker', tool: 'ask_form', arguments: { message } });
  // The first request shows that this server sends them.
  expect(await answerAs(await begin(core, wish('first of all')), 'Ada')).toContain('Ada');
  const late = await begin(core, wish('after 700 ms, the first'));
  const second = await begin(core, { server: 'asker', tool: 'wait_cancel', arguments: {} });
  expect(await question(core, late)).toMatchObject({
    params: { message: expect.stringContaining('the first') as string },
  });
  expect(await ask(core, 'run', { id: second, after: 0 })).toMatchObject({ questions: [] });
  expect(await answerAs(late, 'Bea')).toContain('Bea');
  await ask(core, 'cancelRun', { id: second });
  expect(await ended(core, second)).toMatchObject({ outcome: 'cancelled' });
});

test('reports progress during a run, and cancelling ends the call at the server', async () => {
  const core = await start();
  const slow = await begin(core, { server: 'asker', tool: 'slow_progress', arguments: { steps: 3, label: 'step' } });
  await ended(core, slow);
  expect(await ask(core, 'run', { id: slow, after: 0 })).toMatchObject({ progress: { progress: 3, total: 3 } });
  const waiting = await begin(core, { server: 'asker', tool: 'wait_cancel', arguments: { label: 'mine' } });
  const log = (): Promise<string> => readFile(join(core.home, 'asker.log'), 'utf8').catch(() => '');
  await vi.waitUntil(async () => (await log()).includes('waiting mine'), patience);
  await ask(core, 'cancelRun', { id: waiting });
  expect(await ended(core, waiting)).toMatchObject({ outcome: 'cancelled' });
  await vi.waitUntil(async () => (await log()).includes('cancelled mine'), patience);
});

test('shows what each mode would return: short results whole, long ones as a spill summary', async () => {
  const core = await start();
  const short = await begin(core, { server: 'echo', tool: 'echo', arguments: { message: 'hello' } });
  await ended(core, short);
  const kinds = async (id: string): Promise<(readonly [string, unknown])[]> => {
    const { rows } = (await ask(core, 'runPreviews', { id })) as { rows: { kind: string; modes: string[] }[] };
    return rows.flatMap(({ kind, modes }) => modes.map((mode) => [mode, kind] as const));
  };
  expect(Object.fromEntries(await kinds(short))).toMatchObject({ server: 'whole', search: 'whole', code: 'program' });
  const long = await begin(core, { server: 'echo', tool: 'echo', arguments: { message: 'x'.repeat(60_000) } });
  await ended(core, long);
  expect(Object.fromEntries(await kinds(long))).toMatchObject({ server: 'whole', search: 'kept', proxy: 'kept' });
  expect(await ask(core, 'spills', {})).toMatchObject({ spills: [{ server: 'echo', app: 'You' }] });
});

test('counts the tokens that each mode would return, the same as in the record', async () => {
  const core = await start();
  const message = 'Ein Dutzend Wörter, die kein Viertel ihrer Buchstaben wiegen: 日本語のテキスト, ααα, 0x1f. '.repeat(
    9,
  );
  const id = await begin(core, { server: 'echo', tool: 'echo', arguments: { message } });
  await ended(core, id);
  const { rows } = (await ask(core, 'runPreviews', { id })) as { rows: { modes: string[]; text: string }[] };
  const whole = rows.find(({ modes }) => modes.includes('server'));
  await vi.waitUntil(async () => (await ask(core, 'activity', {}))['total'] === 1, patience);
  const onRecord = async (): Promise<number | undefined> => {
    const { calls } = (await ask(core, 'activity', {})) as { calls: { tokens: { modelResult?: number } }[] };
    return calls[0]?.tokens.modelResult;
  };
  await vi.waitUntil(async () => (await onRecord()) !== undefined, patience);
  expect(whole).toMatchObject({ tokens: await onRecord(), estimated: false });
  expect(whole).toMatchObject({ tokens: countTokens(whole?.text ?? '') });
});

async function start(): Promise<TestCore> {
  const servers: Record<string, object> = { echo: fixture('echo'), asker: fixture('asker') };
  const core = await startCore({ servers }, { askToken: true });
  onTestFinished(() => core[Symbol.asyncDispose]());
  await core.write({
    servers: { ...servers, asker: { ...fixture('asker'), env: { ASKER_LOG: join(core.home, 'asker.log') } } },
  });
  await ask(core, 'reload', {});
  await until(() => core.server('asker').state.kind === 'ready');
  return core;
}

async function begin(core: TestCore, wish: object): Promise<string> {
  return String((await ask(core, 'startRun', { ...wish, agreed: true }))['id']);
}

async function question(core: TestCore, id: string): Promise<Record<string, unknown>> {
  for (let after = 0; ;) {
    const state = await ask(core, 'run', { id, after });
    const [found] = state['questions'] as Record<string, unknown>[];
    if (found !== undefined) return found;
    expect(state['end']).toBeUndefined();
    after = state['revision'] as number;
  }
}

async function ended(core: TestCore, id: string): Promise<object> {
  for (let after = 0; ;) {
    const state = (await ask(core, 'run', { id, after })) as { revision: number; end?: object };
    if (state.end !== undefined) return state.end;
    after = state.revision;
  }
}
