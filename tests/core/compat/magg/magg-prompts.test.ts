/** The prompt `magg_configure_server`, over a real socket. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Params } from '../../../support/raw-client.ts';
import type { SocketClient } from '../../../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../../../support/start-core.ts';

const name = 'magg_configure_server';
let core: TestCore;
let client: SocketClient;
beforeAll(async () => {
  core = await startCore({ servers: { m: fixture('capabilities') } });
  client = await core.open({}, { mode: 'proxy' });
});
afterAll(() => core[Symbol.asyncDispose]());

const listed = async (on: SocketClient): Promise<unknown[]> =>
  ((await on.request('prompts/list')) as { prompts: Params[] }).prompts.map((prompt) => prompt['name']);

function textIn({ messages }: Params): string {
  const [message] = messages as { content: { text: string } }[];
  return message?.content.text ?? '';
}

test('it can be had in every mode and is listed in mode universal, after those of servers', async () => {
  expect(await listed(client)).toEqual(['greet']);
  const universal = await core.open({}, { mode: 'universal' });
  expect(await listed(universal)).toEqual(['greet', name]);
  for (const on of [client, universal]) {
    const prompt = await on.request('prompts/get', { name, arguments: { source: 'https://x.test/y' } });
    expect(textIn(prompt)).toContain('https://x.test/y');
  }
});

test('it names what to call the server, and the names that are taken', async () => {
  const args = { source: 'npm:thing', server_name: 'thing' };
  const text = textIn(await client.request('prompts/get', { name, arguments: args }));
  expect(text).toContain('call it "thing"');
  expect(text).toContain('Names that are taken: m.');
  expect(text).toContain('magg_add_server');
});

test.each([undefined, {}, { source: ' ' }, { source: 5 }])('arguments %j are refused', async (args) => {
  const asked = client.request('prompts/get', { name, ...(args && { arguments: args }) });
  await expect(asked).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("'source'") as string });
});

test('the proxy tool gets it as it gets those of servers', async () => {
  const { content } = (await client.callTool('proxy', {
    ...{ action: 'call', type: 'prompt', path: name, args: { source: 'npm:thing' } },
  })) as { content: { resource: { text: string }; annotations: Params }[] };
  expect(textIn(JSON.parse(content[0]?.resource.text ?? '') as Params)).toContain('npm:thing');
  expect(content[0]?.annotations).toMatchObject({ proxyType: 'prompt', proxyPath: name });
});

test('nothing completes its arguments', async () => {
  const ref = { type: 'ref/prompt', name };
  const asked = client.request('completion/complete', { ref, argument: { name: 'source', value: 'n' } });
  expect(await asked).toEqual({ completion: { values: [] } });
});
