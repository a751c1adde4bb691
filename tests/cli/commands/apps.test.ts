/**
 * `apps`, `install`, `uninstall`, `undo`, `import`, `doctor --fix`: the built command line with a user's client apps.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { allCases, someOf } from '../../support/all-cases.ts';
import { filesHolding } from '../../support/files-holding.ts';
import { cliFile, CliHome, entries, eventually, type Outcome } from '../cli-home.ts';

let person = '';

beforeEach(async () => {
  person = await mkdtemp(join(tmpdir(), 'tooltray-person-'));
});

afterEach(() => rm(person, { recursive: true, force: true }));

async function put(path: string, content: string | Uint8Array): Promise<string> {
  const file = join(person, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  return file;
}

const cursorFile = '.cursor/mcp.json';
const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';

function cursor(servers: object): Promise<string> {
  return put(cursorFile, `{\n  // mine\n  "mcpServers": ${JSON.stringify(servers)}\n}\n`);
}

function run(home: CliHome, args: readonly string[], input?: string, more: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const env = { HOME: person, XDG_CONFIG_HOME: join(person, '.config'), ...more };
  return home.runWith({ env, ...(input !== undefined && { input }) }, ...args);
}

async function json(home: CliHome, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(home, [...args, '--json']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** The core that was started for the connection test ends with it. */
async function trialEnded(home: CliHome): Promise<void> {
  await eventually(
    async () => existsSync(join(home.path, 'run', 'core.sock')),
    (isThere) => !isThere,
  );
}

const serversOf = (home: CliHome): Record<string, unknown> =>
  (JSON.parse(home.configText()) as { servers: Record<string, unknown> }).servers;

test('install writes one entry per server for an app that loads tools on demand, is told when servers change, and --merged takes it back', async () => {
  await using home = new CliHome();
  home.writeConfig({ port: 0, servers: { e: entries.echo, f: entries.echo } });
  const file = await cursor({});
  const names = async (): Promise<string[]> =>
    Object.keys(
      (JSON.parse((await readFile(file, 'utf8')).replace('// mine', '')) as { mcpServers: object }).mcpServers,
    );
  expect((await run(home, ['install', 'cursor', '--dry-run'])).stdout).toContain('--merged');
  expect((await run(home, ['install', 'cursor', '--split', '--merged'])).code).toBe(2);
  expect((await run(home, ['install', 'cursor', '--yes'])).code).toBe(0);
  expect([await names(), await json(home, 'apps')]).toMatchObject([
    ['e', 'f'],
    { apps: [{ id: 'cursor', connected: 'yes', split: true, servers: 0 }] },
  ]);
  await run(home, ['disable', 'f']);
  expect(await json(home, 'apps')).toMatchObject({
    apps: [{ connected: 'stale', outOfStep: expect.stringContaining('f') as unknown }],
  });
  // Without a flag the app keeps its kind of entry.
  await run(home, ['install', 'cursor', '--yes']);
  expect(await names()).toEqual(['e']);
  await run(home, ['install', 'cursor', '--merged', '--yes']);
  expect([await names(), await json(home, 'apps')]).toMatchObject([['tooltray'], { apps: [{ split: false }] }]);
  await trialEnded(home);
});

test('install previews, asks for --yes, tests the connection, and uninstall restores the file byte for byte', async () => {
  await using home = new CliHome();
  // Any free port, because other cores may run on this computer.
  home.writeConfig({ port: 0, servers: { e: entries.echo } });
  const file = await cursor({ own: { command: 'own' } });
  const before = await readFile(file, 'utf8');
  const dry = await run(home, ['install', 'cursor', '--dry-run']);
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/^\+ .*"tooltray"/m)]);
  const unasked = await run(home, ['install', 'cursor']);
  expect([unasked.code, unasked.stdout]).toEqual([
    1,
    expect.stringContaining('Pass --yes to confirm without a terminal.'),
  ]);
  expect(await readFile(file, 'utf8')).toBe(before);

  const done = await run(home, ['install', 'cursor', '--yes']);
  expect([done.code, done.stderr]).toEqual([0, '']);
  expect(await json(home, 'apps')).toMatchObject({ apps: [{ id: 'cursor', connected: 'yes', servers: 1 }] });
  await trialEnded(home);

  expect((await run(home, ['undo', '--yes'])).stdout).toContain(`${file} was restored.`);
  expect(await readFile(file, 'utf8')).toBe(before);
  expect((await run(home, ['undo', '--yes'])).code).toBe(1);
});

