/** The commands that edit the config file, by its contents afterwards. */
import { existsSync, writeFileSync } from 'node:fs';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { CliHome, entries } from '../cli-home.ts';

const servers = (home: CliHome): Record<string, unknown> =>
  (parse(home.configText()) as { servers: Record<string, unknown> }).servers;

test('list shows a new user the built-in server and writes no config', async () => {
  await using home = new CliHome();
  const { code, stdout } = await home.run('list');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'NAME   STATUS       TOOLS  TRANSPORT  COMMAND OR URL\nutils  Not running  ?      builtin    utils\n',
  });
  expect(existsSync(home.configFile)).toBe(false);
});

test('add writes the entry, keeps the comments, and shows no secret', async () => {
  await using home = new CliHome();
  const { code, stdout } = await home.run(
    'add',
    'gh',
    process.execPath,
    '--env',
    'GH_TOKEN=s3cret-value',
    '--env',
    'HOST',
    '--',
    'a.mjs',
    '--json',
  );
  expect(code).toBe(0);
  expect(stdout).not.toContain('s3cret-value');
  expect(stdout).toContain('"GH_TOKEN": "***", "HOST": "${env:HOST}"');
  expect(servers(home)['gh']).toEqual({
    command: process.execPath,
    args: ['a.mjs', '--json'],
    env: { GH_TOKEN: 's3cret-value', HOST: '${env:HOST}' },
  });
  expect(home.configText()).toContain('// Your MCP servers.');
});

test('add warns about a missing command, and writes nothing with --dry-run', async () => {
  await using home = new CliHome({});
  const before = home.configText();
  const { code, data } = await home.json('add', '--dry-run', 'x', entries.missing.command);
  expect({ code, data }).toEqual({
    code: 0,
    data: {
      name: 'x',
      entry: entries.missing,
      file: home.configFile,
      written: false,
      warnings: [`"${entries.missing.command}" not found in PATH. Install it or use an absolute path.`],
    },
  });
  expect(home.configText()).toBe(before);
});

test('add rejects a name that is taken', async () => {
  await using home = new CliHome({ echo: entries.echo });
  expect(await home.run('add', 'echo', '--url', 'https://example.com/mcp')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'tooltray: Server "echo" already exists. Choose another name, or remove it first: tooltray remove echo\n',
  });
});

test('disable, enable and remove change the entry, and report when nothing changes', async () => {
  await using home = new CliHome({ echo: entries.echo, other: entries.echo });
  expect((await home.run('disable', 'echo')).stdout).toBe('echo disabled.\n');
  expect(servers(home)['echo']).toEqual({ ...entries.echo, enabled: false });
  expect((await home.json('disable', 'echo')).data).toEqual({ name: 'echo', file: home.configFile, changed: false });
  await home.run('enable', 'echo');
  expect(servers(home)['echo']).toEqual({ ...entries.echo, enabled: true });
  await home.run('remove', 'echo');
  expect(Object.keys(servers(home))).toEqual(['other']);
});

test('an unknown server name is rejected with the closest name and the existing ones', async () => {
  await using home = new CliHome({ echo: entries.echo });
  const outcomes = await Promise.all(
    [['remove'], ['enable'], ['config', 'validate']].map((words) => home.json(...words, 'ehco')),
  );
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({
      code: 1,
      data: { error: { code: 'server_not_found', data: { available: ['echo'] } } },
    });
});

test('validate reports a value that neither the environment nor the vault has, until the vault has it', async () => {
  const env = { A: '${env:TOOLTRAY_TEST_UNSET}', B: '${env:TOOLTRAY_TEST_UNSET_TOO:-default}' };
  await using home = new CliHome({ lacking: { ...entries.echo, env } });
  expect(await home.json('config', 'validate')).toMatchObject({
    code: 0,
    data: { servers: ['lacking'], problems: [{ severity: 'warning', path: 'servers.lacking.env', server: 'lacking' }] },
  });
  await home.runWith({ input: 'value-1\n' }, 'secret', 'set', 'TOOLTRAY_TEST_UNSET');
  expect(await home.json('config', 'validate')).toMatchObject({ data: { problems: [] } });
});

test('validate reports each fault with line and column, missing commands included', async () => {
  await using home = new CliHome({ good: entries.echo, bad: { url: 'ftp://x' }, gone: entries.missing });
  const { code, stdout } = await home.run('config', 'validate');
  const lines = home.configText().split('\n');
  const at = (text: string): string => {
    const line = lines.findIndex((one) => one.includes(text));
    return `${home.configFile}:${line + 1}:${(lines[line] ?? '').indexOf(text) + 1}`;
  };
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: [
      `${at('"ftp://x"')} error: servers.bad.url: The URL must start with http:// or https://. Write "https://host/mcp".`,
      `${at(`"${entries.missing.command}"`)} error: servers.gone.command: "${entries.missing.command}" not found in PATH. Install it or use an absolute path.`,
      `${home.configFile}: invalid (2 servers, 2 errors, 0 warnings)`,
      '',
    ].join('\n'),
  });
  expect(await home.json('config', 'validate', 'good')).toMatchObject({
    code: 0,
    data: { ok: true, servers: ['good'], problems: [] },
  });
});

test('every command reports a config file that is not JSON, with the position', async () => {
  await using home = new CliHome();
  writeFileSync(home.configFile, '{ "servers": {');
  const commands = [['list'], ['test'], ['tools'], ['add', 'x', 'y'], ['config', 'validate']];
  const outcomes = await Promise.all(commands.map((words) => home.run(...words)));
  for (const { code, stdout, stderr } of outcomes) {
    expect({ code, told: `${stdout}${stderr}`.includes('An object is not closed.') }).toEqual({ code: 1, told: true });
  }
});
