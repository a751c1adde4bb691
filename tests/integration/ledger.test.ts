/** The ledger's totals match every byte sent to a client app, to the token, in every mode and over every transport. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SavingsReport } from '../../src-main/core/activity/ledger/ledger-table.ts';
import type { Params } from '../support/raw-client.ts';
import { fileTools } from '../fixtures/servers/eight-tools/file-tools.ts';
import { webTools } from '../fixtures/servers/eight-tools/web-tools.ts';
import { HttpClient } from '../support/http-client.ts';
import type { Line } from '../support/modern-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { listStep, type Step, tokensOf, toolStep, WireTokens } from './wire-tokens.ts';

let core: TestCore;
beforeAll(async () => {
  core = await startCore({
    servers: { files: fixture('eight-tools', 'files'), web: fixture('eight-tools', 'web') },
  });
});
afterAll(() => core[Symbol.asyncDispose]());

const read = { path: '/notes/a.txt' };
const find = { query: 'tooltray' };

/** The same two tasks, as done in each mode. */
const scripts: Readonly<Record<string, readonly Step[]>> = {
  proxy: [listStep(), toolStep('results', 'files_read_file', read), toolStep('results', 'web_web_search', find)],
  search: [
    listStep(),
    toolStep('discovery', 'search_tools', { query: 'read a file' }),
    toolStep('answers', 'call_tool', { name: 'files:read_file', arguments: read }),
    toolStep('discovery', 'search_tools', { query: 'search the web' }),
    toolStep('answers', 'call_tool', { name: 'web:web_search', arguments: find }),
  ],
  dispatch: [
    listStep(),
    toolStep('discovery', 'proxy-dispatch', { action: 'search', query: 'read file' }),
    toolStep('answers', 'proxy-dispatch', { action: 'call', tool: 'read_file', arguments: read }),
    toolStep('answers', 'proxy-dispatch', { action: 'call', tool: 'web_search', arguments: find }),
  ],
  retrieve: [
    listStep(),
    toolStep('discovery', 'retrieve_tools', { query: 'read a file' }),
    toolStep('answers', 'call_tool_read', { name: 'files:read_file', args: read, intent_data_sensitivity: 'public' }),
    toolStep('discovery', 'describe_tool', { name: 'web:web_search' }),
    toolStep('answers', 'call_tool_read', { name: 'web:web_search', args: find }),
  ],
  gateway: [
    listStep(),
    toolStep('discovery', 'list_all_tools'),
    toolStep('answers', 'files', { tool: 'read_file', arguments: read }),
    toolStep('answers', 'web', { tool: 'web_search', arguments: find }),
  ],
  code: [
    listStep(),
    toolStep('discovery', 'search', { query: 'read a file' }),
    toolStep('program', 'execute', {
      code: `await call_tool('read_file', ${JSON.stringify(read)}); await call_tool('web_search', ${JSON.stringify(find)}); return 'done';`,
    }),
  ],
};

interface Door {
  readonly wire: WireTokens;
  readonly ask: (step: Step) => Promise<void>;
}

async function socketDoor(app: string, mode: string): Promise<Door> {
  const client = await core.connect({ app, mode });
  const wire = new WireTokens();
  const ask = async ({ what, method, params }: Step): Promise<void> => {
    wire.add(what, (await client.exchange(method, params)).line);
  };
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: app, version: '1' } };
  await ask({ what: 'instructions', method: 'initialize', params: hello });
  client.notify('notifications/initialized');
  return { wire, ask };
}

async function legacyHttpDoor(app: string, mode: string): Promise<Door> {
  const client = new HttpClient(`${core.url}/mode/${mode}`);
  const wire = new WireTokens();
  const ask = async ({ what, method, params }: Step): Promise<void> => {
    wire.add(what, (await client.exchange(method, params)).line);
  };
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: app, version: '1' } };
  await ask({ what: 'instructions', method: 'initialize', params: hello });
  return { wire, ask };
}

async function modernSocketDoor(app: string, mode: string): Promise<Door> {
  return modernDoor(app, await core.connect({ app, mode }));
}

async function modernHttpDoor(app: string, mode: string): Promise<Door> {
  return modernDoor(app, new HttpClient(`${core.url}/mode/${mode}`, true));
}

