/** Real client apps with the entries that `tooltray install` wrote; `npm run test:clients` installs and runs them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { type BuiltCore, startBuiltCore } from './built-core.ts';
import { PrivateHome } from './private-home.ts';
import { bigClientsWanted, fileOf, havePackages, programOf } from './real-packages.ts';
import { type Outcome, runProgram } from './run-program.ts';

const present = bigClientsWanted && (await havePackages());
const cli = join(import.meta.dirname, '../../dist/cli.js');

describe.skipIf(!present)('client apps that Tooltray has connected', () => {
  let home: PrivateHome;
  let core: BuiltCore;

  beforeAll(async () => {
    home = new PrivateHome();
    core = await startBuiltCore({ e: fixtureCommand('echo') }, home);
  }, 60_000);

  afterAll(async () => {
    await core?.[Symbol.asyncDispose]();
    home?.[Symbol.dispose]();
  });

  async function run(command: string, args: readonly string[], more: Record<string, string> = {}): Promise<string> {
    const outcome: Outcome = await runProgram(command, args, { env: { ...home.env, ...more }, cwd: home.workFolder });
    const said = stripVTControlCharacters(outcome.stdout + outcome.stderr);
    expect({ code: outcome.code, said: outcome.code === 0 ? '' : said }).toEqual({ code: 0, said: '' });
    return said;
  }

  const tooltray = (...args: string[]): Promise<string> => run(process.execPath, [cli, ...args]);

  /** An existing config file of the user; the change is reverted at the end. */
  async function connected(
    app: string,
    path: string,
    text: string,
    list: () => Promise<string>,
    ...flags: readonly string[]
  ): Promise<string> {
    const file = join(home.env['HOME'] ?? '', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    await tooltray('install', app, '--yes', ...flags);
    const { apps } = JSON.parse(await tooltray('apps', '--json')) as { apps: { id: string; connected: string }[] };
    expect(apps.find(({ id }) => id === app)?.connected).toBe('yes');
    const listed = await list();
    // An app may have rewritten its own file: then undo is refused, and our entry is removed instead.
    await tooltray('uninstall', app, '--yes');
    expect(readFileSync(file, 'utf8')).not.toMatch(/"--app"|mcp\/app/);
    return listed;
  }

  test('Claude Code connects', async () => {
    const { command, args } = programOf('@anthropic-ai/claude-code');
    const list = (): Promise<string> => run(command, [...args, 'mcp', 'list']);
    expect(await connected('claude-code', '.claude.json', '{}\n', list)).toMatch(/^tooltray: .*✔ Connected$/m);
  }, 60_000);

  test('Gemini CLI connects', async () => {
    const { command, args } = programOf('@google/gemini-cli');
    const trust = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
    const list = (): Promise<string> => run(command, [...args, 'mcp', 'list'], trust);
    // It accepts comments, but no trailing comma.
    const text = '{\n  // mine\n  "security": { "auth": { "selectedType": "gemini-api-key" } }\n}\n';
    expect(await connected('gemini-cli', '.gemini/settings.json', text, list)).toMatch(/tooltray: .*Connected/);
  }, 60_000);

  test('opencode connects', async () => {
    const list = (): Promise<string> => run(fileOf('opencode-linux-x64-baseline', 'bin/opencode'), ['mcp', 'list']);
    const text = '{\n  // mine\n  "$schema": "https://opencode.ai/config.json"\n}\n';
    expect(await connected('opencode', '.config/opencode/opencode.jsonc', text, list)).toMatch(/tooltray\s+connected/);
  }, 60_000);

  test.each([
    [
      'opencode',
      'opencode.jsonc',
      () => [fileOf('opencode-linux-x64-baseline', 'bin/opencode')],
      /tooltray\s+connected/,
    ],
    [
      'gemini-cli',
      '.gemini/settings.json',
      () => [programOf('@google/gemini-cli').command, ...programOf('@google/gemini-cli').args],
      /tooltray: .*Connected/,
    ],
  ])(
    '%s connects in a project',
    async (app, path, program, said) => {
      const [command = '', ...args] = program();
      const file = join(home.workFolder, path);
      await tooltray('install', app, '--yes', '--project');
      const listed = await run(command, [...args, 'mcp', 'list'], { GEMINI_CLI_TRUST_WORKSPACE: 'true' });
      await tooltray('uninstall', app, '--yes', '--project');
      expect(listed).toMatch(said);
      // opencode rewrites its file: the rest is its own.
      const left = existsSync(file) ? readFileSync(file, 'utf8') : '';
      expect(left).not.toContain('"--app"');
    },
    60_000,
  );

  test.each([
    ['claude-code', '.claude.json', () => programOf('@anthropic-ai/claude-code'), /^tooltray: .*✔ Connected$/m],
    ['gemini-cli', '.gemini/settings.json', () => programOf('@google/gemini-cli'), /tooltray: .*Connected/],
    [
      'opencode',
      '.config/opencode/opencode.jsonc',
      () => ({ command: fileOf('opencode-linux-x64-baseline', 'bin/opencode'), args: [] }),
      /tooltray\s+connected/,
    ],
  ])(
    '%s connects by its own URL until it is revoked',
    async (app, path, program, said) => {
      const { command, args } = program();
      const trust = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
      const list = async (): Promise<string> => {
        const before = await run(command, [...args, 'mcp', 'list'], trust);
        await tooltray('apps', 'revoke', app);
        expect(await run(command, [...args, 'mcp', 'list'], trust)).not.toMatch(said);
        return before;
      };
      expect(await connected(app, path, '{}\n', list, '--http')).toMatch(said);
    },
    // Five programs in a row, of which two take ten seconds each to start.
    180_000,
  );

  test('Codex reads the entry', async () => {
    const { command, args } = programOf('@openai/codex');
    const list = (): Promise<string> => run(command, [...args, 'mcp', 'list']);
    const text = '# mine\nmodel = "o"\n\n[mcp_servers.other]\ncommand = "other"\n';
    expect(await connected('codex', '.codex/config.toml', text, list)).toMatch(
      /^tooltray\s+.*stdio --app codex.*enabled/m,
    );
  }, 60_000);
});
