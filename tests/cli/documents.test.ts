/**
 * The examples in the documentation: commands are parsed by their declarations, configuration by its parser, and many
 * run.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readDocuments } from '../../scripts/docs/check-documents.ts';
import { type Command, readArguments, flagName } from '../../src-main/cli/command.ts';
import { familyUsage, findCommand } from '../../src-main/cli/command-table.ts';
import { allModes } from '../../src-main/compat/all-modes.ts';
import { layerSettings } from '../../src-main/core/config/app-config.ts';
import type { LayerKind } from '../../src-main/core/config/layers/read-layer.ts';
import { readLayer } from '../../src-main/core/config/layers/read-layer.ts';
import { parseConfig } from '../../src-main/core/config/read-config.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { CliHome } from './cli-home.ts';

const root = join(import.meta.dirname, '../..');
const documents = readDocuments(root).filter(({ path }) => !path.startsWith('docs/decisions/'));

interface Block {
  readonly path: string;
  readonly language: string;
  readonly text: string;
}

const blocks: readonly Block[] = documents.flatMap(({ path, text }) =>
  [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', block = '']) => ({
    path,
    language,
    text: block,
  })),
);

/** Other programs, whose flags are not checked. */
const foreign = new Set(['kubectl', 'helm', 'docker', 'claude', 'curl', 'openssl', 'export', 'git', 'psql']);
const ours = /^(?:tooltray|\.\/tooltray|node dist\/cli\.js)(?: |$)/;

interface Line {
  readonly path: string;
  readonly line: string;
}

