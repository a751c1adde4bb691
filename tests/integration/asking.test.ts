/** Several client apps share a server that sends requests: each gets only its own. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Params } from '../support/raw-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { textOf, type SocketClient } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** A client app's response to each kind of request; identifies the app. */
const replies = (owner: string): Record<string, (params: Params) => Params> => ({
  'elicitation/create': ({ mode, message }) =>
    mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: `${owner} ${String(message)}` } },
  'sampling/createMessage': () => ({ model: owner, role: 'assistant', content: { type: 'text', text: owner } }),
  'roots/list': () => ({ roots: [{ uri: `file:///${owner}` }] }),
});

/** One client app, over either protocol. */
interface App {
  readonly line: SocketClient;
  /** Calls a tool of the server and returns its text. */
  call(tool: string, args?: Params, progressToken?: string): Promise<string>;
  /** Messages of all received requests. */
  asked(): string[];
}

async function legacyApp(core: TestCore, owner: string): Promise<App> {
  const line = await core.open(everything);
  for (const [method, reply] of Object.entries(replies(owner))) line.onRequest(method, reply);
  return {
    line,
    call: (tool, args = {}, progressToken) =>
      line.say(tool, args, progressToken === undefined ? {} : { _meta: { progressToken } }),
    asked: () => line.requests.map(({ method, params }) => messageOf(method, params)),
  };
}

async function modernApp(core: TestCore, owner: string): Promise<App> {
  const line = await core.connect();
  const client = new ModernClient(line, everything, owner);
  for (const [method, reply] of Object.entries(replies(owner))) client.onAsk(method, reply);
  return {
    line,
    call: async (tool, args = {}, progressToken) => {
      const { result, error } = await client.call(
        tool,
        args,
        progressToken === undefined ? {} : { _meta: { progressToken } },
      );
      return error === undefined ? textOf(result ?? {}) : error.message;
    },
    asked: () => client.asked.map(({ method, params }) => messageOf(method, params)),
  };
}

function messageOf(method: string | undefined, params: Params = {}): string {
  if (method !== 'sampling/createMessage')
    return `${method} ${typeof params['message'] === 'string' ? params['message'] : ''}`.trim();
  const [first] = params['messages'] as { content: { text: string } }[];
  return `${method} ${first?.content.text ?? ''}`;
}

const eras = [
  { client: 'legacy', server: 'legacy', open: legacyApp, args: [] },
  { client: 'modern', server: 'legacy', open: modernApp, args: [] },
  { client: 'legacy', server: 'modern', open: legacyApp, args: ['--dual'] },
  { client: 'modern', server: 'modern', open: modernApp, args: ['--dual'] },
];

