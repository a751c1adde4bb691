/** A sandboxed server may use only what the user accepted: nothing that it plants extends that at its next start. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sandboxUnavailableReason } from '../../src-main/core/servers/launch/sandbox/bubblewrap.ts';
import { startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const problem = await sandboxUnavailableReason({ PATH: process.env['PATH'] ?? '' });

/** A server with one tool, which runs a shell command and returns its output. */
const serverScript = `
const { spawnSync } = require('child_process');
const send = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') return send(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  if (method === 'tools/list') return send(id, { tools: [{ name: 'sh', description: 'Runs.', inputSchema: { type: 'object' } }] });
  if (method !== 'tools/call') return send(id, {});
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', params.arguments.line], { encoding: 'utf8' });
  send(id, { content: [{ type: 'text', text: stdout + stderr }] });
});
`;

interface World {
  /** The user's home, with a key in it. */
  readonly user: string;
  readonly keys: string;
  readonly project: string;
  readonly store: string;
  /** A server's script, in a folder that no server can write. */
  readonly script: string;
}

function openWorld(): World {
  const user = mkdtempSync(join(tmpdir(), 'tooltray-places-'));
  onTestFinished(() => rmSync(user, { recursive: true, force: true, maxRetries: 5 }));
  const [keys, project] = [join(user, '.ssh'), join(user, 'project')];
  const [store, programs] = [join(project, 'data', 'store'), join(user, 'programs')];
  for (const folder of [keys, store, programs]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(keys, 'id_rsa'), 'PRIVATE KEY');
  writeFileSync(join(store, 'file.db'), 'rows');
  const script = join(programs, 'server.cjs');
  writeFileSync(script, serverScript);
  return { user, keys, project, store, script };
}

type Entry = Readonly<Record<string, unknown>>;

async function start({ user }: World, servers: Readonly<Record<string, Entry>>): Promise<TestCore> {
  return startCore({ servers, mode: 'dispatch', dataFlow: 'off' }, { env: { HOME: user } });
}

async function sh(core: TestCore, line: string, server = 'notes'): Promise<string> {
  const client = await core.open();
  const { content } = (await client.request('tools/call', {
    name: 'proxy-dispatch',
    arguments: { action: 'call', connection: server, tool: 'sh', args: { line } },
  })) as { content: { text: string }[] };
  return content[0]?.text ?? '';
}

async function restart(core: TestCore, server = 'notes'): Promise<void> {
  await core
    .server(server)
    .retry()
    .catch(() => undefined);
  await until(() => ['ready', 'error'].includes(core.server(server).state.kind));
}

function refusal(core: TestCore, server = 'notes'): unknown {
  const { state } = core.server(server);
  return 'error' in state ? state.error?.code : state.kind;
}

const sandbox = (write: readonly string[], read: readonly string[] = []): Entry => ({
  isolation: { mode: 'sandbox', read, write },
});

