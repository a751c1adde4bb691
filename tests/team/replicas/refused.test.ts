/** What one person was given at one replica is, for everybody else at another, as unknown as what never was. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callBy, type Caller, guessLike, reachBy } from '../../support/callers.ts';
import type { Params } from '../../support/raw-client.ts';
import { textOf } from '../../support/socket-client.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplica, type TestReplica } from '../../support/start-replica.ts';
import { place, startReplicas } from '../../support/start-replicas.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { holderOf, modernTeamCallers, TeamCallers, TeamPeople } from '../../support/team-callers.ts';
import { openTeamDatabase } from '../../support/team-database.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-refused-'));
const form = { elicitation: { form: {} } };
const slow = join(import.meta.dirname, '../../integration/servers/slow.ts');
const config = {
  servers: { slow: { command: process.execPath, args: [slow, join(folder, 'log')] }, asker: fixture('asker') },
  extraTools: ['await_result'],
  slowCallSeconds: 1,
};
let a: TestReplica;
let b: TestReplica;
let other: TestReplica;
let callers: TeamCallers;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await openTeamDatabase();
  drop = database.drop;
  ({ a, b } = await startReplicas(database.url, ['a', 'b'], config));
  other = await startReplica(database.url, config, { tenant: 'other', among: place('o') });
  callers = await TeamCallers.of(a);
});
afterAll(async () => {
  for (const replica of [a, b, other]) await replica[Symbol.asyncDispose]();
  await drop();
  rmSync(folder, { recursive: true, force: true });
});

const [owner = '', ...rest] = modernTeamCallers;
const strangers = rest.filter((how) => holderOf(how) !== holderOf(owner));
const awaited = {
  await_result: (caller: Caller, handle: string) => callBy(caller, 'await_result', { handle, waitSeconds: 0 }),
  'cancelled by await_result': (caller: Caller, handle: string) =>
    callBy(caller, 'await_result', { handle, cancel: true }),
};

test('a call that goes on is waited for and ended by its own person alone', async () => {
  const file = join(folder, 'answer');
  const first = await callers.open(owner);
  const pending = (await callBy(first, 'slow_work', { file })).result;
  const { handle } = ((pending?.['_meta'] ?? {}) as Params)['tooltray/pending'] as { handle: string };
  for (const how of strangers)
    for (const at of [a, b])
      expect([how, await reachBy(await callers.at(at).open(how), handle, awaited)]).toEqual([
        how,
        { await_result: 'as unknown', 'cancelled by await_result': 'as unknown' },
      ]);
  writeFileSync(`${file}.part`, 'done');
  renameSync(`${file}.part`, file);
  const answer = await callBy(await callers.at(b).open(owner), 'await_result', { handle, waitSeconds: 60 });
  expect(textOf(answer.result ?? {})).toBe('done');
});

test('a question is answered by its own person alone', async () => {
  const asked = { message: 'Who?' };
  const first = await callers.open(owner, form);
  const { inputRequests, requestState } = (await callBy(first, 'asker_ask_form', asked)).result ?? {};
  const inputResponses = Object.fromEntries(
    Object.keys(inputRequests as Params).map((key) => [key, { action: 'accept', content: { name: 'me' } }]),
  );
  const answer = async (how: string, at: TestReplica, state: string): Promise<unknown> => {
    const { result, error } = await callBy(await callers.at(at).open(how, form), 'asker_ask_form', asked, {
      inputResponses,
      requestState: state,
    });
    return error ?? result;
  };
  const unknown = await answer(owner, b, guessLike(String(requestState)));
  expect(unknown).toMatchObject({ code: -32602 });
  for (const how of strangers)
    for (const at of [a, b]) expect([how, await answer(how, at, String(requestState))]).toEqual([how, unknown]);
  expect(JSON.stringify(await answer(owner, b, String(requestState)))).toContain('me');
});

test('a session is its own person’s alone, in its own tenant', async () => {
  const token = (holder: string): string => callers.tokens.get(holder) ?? '';
  const { session } = await openSession(a.url, token('ana'));
  const ask = async (at: TestReplica, id: string, holder: string): Promise<readonly [number, unknown]> => {
    const { status, message } = await post(at.url, 'tools/list', {}, id, holder);
    return [status, message.error];
  };
  const unknown = await ask(b, guessLike(session), token('ana'));
  expect(unknown[0]).toBe(404);
  for (const at of [a, b])
    for (const holder of ['ben', 'ana elsewhere']) expect(await ask(at, session, token(holder))).toEqual(unknown);
  // Of the same name in another tenant, at a replica that shares keys and database.
  const people = new TeamPeople(other, 'other');
  await people.people.add({ name: 'ana' });
  expect(await ask(other, session, await people.give('ana'))).toEqual(unknown);
  expect((await ask(b, session, token('ana')))[0]).toBe(200);
});
