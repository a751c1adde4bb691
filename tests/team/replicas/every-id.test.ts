/**
 * Every kind of id that an app is given, over every ordered pair of three replicas: it works for whom it was given, wherever it is brought; for
 * anybody else, guessed, altered or over, it is told letter by letter as one that never was.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCases } from '../../support/all-cases.ts';
import { bearer, guessLike } from '../../support/callers.ts';
import { finished, handleIn } from '../../support/finished.ts';
import { HttpClient } from '../../support/http-client.ts';
import { ModernClient } from '../../support/modern-client.ts';
import type { Params } from '../../support/raw-client.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplica, type TestReplica } from '../../support/start-replica.ts';
import { place, startReplicas } from '../../support/start-replicas.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { TeamCallers, TeamPeople } from '../../support/team-callers.ts';
import { openTeamDatabase } from '../../support/team-database.ts';

/** Somebody at a replica. */
interface At {
  readonly url: string;
  readonly token: string;
}

interface Kind {
  readonly make: (at: At) => Promise<string>;
  /** What is told under it. */
  readonly use: (at: At, id: string) => Promise<unknown>;
  /** Where it is theirs. */
  readonly works: RegExp;
  /** How it ends; of some, being used is the end. */
  readonly end?: (at: At, id: string) => Promise<unknown>;
}

const modern = ({ url, token }: At, capabilities: Params = {}): ModernClient =>
  new ModernClient(new HttpClient(url, true, bearer(token)), capabilities);
const call = async (
  at: At,
  name: string,
  args: Params,
  capabilities: Params = {},
  more: Params = {},
): Promise<Params> => {
  const { result, error } = await modern(at, capabilities).once('tools/call', { name, arguments: args, ...more });
  return result ?? { error };
};
const form = { elicitation: { form: {} } };
const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const lines = `${Array.from({ length: 400 }, (_, at) => `line ${at} of the answer`).join('\n')}\n`;
const waitAt =
  (at: At) =>
  (input: Params): Promise<Params> =>
    call(at, 'await_result', input);
/** One whose server took too long to ask is a call that goes on, and no question. */
const question = async (at: At): Promise<string> => {
  const { requestState } = await call(at, 'asker_ask_form', { message: 'Who?' }, form);
  return typeof requestState === 'string' ? requestState : question(at);
};
const keep = async (at: At): Promise<string> => {
  const kept = await finished(await call(at, 'echo_echo', { message: lines }), waitAt(at));
  return /\b[a-km-np-z2-9]{20}\b/.exec(JSON.stringify(kept))?.[0] ?? '';
};

const kinds: Readonly<Record<string, Kind>> = {
  'a session': {
    make: async ({ url, token }) => (await openSession(url, token)).session,
    use: async ({ url, token }, id) => {
      const { status, message } = await post(url, 'tools/list', {}, id, token);
      return [status, message.error ?? 'listed'];
    },
    works: /200.*listed/,
    end: ({ url, token }, id) => fetch(url, { method: 'DELETE', headers: { ...bearer(token), 'mcp-session-id': id } }),
  },
  'a handle of a call that goes on': {
    make: async (at) => {
      return handleIn(await call(at, 'slow_work', { file: join(folder, 'never') })) ?? '';
    },
    use: async (at, handle) => (await call(at, 'await_result', { handle, waitSeconds: 0 }))['content'],
    works: /still running/,
    end: (at, handle) => call(at, 'await_result', { handle, cancel: true }),
  },
  'a task': {
    make: async (at) => String((await call(at, 'slow_work', { file: join(folder, 'never') }, tasks))['taskId']),
    use: async (at, taskId) => {
      const { result, error } = await modern(at, tasks).once('tasks/get', { taskId });
      return error ?? result?.['status'];
    },
    works: /working/,
  },
  'a question': {
    make: question,
    use: async (at, requestState) => {
      const inputResponses = { q1: { action: 'accept', content: { name: 'Zora' } } };
      const answer = await call(at, 'asker_ask_form', { message: 'Who?' }, form, { inputResponses, requestState });
      return finished(answer, waitAt(at));
    },
    works: /Zora/,
    end: () => Promise.resolve(),
  },
  'a kept answer': {
    make: keep,
    use: async (at, resultFile) => {
      const result = await call(at, 'read_result', { resultFile, op: 'head' });
      return (await finished(result, waitAt(at)))['content'];
    },
    works: /line 1 of the answer/,
  },
  'a kept answer, as a resource': {
    make: keep,
    use: async (at, id) => {
      const { result, error } = await modern(at).once('resources/read', { uri: `tooltray://spill/${id}` });
      return error ?? result?.['contents'];
    },
    works: /line 1 of the answer/,
  },
};

