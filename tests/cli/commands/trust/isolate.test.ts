/** `tooltray isolate`: into a box and out of it, and where servers run. */
import { expect, test } from 'vitest';
import { CliHome, entries } from '../../cli-home.ts';

test('a server is put into a box with what it may reach, is told in words, and taken out again', async () => {
  await using home = new CliHome({ echo: entries.echo });
  expect((await home.run('isolate', 'echo')).stdout).toContain('echo: none\n  Runs with your rights');
  const args = ['sandbox', '--read', '/srv', '--write', '~/out', '--network'];
  const put = await home.run('isolate', 'echo', ...args);
  expect(put).toMatchObject({ code: 0, stderr: '' });
  expect(put.stdout).toMatch(
    /echo: sandbox\n {2}Runs in a sandbox.*\n {2}May write .*\/out\.\n {2}May read \/srv\.\n {2}Reaches the network/,
  );
  const written = (): unknown => (JSON.parse(home.configText()) as { servers: { echo: object } }).servers.echo;
  expect(written()).toMatchObject({ isolation: { mode: 'sandbox', read: ['/srv'], write: ['~/out'], network: true } });
  await home.run('isolate', 'echo', 'sandbox', '--offline');
  expect(written()).toMatchObject({ isolation: { mode: 'sandbox', read: ['/srv'], network: false } });
  const { data } = await home.json('isolate', 'echo', 'none');
  expect(data).toMatchObject({ servers: [{ server: 'echo', runs: 'none' }] });
  expect((await home.run('isolate', 'echo', 'jail')).stderr).toContain('There are: auto, sandbox, container, none.');
  expect((await home.run('isolate', 'ecko')).stderr).toContain('Did you mean "echo"?');
});

test("MCPProxy's switch and VS Code's do not contradict what was said last", async () => {
  await using home = new CliHome({
    a: { ...entries.echo, isolation: { enabled: true, image: 'node:20' } },
    b: { ...entries.echo, sandboxEnabled: true },
  });
  for (const name of ['a', 'b']) {
    expect((await home.run('isolate', name, 'none')).stdout).toContain(`${name}: none`);
  }
  expect(JSON.parse(home.configText())).toMatchObject({
    servers: { a: { isolation: { mode: 'none', image: 'node:20' } }, b: { isolation: 'none', sandboxEnabled: false } },
  });
});
