/** `tooltray sandbox`: into a sandbox and out of it, and where servers run. */
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliHome, entries } from '../../cli-home.ts';

test('puts a server into a sandbox with its access, describes it, and takes it out again', async () => {
  await using home = new CliHome({ echo: entries.echo });
  expect((await home.run('sandbox', 'echo')).stdout).toContain('echo: none\n  Not isolated');
  const args = ['bubblewrap', '--read', '/srv', '--write', '~/out', '--network'];
  const put = await home.run('sandbox', 'echo', ...args);
  expect(put).toMatchObject({ code: 0, stderr: '' });
  expect(put.stdout).toMatch(
    /echo: sandbox\n {2}Runs in a sandbox.*\n {2}Can write .*\/out\.\n {2}Can read \/srv\.\n {2}Can access the network/,
  );
  const written = (): unknown => (JSON.parse(home.configText()) as { servers: { echo: object } }).servers.echo;
  expect(written()).toMatchObject({ isolation: { mode: 'sandbox', read: ['/srv'], write: ['~/out'], network: true } });
  await home.run('sandbox', 'echo', 'bubblewrap', '--no-network');
  expect(written()).toMatchObject({ isolation: { mode: 'sandbox', read: ['/srv'], network: false } });
  const { data } = await home.json('sandbox', 'echo', 'none');
  expect(data).toMatchObject({ servers: [{ server: 'echo', runs: 'none' }] });
  expect((await home.run('sandbox', 'echo', 'jail')).stderr).toContain('auto, bubblewrap, container, none');
  expect((await home.run('sandbox', 'ecko')).stderr).toContain('"echo"');
});

test('resolves a server’s paths when a command adds them, and again with the next command', async () => {
  await using home = new CliHome({ echo: entries.echo });
  const [one, other, link] = ['one', 'other', 'link'].map((name) => join(home.path, 'user', name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [one, other]) mkdirSync(folder, { recursive: true });
  const agreed = (): unknown =>
    Object.values(
      JSON.parse(readFileSync(join(home.path, 'data/boxes/agreed-places.json'), 'utf8')) as Record<string, object>,
    );
  symlinkSync(one, link);
  await home.run('sandbox', 'echo', 'bubblewrap', '--write', link);
  expect(agreed()).toMatchObject([{ server: 'echo', write: { [link]: one } }]);
  rmSync(link);
  symlinkSync(other, link);
  await home.run('sandbox', 'echo', 'bubblewrap');
  expect(agreed()).toMatchObject([{ server: 'echo', write: { [link]: other } }]);
});

test('isolation settings of MCPProxy and VS Code are overridden by the latest command', async () => {
  await using home = new CliHome({
    a: { ...entries.echo, isolation: { enabled: true, image: 'node:20' } },
    b: { ...entries.echo, sandboxEnabled: true },
  });
  for (const name of ['a', 'b']) {
    expect((await home.run('sandbox', name, 'none')).stdout).toContain(`${name}: none`);
  }
  expect(JSON.parse(home.configText())).toMatchObject({
    servers: { a: { isolation: { mode: 'none', image: 'node:20' } }, b: { isolation: 'none', sandboxEnabled: false } },
  });
});
