/** `tooltray env`: the names of the variables that servers get, and adding some. */
import { expect, test } from 'vitest';
import { CliHome, entries } from '../../cli-home.ts';
import { allCases } from '../../../support/all-cases.ts';

const env = { PLANTED_API_KEY: 'sk-planted-0002' };

test('shows names and never values; gives a variable by name, or all of them', async () => {
  await using home = new CliHome({ echo: entries.echo });
  const shown = await home.runWith({ env }, 'env', 'echo');
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(/^echo gets \d+ variables:/);
  expect(shown.stdout).toMatch(/Withheld:\n {2}.*PLANTED_API_KEY/);
  expect(shown.stdout).not.toContain(env.PLANTED_API_KEY);
  const given = await home.runWith({ env }, 'env', 'echo', '--allow', 'PLANTED_API_KEY, TWO');
  expect(given.stdout).toBe('echo inherits PLANTED_API_KEY, TWO from its next start.\n');
  expect(JSON.parse(home.configText())).toMatchObject({
    servers: { echo: { inheritEnv: ['PLANTED_API_KEY', 'TWO'] } },
  });
  const after = await home.runWith({ env }, 'env', 'echo', '--json');
  const { servers } = JSON.parse(after.stdout) as { servers: { gets: string; given: string[]; withheld: string[] }[] };
  expect(servers[0]?.gets).toBe('named');
  expect(servers[0]?.given).toContain('PLANTED_API_KEY');
  expect((await home.run('env', 'echo', '--all')).code).toBe(0);
  expect((await home.runWith({ env }, 'env')).stdout).toMatch(/echo +all \(configured\)/);
});

test.runIf(allCases)('rejects an unknown server and one that has no command', async () => {
  await using home = new CliHome({ far: { url: 'https://mcp.test/mcp' } });
  expect((await home.run('env', 'fra')).stderr).toContain('"far"');
  expect((await home.run('env', 'far')).stderr).toContain('is not a local command');
  expect((await home.run('env', '--all')).stderr).toContain('Missing server name');
  expect((await home.run('env')).stdout).toBe('No local servers.\n');
});