describe.skipIf(problem !== undefined)('a sandboxed server', () => {
  test.each<[string, (world: World) => Entry, (world: World) => string]>([
    [
      'a folder below another one that it may write',
      ({ project, store, script }) => ({ args: [script], ...sandbox([project, store]) }),
      ({ project, keys }) => `cd ${project} && mv data old && mkdir data && ln -s ${keys} data/store`,
    ],
    [
      'the same by its arguments',
      ({ project, store, script }) => ({ args: [script, '--root', project, `--store=${store}`], isolation: 'sandbox' }),
      ({ project, keys }) => `cd ${project} && mv data old && mkdir data && ln -s ${keys} data/store`,
    ],
    [
      'a file',
      ({ project, store, script }) => ({ args: [script], ...sandbox([project, join(store, 'file.db')]) }),
      ({ store, keys }) => `rm ${store}/file.db && ln -s ${keys}/id_rsa ${store}/file.db`,
    ],
    [
      'a folder that it may read',
      ({ project, store, script }) => ({ args: [script], ...sandbox([project], [store]) }),
      // While it is mounted its parents stay; a process outside the sandbox moves what is next to it.
      () => 'true',
    ],
    [
      'its working folder',
      ({ project, store, script }) => ({ args: [script], cwd: store, ...sandbox([project]) }),
      () => 'true',
    ],
    [
      'what a variable names and is not there yet',
      ({ project, script }) => ({
        args: [script, project],
        env: { CACHE: join(project, 'cache') },
        isolation: 'sandbox',
      }),
      ({ project, keys }) => `ln -s ${keys} ${project}/cache`,
    ],
  ])('does not start once %s points elsewhere', async (_what, entryOf, attack) => {
    const world = openWorld();
    await using core = await start(world, { notes: { command: process.execPath, ...entryOf(world) } });
    await sh(core, attack(world));
    if (attack(world) === 'true') {
      renameSync(join(world.project, 'data'), join(world.project, 'old'));
      mkdirSync(join(world.project, 'data'));
      symlinkSync(world.keys, world.store);
    }
    await restart(core);
    expect(refusal(core)).toBe('server_not_started');
    expect(existsSync(join(world.keys, 'planted'))).toBe(false);
  });

  test('starts again once the path points where it did, or the user accepts it as it is', async () => {
    const world = openWorld();
    const other = join(world.user, 'other');
    mkdirSync(other);
    const notes = { command: process.execPath, args: [world.script], ...sandbox([world.project, world.store]) };
    await using core = await start(world, { notes });
    const move = `cd ${world.project} && mv data old && mkdir data && ln -s ${other} data/store`;
    await sh(core, move);
    await restart(core);
    expect(refusal(core)).toBe('server_not_started');
    await core.host.core.servers.sandboxes.agreeAgain('notes');
    await restart(core);
    expect(await sh(core, `touch ${world.store}/made && echo done`)).toBe('done\n');
    expect(existsSync(join(other, 'made'))).toBe(true);
  });

  test('is limited to what its paths pointed to when the user approved, before its first start', async () => {
    const world = openWorld();
    const confined = { command: process.execPath, args: [world.script] };
    await using core = await start(world, {
      writer: { ...confined, ...sandbox([world.project]) },
      notes: { ...confined, ...sandbox([world.store]), enabled: false },
    });
    await sh(core, `cd ${world.project} && mv data old && mkdir data && ln -s ${world.keys} data/store`, 'writer');
    const { servers } = JSON.parse(readFileSync(core.configFile, 'utf8')) as { servers: Record<string, Entry> };
    await core.write({ servers: { ...servers, notes: { ...servers['notes'], enabled: true } }, mode: 'dispatch' });
    await until(() =>
      core.host.core.servers.manager.all.some(({ config }) => config.name === 'notes' && config.enabled),
    );
    await until(() => core.server('notes').state.kind === 'error');
    expect(refusal(core)).toBe('server_not_started');
  });

  test('cannot move what is mounted inside a folder that it may write', async () => {
    const world = openWorld();
    const notes = { command: process.execPath, args: [world.script], ...sandbox([world.project], [world.store]) };
    await using core = await start(world, { notes });
    expect(await sh(core, `mv ${world.project}/data ${world.project}/moved`)).toMatch(/busy/i);
    expect(await sh(core, `touch ${world.store}/new`)).toMatch(/read-only/i);
    expect(await sh(core, `touch ${world.project}/data/new && echo done`)).toBe('done\n');
    expect(existsSync(join(world.project, 'data', 'new'))).toBe(true);
  });

  test('sees no more through the first line of its script, or through a link in place of its program', async () => {
    const world = openWorld();
    const script = join(world.project, 'server.cjs');
    writeFileSync(script, serverScript);
    const program = join(world.project, 'node');
    symlinkSync(process.execPath, program);
    const runs = sandbox([world.project]);
    await using core = await start(world, {
      notes: { command: process.execPath, args: [script], ...runs },
      linked: { command: program, args: [world.script], ...runs },
    });
    await sh(
      core,
      `printf '#!${world.keys}/id_rsa\\n' > ${world.project}/new && cat ${script} >> ${world.project}/new && mv ${world.project}/new ${script}`,
    );
    await restart(core);
    expect(await sh(core, `cat ${world.keys}/id_rsa`)).toMatch(/No such file/);
    await sh(core, `ln -sf ${world.keys}/id_rsa ${program}`, 'linked');
    await restart(core, 'linked');
    expect(['server_not_started', 'command_not_found']).toContain(refusal(core, 'linked'));
  });

  test('does not influence its sandbox: no variable of its entry reaches the programs that create it', async () => {
    const world = openWorld();
    const bin = join(world.project, 'bin');
    mkdirSync(bin);
    const mark = join(world.user, 'escaped');
    for (const name of ['bwrap', 'npm', 'socat'])
      writeFileSync(join(bin, name), `#!/bin/sh\necho "$0" >> ${mark}\n`, { mode: 0o755 });
    const env = {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      NODE_OPTIONS: `--require=${join(world.project, 'hook.cjs')}`,
      TOKEN: 'planted-value',
    };
    writeFileSync(
      join(world.project, 'hook.cjs'),
      `try { require('fs').writeFileSync(${JSON.stringify(mark)}, 'node'); } catch {}`,
    );
    const notes = { command: process.execPath, args: [world.script], env, ...sandbox([world.project]) };
    await using core = await start(world, { notes });
    expect(await sh(core, 'echo $TOKEN')).toBe('planted-value\n');
    expect(await sh(core, 'tr "\\0" "\\n" < /proc/1/environ')).not.toContain('planted-value');
    expect(existsSync(mark)).toBe(false);
  });

  test('inherits no descriptor of a folder outside', async () => {
    const world = openWorld();
    const notes = { command: process.execPath, args: [world.script], ...sandbox([world.project]) };
    await using core = await start(world, { notes });
    const open = await sh(core, 'for one in /proc/$PPID/fd/*; do readlink $one; done');
    expect(open).not.toContain(world.user);
  });

  test('finds its home unchanged, except links that it planted at mount points', async () => {
    const world = openWorld();
    const inHome = join(world.user, 'work');
    mkdirSync(inHome);
    const confined = { command: process.execPath, args: [world.script] };
    await using core = await start(world, { notes: { ...confined, ...sandbox([]) } });
    await sh(core, `cd ${world.user} && echo mine > kept && ln -s /oldroot${world.keys} work && ls`);
    await core.write({ servers: { notes: { ...confined, ...sandbox([inHome]) } }, mode: 'dispatch' });
    await until(
      () => JSON.stringify(core.server('notes').config).includes(inHome) && core.server('notes').state.kind === 'ready',
    );
    expect(await sh(core, `cd ${world.user} && cat kept && touch work/made`)).toBe('mine\n');
    expect(existsSync(join(inHome, 'made'))).toBe(true);
    expect(readdirSync(world.keys)).toEqual(['id_rsa']);
    expect(lstatSync(inHome).isDirectory()).toBe(true);
  });
});

