/** Tests upstream_servers over a real core: what it changes in the config file, and what only the user may approve. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { type SocketClient, textOf } from '../../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

type Json = Record<string, unknown>;

const a = {
  ...fixture('compat', 'A'),
  env: { KEPT: '${env:HOME}', TOKEN: 'ghp_abcdefghijklmnopqrstuvwxyz0123456789', OLD: '1' },
};

interface World {
  readonly core: TestCore;
  readonly ask: (input: Json) => Promise<Json>;
  /** The servers as written in the file. */
  readonly written: () => Promise<Record<string, Json>>;
}

async function world(settings: Json, work: (world: World) => Promise<void>): Promise<void> {
  await using core = await startCore({ ...settings, servers: { a } });
  const client: SocketClient = await core.open({}, { mode: 'retrieve' });
  const ask = async (input: Json): Promise<Json> => {
    const result = await client.callTool('upstream_servers', input);
    return { ...(JSON.parse(textOf(result)) as Json), ...(result['isError'] === true && { isError: true }) };
  };
  const written = async (): Promise<Record<string, Json>> =>
    (JSON.parse(await readFile(core.configFile, 'utf8')) as { servers: Record<string, Json> }).servers;
  await work({ core, ask, written });
}

const allowing = { policy: { agentChanges: 'allow' } };

describe('with a config that lets models change servers', () => {
  test('a patch merges maps, replaces lists, removes null values, and keeps masked secrets', () =>
    world(allowing, async ({ ask, written }) => {
      const { servers } = (await ask({ operation: 'list' })) as { servers: [Json & { env: Json }] };
      expect(servers[0]).toMatchObject({ name: 'a', protocol: 'stdio', connection_status: { state: 'Ready' } });
      expect(servers[0].env['TOKEN']).not.toContain('abcdef');
      const answer = await ask({
        operation: 'patch',
        name: 'a',
        env_json: JSON.stringify({ ...servers[0].env, OLD: null, NEW: '2' }),
        args_json: JSON.stringify([...a.args, 'x']),
        init_timeout: '1m',
      });
      expect(answer).toMatchObject({
        updated: true,
        changes: { modified: ['args', 'env.NEW', 'initTimeoutSeconds'], removed: ['env.OLD'] },
      });
      expect((await written())['a']).toEqual({
        command: a.command,
        args: [...a.args, 'x'],
        env: { KEPT: '${env:HOME}', TOKEN: a.env.TOKEN, NEW: '2' },
        initTimeoutSeconds: 60,
      });
    }));

  test('an empty value clears a field, and the text "null" removes an object', () =>
    world(allowing, async ({ ask, written }) => {
      await ask({
        operation: 'patch',
        name: 'a',
        working_dir: '/tmp',
        isolation_json: '{"enabled":false,"image":"x"}',
      });
      await ask({ operation: 'patch', name: 'a', working_dir: '', isolation_json: '{"image":"y"}' });
      expect((await written())['a']).toMatchObject({ isolation: { enabled: false, image: 'y' } });
      expect((await written())['a']).not.toHaveProperty('cwd');
      await ask({ operation: 'patch', name: 'a', env_json: '{"NEW":"1"}' });
      await ask({ operation: 'patch', name: 'a', env_json: 'null' });
      expect((await written())['a']).not.toHaveProperty('env');
    }));

  test('asks the user before a server starts without the container that it requires, whatever the policy', () =>
    world(allowing, async ({ ask, core, written }) => {
      const isolation = { enabled: true, image: 'x' };
      await ask({ operation: 'patch', name: 'a', isolation_json: JSON.stringify(isolation) });
      for (const input of [
        { operation: 'update', name: 'a', isolation_json: 'null' },
        { operation: 'patch', name: 'a', isolation_json: '{"enabled":false}' },
      ])
        expect(await ask(input)).toMatchObject({ status: 'pending_approval' });
      expect((await written())['a']).toMatchObject({ isolation });
      await ask({ operation: 'patch', name: 'a', enabled: true });
      const { state } = core.server('a');
      expect(['error', 'connecting']).toContain(state.kind);
    }));

  test('lists every field of isolation with secrets masked, and sending it back changes nothing', () =>
    world(allowing, async ({ ask, core, written }) => {
      const isolation = {
        enabled: false,
        mode: 'none',
        image: 'python:3.12',
        network_mode: 'bridge',
        working_dir: '/srv',
        memory_limit: '512m',
        cpu_limit: '1.5',
        log_driver: 'json-file',
        log_max_size: '10m',
        extra_args: ['-v', '/data:/data:ro', '--memory=512m', '--cpus', '2', '-e', 'DB=hunter2hunter2'],
      };
      await ask({ operation: 'patch', name: 'a', isolation_json: JSON.stringify(isolation) });
      const listed = async (): Promise<Json> => ((await ask({ operation: 'list' })) as { servers: [Json] }).servers[0];
      const seen = await listed();
      const { extra_args: args, ...plain } = isolation;
      expect(seen['isolation']).toEqual({ ...plain, extra_args: [...args.slice(0, -1), '***'] });
      const same = await ask({ operation: 'patch', name: 'a', isolation_json: JSON.stringify(seen['isolation']) });
      expect(same).toMatchObject({ updated: false });

      const before = core.server('a').state;
      const others: [string, unknown][] = Object.keys(plain).map((field) => [field, field === 'enabled' || 'x']);
      for (const [field, value] of [...others, ['extra_args', ['--rm']], ['cpu_count', 2]] as [string, unknown][]) {
        if (field === 'mode') continue;
        await ask({ operation: 'patch', name: 'a', isolation_json: JSON.stringify({ [field]: value }) });
        expect((await listed())['isolation']).toMatchObject({ [field]: value });
      }
      expect((await written())['a']?.['isolation']).toMatchObject({ image: 'x', cpu_count: 2, extra_args: ['--rm'] });
      expect(core.server('a').state).toEqual(before);
    }));

  test('adds and removes servers at once, and none twice', () =>
    world(allowing, async ({ ask, core, written }) => {
      const b = fixture('compat', 'B');
      const add = { operation: 'add', name: 'b', command: b.command, args_json: JSON.stringify(b.args) };
      expect(await ask(add)).toMatchObject({
        added: true,
        protocol: 'stdio',
        status: 'configured',
        quarantined: false,
      });
      expect(core.server('b').state.kind).toBe('ready');
      expect(await ask(add)).toMatchObject({
        isError: true,
        error: expect.stringContaining('already exists') as string,
      });
      expect(await ask({ operation: 'remove', name: 'b' })).toEqual({ id: 'b', name: 'b', removed: true });
      expect(Object.keys(await written())).toEqual(['a']);
    }));
});

