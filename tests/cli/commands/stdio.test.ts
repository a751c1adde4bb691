/** `stdio` writes nothing but MCP messages to stdout. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliFile, CliHome, entries, eventually } from '../cli-home.ts';
import { allCases } from '../../support/all-cases.ts';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

test('a private core writes only MCP frames to stdout, whatever its servers print', async () => {
  await using home = new CliHome({ echo: entries.echo, crash: entries.crash, missing: entries.missing });
  const child = home.spawn(['stdio', '--standalone'], {}, []);
  let stdout = '';
  const answered = new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString('utf8');
      if (/"id":2\b/.test(stdout)) resolve();
    });
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin?.write(
    `${JSON.stringify(initialize)}\n${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`,
  );
  child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })}\n`);
  await answered;
  child.stdin?.end();
  expect(await ended).toBe(0);
  const frames = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { jsonrpc: string; id?: number; result?: { tools?: { name: string }[] } });
  expect(frames.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
  const names = frames.find(({ id }) => id === 2)?.result?.tools?.map(({ name }) => name);
  expect(names).toContain('echo_echo');
});

test('a private core responds to all piped requests before it exits', async () => {
  await using home = new CliHome({ echo: entries.echo });
  const asked = [
    initialize,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'echo_echo', arguments: { message: 'hi' } } },
  ];
  const input = asked.map((one) => `${JSON.stringify(one)}\n`).join('');
  const { code, stdout } = await home.runWith({ input }, 'stdio', '--standalone', '--mode', 'proxy');
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id?: number; result?: { content?: { text: string }[] } })
    .filter(({ id }) => id !== undefined);
  expect([code, answers.map(({ id }) => id).toSorted()]).toEqual([0, [1, 2, 3]]);
  expect(answers.find(({ id }) => id === 3)?.result?.content?.[0]?.text).toContain('hi');
});

test.each([['--standalone'], []])('serves one server alone with its own tool names: %s', async (...flags) => {
  await using home = new CliHome({ echo: entries.echo, other: entries.echo });
  const asked = [
    initialize,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  ];
  const child = home.spawn(['stdio', ...flags, '--app', 'claude-code', '--server', 'echo'], {}, []);
  const listed = new Promise<{ error?: unknown; result?: { tools: { name: string }[] } }>((resolve) => {
    let stdout = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString('utf8');
      const line = stdout.split('\n').find((one) => /"id":2\b/.test(one) && one.endsWith('}'));
      if (line !== undefined) resolve(JSON.parse(line) as Awaited<typeof listed>);
    });
  });
  child.stdin?.write(asked.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const { error, result } = await listed;
  // The shim has started a core, which outlives it.
  if (flags.length === 0) expect((await home.run('stop')).code).toBe(0);
  expect(error).toBeUndefined();
  const names = result?.tools.map(({ name }) => name) ?? [];
  child.stdin?.end();
  expect(names).toContain('echo');
  expect(names.filter((name) => name.includes('_echo'))).toEqual([]);
});

test('prints errors to stderr and nothing to stdout', async () => {
  await using home = new CliHome({ echo: entries.echo });
  const wrong = [
    ['stdio', '--standalone', '--config', `${home.path}/none.json`],
    ['stdio', '--standalone', '--mode', 'bogus', '--json'],
    ['stdio', '--standalone', '--frob'],
    ['stdio', '--frob'],
  ];
  const outcomes = await Promise.all(wrong.map((words) => home.run(...words)));
  expect(outcomes.map(({ code, stdout }) => ({ code, stdout }))).toEqual(
    [1, 2, 2, 2].map((code) => ({ code, stdout: '' })),
  );
  expect(outcomes.map(({ stderr }) => /^tooltray: \S/.test(stderr))).toEqual(outcomes.map(() => true));
});

/** What Node 20 lacks of JSON. */
const olderNode = ['--import', 'data:text/javascript,delete JSON.rawJSON; delete JSON.isRawJSON'];

test('with Node 20, which cannot run a core, connects to a running core', async () => {
  await using home = new CliHome({ echo: entries.echo });
  await home.serve();
  // It reports its address before its servers have started.
  await eventually(
    () => home.json('list'),
    ({ data }) => (data['servers'] as { state: string }[])[0]?.state === 'ready',
  );
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const asked = [initialize, { jsonrpc: '2.0', method: 'notifications/initialized' }, list];
  const input = asked.map((one) => `${JSON.stringify(one)}\n`).join('');
  const { code, stdout, stderr } = await home.runWith({ node: olderNode, input }, 'stdio');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/"id":1\b.*"protocolVersion":"2025-11-25"/);
  expect(stdout).toMatch(/"id":2\b.*"tools":\[\{/);
});

test.runIf(allCases)('with Node 20 and no core, responds to each request with the Node.js version needed', async () => {
  await using home = new CliHome({ echo: entries.echo });
  const env = { TOOLTRAY_CORE_COMMAND: JSON.stringify([process.execPath, ...olderNode, cliFile, 'serve']) };
  const { stdout } = await home.runWith({ node: olderNode, env, input: `${JSON.stringify(initialize)}\n` }, 'stdio');
  expect(JSON.parse(stdout)).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining('Node.js 22.13') as string },
  });
});

test('a client app that disconnects at once leaves no output and no error', async () => {
  await using home = new CliHome({ echo: entries.echo });
  expect(await home.run('stdio', '--standalone')).toEqual({ code: 0, stdout: '', stderr: '' });
});

test.runIf(allCases)('a private core repairs a server that does not start, where no approval is needed', async () => {
  await using home = new CliHome({ x: entries.missing });
  mkdirSync(join(home.path, '.cursor'), { recursive: true });
  writeFileSync(join(home.path, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { x: entries.echo } }));
  const env = { HOME: home.path, XDG_CONFIG_HOME: join(home.path, '.config') };
  home.writeConfig({ heal: 'auto', servers: { x: entries.missing } });
  const child = home.spawn(['stdio', '--standalone'], env, []);
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin?.write(`${JSON.stringify(initialize)}\n`);
  const mended = (): Promise<boolean> => Promise.resolve(!home.configText().includes(entries.missing.command));
  expect(await eventually(mended, (is) => is)).toBe(true);
  expect(JSON.parse(home.configText())).toMatchObject({ servers: { x: entries.echo } });
  child.stdin?.end();
  expect(await ended).toBe(0);
});