test('uninstall reports an app without an entry; install rejects an unknown app and suggests a name', async () => {
  await using home = new CliHome({});
  await cursor({});
  expect((await run(home, ['uninstall', 'cursor', '--yes'])).stdout).toBe('Cursor had no Tooltray entry.\n');
  const unknown = await run(home, ['install', 'curser', '--yes']);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Unknown client app "curser"')]);
});

test('import shows apps’ servers without their secrets, adds them, and undo removes them', async () => {
  await using home = new CliHome({ mine: entries.echo });
  const echo = { ...entries.echo, env: { GITHUB_TOKEN: secret } };
  await cursor({
    same: entries.echo,
    files: { ...echo, args: [...echo.args, 'x'] },
    web: { url: 'https://example.com/mcp' },
  });
  const shown = await run(home, ['import', '--dry-run']);
  expect(shown.stdout).toContain('same (already added as mine)');
  expect(shown.stdout).toContain(`with env {"GITHUB_TOKEN":"***"}`);
  const done = await run(home, ['import', 'files=docs', '--yes']);
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('Added: docs.')]);
  expect(`${done.stdout}${done.stderr}`).not.toContain(secret);
  expect(serversOf(home)['docs']).toEqual({ ...echo, args: [...echo.args, 'x'] });
  expect((await run(home, ['undo', '--yes'])).stdout).toContain('Removed: docs.');
  expect(Object.keys(serversOf(home))).toEqual(['mine']);
});

test('import names likely secrets first; --vault keeps them out of every file of Tooltray', async () => {
  await using home = new CliHome({});
  const file = await cursor({ mail: { ...entries.echo, env: { GITHUB_TOKEN: secret } } });
  const shown = await run(home, ['import', '--dry-run']);
  expect(shown.stdout).toContain('1 value would be stored as plain text in the config file: mail, env GITHUB_TOKEN.');
  expect(shown.stdout).toContain('tooltray import … --vault');
  const done = await run(home, ['import', '--vault', '--yes']);
  expect(done.stdout).toContain('To be stored in the vault: mail, env GITHUB_TOKEN.');
  expect(done.stdout).toContain(`Delete the backups once everything works:\n  ${await realpath(file)}`);
  expect(serversOf(home)['mail']).toEqual({ ...entries.echo, env: { GITHUB_TOKEN: '${secret:GITHUB_TOKEN}' } });
  expect(await filesHolding(home.path, secret)).toEqual([]);
  expect(done.stdout).not.toContain(secret);
});

test.runIf(allCases)('import --move takes servers out of their app, and undo moves them back', async () => {
  await using home = new CliHome({});
  const file = await cursor({ a: entries.echo });
  const before = await readFile(file, 'utf8');
  const { undo } = await json(home, 'import', '--move', '--yes');
  expect([Object.keys(serversOf(home)), await json(home, 'apps')]).toMatchObject([
    ['a'],
    { apps: [{ id: 'cursor', connected: 'yes', servers: 0 }] },
  ]);
  await run(home, ['undo', String(undo), '--yes']);
  expect([Object.keys(serversOf(home)), await readFile(file, 'utf8')]).toEqual([[], before]);
});