const levels = ['folder', 'its parent', 'a link to a link', 'a link in another folder'] as const;

describe.skipIf(problem !== undefined)("Tooltray's own files stay hidden in an allowed folder", () => {
  test.each(levels)('through a link: %s', async (level) => {
    const world = openWorld();
    // As by default: our folders are inside the user's.
    const paths = { XDG_STATE_HOME: join(world.user, 'dot', 'state'), XDG_DATA_HOME: join(world.user, 'dot', 'share') };
    const own = join(world.user, 'dot');
    mkdirSync(join(own, 'state'), { recursive: true });
    symlinkSync('dot', join(world.user, 'link'));
    symlinkSync('link', join(world.user, 'second'));
    mkdirSync(join(world.user, 'box'));
    symlinkSync('../dot', join(world.user, 'box', 'inner'));
    const allowed = {
      folder: join(world.user, 'link'),
      'its parent': join(world.user, 'link', 'state'),
      'a link to a link': join(world.user, 'second'),
      'a link in another folder': join(world.user, 'box', 'inner'),
    }[level];
    const { ServerSandboxes } = await import('../../src-main/core/servers/launch/sandbox/server-sandboxes.ts');
    const secret = join(own, 'state', 'tooltray');
    mkdirSync(secret, { recursive: true });
    writeFileSync(join(secret, 'token'), 'TOKEN');
    writeFileSync(join(own, 'state', 'mine'), 'of the user');
    const boxes = new ServerSandboxes({
      folder: join(world.user, 'boxes'),
      config: join(world.user, 'config.json'),
      sockets: join(world.user, 'run'),
      // Also reached through a link.
      hidden: { folders: [join(world.user, 'second', 'state', 'tooltray')], files: [] },
      onRefused: () => undefined,
    });
    const { launchServer } = await import('../../src-main/core/servers/launch/launch-server.ts');
    const { EnvironmentResolver } = await import('../../src-main/core/servers/launch/resolve-environment.ts');
    const { ProcessRegistry } = await import('../../src-main/core/servers/launch/process-registry.ts');
    const registry = new ProcessRegistry();
    onTestFinished(() => registry.close());
    const under = level === 'its parent' ? allowed : join(allowed, 'state');
    for (const access of ['read', 'write'] as const) {
      const line = `cat ${under}/mine; cat ${under}/tooltray/token; cat ${secret}/token; mv ${own}/state ${own}/moved`;
      const { group } = await launchServer({
        serverName: 's',
        command: '/bin/sh',
        args: ['-c', line],
        env: {},
        inherited: [],
        cwd: undefined,
        boxes,
        registry,
        environment: new EnvironmentResolver({ own: { ...process.env, ...paths, HOME: world.user, TERM: 'dumb' } }),
        isolate: { kind: 'sandbox', read: [], write: [], network: false, extraArgs: [], [access]: [allowed] },
      });
      let said = '';
      for (const stream of [group.child.stdout, group.child.stderr])
        stream.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
      await new Promise((resolve) => group.child.once('close', resolve));
      expect(said).toContain('of the user');
      expect(said).not.toContain('TOKEN');
      expect(existsSync(join(secret, 'token'))).toBe(true);
    }
  });
});
