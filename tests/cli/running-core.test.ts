/** Commands next to a running core: they query it, and it follows their edits. */
import { statSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliHome, entries, eventually } from './cli-home.ts';

const home = new CliHome({ echo: entries.echo, crash: entries.crash });
let told: Record<string, unknown>;

beforeAll(async () => {
  told = await home.serve();
});
afterAll(() => home[Symbol.asyncDispose]());

interface Row {
  readonly name: string;
  readonly state: string;
  readonly tools: number;
}

async function rows(): Promise<Row[]> {
  const { data } = await home.json('list');
  expect(data['running']).toBe(true);
  return data['servers'] as Row[];
}

test('serve --json prints in one line where it listens', () => {
  expect(told).toEqual({
    http: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/) as string,
    socket: expect.any(String) as string,
    pid: expect.any(Number) as number,
    config: home.configFile,
    tokenFile: expect.stringContaining(home.path) as string,
  });
  expect(statSync(told['tokenFile'] as string).isFile()).toBe(true);
});

test('list shows the states of the running servers', async () => {
  const found = await eventually(rows, ([echo, crash]) => echo?.state === 'ready' && crash?.state === 'error');
  expect(found).toMatchObject([
    { name: 'echo', tools: 1 },
    { name: 'crash', tools: 0 },
  ]);
});

test('a second serve prints where the first one runs and exits with 1', async () => {
  const { code, stdout, stderr } = await home.run('serve', '--port', '0');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`Tooltray is already running at ${String(told['http'])}`);
});

test('call and search use the running core', async () => {
  expect(await home.run('call', 'echo:echo', '{"message":"12345678901234567890"}')).toMatchObject({
    code: 0,
    stdout: '12345678901234567890\n',
  });
  expect((await home.json('search', 'echo')).data).toMatchObject({ total: 1, hits: [{ id: 'echo:echo' }] });
  const unknown = await home.json('call', 'echo:ecko');
  expect(unknown).toMatchObject({ code: 1, data: { error: { code: 'tool_not_found' } } });
});

test('retry retries at once and exits with 0 for a ready server, 1 for a failing or unknown one', async () => {
  expect(await home.run('restart', 'echo')).toMatchObject({ code: 0, stdout: 'echo: Ready. 1 tool.\n' });
  expect((await home.json('restart', 'crash')).data).toMatchObject({ name: 'crash', level: 'error' });
  expect((await home.run('restart', 'ecko')).stderr).toContain('"echo"');
});

test('doctor reports the findings of the running core', async () => {
  // Between two attempts the stopped server counts as starting, which is not a problem yet.
  const { stdout } = await eventually(
    () => home.run('doctor'),
    (answer) => answer.code === 1,
  );
  expect(stdout).toMatch(/^ok {7}Tooltray \S+ is running at http:/m);
  expect(stdout).toMatch(/^problem {2}crash: Stopped\. .* To retry now: tooltray restart crash$/m);
});

test('a command with another config file does not use the running core', async () => {
  await using other = new CliHome({ elsewhere: entries.echo });
  expect((await home.json('list', '--config', other.configFile)).data).toMatchObject({
    running: false,
    servers: [{ name: 'elsewhere' }],
  });
});

test('the running core applies what add, disable and remove write', async () => {
  await home.run('add', 'more', entries.echo.command, ...entries.echo.args);
  await eventually(rows, (found) => found.find(({ name }) => name === 'more')?.state === 'ready');
  await home.run('disable', 'more');
  await eventually(rows, (found) => found.find(({ name }) => name === 'more')?.state === 'disabled');
  await home.run('remove', 'more');
  const left = await eventually(rows, (found) => found.length === 2);
  expect(left.map(({ name }) => name)).toEqual(['echo', 'crash']);
});

test('restart --failed restarts the servers that failed, and no other', async () => {
  const { code, data } = await home.json('restart', '--failed');
  expect([code, (data['servers'] as Row[]).map(({ name }) => name)]).toEqual([1, ['crash']]);
  for (const words of [['restart'], ['restart', 'echo', '--failed']]) expect((await home.run(...words)).code).toBe(2);
});

test('stop ends the running core', async () => {
  await using own = new CliHome({ echo: entries.echo });
  const { pid } = await own.serve();
  expect(await own.run('stop')).toMatchObject({ code: 0, stdout: 'Stopped.\n' });
  await expect.poll(() => isRunning(Number(pid))).toBe(false);
  expect((await own.run('stop')).code).toBe(1);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
