/** `install --http`, `revoke`, and the access in `apps`: the built command line, with and without a running core. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../scripts/team/engines/free-port.ts';
import { CliHome, eventually, type Outcome } from '../cli-home.ts';
import { allCases } from '../../support/all-cases.ts';

let person = '';

beforeEach(async () => {
  person = await mkdtemp(join(tmpdir(), 'tooltray-person-'));
  for (const path of ['.cursor/mcp.json', '.config/Claude/claude_desktop_config.json']) {
    await mkdir(dirname(join(person, path)), { recursive: true });
    await writeFile(join(person, path), '{}\n');
  }
});

afterEach(() => rm(person, { recursive: true, force: true }));

function run(home: CliHome, args: readonly string[], input = ''): Promise<Outcome> {
  return home.runWith({ env: { HOME: person, XDG_CONFIG_HOME: join(person, '.config') }, input }, ...args);
}

async function accessOf(home: CliHome, app: string): Promise<unknown> {
  const { stdout } = await run(home, ['apps', '--json']);
  const { access } = JSON.parse(stdout) as { access: { app: string }[] };
  return access.find((row) => row.app === app);
}

const hello = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
})}\n`;
const reason = 'The access of Cursor to Tooltray was revoked';

test('install --http writes an address that works, revoke ends it while in use, install restores access', async () => {
  await using home = new CliHome();
  const port = await freePort();
  home.writeConfig({ port, servers: {} });
  const dry = await run(home, ['install', 'cursor', '--http', '--dry-run']);
  expect(dry.stdout).toContain(`"url": "http://127.0.0.1:${port}/mcp/app/cursor"`);
  expect(dry.stdout).toContain('"Authorization": "***"');

  // No core runs: one is started for the trial, and ends with it.
  const done = await run(home, ['install', 'cursor', '--http', '--yes']);
  expect([done.code, done.stderr]).toEqual([0, '']);
  await eventually(
    async () => existsSync(join(home.path, 'run', 'core.sock')),
    (isThere) => !isThere,
  );
  const written = JSON.parse(await readFile(join(person, '.cursor/mcp.json'), 'utf8')) as {
    mcpServers: { tooltray: { url: string; headers: { Authorization: string } } };
  };
  const { url, headers } = written.mcpServers.tooltray;
  expect([url, done.stdout.includes(headers.Authorization)]).toEqual([
    `http://127.0.0.1:${port}/mcp/app/cursor`,
    false,
  ]);
  expect(await accessOf(home, 'cursor')).toMatchObject({ via: 'http', since: expect.any(Number) as number });

  await home.serve('--port', String(port));
  const status = async (): Promise<number> => (await fetch(url, { headers })).status;
  expect(await status()).toBe(406);
  const revoked = await run(home, ['apps', 'revoke', 'cursor']);
  expect([revoked.code, revoked.stdout]).toEqual([
    0,
    'The access of Cursor was revoked, and its sessions were closed.\nTo restore access: tooltray apps allow cursor\n',
  ]);
  expect(await status()).toBe(403);
  const shim = await run(home, ['stdio', '--app', 'cursor'], hello);
  expect(JSON.parse(shim.stdout)).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining(reason) as string },
  });
  expect(shim.stderr).toContain(`tooltray: ${reason}`);
  expect((await run(home, ['apps'])).stdout).toMatch(/^cursor +connected +revoked \d{4}-/m);

  const again = await run(home, ['install', 'cursor', '--yes']);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Cursor can use Tooltray again.')]);
  expect(await status()).toBe(406);

  // Without the file of the app.
  expect((await run(home, ['apps', 'revoke', 'cursor'])).code).toBe(0);
  expect(await status()).toBe(403);
  expect((await run(home, ['apps', 'allow', 'cursor'])).code).toBe(0);
  expect(await status()).toBe(406);
});

test.runIf(allCases)('revoke without a core holds for the next core and for a private core', async () => {
  await using home = new CliHome({});
  const outcome = await run(home, ['apps', 'revoke', 'cursor', '--json']);
  expect(JSON.parse(outcome.stdout)).toMatchObject({ app: 'cursor' });
  const alone = await run(home, ['stdio', '--standalone', '--app', 'cursor'], hello);
  expect([alone.code, alone.stdout, alone.stderr]).toEqual([1, '', expect.stringContaining(`tooltray: ${reason}`)]);
  expect((await run(home, ['apps'])).stdout).toMatch(/^cursor +not connected +revoked /m);
});

test.runIf(allCases)('refuses what it cannot do and gives the reason', async () => {
  await using home = new CliHome({});
  const desktop = await run(home, ['install', 'claude-desktop', '--http', '--yes', '--json']);
  expect([desktop.code, JSON.parse(desktop.stdout)]).toEqual([
    1,
    { error: expect.objectContaining({ code: 'unsupported' }) as object },
  ]);
  home.writeConfig({ port: 0, servers: {} });
  const portless = await run(home, ['install', 'cursor', '--http', '--yes']);
  expect([portless.code, portless.stderr]).toEqual([
    1,
    expect.stringContaining('Tooltray currently has no HTTP address for apps.'),
  ]);
  const unknown = await run(home, ['apps', 'revoke', 'curser']);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('No client app called "curser"')]);
});
