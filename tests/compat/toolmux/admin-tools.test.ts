/** Compatibility cases 18 and 22: what a model can do with manage_servers and optimize_descriptions, and what only the user can. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Params } from '../../support/raw-client.ts';
import { type SocketClient, textOf } from '../../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

const parsed = (result: Params): Params => JSON.parse(textOf(result)) as Params;
const echo = fixture('compat', 'E');

function manage(client: SocketClient, action: string, input: Params = {}): Promise<Params> {
  return client.callTool('manage_servers', { action, ...input });
}

const config = async (core: TestCore): Promise<{ servers: Params }> =>
  JSON.parse(await readFile(core.configFile, 'utf8')) as { servers: Params };

async function hintOf(client: SocketClient): Promise<string> {
  const { tools } = (await client.request('tools/list')) as unknown as {
    tools: { name: string; description: string }[];
  };
  return tools.find(({ name }) => name === 'echo')?.description ?? '';
}

describe('manage_servers', () => {
  test('18: adds and removes at once if policy allows, sandboxed, and leaves no other change in the config', async () => {
    await using core = await startCore({ servers: { echo }, policy: { agentChanges: 'allow' } });
    const client = await core.open({}, { mode: 'gateway' });
    const added = await manage(client, 'add', { name: 'a', ...fixture('compat', 'A'), description: 'Mine' });
    expect(parsed(added)).toEqual({ success: true, message: "Added 'a'.", note: 'It is in effect now.' });
    const isolation = { mode: 'auto', network: true };
    expect((await config(core)).servers).toEqual({
      echo,
      a: { ...fixture('compat', 'A'), description: 'Mine', isolation },
    });
    expect(textOf(await client.callTool('a', { tool: 'echo_tool', arguments: { message: 'x' } }))).toContain(
      '"who":"A"',
    );
    const again = await manage(client, 'add', { name: 'a', command: 'x' });
    expect([again['isError'], parsed(again)['error']]).toEqual([true, expect.stringContaining('already exists')]);
    expect(parsed(await manage(client, 'remove', { name: 'a' }))).toMatchObject({ success: true });
    expect((await config(core)).servers).toEqual({ echo });
  });

  test('adding and removing by a model wait for the user', async () => {
    await using core = await startCore({ servers: { echo } });
    const client = await core.open({}, { mode: 'meta' });
    for (const [action, input] of [
      ['add', { name: 'evil', command: 'sh', args: ['-c', 'true'] }],
      ['remove', { name: 'echo' }],
    ] as const) {
      const answer = parsed(await manage(client, action, { ...input, agentChanges: 'allow', approve: true }));
      expect(answer).toMatchObject({ success: true, status: 'proposed' });
      expect(answer['note']).toBe(
        `Nothing has changed yet. The user must approve it first: tooltray inbox approve ${String(answer['proposal'])}`,
      );
    }
    expect((await config(core)).servers).toEqual({ echo });
    const [, removal] = await core.host.core.servers.admin.proposals();
    await core.host.core.servers.admin.approve(removal?.id ?? '');
    expect((await config(core)).servers).toEqual({});
  });

  test.each([
    [{ action: 'add', name: 'q' }, /command.*base_url/],
    [{ action: 'add', name: 'q', command: 'x', base_url: 'https://h/mcp' }, /either 'command'/],
    [{ action: 'add', name: 'q', base_url: 'file:///x' }, /must begin with http/],
    [{ action: 'add', name: 'q', command: 'x', args: [1] }, /'args' must be/],
    [{ action: 'add' }, /needs the 'name'/],
    [{ action: 'remove', name: 'zz' }, /"available":\["echo"\]/],
    [{ action: 'test', name: 'zz' }, /"available":\["echo"\]/],
    [{ action: 'validate', name: 'zz' }, /"available":\["echo"\]/],
    [{ action: 'bogus' }, /"valid_actions":\["list","add","remove","validate","test"\]/],
    [{ action: 'constructor' }, /valid_actions/],
    [{}, /valid_actions/],
  ])('18: %j is an error that names what is possible', async (input, text) => {
    await using core = await startCore({ servers: { echo } });
    const client = await core.open({}, { mode: 'meta' });
    const result = await client.callTool('manage_servers', input);
    expect([result['isError'], textOf(result)]).toEqual([true, expect.stringMatching(text)]);
    expect(parsed(result)).toHaveProperty('error');
  });

  test('lists, validates and tests without asking, and shows no secret', async () => {
    const servers = {
      echo: { ...echo, env: { API_TOKEN: 'tok-1234567890' } },
      bad: { command: 'no-such-command-here' },
      off: { ...echo, enabled: false },
    };
    await using core = await startCore({ servers });
    const client = await core.open({}, { mode: 'meta' });
    const listed = await manage(client, 'list');
    expect(textOf(listed)).not.toContain('tok-1234567890');
    expect(parsed(listed)).toMatchObject({ total: 3, config_path: core.configFile, failed_count: 1 });
    expect((parsed(listed)['servers'] as Params[]).map(({ status }) => status)).toEqual(['ok', 'failed', 'disabled']);
    expect(parsed(await manage(client, 'validate'))).toMatchObject({
      results: [
        { name: 'echo', valid: true },
        { name: 'bad', valid: false },
        { name: 'off', valid: true },
      ],
      total: 3,
      errors: 1,
    });
    expect(parsed(await manage(client, 'test'))).toMatchObject({
      results: [
        { name: 'echo', ok: true, tools: 3 },
        { name: 'bad', ok: false },
      ],
      total_tools: 3,
    });
  });

  test('is listed with exposeAdmin, and can be called either way', async () => {
    await using core = await startCore({ servers: { echo }, exposeAdmin: true });
    for (const mode of ['meta', 'gateway', 'proxy', 'search']) {
      const names = await (await core.open({}, { mode })).toolNames();
      expect(names).toEqual(expect.arrayContaining(['manage_servers', 'optimize_descriptions']));
    }
    await core.write({ servers: { echo } });
    const client = await core.open({}, { mode: 'meta' });
    await expect.poll(() => client.toolNames()).not.toContain('manage_servers');
  });
});

describe('optimize_descriptions', () => {
  const optimize = async (client: SocketClient, action: string, input: Params = {}): Promise<Params> =>
    parsed(await client.callTool('optimize_descriptions', { action, ...input }));

  test('rejects a text of more than 60 characters, with the reason', async () => {
    await using core = await startCore({ servers: { echo }, policy: { agentChanges: 'allow' } });
    const client = await core.open({}, { mode: 'gateway' });
    const save = (texts: Params): Promise<Params> => optimize(client, 'save', { server: 'echo', descriptions: texts });
    const long = 'Says it again. '.repeat(13);
    expect(await save({ echo_tool: long })).toMatchObject({
      error: expect.stringContaining('more than 60 characters') as string,
      too_long: ['echo_tool'],
    });
    expect(await optimize(client, 'status')).toMatchObject({ cached: false });
    expect(await save({ echo_tool: 'x'.repeat(60), reverse_tool: long })).toMatchObject({
      message: "Saved 1 descriptions for 'echo'",
      too_long: ['reverse_tool'],
    });
  });

  test('22: lists a saved text at once and after a restart; other tools are unchanged', async () => {
    await using core = await startCore({ servers: { echo }, policy: { agentChanges: 'allow' } });
    const client = await core.open({}, { mode: 'gateway' });
    expect(await optimize(client, 'status')).toMatchObject({ cached: false });
    const before = await hintOf(client);
    const texts = { echo_tool: 'Say it\u200b again\u0007', nope: 'x' };
    expect(await optimize(client, 'save', { server: 'echo', descriptions: texts })).toMatchObject({
      success: true,
      message: "Saved 1 descriptions for 'echo'",
      note: 'It is in effect now.',
      unknown: ['nope'],
    });
    await client.notification('notifications/tools/list_changed');
    const after = before.replace('Echo back the input arguments', 'Say it again');
    // A shorter text leaves room for a type.
    expect((await hintOf(client)).replace(': string[]', '')).toBe(after);
    const { tools } = await (await core.open({}, { mode: 'proxy' })).request('tools/list');
    expect(tools).toMatchObject([{}, { name: 'echo_tool', description: 'Say it again' }, {}]);
    expect(await optimize(client, 'status')).toMatchObject({
      cached: true,
      model: 'agent-generated',
      total_descriptions: 1,
      servers: { echo: { tool_count: 3, descriptions: 1, by: expect.stringContaining('session') as string } },
    });
    await core.host.stop();
    await using next = await startCore({ servers: { echo } }, { home: core.home });
    expect((await hintOf(await next.open({}, { mode: 'gateway' }))).replace(': string[]', '')).toBe(after);
    const schema = parsed(
      await (await next.open({}, { mode: 'meta' })).callTool('get_tool_schema', { name: 'echo_tool' }),
    );
    expect(schema['description']).toMatch(/^Use this tool to echo/);
  });

  test('generate returns what can be shortened; an unknown server and incomplete input are errors', async () => {
    await using core = await startCore({ servers: { echo } });
    const client = await core.open({}, { mode: 'meta' });
    expect(await optimize(client, 'generate')).toMatchObject({
      instruction: expect.stringContaining('save') as string,
      servers: { echo: { tool_count: 3, tools: [{ name: 'count_tool', required: ['items'] }, {}, {}] } },
    });
    for (const input of [
      { server: 'zz', descriptions: {} },
      { server: 'echo' },
      { server: 'echo', descriptions: { echo_tool: 5 } },
    ]) {
      expect(await optimize(client, 'save', input)).toHaveProperty('error');
    }
    await expect(stat(join(core.home, 'data', 'descriptions'))).rejects.toThrow('ENOENT');
  });
});