const folder = mkdtempSync(join(tmpdir(), 'tooltray-ids-'));
const names: readonly string[] = allCases ? ['a', 'b', 'c'] : ['a', 'b'];
let replicas: Readonly<Record<string, TestReplica>> = {};
let other: TestReplica;
let tokens: { readonly ana: string; readonly elsewhere: string; readonly ben: string; readonly stranger: string };
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await openTeamDatabase();
  drop = database.drop;
  const slow = join(import.meta.dirname, '../../integration/servers/slow.ts');
  const config = {
    servers: {
      slow: { command: process.execPath, args: [slow, join(folder, 'log')] },
      ...{ asker: fixture('asker'), echo: fixture('echo') },
    },
    ...{ extraTools: ['await_result', 'read_result'], slowCallSeconds: 1, results: { threshold: 2000 } },
  };
  replicas = await startReplicas(database.url, names, config);
  other = await startReplica(database.url, config, { tenant: 'other', among: place('o') });
  const [first] = Object.values(replicas);
  if (first === undefined) throw new Error('No replica.');
  const given = (await TeamCallers.of(first)).tokens;
  const people = new TeamPeople(other, 'other');
  await people.people.add({ name: 'ana' });
  const of = (holder: string): string => given.get(holder) ?? '';
  tokens = { ana: of('ana'), elsewhere: of('ana elsewhere'), ben: of('ben'), stranger: await people.give('ana') };
});
afterAll(async () => {
  for (const replica of [...Object.values(replicas), other]) await replica[Symbol.asyncDispose]();
  await drop();
  rmSync(folder, { recursive: true, force: true });
});

const ordered = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));
/** In `npm test` one pair stands for all. */
const pairs = allCases ? ordered : ordered.slice(0, 1);
/** One letter is another one; of ids that name their replica, the replica as well. */
const altered = (id: string): readonly string[] => [
  `${id.slice(0, -10)}${id.at(-10) === 'x' ? 'y' : 'x'}${id.slice(-9)}`,
  ...(/^(tooltray\.)?[abc]_/.test(id) ? [id.replace(/[abc]_/, (from) => (from === 'a_' ? 'b_' : 'a_'))] : []),
];

describe.each(pairs)('given at %s and brought to %s:', (from, to) => {
  test.each(Object.entries(kinds))(
    '%s is its own token’s; another token’s, person’s, tenant’s, guessed, altered and over it is as unknown',
    async (_what, { make, use, works, end }) => {
      const at = (name: string, token: string): At => ({ url: replicas[name]?.url ?? '', token });
      const [here, there] = [at(from, tokens.ana), at(to, tokens.ana)];
      const id = await make(here);
      const told = async (who: At, named: string): Promise<string> =>
        JSON.stringify(await use(who, named)).replaceAll(named, 'IT');
      const unknown = await told(there, guessLike(id));
      expect(unknown).not.toMatch(works);
      const strangers = {
        'another token of theirs': at(to, tokens.elsewhere),
        'another person': at(to, tokens.ben),
        'another person, where it was given': at(from, tokens.ben),
        'one of that name in another tenant': { url: other.url, token: tokens.stranger },
      };
      for (const [who, stranger] of Object.entries(strangers))
        expect([who, await told(stranger, id)]).toEqual([who, unknown]);
      for (const another of altered(id)) expect(await told(there, another)).toBe(unknown);
      expect(await told(there, id)).toMatch(works);
      if (end === undefined) return;
      await end(there, id);
      for (const who of [there, here]) expect(await told(who, id)).toBe(unknown);
    },
  );
});
