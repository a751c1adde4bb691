/** The Inspector stays connected while the mode changes: its call gets a result, and its list is updated without a restart. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionStatus } from '../../src-main/rpc/contract.ts';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { allCases } from '../support/all-cases.ts';
import { cliCommand, shimCommand, startBuiltCore } from './built-core.ts';
import { PrivateHome } from './private-home.ts';
import { havePackages, programOf } from './real-packages.ts';
import { runProgram } from './run-program.ts';

const present = await havePackages();

/** The Inspector's commands that share one connection, held by a background process. */
class Inspector implements AsyncDisposable {
  readonly #home: PrivateHome;

  constructor(home: PrivateHome) {
    this.#home = home;
  }

  async run(...args: string[]): Promise<unknown> {
    const program = programOf('@modelcontextprotocol/inspector', 'mcpdo');
    const { env, workFolder } = this.#home;
    const own = { ...env, MCP_INSPECTOR_DAEMON_DIR: this.#home.folder('inspector') };
    const { code, stdout, stderr } = await runProgram(
      program.command,
      [...program.args, '--connection', 'hub', '--format', 'json', ...args],
      {
        env: own,
        cwd: workFolder,
      },
    );
    if (code !== 0) throw new Error(`mcpdo ${args.join(' ')}: ${stdout}${stderr}`);
    return JSON.parse(stdout === '' ? 'null' : stdout);
  }

  async toolNames(): Promise<string[]> {
    const { tools } = (await this.run('tools/list')) as { tools: { name: string }[] };
    return tools.map(({ name }) => name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run('daemon', 'stop');
  }
}

interface Pending {
  readonly elicitationPending: { readonly elicitationId: string };
}

/** As listed by `tooltray list`. */
async function sessions(home: PrivateHome): Promise<SessionStatus[]> {
  const { command, args } = cliCommand('list', '--json', '--config', join(home.path, 'config.json'));
  const { stdout } = await runProgram(command, args, { env: home.env, cwd: home.workFolder });
  return (JSON.parse(stdout) as { sessions: SessionStatus[] }).sessions;
}

describe.skipIf(!present)('mcpdo, connected all the time', () => {
  // Both protocol generations with both SDKs: tests/integration/mode-change.
  test.each(allCases ? ['legacy', 'modern'] : ['modern'])(
    'sees a new mode over the shim, protocol %s',
    async (era) => {
      using home = new PrivateHome();
      const servers = { asker: fixtureCommand('asker') };
      await using _core = await startBuiltCore(servers, home);
      await using inspector = new Inspector(home);
      const { command, args } = shimCommand('inspector');
      const env = `TOOLTRAY_HOME=${home.env['TOOLTRAY_HOME']}`;
      await inspector.run('connect', '--era', era, '-e', env, '--', command, ...args);
      expect(await inspector.toolNames()).toContain('ask_form');

      const { elicitationPending } = (await inspector.run('tools/call', 'ask_form')) as Pending;
      const [before] = await sessions(home);
      writeFileSync(join(home.path, 'config.json'), JSON.stringify({ mode: 'search', mcpServers: servers }));
      // The default timeout of a second is shorter than `tooltray list` takes on a busy computer.
      await expect.poll(() => sessions(home), { timeout: 30_000 }).toMatchObject([{ id: before?.id, mode: 'search' }]);
      const answered = await inspector.run('elicitation/respond', elicitationPending.elicitationId, 'name:=Ada');
      expect(JSON.stringify(answered)).toContain('Ada');
      expect(await inspector.toolNames()).toEqual(['search_tools', 'call_tool', 'read_resource']);
      expect(await sessions(home)).toMatchObject([{ id: before?.id, mode: 'search', staleList: false }]);
    },
    60_000,
  );
});