/** Commands of shell blocks, each on one line, without comments. */
const lines: readonly Line[] = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ path, text }) =>
    text
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n')
      .map((line) => ({ path, line: line.replace(/(^| {2,})#.*$/, '').trim() }))
      .filter(({ line }) => line !== ''),
  );

/** The words of a command line, split like a shell; everything after `<` or `|` is omitted. */
function wordsOf(line: string): string[] {
  const [own = ''] = line.split(/ [<|] /);
  return [...own.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replaceAll(/["']/g, ''));
}

async function problemOf(words: readonly string[]): Promise<string | undefined> {
  const [name = ''] = words;
  if (name === '' || name === '--help' || name === '--version' || words.includes('--help')) return undefined;
  const found = findCommand(words);
  if (found === undefined) return `there is no command ${name}`;
  const declared = await found.load();
  const args = words.slice(found.name.split(' ').length);
  try {
    readArguments(declared, args);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function oursIn(line: string): string[] {
  return wordsOf(line.replace(ours, ''));
}

describe('shell blocks', () => {
  test('call commands of Tooltray with arguments that they accept', async () => {
    const own = lines.filter(({ line }) => ours.test(line));
    expect(own.length).toBeGreaterThan(100);
    const problems = await Promise.all(
      own.map(async ({ path, line }) => {
        const problem = await problemOf(oursIn(line));
        return problem === undefined ? [] : [`${path}: ${line}: ${problem}`];
      }),
    );
    expect(problems.flat()).toEqual([]);
  });

  test('names existing commands, subcommands, and options in inline code', async () => {
    const spans = documents.flatMap(({ path, text }) =>
      [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`(tooltray [a-z][^`]*)`/g)].map(([, line = '']) => ({
        path,
        line: line.replaceAll('\\|', '|').replaceAll(/\s+/g, ' '),
      })),
    );
    expect(spans.length).toBeGreaterThan(50);
    const problems = await Promise.all(
      spans.map(async ({ path, line }) => {
        const problem = await problemOf(oursIn(line));
        // Inline code may leave arguments and values out.
        return problem === undefined || !/^(?:there is no|Unknown)/.test(problem)
          ? []
          : [`${path}: ${line}: ${problem}`];
      }),
    );
    expect(problems.flat()).toEqual([]);
  });

  test('run scripts of package.json and test files that exist, and else known programs', () => {
    const { scripts } = packageJson;
    const problems = lines
      .filter(({ line }) => !ours.test(line))
      .flatMap(({ path, line }) => {
        const [program = '', ...words] = wordsOf(line);
        const missing = words.filter((word) => /^(?:tests|scripts)\/\S+$/.test(word) && !existsSync(join(root, word)));
        if (missing.length > 0) return [`${path}: ${line}: no ${missing.join(', ')}`];
        if (foreign.has(program) || (program === 'npx' && words[0] === 'vitest')) return [];
        const script = words[0] === 'run' ? words[1] : words[0];
        const isScript = program === 'npm' && script !== undefined && Object.hasOwn(scripts, script);
        return isScript ? [] : [`${path}: ${line}`];
      });
    expect(problems).toEqual([]);
  });

  test('finds a command that does not exist, a wrong flag, and a missing argument', async () => {
    expect(await problemOf(['lst'])).toContain('no command');
    expect(await problemOf(['list', '--frob'])).toBeDefined();
    expect(await problemOf(['enable'])).toBeDefined();
    expect(await problemOf(oursIn(`tooltray spill query 3f2a9c '$.items[*].name'`))).toBeUndefined();
    expect(wordsOf('a "b c" --d=\'e f\' < g')).toEqual(['a', 'b c', '--d=e f']);
  });
});

test('commands in the text name flags and actions that exist', async () => {
  const told = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<=`)(?:(?:\.\/)?tooltray|node dist\/cli\.js) ([a-z][a-z-]*)([^`\n]*)/g)].map(
      ([said, name = '', rest = '']) => ({ path, said, name, rest }),
    ),
  );
  expect(told.length).toBeGreaterThan(80);
  const flagsOf = ({ flags }: Command): string[] => Object.keys(flags).map((flag) => `--${flagName(flag)}`);
  const problems = await Promise.all(
    told.map(async ({ path, said, name, rest }) => {
      const words = [name, ...rest.trim().split(' ')];
      const found = findCommand(words);
      const declared = await found?.load();
      const isFamily = found === undefined && familyUsage(name) !== undefined && rest.trim() === '';
      if (isFamily) return [];
      const flags = rest.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
      const [first, second] = words.slice(found?.name.split(' ').length);
      const isKnown = declared !== undefined && flags.every((flag) => flagsOf(declared).includes(flag));
      const { actions } = declared ?? {};
      const isAction =
        actions === undefined ||
        !/^[a-z]+$/.test(first ?? '') ||
        [first, `${first} ${second}`].some((action) => Object.hasOwn(actions, action ?? ''));
      return isKnown && isAction ? [] : [`${path}: ${said}`];
    }),
  );
  expect(problems.flat()).toEqual([]);
});

describe('configuration blocks', () => {
  const env = { HOME: '/home/me', USERPROFILE: '/home/me', GITHUB_TOKEN: 'x' };
  const known = { helpers: new Set(allModes.helpers.keys()) };
  const configs = blocks.filter(({ language }) => language === 'json' || language === 'jsonc');

  test.each(configs.map((block, at) => ({ ...block, name: `${block.path} ${at}` })))(
    '$name is read without a problem',
    ({ text }) => {
      const [, kind] = /^\/\/ (groups|people)\//.exec(text) ?? [];
      const organisation = { servers: parseConfig('{}', '/c.json', env).config?.servers ?? [], overridable: undefined };
      const problems =
        kind === undefined
          ? parseConfig(text, '/home/me/config.json', env, undefined, known).problems
          : readLayer(kind as LayerKind, text, `/config/${kind}/x.jsonc`, organisation).problems;
      expect(problems).toEqual([]);
    },
  );

  test('the page about layers names every setting of a layer', () => {
    const page = readFileSync(join(root, 'docs/team/configuration.md'), 'utf8');
    const [table = ''] = /^\| key[\s\S]*?\n\n/m.exec(page) ?? [];
    const missing = layerSettings.filter((key) => !table.includes(`\`${key}\``));
    expect(missing).toEqual([]);
  });

  test('finds a key that does not exist', () => {
    expect(parseConfig('{ "mood": "auto" }', '/c.json', env).problems).toHaveLength(1);
    expect(configs.length).toBeGreaterThan(15);
  });
});

describe('examples without placeholders', () => {
  const server = { command: process.execPath, args: [`${root}/tests/fixtures/servers/echo.ts`] };
  const home = new CliHome();
  home.writeConfig({
    servers: { utils: { type: 'builtin', builtin: 'utils', folders: [] }, notes: server, search: server },
    profiles: { work: { servers: ['notes'] } },
  });
  beforeAll(async () => {
    await home.serve();
  });
  afterAll(() => home[Symbol.asyncDispose]());

  const patterns = [
    /^(?:status|list|tools|apps|stats|inbox|inbox history|sandbox|env|scan|audit|audit verify|activity|pause|resume)$/,
    /^(?:profile token list|secret list|secret key|spill list|registry list|activity sessions|import --dry-run)$/,
    /^(?:test|restart|disable|enable) notes$/,
    /^logs(?!.*--follow)/,
    /^call (?:utils:|search_tools )/,
    /^activity (?:--text|--failed|export)/,
    /^audit (?:--kind|--server|export --jsonl|digest)/,
    /^profile (?:show|token create) work/,
    /^secret (?:set|rm|move)/,
    /^env search/,
    /^sandbox notes none$/,
  ];
  const run = [...new Set(lines.map(({ line }) => line.replace(/^\.\//, '')))].filter((line) => {
    const own = line.replace(ours, '');
    return ours.test(line) && !own.includes('--team') && patterns.some((pattern) => pattern.test(own));
  });

  test.each(run)('%s', async (line) => {
    const { code, stdout, stderr } = await home.runWith({ input: 'a-value\n', cwd: home.path }, ...oursIn(line));
    expect({ code, output: stdout + stderr }).toEqual({ code: 0, output: expect.stringMatching(/\S/) as string });
  });

  test('each pattern matches an example', () => {
    const owned = run.map((line) => line.replace(ours, ''));
    expect(patterns.filter((pattern) => !owned.some((line) => pattern.test(line)))).toEqual([]);
  });
});

interface Case {
  readonly status: number;
  readonly path?: string;
  readonly method?: string;
  /** Headers that differ from the example's. */
  readonly changed?: Readonly<Record<string, string>>;
  readonly sent?: string;
}

describe('docs/reference/endpoints.md', () => {
  const page = readFileSync(join(root, 'docs/reference/endpoints.md'), 'utf8');
  const [, written = ''] = /```sh\ncurl ([\s\S]*?)```/.exec(page) ?? [];
  const [, body = ''] = /-d '([^']*)'/.exec(written) ?? [];
  let core: TestCore;
  let headers: Readonly<Record<string, string>>;
  beforeAll(async () => {
    core = await startCore({ servers: { echo: fixture('echo') }, http: { maxBodyMB: 1 } }, { askToken: true });
    const token = readFileSync(join(core.host.paths.runDir, 'token'), 'utf8').trim();
    const pairs = [...written.matchAll(/-H "([^:]+): ([^"]*)"/g)];
    headers = Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value.replace('$TOKEN', token)]));
  });
  afterAll(() => core[Symbol.asyncDispose]());

  test('the request of the example lists tools', async () => {
    const response = await fetch(core.url, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('"tools":[');
  });

  const unknownSession = { 'Mcp-Session-Id': 'gone', 'MCP-Protocol-Version': '2025-11-25' };
  const cases: readonly Case[] = [
    { status: 401, changed: { Authorization: 'Bearer wrong' } },
    { status: 403, changed: { Origin: 'https://example.org' } },
    { status: 404, path: '/mcp/nowhere/x' },
    { status: 404, changed: unknownSession, sent: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' },
    { status: 405, method: 'PUT' },
    { status: 406, changed: { Accept: 'text/html' } },
    { status: 413, sent: `"${'x'.repeat(1_100_000)}"` },
    { status: 415, changed: { 'Content-Type': 'text/plain' } },
  ];
  test.each(cases)('status $status is returned as the table says', async (one) => {
    const { status, path = '/mcp', method = 'POST', changed, sent = body } = one;
    const init = { method, headers: { ...headers, ...changed }, body: sent };
    const response = await fetch(new URL(path, core.url), init);
    expect(response.status).toBe(status);
    expect(page).toMatch(new RegExp(`^\\| +${status} \\|`, 'm'));
  });
});
