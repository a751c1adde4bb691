/** Claude Code, Gemini CLI and opencode with six real servers; `npm run test:clients` installs and runs them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shimCommand } from './built-core.ts';
import { bigClientsWanted, fileOf, havePackages, programOf } from './real-packages.ts';
import { type Outcome, runProgram } from './run-program.ts';
import { type HttpTap, startHttpTap } from './taps/http-tap.ts';
import { askedMethods, listedTools, readMessages } from './taps/read-messages.ts';
import { openWorld, type World } from './world.ts';

const present = bigClientsWanted && (await havePackages());
const opencode = fileOf('opencode-linux-x64-baseline', 'bin/opencode');
const stdioTap = join(import.meta.dirname, 'taps/stdio-tap.ts');

describe.skipIf(!present)('client apps of several hundred MB', () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);
  afterAll(() => world?.[Symbol.asyncDispose]());

  /** Both connections to the core for a client app's config, each with a tap. */
  interface Doors extends AsyncDisposable {
    readonly stdio: string[];
    readonly http: string;
    readonly log: string;
    readonly tap: HttpTap;
  }

  async function openDoors(app: string): Promise<Doors> {
    const log = join(world.home.path, `${app}.log`);
    const { command, args } = shimCommand(app);
    const tap = await startHttpTap(world.core.url);
    const stdio = [process.execPath, stdioTap, log, command, ...args];
    return { stdio, http: tap.url, log, tap, [Symbol.asyncDispose]: () => tap[Symbol.asyncDispose]() };
  }

  async function run(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
    const outcome = await runProgram(command, args, {
      env: { ...world.home.env, ...env },
      cwd: world.home.workFolder,
    });
    const [stdout, stderr] = [outcome.stdout, outcome.stderr].map(stripVTControlCharacters) as [string, string];
    expect({ code: outcome.code, said: outcome.code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
    return { code: outcome.code, stdout, stderr };
  }

  function writeInHome(path: string, value: object): void {
    const file = join(world.home.env['HOME'] ?? '', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(value));
  }

  /** Messages over either transport. */
  function traffic({ log, tap }: Doors): { methods: string[]; tools: string[] | undefined }[] {
    return [readFileSync(log, 'utf8'), tap.text()]
      .map(readMessages)
      .map((messages) => ({ methods: askedMethods(messages), tools: listedTools(messages) }));
  }

  test('Claude Code connects over stdio and HTTP with protocol 2026-07-28 and gets every tool', async () => {
    await using doors = await openDoors('claude-code');
    const { command, args } = programOf('@anthropic-ai/claude-code');
    await run(command, [...args, 'mcp', 'add', '-s', 'user', 'hub', '--', ...doors.stdio]);
    await run(command, [...args, 'mcp', 'add', '-s', 'user', '--transport', 'http', 'hub-http', doors.http]);
    const { stdout } = await run(command, [...args, 'mcp', 'list']);
    expect(stdout).toMatch(/^hub: .*✔ Connected$/m);
    expect(stdout).toMatch(/^hub-http: .*✔ Connected$/m);
    const seen = { methods: ['server/discover', 'subscriptions/listen', 'tools/list'], tools: world.names };
    expect(traffic(doors)).toEqual([seen, seen]);
  }, 60_000);

  test('Gemini CLI connects over stdio and HTTP with the stateful protocol', async () => {
    await using doors = await openDoors('gemini-cli');
    const [command = '', ...args] = doors.stdio;
    const env = { TOOLTRAY_HOME: world.home.env['TOOLTRAY_HOME'] };
    writeInHome('.gemini/settings.json', {
      mcpServers: { hub: { command, args, env }, 'hub-http': { httpUrl: doors.http } },
    });
    const gemini = programOf('@google/gemini-cli');
    const { stdout, stderr } = await run(gemini.command, [...gemini.args, 'mcp', 'list'], {
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    });
    expect(stdout + stderr).toMatch(/^✓ hub: .* - Connected$/m);
    expect(stdout + stderr).toMatch(/^✓ hub-http: .* - Connected$/m);
    // Its `mcp list` initializes and pings; it lists tools when a conversation begins, which requires a login.
    const seen = { methods: ['initialize', 'ping'], tools: undefined };
    expect(traffic(doors)).toEqual([seen, seen]);
  }, 60_000);

  test.skipIf(!existsSync(opencode))(
    'opencode connects over stdio and HTTP and gets every tool',
    async () => {
      await using doors = await openDoors('opencode');
      const environment = { TOOLTRAY_HOME: world.home.env['TOOLTRAY_HOME'] };
      writeInHome('.config/opencode/opencode.json', {
        mcp: {
          hub: { type: 'local', command: doors.stdio, environment, enabled: true },
          'hub-http': { type: 'remote', url: doors.http, enabled: true },
        },
      });
      const { stdout, stderr } = await run(opencode, ['mcp', 'list']);
      expect(stdout + stderr).toMatch(/✓ hub +connected/);
      expect(stdout + stderr).toMatch(/✓ hub-http +connected/);
      const seen = { methods: ['initialize', 'tools/list'], tools: world.names };
      expect(traffic(doors)).toEqual([seen, seen]);
    },
    60_000,
  );
});
