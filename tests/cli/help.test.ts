/** Help, version, invalid usage, and an outdated Node.js. */
import { afterAll, expect, test } from 'vitest';
import { type Command, helpOf, readArguments } from '../../src-main/cli/command.ts';
import { commands } from '../../src-main/cli/command-table.ts';
import { parseShimArgs } from '../../src-main/shim/run-shim.ts';
import { CliHome } from './cli-home.ts';

const home = new CliHome();
afterAll(() => home[Symbol.asyncDispose]());

test('prints every command without arguments and exits with 0', async () => {
  const { code, stdout } = await home.run();
  const named = stdout
    .split('Global flags')[0]
    ?.match(/^ {2}(?!tooltray)[a-z-]+(?= )/gm)
    ?.map((word) => word.trim());
  expect({ code, named }, 'a new one goes into this list, where it stands in the help').toEqual({
    code: 0,
    named: [
      'serve',
      'install',
      'import',
      'status',
      'doctor',
      'stop',
      'apps',
      'uninstall',
      'undo',
      'list',
      'add',
      'remove',
      'enable',
      'disable',
      'restart',
      'test',
      'logs',
      'login',
      'logout',
      'pause',
      'resume',
      'tools',
      'search',
      'call',
      'inbox',
      'profile',
      'secret',
      'sandbox',
      'env',
      'pin',
      'scan',
      'audit',
      'activity',
      'stats',
      'spill',
      'config',
      'registry',
      'team',
    ],
  });
});

test('prints a command’s usage for --help and for help', async () => {
  const { code, stdout } = await home.run('add', '--help');
  expect({ code, first: stdout.split('\n')[0] }).toEqual({
    code: 0,
    first: 'Usage: tooltray add NAME COMMAND [ARGS…] | NAME --url URL | NAME | TEXT',
  });
  expect((await home.run('help', 'add')).stdout).toBe(stdout);
});

test('prints a command’s usage for --help behind its words', async () => {
  const { stdout } = await home.run('secret', '--help');
  expect((await home.run('secret', 'set', 'KEY', '--help')).stdout).toBe(stdout);
  // Behind `--` it is a word.
  expect((await home.run('secret', 'set', '--', '--help')).stdout).not.toBe(stdout);
});

test('lists the commands of two words for their first word', async () => {
  const { code, stdout } = await home.run('config', '--help');
  expect([code, stdout.match(/^ {2}config \w+/gm)]).toEqual([
    0,
    ['  config validate', '  config path', '  config edit'],
  ]);
  expect((await home.run('config')).stdout).toBe(stdout);
  expect((await home.run('config', 'edti')).stderr).toContain('"config edit"');
});

test('prints the name and the version for --version', async () => {
  expect((await home.run('--version')).stdout).toMatch(/^Tooltray \d+\.\d+\.\d+\n$/);
});

test('rejects a mistyped command and suggests the closest one', async () => {
  expect(await home.run('lst')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'tooltray: Unknown command "lst". Did you mean "list"? See tooltray --help.\n',
  });
});

test('rejects an unknown flag, with the error as JSON on stdout for --json', async () => {
  const { code, stdout, stderr } = await home.run('list', '--frob', '--json');
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "tooltray: Unknown option '--frob'. Usage: tooltray list [--config FILE] [--json]\n",
  });
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'bad_request', message: "Unknown option '--frob'." } });
});

test('names an unsupported Node.js in one sentence, with what to do', async () => {
  const { code, stdout, stderr } = await home.runWith(
    { node: ['--import', 'data:text/javascript,delete JSON.rawJSON'] },
    'list',
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^tooltray: Tooltray requires Node\.js 22\.13 or newer \(found v.*\)\. Install a newer version .*\n$/,
  );
});

const dashed = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
const flagsOf = ({ flags }: Command): string[] => Object.keys(flags).map(dashed);

test.each(commands)(
  '$name --help has a line for each flag and action that $name takes, and names no other flag',
  async (one) => {
    const declared = await one.load();
    const help = helpOf(one.name, one.about, declared);
    const rows = [...help.matchAll(/^ {2}(\S+(?: [a-z]+)*)(?: \S+)*? {2,}\S/gm)].map(([, first]) => first);
    expect(rows).toEqual([...Object.keys(declared.actions ?? {}), ...flagsOf(declared)]);
    const named = new Set(help.replaceAll(/`.*`/g, '').match(/(?<![\w-])--[a-z0-9-]+/g));
    expect([...named].sort()).toEqual([...flagsOf(declared)].sort());
  },
);

test('stdio accepts the same arguments as the shim', async () => {
  const stdio = await commands.find(({ name }) => name === 'stdio')?.load();
  const given = ['--app', 'a', '--mode', 'm', '--config', '/c'];
  expect(stdio && readArguments(stdio, given).flags).toEqual({ ...parseShimArgs(given), standalone: false });
});
