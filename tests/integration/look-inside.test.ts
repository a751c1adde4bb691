/** Previews of servers under review: only in a sandbox, without secrets, and without leftovers. */
import dgram from 'node:dgram';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxUnavailableReason } from '../../src-main/core/servers/launch/sandbox/bubblewrap.ts';
import { dispatchRpc } from '../../src-main/rpc/dispatch-rpc.ts';
import type { RpcMethod, ServerReview } from '../../src-main/rpc/contract.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

type Json = Record<string, unknown>;

const problem = await sandboxUnavailableReason({ PATH: process.env['PATH'] ?? '' });
const patient = { timeout: 30_000 };

const folder = mkdtempSync(join(tmpdir(), 'tooltray-look-'));
const key = join(homedir(), `.tooltray-look-${process.pid}`);
const work = join(folder, 'work');
const tcp = net.createServer((socket) => socket.on('error', () => undefined).end('hello'));
const unix = net.createServer((socket) => socket.on('error', () => undefined).end('hello'));
const udp = dgram.createSocket('udp4');
const heard: string[] = [];

beforeAll(async () => {
  writeFileSync(key, 'the key');
  mkdirSync(work);
  writeFileSync(join(work, '.env'), 'TOKEN=of-the-project');
  udp.on('message', (message) => heard.push(message.toString()));
  await Promise.all([
    new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve)),
    new Promise<void>((resolve) => unix.listen(join(folder, 'other.sock'), resolve)),
    new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve)),
  ]);
});

afterAll(() => {
  for (const server of [tcp, unix, udp]) server.close();
  for (const path of [key, folder]) rmSync(path, { recursive: true, force: true });
});

const rpc = (core: TestCore, method: RpcMethod, input: Json = {}): Promise<Json> =>
  dispatchRpc(method, input, core.host.rpcDeps, new AbortController().signal);

async function review(core: TestCore, server: string): Promise<ServerReview> {
  const { reviews } = await rpc(core, 'reviews', { server });
  return (reviews as ServerReview[])[0] as ServerReview;
}

/** As requested by `tooltray inbox show NAME --look`. */
async function look(core: TestCore, server: string): Promise<NonNullable<ServerReview['look']>> {
  const { id } = await review(core, server);
  const seen = (await rpc(core, 'previewServer', { server, id })) as unknown as ServerReview;
  if (seen.look === undefined) throw new Error('Nothing was told of it.');
  return seen.look;
}

/** Each tool's description. */
function toldBy({ parts }: NonNullable<ServerReview['look']>): Record<string, string> {
  return Object.fromEntries(
    parts.map(({ title, lines }) => [
      title.replace(/^Tools? |, which (?:is|are) new$/g, ''),
      lines.find(({ what }) => what === 'Description')?.text ?? lines.map(({ text }) => text).join('\n'),
    ]),
  );
}

/** Whether a process with this on its command line runs. */
function runs(mark: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
      } catch {
        return false;
      }
    });
}

