/** `tooltray registry`: searching servers, showing what one would run, adding it; with and without a core. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRegistry, type TestRegistry } from '../../fixtures/registry/registry-server.ts';
import { allCases, someOf } from '../../support/all-cases.ts';
import { CliHome } from '../cli-home.ts';

let registry: TestRegistry;
let home: CliHome;
const options: { answer?: Parameters<typeof startRegistry>[0] extends { answer?: infer A } | undefined ? A : never } =
  {};
beforeEach(async () => {
  delete options.answer;
  registry = await startRegistry(options);
  home = new CliHome();
  home.writeConfig({ servers: {}, registries: [{ name: 'official', url: registry.url }] });
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

const everything = 'io.github.modelcontextprotocol/everything';
const run = 'npx -y @modelcontextprotocol/server-everything@2026.8.31 stdio';

test('registry lists the registries, and registry search finds their servers', async () => {
  const listed = await home.run('registry');
  expect(listed.stdout).toContain(`official  ${registry.url}`);
  const { code, stdout } = await home.run('registry', 'search', 'weather');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/weather-mcp +0\.5\.0 +Weather of any place\.\n.*\(deprecated\)/),
  ]);
  const page = await home.run('registry', 'search', 'many', '--limit', '40');
  const [, cursor = ''] = /add --cursor (\S+)/.exec(page.stdout) ?? [];
  const rest = await home.json('registry', 'search', 'many', '--limit', '40', '--cursor', cursor);
  expect((rest.data['servers'] as unknown[]).length).toBe(5);
});

test('registry show names a server’s publisher, source, command and settings', async () => {
  const { code, stdout } = await home.run('registry', 'show', 'io.github.example/database-manager');
  expect(code).toBe(0);
  for (const part of [
    'Publisher: io.github.example',
    'Source:    https://github.com/example/database-manager-mcp',
    'container image docker.io/example/database-manager-mcp:3.1.0',
    'It requests more than a container usually has: --network host.',
    'input DB_PASSWORD (required, secret)',
    'input db_type (required, one of postgres, mysql): Kind of database',
    'input --host (required, default localhost)',
  ]) {
    expect(stdout).toContain(part);
  }
});

describe('add', () => {
  test('shows what it would run and does nothing without --yes', async () => {
    const { code, stdout } = await home.runWith({ input: 'open-sesame-42' }, 'registry', 'add', everything);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`Command:\n  ${run}\n  EVERYTHING_PASS=***`)]);
    expect(stdout).toContain('Pass --yes to confirm without a terminal.');
    expect(home.configText()).not.toContain('everything');
  });

  // Downloaded from npm with all dependencies.
  test.runIf(allCases)(
    'starts it once and adds it, with the secret from stdin in the vault',
    async () => {
      const given = ['--name', 'all', '--set', 'LOG_LEVEL=error', '--yes'];
      const { code, stdout, stderr } = await home.runWith(
        { input: 'open-sesame-42\n' },
        'registry',
        'add',
        everything,
        ...given,
      );
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/It responded in \d+ ms with \d+ tools\.\nAdded as all\./);
      expect(home.configText()).toContain('${secret:EVERYTHING_PASS}');
      expect(home.configText() + stdout + stderr).not.toContain('sesame');
      const doctor = await home.run('doctor');
      expect(doctor.stdout).toContain(`Added from the registry "official" as ${everything} 2026.8.31.`);
    },
    120_000,
  );

  test.runIf(allCases)('with --no-test adds it for review, also beside a running core', async () => {
    await home.serve();
    const set = ['--set', 'WEATHER_API_KEY=open-sesame-42'];
    const { code, stdout } = await home.run(
      'registry',
      'add',
      'io.github.example/weather-mcp',
      ...set,
      '--no-test',
      '--yes',
    );
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('It waits for your review: tooltray inbox show weather-mcp'),
    ]);
    expect((await home.run('inbox', 'show', 'weather-mcp')).stdout).toContain('weather-mcp-server@0.5.0');
    expect(home.configText()).not.toContain('sesame');
  });

  test.each(
    someOf(2, [
      [
        'what is missing',
        ['io.github.example/database-manager', '--set', 'DB_PASSWORD=p'],
        'db_type is required. Set with: --set "database_name=…"',
      ],
      ['what it does not ask for', [everything, '--set', 'PATH=/evil'], 'Unknown input "PATH"'],
      ['what cannot be run here', ['io.github.example/rusty'], 'Tooltray cannot run packages of this type.'],
      ['a way that it does not have', [everything, '--option', 'remote-3'], 'supports --option: package-0'],
      ['what is not there', ['a/b'], 'The registry "official" has no server "a/b"'],
      ['a registry that nobody knows', [everything, '--registry', 'x'], 'No registry named "x".'],
    ]),
  )('reports %s and adds nothing', async (_, words, why) => {
    const { code, stderr } = await home.run('registry', 'add', ...words, '--yes');
    expect([code, stderr]).toEqual([expect.toBeOneOf([1, 2]), expect.stringContaining(why)]);
    expect(home.configText()).toContain('"servers": {}');
  });
});

test.runIf(allCases)('reports a registry that fails as an error, not as an empty list', async () => {
  options.answer = (_, response) => void response.writeHead(500).end('{"servers":[]}');
  const { code, stdout, stderr } = await home.run('registry', 'search', 'weather');
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('is unavailable: it returned HTTP 500')]);
});

test.runIf(allCases)('reports a search without hits', async () => {
  const { code, stdout } = await home.run('registry', 'search', 'zzzz');
  expect([code, stdout]).toEqual([0, 'No servers match "zzzz" in official.\n']);
});