test.each<[string, string, string, object?]>(
  someOf(2, [
    [
      'ToolMux',
      'mcp.json',
      JSON.stringify({ mode: 'meta', servers: { s: { command: 'c', args: ['a'], timeout: 120000 } } }),
      { initTimeoutSeconds: 120 },
    ],
    [
      'MCPProxy',
      'mcp_config.json',
      JSON.stringify({ listen: 'x', mcpServers: [{ name: 's', command: 'c', args: ['a'], enabled: true }] }),
    ],
    ['Magg', 'config.json', JSON.stringify({ servers: { s: { source: 'https://x', command: 'c a' } } })],
    ['Codex', 'config.toml', '[mcp_servers.s]\ncommand = "c"\nargs = ["a"]\n'],
    ['Goose', 'config.yaml', 'extensions:\n  s: {type: stdio, cmd: c, args: [a]}\n'],
  ]),
)('imports a file of %s', async (_, name, text, more = {}) => {
  await using home = new CliHome({});
  const file = await put(name, text);
  expect((await run(home, ['import', '--file', file, '--yes'])).code).toBe(0);
  expect(serversOf(home)).toEqual({ s: { command: 'c', args: ['a'], ...more } });
});

test.runIf(allCases)('imports a pasted command line, and a bundle once its settings are given', async () => {
  await using home = new CliHome({});
  expect((await run(home, ['import', '--file', '-', '--yes'], 'npx -y @acme/mcp-server-mail\n')).code).toBe(0);
  const manifest = {
    manifest_version: '0.3',
    name: 'bundled',
    version: '1.0.0',
    description: '',
    author: { name: 'Ada' },
    server: {
      type: 'node',
      entry_point: 'echo.mjs',
      mcp_config: { command: process.execPath, args: ['${__dirname}/echo.mjs'], env: { KEY: '${user_config.key}' } },
    },
    user_config: { key: { type: 'string', title: 'Key', required: true, sensitive: true } },
  };
  const script = `import(${JSON.stringify(entries.echo.args[0])})`;
  const zip = zipSync({ 'manifest.json': strToU8(JSON.stringify(manifest)), 'echo.mjs': strToU8(script) });
  const file = await put('b.mcpb', zip);
  const asked = await run(home, ['import', '--file', file, '--yes']);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Add --set key=…')]);
  expect((await run(home, ['import', '--file', file, '--set', 'key=k', '--yes'])).code).toBe(0);
  expect(Object.keys(serversOf(home))).toEqual(['mail', 'bundled']);
  expect(await json(home, 'test', 'bundled')).toMatchObject({ ok: true, servers: [{ name: 'bundled', tools: 1 }] });
});

test.runIf(allCases)(
  'doctor --fix shows the launch that would repair a server and applies it only with --yes',
  async () => {
    await using home = new CliHome({ x: entries.missing });
    await cursor({ x: { ...entries.echo, env: { A: 'b' } } });
    const told = await run(home, ['doctor', '--fix']);
    expect([told.code, told.stdout]).toEqual([
      1,
      expect.stringMatching(/^Cursor starts x as .* Pass --yes to apply\.$/m),
    ]);
    expect(serversOf(home)['x']).toEqual(entries.missing);

    const fixed = await run(home, ['doctor', '--fix', '--yes']);
    expect([fixed.code, fixed.stdout]).toEqual([
      0,
      expect.stringMatching(/^x was repaired with the launch from Cursor: /m),
    ]);
    expect(serversOf(home)['x']).toEqual({ ...entries.echo, env: { A: 'b' } });
  },
);

test.runIf(allCases)(
  'add NAME finds the launch in another app, and runs and writes nothing of it before --yes',
  async () => {
    await using home = new CliHome({});
    const trace = join(person, 'ran');
    const script = `require('node:fs').writeFileSync(process.env.TRACE, ''); import(${JSON.stringify(entries.echo.args[0])})`;
    const launch = { command: process.execPath, args: ['-e', script], env: { TRACE: trace } };
    await cursor({ x: launch });
    const dry = await json(home, 'add', 'x', '--dry-run');
    const unasked = await run(home, ['add', 'x']);
    expect([unasked.code, unasked.stdout]).toEqual([1, expect.stringMatching(/^Cursor starts x as .*\n.*Pass --yes/)]);
    expect([dry['written'], existsSync(trace), serversOf(home)]).toEqual([false, false, {}]);

    const done = await run(home, ['add', 'x', '--yes', '--description', 'Mine']);
    expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/^Cursor starts x as .*\nAdded to /)]);
    expect([existsSync(trace), serversOf(home)['x']]).toEqual([true, { ...launch, description: 'Mine' }]);
    const none = await run(home, ['add', 'nobody', '--yes']);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('has a server named "nobody"')]);
  },
);