describe.skipIf(problem !== undefined)('with a sandbox', () => {
  test('a server can neither reach out, read nor write during a preview in the sandbox; outside it can', async () => {
    const address = (server: net.Server): Json => ({
      host: '127.0.0.1',
      port: (server.address() as net.AddressInfo).port,
    });
    const ways = {
      read: { path: key },
      list: { path: work },
      write: { path: join(homedir(), `left-${process.pid}`) },
      tcp: address(tcp),
      unix: { path: join(folder, 'other.sock') },
      udp: { host: '127.0.0.1', port: udp.address().port },
      lookup: { name: 'example.com' },
      signal: { pid: process.pid },
      daemon: { path: join(folder, 'daemon') },
      env: {},
    };
    const entry = {
      ...fixture('prober', `--first=${JSON.stringify(ways)}`, folder),
      cwd: work,
      inheritEnv: 'all',
      isolation: { mode: 'none' },
      env: { API_TOKEN: '${secret:REAL}', PLAIN_KEY: 'sk-planted-1', FOLDER: folder, NODE_OPTIONS: '--no-warnings' },
    };
    await using core = await startCore(
      { servers: { bad: { ...entry, quarantined: true }, plain: { ...entry, env: { X: '1' } } } },
      { env: { LOGIN_KEY: 'sk-planted-2', HTTPS_PROXY: 'http://me:planted-3@127.0.0.1:1' } },
    );
    await core.host.core.trust.secrets.set('REAL', 'planted-4');
    const outside = Object.fromEntries(
      core.server('plain').listing.tools.map(({ name, description }) => [String(name), String(description)]),
    );
    for (const way of ['read', 'list', 'write', 'tcp', 'unix', 'udp', 'signal', 'daemon']) {
      expect([way, outside[way]]).not.toEqual([way, expect.stringMatching(/no: /)]);
    }
    process.kill(Number(/started (\d+)/.exec(outside['daemon'] ?? '')?.[1]), 'SIGKILL');
    rmSync(join(homedir(), `left-${process.pid}`), { force: true });
    rmSync(join(folder, 'daemon'), { force: true });
    expect(outside['env']).toContain('planted-2');
    await core.host.core.servers.manager.get('plain').stop();
    await expect.poll(() => heard.length).toBe(1);

    const seen = await look(core, 'bad');
    expect(seen).toMatchObject({ isDone: true, tools: Object.keys(outside).length });
    const inside = toldBy(seen);
    for (const way of ['read', 'tcp', 'unix', 'lookup', 'signal']) {
      expect([way, inside[way]]).toEqual([way, expect.stringMatching(/no: /)]);
    }
    // Its working folder exists, and is empty.
    expect(inside['list']).not.toContain('.env');
    expect(heard.length).toBe(1);
    expect(JSON.stringify(seen)).not.toMatch(/planted-|of-the-project/);
    expect(inside['env']).toContain('API_TOKEN');
    expect(inside['env']).toMatch(/API_TOKEN\W+withheld/);
    expect(inside['env']).not.toMatch(/NODE_OPTIONS|FOLDER|LOGIN_KEY|PROXY/);
    expect(seen.sentence).toMatch(/It did not receive API_TOKEN, PLAIN_KEY, FOLDER and NODE_OPTIONS\./);
    // No leftovers: no file, no home, no process in any of its groups.
    expect(existsSync(join(homedir(), `left-${process.pid}`))).toBe(false);
    expect(existsSync(join(folder, 'daemon'))).toBe(false);
    const homes = join(core.home, 'data', 'boxes', 'homes');
    expect(existsSync(homes) ? readdirSync(homes) : []).toEqual([]);
    await expect.poll(() => runs(folder), patient).toBe(false);
  });

  test('shows the user its tools with the findings of the scan, and a model nothing of them', async () => {
    const poisoned = { ...fixture('hostile', 'poisoned'), quarantined: true };
    await using core = await startCore({ servers: { poisoned }, mode: 'retrieve' }, {});
    const client = await core.open();
    const inspect = async (): Promise<string> =>
      JSON.stringify(await client.callTool('upstream_servers', { operation: 'list' }));
    expect(await inspect()).toContain('poisoned');
    // Showing the item did not start it.
    expect((await review(core, 'poisoned')).look).toBeUndefined();
    const seen = await look(core, 'poisoned');
    expect(seen.isDone).toBe(true);
    expect(seen.tools).toBeGreaterThan(0);
    const answer = await inspect();
    const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
    for (const { title } of seen.parts) {
      const name = title.replace(/^Tools? |, which is new$/g, '');
      expect(answer).not.toContain(name);
      expect(tools.map((one) => one.name)).not.toContain(name);
    }
    expect(core.host.core.calls.catalog.current.tools).toEqual([]);
    expect(core.server('poisoned').state.kind).toBe('disabled');
  });

  test('the inbox shows a preview under a new ID, and rejects approval of the old one', async () => {
    await using core = await startCore({ servers: { held: { ...fixture('echo'), quarantined: true } } });
    const { inbox } = core.host.core.trust;
    const [before] = await inbox.items();
    const { goesOnAs, isDone } = await inbox.decide(before?.id ?? '', { action: 'look', by: 'test' });
    expect(isDone).toBe(true);
    const [after, ...none] = await inbox.items();
    expect(none).toEqual([]);
    expect(after?.id).toBe(goesOnAs);
    expect(after?.parts.map(({ title }) => title)).toContain('Tool echo, which is new');
    await expect(inbox.decide(before?.id ?? '', { action: 'accept', by: 'test' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(core.server('held').state.kind).toBe('disabled');
    await inbox.decide(goesOnAs ?? '', { action: 'accept', by: 'test' });
    await expect.poll(() => core.server('held').state.kind, patient).toBe('ready');
  });

  test('ends a server that never responds, and everything it started', async () => {
    const mark = `silent-${process.pid}`;
    const script = 'require("child_process").spawn("sleep",["600"],{detached:true}).unref();setInterval(()=>0,1000)';
    const silent = { command: process.execPath, args: ['-e', script, mark], quarantined: true };
    await using core = await startCore({ servers: { silent } });
    const { ServerPreviewer } = await import('../../src-main/core/admin/server-preview.ts');
    const { config, env } = core.host.core.context;
    const {
      servers: { transports },
      trust: { scans },
    } = core.host.core;
    const looks = new ServerPreviewer({ config, transports, scans, env, version: '0', now: Date.now, limitMs: 1500 });
    const looking = looks.preview('silent', silent);
    await expect.poll(() => runs(mark), patient).toBe(true);
    const seen = await looking;
    expect(seen).toMatchObject({ isDone: false, tools: 0, parts: [] });
    expect(seen.sentence).toMatch(/^It could not be previewed\./);
    await expect.poll(() => runs(mark), patient).toBe(false);
  });

  test.each([
    ['over the network', { url: 'http://127.0.0.1:9/mcp' }, /is a remote server/],
    ['fetched at each start', { command: 'uvx', args: ['some'] }, /uvx cannot start in a sandbox/],
    ['a container', { command: 'docker', args: ['run', 'x'] }, /docker cannot start in a sandbox/],
    ['npx told something else', { command: 'npx', args: ['-c', 'id'] }, /npx cannot start in a sandbox/],
  ])('is not previewed: %s', async (_what, entry, why) => {
    await using core = await startCore({ servers: { held: { ...entry, quarantined: true } } });
    expect(await look(core, 'held')).toMatchObject({ isDone: false, sentence: expect.stringMatching(why) as string });
  });
});

test('without a sandbox does not start it, and reports the reason', async () => {
  const mark = join(folder, 'started');
  const script = `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`;
  const held = { command: process.execPath, args: ['-e', script], quarantined: true };
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  await using core = await startCore({ servers: { held } }, { env: { PATH: bin } });
  core.host.core.servers.sandboxes.sandboxProblem = () => Promise.resolve('bubblewrap is not installed.');
  const seen = await look(core, 'held');
  expect(seen).toMatchObject({ isDone: false, tools: 0 });
  expect(seen.sentence).toContain('bubblewrap is not installed');
  expect(existsSync(mark)).toBe(false);
});

test('rejects the preview of an accepted server, and of one that has changed since', async () => {
  await using core = await startCore({
    servers: { fine: fixture('echo'), held: { ...fixture('echo'), quarantined: true } },
  });
  const { id } = await review(core, 'fine');
  await expect(rpc(core, 'previewServer', { server: 'fine', id })).rejects.toMatchObject({ code: 'bad_request' });
  await expect(rpc(core, 'previewServer', { server: 'held', id })).rejects.toMatchObject({ code: 'config_conflict' });
});
