/** Tools with an outputSchema, for a client that validates results: the SDK's own in v2. */
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { startCore, type TestCore } from '../support/start-core.ts';

const file = join(import.meta.dirname, 'servers/structured.ts');
const servers = { s: { command: process.execPath, args: [file] } };
/** Slow calls may return a handle instead of a result. */
const never = { slowCallSeconds: 0 };

async function connect(core: TestCore): Promise<Client> {
  const client = new Client({ name: 'validating', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(core.url)));
  return client;
}

test('a tool that is never spilled keeps its outputSchema, and a long result satisfies it', async () => {
  await using core = await startCore({ servers, ...never, raw: true, results: { threshold: 0 } });
  const client = await connect(core);
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'rows')?.outputSchema).toMatchObject({ required: ['rows'] });
  const { structuredContent } = await client.callTool({ name: 'rows', arguments: { count: 2000 } });
  expect((structuredContent as { rows: unknown[] }).rows).toHaveLength(2000);
  await client.close();
});

test('a tool that may be spilled is listed without outputSchema, and the client accepts its summary', async () => {
  await using core = await startCore({ servers, ...never, raw: true, results: { threshold: 1000 } });
  const client = await connect(core);
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'rows')).not.toHaveProperty('outputSchema');
  const { content, structuredContent } = await client.callTool({ name: 'rows', arguments: { count: 2000 } });
  const [spill] = await core.host.core.calls.spills.list();
  expect(JSON.stringify(content)).toContain(spill?.id ?? 'no spill');
  expect(structuredContent).toBeUndefined();
  await client.close();
});