/** A `tooltray` on the PATH, as installed by npm. */
async function onPath(): Promise<NodeJS.ProcessEnv> {
  const file = await put('bin/tooltray', `#!/bin/sh\nexec '${process.execPath}' '${cliFile}' "$@"\n`);
  await chmod(file, 0o755);
  return { PATH: `${dirname(file)}:${process.env['PATH']}` };
}

test.runIf(allCases)(
  'install --project writes a portable command without secrets, and uninstall restores the file',
  async () => {
    await using home = new CliHome();
    home.writeConfig({ port: 0, servers: { e: entries.echo } });
    const project = join(person, 'site');
    const file = await put('site/.mcp.json', '{\n  "mcpServers": { "own": { "command": "own" } }\n}\n');
    const before = await readFile(file, 'utf8');
    const env = await onPath();
    const done = await run(home, ['install', 'claude-code', '--yes', '--project', project], '', env);
    expect([done.code, done.stderr]).toEqual([0, '']);
    expect(done.stdout).toMatch(
      /This file belongs to the project and may be shared with it\. No password or token is written to it\./,
    );
    expect(done.stdout).toContain(`Claude Code is connected in ${await realpath(project)}.`);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      mcpServers: { tooltray: { type: 'stdio', command: 'tooltray', args: ['stdio', '--app', 'claude-code'] } },
    });
    const listed = await run(home, ['apps', '--project', project, '--json'], '', env);
    expect(JSON.parse(listed.stdout)).toMatchObject({ apps: [{ id: 'claude-code', connected: 'yes', servers: 1 }] });
    const gone = await run(home, ['uninstall', 'claude-code', '--yes', '--project', project]);
    expect([gone.code, await readFile(file, 'utf8')]).toEqual([0, before]);
    await trialEnded(home);
  },
);

test.runIf(allCases)(
  'install rejects a missing project folder, an app without project files, and a token in a project',
  async () => {
    await using home = new CliHome({});
    const refusal = async (...args: string[]): Promise<unknown[]> => {
      const { code, stderr } = await run(home, ['install', ...args, '--yes']);
      return [code, stderr];
    };
    expect(await refusal('cursor', '--project', join(person, 'none'))).toEqual([
      1,
      expect.stringContaining('Directory not found'),
    ]);
    expect(await refusal('windsurf', `--project=${person}`)).toEqual([
      1,
      expect.stringContaining('Windsurf has no config file for single projects.'),
    ]);
    expect(await refusal('claude-code', '--http', `--project=${person}`)).toEqual([
      1,
      expect.stringContaining('A project’s file may be shared, so no URL with a token is written to it.'),
    ]);
  },
);

test.runIf(allCases)(
  'import --project adds a project’s servers with their folder, moves them, and undo moves them back',
  async () => {
    await using home = new CliHome({});
    const file = await put('site/.cursor/mcp.json', `${JSON.stringify({ mcpServers: { a: entries.echo } })}\n`);
    const project = await realpath(join(person, 'site'));
    const before = await readFile(file, 'utf8');
    const done = await run(home, ['import', '--move', '--yes', '--project', project]);
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('These files are part of the project')]);
    expect(serversOf(home)).toEqual({ a: { ...entries.echo, cwd: project } });
    expect(Object.keys((JSON.parse(await readFile(file, 'utf8')) as { mcpServers: object }).mcpServers)).toEqual([
      'tooltray',
    ]);
    const elsewhere = await run(home, ['undo', '--yes', '--project', home.path]);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('Nothing to undo')]);
    expect((await run(home, ['undo', '--yes', '--project', project])).code).toBe(0);
    expect([serversOf(home), await readFile(file, 'utf8')]).toEqual([{}, before]);
  },
);
