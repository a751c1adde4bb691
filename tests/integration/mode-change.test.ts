/** Changes the mode while client apps are connected: their lists change, calls in flight finish, and stale lists are reported. */
import { join } from 'node:path';
import { Client as V2Client } from '@modelcontextprotocol/client';
import { StdioClientTransport as V2Transport } from '@modelcontextprotocol/client/stdio';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { coreState } from '../../src-main/rpc/deps.ts';
import type { SessionStatus } from '../../src-main/rpc/contract.ts';
import type { Params } from '../support/raw-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const changed = 'notifications/tools/list_changed';
const helpers = ['search_tools', 'call_tool'];
const servers = { echo: fixture('echo') };
const tools = ['echo'];

/** A user who responds when the test says so. */
function patientPerson(): { answer: () => Promise<Params>; asked: Promise<void>; speak: () => void } {
  const { promise: asked, resolve: wasRequested } = Promise.withResolvers<void>();
  const { promise: answered, resolve: speak } = Promise.withResolvers<void>();
  const answer = async (): Promise<Params> => {
    wasRequested();
    await answered;
    return { action: 'accept', content: { name: 'Ada' } };
  };
  return { answer, asked, speak };
}

const sessions = (core: TestCore): readonly SessionStatus[] => coreState(core.host.core, core.host.addresses).sessions;

describe('a call in flight gets its result after the mode has changed', () => {
  const asking = { servers: { asker: fixture('asker') } };

  test('in a stateful session', async () => {
    await using core = await startCore(asking);
    const person = patientPerson();
    const client = await core.open({ elicitation: { form: {} } });
    client.onRequest('elicitation/create', person.answer);
    await client.toolNames();
    const call = client.say('ask_form');
    await person.asked;
    await core.write({ ...asking, mode: 'search' });
    await client.notification(changed);
    // The server has resources.
    expect(await client.toolNames()).toEqual([...helpers, 'read_resource']);
    person.speak();
    expect(JSON.parse(await call)).toMatchObject({ content: { name: 'Ada' } });
  });

  test('in a stateless session, whose call is continued in the new mode', async () => {
    await using core = await startCore(asking);
    const person = patientPerson();
    const line = await core.connect();
    const client = new ModernClient(line, { elicitation: { form: {} } });
    client.onAsk('elicitation/create', person.answer);
    await client.once('tools/list');
    void client.once('subscriptions/listen', { notifications: { toolsListChanged: true } });
    await line.notification('notifications/subscriptions/acknowledged');
    const call = client.call('ask_form');
    await person.asked;
    await core.write({ ...asking, mode: 'search' });
    await line.notification(changed);
    person.speak();
    expect(JSON.parse(textOf((await call).result ?? {}))).toMatchObject({ content: { name: 'Ada' } });
  });
});

describe('a client app that listens through the shim gets the new list without a restart', () => {
  const shim = (core: TestCore): { command: string; args: string[]; env: Record<string, string> } => ({
    command: process.execPath,
    args: [join(import.meta.dirname, '../../src-main/shim.ts')],
    env: { ...(process.env as Record<string, string>), TOOLTRAY_HOME: core.home },
  });
  const info = { name: 'listener', version: '1.0.0' };

  test('of the SDK, version 1', async () => {
    await using core = await startCore({ servers });
    const client = new V1Client(info);
    let told = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (told += 1));
    await client.connect(new V1Transport(shim(core)));
    const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toEqual(tools);
    await core.write({ servers, mode: 'search' });
    await until(() => told === 1);
    expect(await names()).toEqual(helpers);
    expect(sessions(core)).toMatchObject([{ app: 'listener', mode: 'search', staleList: false, note: '' }]);
    await client.close();
  });

  test.each(['legacy', 'auto'] as const)('of the SDK, version 2, protocol %s', async (mode) => {
    await using core = await startCore({ servers });
    const lists: string[][] = [];
    const onChanged = (_: unknown, found: readonly { name: string }[] | null): void =>
      void lists.push((found ?? []).map(({ name }) => name));
    const client = new V2Client(info, {
      versionNegotiation: { mode },
      listChanged: { tools: { autoRefresh: true, debounceMs: 0, onChanged } },
    });
    await client.connect(new V2Transport(shim(core)));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(tools);
    await core.write({ servers, mode: 'search' });
    await until(() => lists.length > 0);
    expect(lists).toEqual([helpers]);
    await client.close();
  });
});

describe('a client app that does not listen', () => {
  test('can use the old tools, and the dashboard says to restart it until it lists again', async () => {
    await using core = await startCore({ servers });
    const client = await core.open({}, { app: 'claude-ai' });
    await client.toolNames();
    await core.write({ servers, mode: 'search' });
    await client.notification(changed);
    for (const message of ['one', 'two', 'three']) expect(await client.say('echo', { message })).toBe(message);
    const note = 'Claude Desktop has an outdated tool list. Restart the app.';
    expect(sessions(core)).toMatchObject([{ app: 'claude-ai', mode: 'search', staleList: true, note }]);
    await client.toolNames();
    expect(sessions(core)).toMatchObject([{ staleList: false, note: '' }]);
  });

  test('gets the replacement for a tool that no longer exists', async () => {
    const other = fixture('compat', 'E');
    await using core = await startCore({ servers: { ...servers, other } });
    const client = await core.open();
    expect(await client.toolNames()).toContain('other_reverse_tool');
    await core.write({ servers, mode: 'search' });
    await client.notification(changed);
    await until(() => core.host.core.servers.manager.find('other') === undefined);
    const refused = (await client.exchange('tools/call', { name: 'other_reverse_tool', arguments: {} })).message;
    expect(refused.error?.message).toMatch(
      /^Unknown tool: "other_reverse_tool" .*The list of tools has changed\. List the tools again\. Available now: search_tools, call_tool\.$/,
    );
    await client.toolNames();
    const again = (await client.exchange('tools/call', { name: 'other_reverse_tool', arguments: {} })).message;
    expect(again.error?.message).not.toContain('has changed');
  });
});

describe('reports the mode that auto chose and why', () => {
  test('for sessions of either protocol, each by its client app', async () => {
    await using core = await startCore({ servers, mode: 'auto' });
    await core.open({}, { app: 'claude-ai' });
    await new ModernClient(await core.connect(), {}, 'claude-code').once('tools/list');
    expect(sessions(core)).toMatchObject([
      {
        app: 'claude-ai',
        mode: 'proxy',
        modeReason: expect.stringMatching(/^Listing every tool costs about \d+ tokens, /) as string,
      },
      {
        app: 'claude-code',
        mode: 'proxy',
        modeReason: 'Claude Code loads tools on demand, so all tools are listed.',
      },
    ]);
  });

  test('gives no reason if the user chose the mode', async () => {
    await using core = await startCore({ servers, mode: 'search' });
    await core.open();
    expect(sessions(core)[0]).not.toHaveProperty('modeReason');
  });
});