describe.each(eras)('a $client client app on a $server server', ({ open, args }) => {
  let core: TestCore;
  let anna: App;
  let bert: App;
  let third: App;

  beforeAll(async () => {
    core = await startCore({ servers: { asker: fixture('asker', ...args) } });
    [anna, bert, third] = await Promise.all([open(core, 'anna'), open(core, 'bert'), open(core, 'third')]);
    // The first request shows that this server sends them.
    expect(await anna.call('ask_roots')).toContain('file:///anna');
  });
  afterAll(() => core[Symbol.asyncDispose]());

  /** Both concurrently, three times; their requests and responses, sorted. */
  async function both(tool: string): Promise<{ answers: string[]; asked: string[][] }> {
    const before = [anna.asked().length, bert.asked().length] as const;
    const rounds = [1, 2, 3];
    const answers = await Promise.all(
      rounds.flatMap((round) => [
        anna.call(tool, { message: `for anna ${round}` }),
        bert.call(tool, { message: `for bert ${round}` }),
      ]),
    );
    return { answers, asked: [anna.asked().slice(before[0]).sort(), bert.asked().slice(before[1]).sort()] };
  }

  const ownQuestions = (method: string): string[][] =>
    ['anna', 'bert'].map((owner) => [1, 2, 3].map((round) => `${method} for ${owner} ${round}`));
  /** The message that the user reads names the server. */
  const named = 'elicitation/create asker:';

  test('asks the caller to fill in a form', async () => {
    const { answers, asked } = await both('ask_form');
    expect(answers.map((answer) => JSON.parse(answer) as unknown)).toEqual(
      [1, 2, 3].flatMap((round) =>
        ['anna', 'bert'].map((owner) => ({
          action: 'accept',
          content: { name: `${owner} asker: for ${owner} ${round}` },
        })),
      ),
    );
    expect(asked).toEqual(ownQuestions(named));
  });

  test('asks the caller to open a page', async () => {
    const { answers, asked } = await both('ask_url');
    expect(answers.map((answer) => JSON.parse(answer) as unknown)).toEqual(Array(6).fill({ action: 'accept' }));
    expect(asked).toEqual(ownQuestions(named));
  });

  test("asks the caller's model for a sample", async () => {
    const { answers, asked } = await both('ask_sampling');
    expect(answers.map((answer) => (JSON.parse(answer) as { model: string }).model)).toEqual([
      'anna',
      'bert',
      'anna',
      'bert',
      'anna',
      'bert',
    ]);
    expect(asked).toEqual(ownQuestions('sampling/createMessage'));
  });

  test("sends all progress to the caller, under the caller's token", async () => {
    const slow = (app: App, label: string): Promise<string> =>
      app.call('slow_progress', { steps: 5, label }, 'same-token');
    expect(await Promise.all([slow(anna, 'anna'), slow(bert, 'bert')])).toEqual(['anna done', 'bert done']);
    const heard = (app: App): unknown[] =>
      app.line.notifications.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);
    const steps = (message: string): unknown[] =>
      [1, 2, 3, 4, 5].map(
        (progress) => expect.objectContaining({ progressToken: 'same-token', progress, total: 5, message }) as unknown,
      );
    expect([heard(anna), heard(bert)]).toEqual([steps('anna'), steps('bert')]);
  });

  test('sends a third client neither questions nor notifications', () => {
    expect(third.asked()).toEqual([]);
    expect(third.line.lines.slice(1)).toEqual(third.line.lines.slice(1).filter((line) => line.includes('"id":1')));
  });
});

describe('cancellation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-asker-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(eras)(
    'cancels only the call of the $client client app at the $server server',
    async ({ client, server, open, args }) => {
      const log = join(folder, `${client}-${server}.log`);
      await using core = await startCore({
        servers: { asker: { ...fixture('asker', ...args), env: { ASKER_LOG: log } } },
      });
      const [anna, bert] = [await open(core, 'anna'), await open(core, 'bert')];
      const noted = (): string[] => {
        try {
          return readFileSync(log, 'utf8').trim().split('\n').sort();
        } catch {
          return [];
        }
      };
      const outcome = anna.call('wait_cancel', { label: 'anna' });
      outcome.catch(() => undefined);
      void bert.call('wait_cancel', { label: 'bert' }).catch(() => undefined);
      await until(() => noted().length === 2);
      anna.line.notify('notifications/cancelled', { requestId: client === 'legacy' ? 2 : 1, reason: 'enough' });
      await until(() => noted().length === 3);
      expect(noted()).toEqual(['cancelled anna', 'waiting anna', 'waiting bert']);
      expect(await bert.call('who')).toContain('pid');
    },
  );
});

test('asks one client at most twelve questions at once, and the others once some are answered', async () => {
  await using core = await startCore({ servers: { a: fixture('asker'), b: fixture('asker') } });
  const line = await core.open(everything);
  const answer: (() => void)[] = [];
  line.onRequest(
    'elicitation/create',
    () => new Promise((resolve) => answer.push(() => resolve({ action: 'accept', content: { name: 'x' } }))),
  );
  // After the first request, this session gets its own connection to the server.
  for (const server of ['a', 'b']) {
    const first = line.say(`${server}_ask_form`, { message: 'first' });
    await until(() => answer.length === 1);
    answer.splice(0)[0]?.();
    await first;
  }
  const said = ['a', 'b'].flatMap((server) =>
    Array.from({ length: 9 }, (_, round) => line.say(`${server}_ask_form`, { message: `round ${round}` })),
  );
  await until(() => answer.length === 12);
  const open = line.requests.slice(-12).map(({ params }) => String(params?.['message']).charAt(0));
  expect(open.filter((server) => server === 'a')).toHaveLength(6);
  for (let answered = 0; answered < 18; answered++) {
    await until(() => answer.length > answered);
    answer[answered]?.();
  }
  expect(await Promise.all(said)).toHaveLength(18);
});