describe('if the user decides', () => {
  test('only proposes to add, remove or change what runs, whatever else is passed', () =>
    world({}, async ({ ask, core, written }) => {
      const before = await written();
      const proposed = {
        status: 'pending_approval',
        message: expect.stringMatching(/^Nothing has changed yet.*tooltray inbox approve \w+/) as string,
      };
      const sneaky = { quarantined: false, trust_mode: 'auto', policy: { agentChanges: 'allow' } };
      const added = await ask({ operation: 'add', name: 'b', command: 'x', ...sneaky });
      expect(added).toMatchObject({ ...proposed, added: false, quarantined: true });
      expect(await ask({ operation: 'patch', name: 'a', command: 'x', ...sneaky })).toMatchObject({
        ...proposed,
        updated: false,
      });
      expect(await ask({ operation: 'update', name: 'a', env_json: '{"LD_PRELOAD":"x"}' })).toMatchObject(proposed);
      expect(await ask({ operation: 'remove', name: 'a' })).toMatchObject({ ...proposed, removed: false });
      expect(await written()).toEqual(before);
      expect(await core.host.core.servers.admin.proposals()).toHaveLength(4);
    }));

  test('merges an approved patch into the config at that time', () =>
    world({}, async ({ ask, core, written }) => {
      const { proposal_id: id } = await ask({ operation: 'patch', name: 'a', env_json: '{"NEW":"2","OLD":null}' });
      await core.host.core.servers.admin.approve(String(id));
      expect((await written())['a']).toEqual({ ...a, env: { KEPT: a.env.KEPT, TOKEN: a.env.TOKEN, NEW: '2' } });
    }));

  test('proposes a description or enabling like every other change', () =>
    world({}, async ({ ask, core }) => {
      const waits = { status: 'pending_approval', updated: false };
      expect(await ask({ operation: 'patch', name: 'a', description: 'mine' })).toMatchObject(waits);
      expect(await ask({ operation: 'patch', name: 'a', enabled: false })).toMatchObject({ ...waits, enabled: true });
      expect(core.server('a').state.kind).toBe('ready');
    }));
});

test('rejects invalid requests without a change', () =>
  world(allowing, async ({ ask, written }) => {
    const before = await written();
    const cases: [Json, RegExp][] = [
      [{}, /Unknown operation/],
      [{ operation: 'zap' }, /Unknown operation: "zap"/],
      [{ operation: 'add' }, /The server name is missing\./],
      [{ operation: 'add', name: 'q' }, /A server requires a command or a url\./],
      [{ operation: 'add', name: 'q:r', command: 'x' }, /colon/],
      [{ operation: 'remove', name: 'q' }, /no server named "q"/],
      [{ operation: 'patch', name: 'a', args_json: '{}' }, /"args_json" is not a list of strings/],
      [{ operation: 'patch', name: 'a', env_json: '{"A":5}' }, /"env_json" is not an object of strings/],
      [{ operation: 'patch', name: 'a', env_json: '{' }, /not valid JSON/],
      [{ operation: 'patch', name: 'a', env_json: '{"OTHER":"***"}' }, /holds \*\*\*/],
      [{ operation: 'patch', name: 'a', init_timeout: 'soon' }, /a time like/],
      [{ operation: 'patch', name: 'a', enabled: 'false' }, /"enabled" is not true or false/],
      [{ operation: 'patch', name: 'a', enabled: null }, /"enabled" is not true or false/],
      [{ operation: 'add', name: 'q', command: 'x', enabled: 'no' }, /"enabled" is not true or false/],
      [{ operation: 'add', name: 'q', command: 'x', quarantined: 'true' }, /"quarantined" is not true or false/],
      [
        { operation: 'add', name: 'q', url: 'http://127.0.0.1:9', protocol: 'ftp' },
        /one of stdio, http, sse, streamable-http, auto/,
      ],
      [{ operation: 'patch', name: 'a', protocol: 5 }, /one of stdio, http/],
    ];
    for (const [input, error] of cases) {
      expect(await ask(input)).toMatchObject({ isError: true, error: expect.stringMatching(error) as string });
    }
    expect(await ask({ operation: 'patch', name: 'a' })).toMatchObject({
      updated: false,
      message: expect.stringContaining('Nothing to change: the configuration is the same.') as string,
    });
    expect(await written()).toEqual(before);
  }));
