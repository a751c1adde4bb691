/** Records on the command line: a core's status, logs, and calls. */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allCases } from '../support/all-cases.ts';
import { until } from '../support/until.ts';
import { CliHome, entries, eventually } from './cli-home.ts';

test('status reports whether a core runs, where, and which servers fail or have invalid entries', async () => {
  await using home = new CliHome({ echo: entries.echo, crash: entries.crash, broken: { command: 7 } });
  expect(await home.run('status')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('is not running') as string,
  });
  await home.serve();
  await eventually(
    () => home.run('status'),
    ({ stdout }) => /1 unhealthy.*crash/.test(stdout),
  );
  const { code, data } = await home.json('status');
  expect(code).toBe(0);
  expect(data).toMatchObject({ running: true, waiting: 0, http: expect.stringContaining('/mcp') as string });
  expect((await home.run('status')).stdout).toMatch(/broken/);
});

test.runIf(allCases)(
  'serve reports why a server failed, also during a retry while another server still starts',
  async () => {
    await using home = new CliHome();
    const [again, gate] = ['again', 'gate'].map((name) => join(home.path, name)) as [string, string];
    // Exits at its first start and at the second, which starts with initialize; hangs at the next one.
    const script = `const { appendFileSync, readFileSync, writeFileSync } = require('node:fs'); const { AGAIN } = process.env;
    appendFileSync(AGAIN + '.starts', '.');
    if (readFileSync(AGAIN + '.starts').length > 2) { writeFileSync(AGAIN, ''); setInterval(() => undefined, 1000); }
    else process.exitCode = 3;`;
    const gated = join(import.meta.dirname, '../integration/servers/gated.ts');
    home.writeConfig({
      servers: {
        dies: { command: process.execPath, args: ['-e', script], env: { AGAIN: again } },
        slow: { command: process.execPath, args: [gated, gate] },
      },
    });
    const child = home.spawn(['serve', '--port', '0', '--no-open'], {}, []);
    const ended = once(child, 'exit');
    let told = '';
    child.stdout?.on('data', (chunk: Buffer) => (told += chunk.toString()));
    await until(() => existsSync(again));
    writeFileSync(gate, '');
    await until(() => told.includes('ready'));
    child.kill('SIGTERM');
    await ended;
    expect(told).toMatch(/^1 of 2 servers ready, 1 tool\.\n {2}dies: .*\bcode 3\b/m);
  },
);

test('list shows an invalid entry, with and without a core', async () => {
  await using home = new CliHome({ echo: entries.echo, broken: { command: 7 } });
  const without = await home.run('list');
  await home.serve();
  const beside = await home.run('list');
  for (const { stdout } of [without, beside])
    expect(stdout).toMatch(/error The config file, line \d+, servers\.broken\.command: /);
});

test('logs prints a server’s last lines, follows new ones, and rejects an unknown server', async () => {
  await using home = new CliHome({ crash: entries.crash, quiet: entries.echo });
  await home.serve();
  const { stdout } = await eventually(
    () => home.run('logs', 'crash'),
    (answer) => /tooltray \[error\]: .* \d+ s\.$/m.test(answer.stdout),
  );
  // Each line has a time and a source, and includes status messages of the server.
  const [started, said, ended, again, ...rest] = stdout
    .split('\n')
    .map((line) => line.replace(/^[\d-]+T[\d:.]+Z /, ''));
  expect(started).toMatch(/^tooltray: Started, process \d+\.$/);
  expect(said).toBe('server: Fatal: the fixture crashes on purpose.');
  expect(ended).toMatch(/^tooltray: Process \d+ exited with code \d+\.$/);
  // The first start exits at the protocol version probe, so it is started again with initialize.
  expect(again).toMatch(/^tooltray: .*initialize\.$/);
  expect(rest).toContainEqual(expect.stringMatching(/^tooltray \[error\]: .* \d+ s\.$/));
  expect((await home.run('logs', 'crash', '--lines', '1')).stdout.split('\n')).toHaveLength(2);
  // It may take longer to start than the other one to exit.
  await eventually(
    () => home.run('logs', 'quiet'),
    (answer) => /Handshake done in \d+ ms: .*\n.* tooltray: Lists read: 1 tool\.\n$/.test(answer.stdout),
  );
  expect(await home.run('logs', 'crahs')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('"crash"') as string,
  });
  expect((await home.run('logs')).code).toBe(0);

  const following = home.spawn(['logs', 'crash', '--follow', '--lines', '0'], {}, []);
  let told = '';
  following.stdout?.on('data', (chunk: Buffer) => (told += chunk.toString()));
  await eventually(
    async () => {
      await home.run('restart', 'crash');
      return told;
    },
    (text) => text.includes('Fatal: the fixture crashes on purpose.\n'),
  );
  following.kill();
});

