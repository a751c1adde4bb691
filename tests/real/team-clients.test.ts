/**
 * Real client apps with a user's token at a replica: the Inspector with three protocols, mcporter, and with
 * `npm run test:clients` Claude Code, Gemini CLI and opencode. Codex lists without connecting, so it proves nothing here.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { CallQueries } from '../../src-main/team/activity/call-queries.ts';
import { fixture } from '../support/start-core.ts';
import { startReplica, type TestReplica } from '../support/start-replica.ts';
import { TeamPeople } from '../support/team-callers.ts';
import { teamDatabase } from '../support/team-database.ts';
import { PrivateHome } from './private-home.ts';
import { bigClientsWanted, fileOf, havePackages, programOf } from './real-packages.ts';
import { type Outcome, runProgram } from './run-program.ts';

const present = await havePackages();
const opencode = fileOf('opencode-linux-x64-baseline', 'bin/opencode');
const tools = ['echo_echo', 'asker_ask_form'];

describe.skipIf(!present)('at a replica', () => {
  let home: PrivateHome;
  let header: string;
  let one: TestReplica;

  beforeEach(async () => {
    home = new PrivateHome();
    const own = home;
    onTestFinished(() => own[Symbol.dispose]());
    const servers = { echo: fixture('echo'), asker: fixture('asker') };
    one = await startReplica(await teamDatabase(), { servers });
    onTestFinished(() => one[Symbol.asyncDispose]());
    const people = new TeamPeople(one);
    await people.people.add({ name: 'ana' });
    header = `Bearer ${await people.give('ana')}`;
  });

  async function run(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
    const outcome = await runProgram(command, args, { env: { ...home.env, ...env }, cwd: home.workFolder });
    const [stdout, stderr] = [outcome.stdout, outcome.stderr].map(stripVTControlCharacters) as [string, string];
    expect({ code: outcome.code, said: outcome.code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
    return { code: outcome.code, stdout, stderr };
  }

  /** Each call is recorded as ana's. */
  async function expectRecorded(calls: number): Promise<void> {
    const queries = new CallQueries(one.replica.database.sql);
    const recorded = async (): Promise<unknown> =>
      (await queries.newest('everybody', 100)).map(({ tool, outcome }) => [tool, outcome]);
    await expect.poll(recorded).toEqual(Array.from({ length: calls }, () => ['echo', 'ok']));
    const users = (await queries.newest('everybody', 100)).map(({ user }) => user);
    expect(new Set(users).size).toBe(calls === 0 ? 0 : 1);
  }

  test.each(['legacy', 'auto', 'modern'])(
    'the Inspector lists and calls: %s',
    async (era) => {
      const { command, args } = programOf('@modelcontextprotocol/inspector', 'mcp-inspector');
      const inspect = (...more: string[]): Promise<Outcome> => {
        const how = ['--cli', '--quiet', '--protocol-era', era, '--format', 'json', ...more];
        const whom = [one.url, '--transport', 'http', '--header', `Authorization: ${header}`];
        return run(command, [...args, ...how, ...whom]);
      };
      const { stdout } = await inspect('--method', 'tools/list', '--strict');
      for (const tool of tools) expect(stdout).toContain(tool);
      const input = JSON.stringify({ message: `hello ${era}` });
      for (let call = 0; call < 2; call++) {
        const answer = await inspect('--method', 'tools/call', '--tool-name', 'echo_echo', '--tool-args-json', input);
        expect(answer.stdout).toContain(`hello ${era}`);
      }
      await expectRecorded(2);
    },
    120_000,
  );

  test('mcporter lists and calls', async () => {
    const config = join(home.path, 'mcporter.json');
    writeFileSync(
      config,
      JSON.stringify({ mcpServers: { hub: { url: one.url, headers: { Authorization: header } } } }),
    );
    const { command, args } = programOf('mcporter');
    const mcporter = (...more: string[]): Promise<Outcome> => run(command, [...args, '--config', config, ...more]);
    const { stdout } = await mcporter('list', '--json');
    for (const tool of tools) expect(stdout).toContain(tool);
    for (let call = 0; call < 2; call++)
      expect((await mcporter('call', 'hub.echo_echo', '--args', '{"message":"hello"}')).stdout).toContain('hello');
    await expectRecorded(2);
  }, 120_000);

  describe.skipIf(!bigClientsWanted)('client apps of several hundred MB', () => {
    function writeInHome(path: string, value: object): void {
      const file = join(home.env['HOME'] ?? '', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(value));
    }

    test('Claude Code connects', async () => {
      const { command, args } = programOf('@anthropic-ai/claude-code');
      const add = ['mcp', 'add', '-s', 'user', '--transport', 'http', 'hub', one.url];
      await run(command, [...args, ...add, '--header', `Authorization: ${header}`]);
      expect((await run(command, [...args, 'mcp', 'list'])).stdout).toMatch(/^hub: .*✔ Connected$/m);
      await expectRecorded(0);
    }, 120_000);

    test('Gemini CLI connects', async () => {
      writeInHome('.gemini/settings.json', {
        mcpServers: { hub: { httpUrl: one.url, headers: { Authorization: header } } },
      });
      const { command, args } = programOf('@google/gemini-cli');
      const { stdout, stderr } = await run(command, [...args, 'mcp', 'list'], { GEMINI_CLI_TRUST_WORKSPACE: 'true' });
      expect(stdout + stderr).toMatch(/^✓ hub: .* - Connected$/m);
      await expectRecorded(0);
    }, 120_000);

    test.skipIf(!existsSync(opencode))(
      'opencode connects',
      async () => {
        const hub = {
          type: 'remote',
          url: one.url,
          headers: { Authorization: header },
          enabled: true,
          oauth: false,
        };
        writeInHome('.config/opencode/opencode.json', { mcp: { hub } });
        const { stdout, stderr } = await run(opencode, ['mcp', 'list']);
        expect(stdout + stderr).toMatch(/✓ hub +connected/);
        await expectRecorded(0);
      },
      120_000,
    );
  });
});