async function modernDoor(app: string, client: Line): Promise<Door> {
  const wire = new WireTokens();
  const meta: Params = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: app, version: '1' },
  };
  const ask = async ({ what, method, params }: Step): Promise<void> => {
    wire.add(what, (await client.exchange(method, { ...params, _meta: meta })).line);
  };
  await ask({ what: 'instructions', method: 'server/discover' });
  return { wire, ask };
}

/** The ledger's entries of one app, by cause. */
async function ledgerOf(app: string): Promise<Record<string, { sent: number; baseline: number; raw: number }>> {
  const { ledger } = core.host.core.activity;
  const report = await ledger.savings({ by: 'cause', app });
  return Object.fromEntries(
    report.rows.map(({ key, sent, baseline, raw, estimatedShare }) => {
      expect(estimatedShare).toBe(0);
      return [key, { sent, baseline, raw }];
    }),
  );
}

/** Cost of the two servers' lists if each is connected directly. */
const ownLists = tokensOf(JSON.stringify({ tools: fileTools })) + tokensOf(JSON.stringify({ tools: webTools }));

const addresses = {
  socket: socketDoor,
  'legacy HTTP': legacyHttpDoor,
  'modern socket': modernSocketDoor,
  'modern HTTP': modernHttpDoor,
};

describe.each(Object.entries(addresses))('over %s', (door, open) => {
  // A separate app each, so that its figures stand alone.
  test.each(Object.entries(scripts))('mode %s: the sums match the wire, by cause', async (mode, steps) => {
    const app = `${door} ${mode}`;
    const { wire, ask } = await open(app, mode);
    for (const step of steps) await ask(step);
    const causes = await ledgerOf(app);
    const sent = (...names: string[]): number => names.reduce((sum, name) => sum + (causes[name]?.sent ?? 0), 0);
    expect({
      lists: sent('lists'),
      instructions: sent('instructions'),
      discovery: sent('discovery'),
      // The ledger splits these into results and what helpers added; here they are summed.
      answers: sent('results', 'helpers'),
      program: sent('code'),
      all: sent(...Object.keys(causes)),
    }).toEqual({
      lists: wire.of('lists'),
      instructions: wire.of('instructions'),
      discovery: wire.of('discovery'),
      answers: wire.of('results', 'answers'),
      program: wire.of('program'),
      all: wire.total,
    });
    expect(causes['lists']?.baseline).toBe(ownLists);
  });
});

test('reports the same totals for every key', async () => {
  const { ledger } = core.host.core.activity;
  const totals = await Promise.all(
    (['session', 'app', 'server', 'tool', 'day', 'cause', 'mode'] as const).map(async (by) => {
      const { rows, total } = await ledger.savings({ by });
      const net = rows.reduce((sum, row) => sum + row.net, 0);
      return [net, total.net, total.sent];
    }),
  );
  const [first] = totals;
  expect(totals).toEqual(totals.map(() => [first?.[1], first?.[1], first?.[2]]));
  expect(first?.[2]).toBeGreaterThan(0);
});

test('counts errors, resources and notifications under their own cause, and in no net', async () => {
  const client = await core.open({}, { app: 'others', mode: 'proxy' });
  const wire = new WireTokens();
  for (const method of ['resources/list', 'prompts/list']) wire.add('lists', (await client.exchange(method)).line);
  wire.add('other', (await client.exchange('resources/read', { uri: 'nowhere://x' })).line);
  wire.add('other', (await client.exchange('no/such/method')).line);
  wire.add('other', (await client.exchange('ping')).line);
  const causes = await ledgerOf('others');
  expect([causes['other']?.sent, causes['lists']?.sent]).toEqual([wire.of('other'), wire.of('lists')]);
  const report: SavingsReport = await core.host.core.activity.ledger.savings({ by: 'cause', app: 'others' });
  expect(report.rows.find(({ key }) => key === 'other')?.net).toBe(0);
});

test('a connection to a single server costs the same as a direct one', async () => {
  const client = new HttpClient(`${core.url}/server/files`);
  await client.initialize();
  await client.exchange('tools/list');
  await client.exchange('tools/call', { name: 'read_file', arguments: read });
  const { total } = await core.host.core.activity.ledger.savings({ by: 'cause', app: 'http-client' });
  expect([total.net, total.spent]).toEqual([0, total.baseline]);
  expect(total.spent).toBeGreaterThan(0);
});