test('activity lists the calls, filters them, and exports every one', async () => {
  await using home = new CliHome({ echo: entries.echo, utils: { type: 'builtin', builtin: 'utils' } });
  await home.serve();
  await home.run('call', 'echo:echo', 'message=hello', '--max-effect', 'read', '--reason', 'to see it');
  await home.run('call', 'utils:current_time', 'timezone=No/Where');
  const { data } = await home.json('activity');
  expect(data).toMatchObject({
    total: 2,
    calls: [
      { server: 'utils', outcome: 'tool_error' },
      { server: 'echo', outcome: 'ok', declared: { reason: 'to see it' } },
    ],
  });
  expect((await home.run('activity', '--server', 'echo')).stdout).toMatch(/echo:echo .*to see it/);
  expect((await home.json('activity', '--failed')).data).toMatchObject({ total: 1, calls: [{ server: 'utils' }] });
  const file = join(home.path, 'calls.jsonl');
  await home.run('activity', 'export', '--output', file);
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { tool: string });
  expect(rows.map(({ tool }) => tool)).toEqual(['current_time', 'echo']);
});

test.runIf(allCases)('activity lists the steps and sessions of apps, not only calls', async () => {
  await using home = new CliHome({ echo: entries.echo, utils: { type: 'builtin', builtin: 'utils' } });
  await home.serve();
  await home.run('call', 'echo:echo', 'message=hello', '--max-effect', 'read');
  await home.run('call', 'utils:current_time', 'timezone=No/Where');
  const { data } = await home.json('activity', '--steps');
  expect(data).toMatchObject({
    sums: { steps: 2, problems: 1 },
    steps: [
      { kind: 'call', outcome: 'tool_error', calls: [{ server: 'utils' }] },
      { kind: 'call', outcome: 'ok', calls: [{ server: 'echo' }] },
    ],
  });
  expect((await home.run('activity', '--steps', '--limit', '1')).stdout).toMatch(
    /call +utils:current_time +tool error .*\n\n1 of 2 steps; more with --limit N\.\n$/s,
  );
  expect((await home.run('activity', '--steps', '--text', 'echo')).stdout).toMatch(/ echo:echo +ok/);
  expect((await home.run('activity', '--steps', '--failed', '--server', 'echo')).stdout).toContain(
    'No matching steps.',
  );
  const sessions = (await home.json('activity', 'sessions')).data as { sessions: { id: string; steps: number }[] };
  expect(sessions.sessions.map(({ steps }) => steps)).toEqual([2]);
  const id = sessions.sessions[0]?.id ?? '';
  expect((await home.run('activity', 'sessions')).stdout).toContain(id);
  expect((await home.json('activity', '--session', id)).data).toMatchObject({ sums: { steps: 2 } });
  expect((await home.run('activity', '--session', 'nobody')).stdout).toContain('No matching steps.');
  const lines = (await home.run('activity', 'export', '--steps')).stdout.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual(['call', 'call']);
});

test.runIf(allCases)('call accepts a permission limit, key=value pairs, and helper tools of modes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-files-'));
  const utils = { type: 'builtin', builtin: 'utils', folders: [folder] };
  await using home = new CliHome({ tracker: entries.tracker, utils });
  const refused = await home.json(
    'call',
    'utils:write_file',
    `path=${join(folder, 'a.txt')}`,
    'content=x',
    '--max-effect',
    'read',
  );
  expect(refused).toMatchObject({ code: 1, data: { error: { code: 'not_allowed' } } });
  const { data } = await home.json('call', 'search_tools', 'query=close an issue');
  expect(JSON.stringify(data)).toContain('close_issue');
  const { data: through } = await home.json('call', 'call_tool', 'name=tracker:list_issues', 'arguments={"count":2}');
  expect(JSON.stringify(through)).toContain('issue');
  expect((await home.run('call', 'tracker:list_issues', '--max-effect', 'all')).code).toBe(2);
});

test('validate and list report an invalid secret value without showing it', async () => {
  await using home = new CliHome({ a: { ...entries.echo, env: { API_TOKEN: ['x1y2z3x1y2z3'] } } });
  for (const words of [['config', 'validate'], ['list']]) {
    const { stdout } = await home.run(...words);
    expect(stdout).toMatch(/servers\.a\.env\.API_TOKEN: A string in double quotes/);
    expect(stdout).not.toContain('x1y2z3');
  }
});
