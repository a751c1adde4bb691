/** The scoreboard of the benchmark, with a scripted model behind local endpoints of both kinds, and a real server. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openEndpoint } from '../../scripts/bench/agent/model-endpoint.mjs';
import { maxTurns, runTask, toolsOf } from '../../scripts/bench/agent/run-task.mjs';
import { scoreOf, scoreRow } from '../../scripts/bench/agent/score.mjs';
import { StdioClient } from '../../scripts/bench/stdio-client.mjs';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';

interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: { readonly messages: readonly Record<string, unknown>[]; readonly tools: readonly unknown[] };
}

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

/** An endpoint whose answers are made from the number of the request. */
async function endpointThat(answer: (turn: number) => object, status = 200): Promise<{ url: string; seen: Request[] }> {
  const seen: Request[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Request['body'];
      seen.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(status).end(JSON.stringify(answer(seen.length)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen };
}

async function echoTools(): ReturnType<typeof toolsOf> {
  const { command, args } = fixtureCommand('echo');
  const client = new StdioClient([command, ...args]);
  open.push(() => client.close());
  return toolsOf({ my: client }, { prefix: true });
}

const openAi = (turn: number): object => ({
  choices: [
    {
      message:
        turn === 1
          ? {
              content: null,
              tool_calls: [{ id: 'c1', function: { name: 'my__echo', arguments: '{"message":"hi"}' } }],
            }
          : { content: 'Done.' },
    },
  ],
  usage: { prompt_tokens: 100, completion_tokens: 10 },
});

const anthropic = (turn: number): object => ({
  content:
    turn === 1
      ? [
          { type: 'text', text: 'I call it.' },
          { type: 'tool_use', id: 'c1', name: 'my__echo', input: { message: 'hi' } },
        ]
      : [{ type: 'text', text: 'Done.' }],
  usage: { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 10 },
});

test.each([
  ['openai', '/v1/chat/completions', openAi, 'authorization', 'Bearer key'],
  ['anthropic', '/v1/messages', anthropic, 'x-api-key', 'key'],
] as const)('a model behind an endpoint of %s calls a tool and finishes', async (kind, path, answer, header, value) => {
  const { url, seen } = await endpointThat(answer);
  const endpoint = openEndpoint(`${kind}:some:model`, { url, keyVariable: 'K', env: { K: 'key' } });
  const run = await runTask(endpoint, await echoTools(), 'Say hi.');
  expect(run).toEqual({ turns: 2, calls: 1, errors: 0, usage: { input: 200, output: 20 }, stopped: undefined });
  expect(seen.map((request) => [request.path, request.headers[header]])).toEqual([
    [path, value],
    [path, value],
  ]);
  expect(seen[0]?.body).toMatchObject({ model: 'some:model', tools: expect.any(Array) as unknown });
  // The second request carries the call and its result.
  const [call, result] = seen[1]?.body.messages.slice(-2) ?? [];
  expect([JSON.stringify(call), JSON.stringify(result)]).toEqual([
    expect.stringContaining('my__echo'),
    expect.stringContaining('hi'),
  ]);
});

test('an unknown tool and a failing endpoint are part of the result', async () => {
  const unknown = await endpointThat((turn) =>
    turn === 1
      ? { choices: [{ message: { tool_calls: [{ id: 'c', function: { name: 'nothing', arguments: '' } }] } }] }
      : { choices: [{ message: { content: 'Done.' } }] },
  );
  const failing = await endpointThat(() => ({ error: 'no quota' }), 429);
  const tools = await echoTools();
  const runs = await Promise.all(
    [unknown, failing].map(({ url }) => runTask(openEndpoint('openai:m', { url, env: {} }), tools, 'Say hi.')),
  );
  expect(runs).toMatchObject([
    { calls: 1, errors: 1, stopped: undefined },
    { calls: 0, stopped: expect.stringContaining('429') as unknown },
  ]);
});

test('a model that never finishes is stopped', async () => {
  const { url } = await endpointThat(() => openAi(1));
  const run = await runTask(openEndpoint('openai:m', { url, env: {} }), await echoTools(), 'Say hi.');
  expect([run.turns, run.stopped === undefined]).toEqual([maxTurns, false]);
});

test.each([undefined, 'gpt', 'other:model', 'openai:'])('rejects the provider %s', (provider) => {
  expect(() => openEndpoint(provider, { env: {} })).toThrow();
});

test('rejects a provider without its key', () => {
  expect(() => openEndpoint('anthropic:m', { env: {} })).toThrow(/ANTHROPIC_API_KEY/);
});

test('a score counts tasks solved in every run, and money for each solved run', () => {
  const run = (task: string, solved: boolean) => ({
    task,
    solved,
    calls: 2,
    errors: 0,
    usage: { input: 1_000_000, output: 0 },
    stopped: undefined,
  });
  const score = scoreOf('auto', [run('a', true), run('a', true), run('b', true), run('b', false)], {
    input: 3,
    output: 15,
  });
  expect(score).toMatchObject({ solved: 3, runs: 4, k: 2, passK: 0.5, calls: 8, money: 12, moneyPerSolved: 4 });
  expect(scoreRow(score)).toMatchObject({ solved: '3/4', 'pass^2': '0.50', 'per solved': '4.0000' });
});
