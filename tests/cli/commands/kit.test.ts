/** `tooltray kit`: what there is, and servers written as a kit that can be loaded again. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readKits } from '../../../src-main/core/config/kits.ts';
import { CliHome, entries } from '../cli-home.ts';
import { allCases } from '../../support/all-cases.ts';

const { echo } = entries;
const servers = {
  mine: echo,
  theirs: { ...echo, env: { API_KEY: 'sk-verysecret123' }, kits: ['work'] },
};

function homeWithKit(): CliHome {
  const home = new CliHome(servers);
  mkdirSync(join(home.path, 'kit.d'));
  const kit = { description: 'For work', author: 'Bo', servers: { theirs: echo } };
  writeFileSync(join(home.path, 'kit.d', 'work.json'), JSON.stringify(kit));
  writeFileSync(join(home.path, 'kit.d', 'play.json'), JSON.stringify({ servers: { game: echo } }));
  return home;
}

test('list says which kits there are and which are loaded', async () => {
  await using home = homeWithKit();
  expect((await home.json('kit', 'list')).data).toEqual({
    broken: [],
    kits: [
      { name: 'play', loaded: false, servers: ['game'], description: '' },
      { name: 'work', loaded: true, servers: ['theirs'], description: 'For work' },
    ],
  });
});

test('a loaded kit is printed as a kit file with what it says of itself, and without secrets', async () => {
  await using home = homeWithKit();
  const { code, stdout } = await home.run('kit', 'export', 'work');
  expect({ code, kit: JSON.parse(stdout) as unknown }).toEqual({
    code: 0,
    kit: {
      ...{ name: 'work', description: 'For work', author: 'Bo', keywords: [], links: {} },
      servers: { theirs: { ...echo, env: { API_KEY: '${env:API_KEY}' } } },
    },
  });
});

test.runIf(allCases)(
  'all servers are written to a file that is a kit, for its owner alone, and never over another file',
  async () => {
    await using home = homeWithKit();
    const file = join(home.path, 'kit.d', 'all.json');
    const { data } = await home.json('kit', 'export', '--output', file);
    expect(data).toEqual({ file, servers: ['mine', 'theirs'], secrets: { theirs: ['API_KEY'] } });
    const [all] = (await readKits([join(home.path, 'kit.d')])).kits;
    expect([all?.name, Object.keys(all?.servers ?? {})]).toEqual(['all', ['mine', 'theirs']]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = readFileSync(file, 'utf8');
    expect((await home.run('kit', 'export', 'work', '--output', file)).code).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe(before);
  },
);

test.each([
  [['kit', 'export', 'play'], 1, 'is loaded'],
  [['kit', 'import'], 2, 'tooltray kit list | info NAME'],
  [['kit'], 2, 'Something is missing'],
])('%j is refused', async (args, code, fragment) => {
  await using home = homeWithKit();
  expect(await home.run(...args)).toMatchObject({ code, stderr: expect.stringContaining(fragment) as string });
});

test('load adds the servers of a kit, unload takes out those that only it brought, a file that is no kit is named', async () => {
  await using home = homeWithKit();
  writeFileSync(join(home.path, 'kit.d', 'broken.json'), '{\n  "servers": {,\n}');
  const loaded = (await home.json('kit', 'load', 'play', '--yes')).data;
  expect(loaded).toMatchObject({ changes: [{ kind: 'add', server: 'game' }], inReview: [] });
  expect((await home.json('kit', 'info', 'play')).data).toMatchObject({ loaded: true, servers: { game: echo } });
  expect((await home.run('kit', 'load', 'play')).stderr).toContain('already loaded');
  expect((await home.json('kit', 'unload', 'play')).data).toMatchObject({
    changes: [{ kind: 'remove', server: 'game' }],
  });
  const config = JSON.parse(readFileSync(join(home.path, 'config.json'), 'utf8')) as { servers: object };
  expect(Object.keys(config.servers)).toEqual(['mine', 'theirs']);
  for (const action of ['load', 'info'])
    expect((await home.run('kit', action, 'broken')).stderr).toMatch(
      /'broken' cannot be read\. Line 2: .*broken\.json/s,
    );
  expect((await home.json('kit', 'list')).data).toMatchObject({ broken: [{ name: 'broken' }] });
});

test.runIf(allCases)(
  'what a kit would start is shown as it is: nothing hides as a secret, invisible characters are marks',
  async () => {
    await using home = homeWithKit();
    const args = [...echo.args, '--api-key', 'evil-package', 'a\u200bb'];
    const entry = { ...echo, args, env: { API_TOKEN: '$(curl evil)' } };
    writeFileSync(join(home.path, 'kit.d', 'sly.json'), JSON.stringify({ servers: { sly: entry } }));
    const { length } = echo.args;
    const shown = [
      `Argument ${length + 2}: "evil-package"`,
      `Argument ${length + 3}: "a⟨U+200B⟩b"`,
      'Variable API_TOKEN: "$(curl evil)"',
    ];
    const info = (await home.run('kit', 'info', 'sly')).stdout;
    const { data } = await home.json('kit', 'info', 'sly');
    expect(data['servers']).toEqual({ sly: { ...entry, args: [...args.slice(0, -1), 'a⟨U+200B⟩b'] } });
    const loaded = (await home.run('kit', 'load', 'sly')).stdout;
    for (const line of shown) expect([info.includes(line), loaded.includes(line)]).toEqual([true, true]);
  },
);

test.runIf(allCases)(
  'where nobody is asked, what a kit brings waits for the review; what was agreed to does not',
  async () => {
    await using home = homeWithKit();
    const { code, stdout } = await home.run('kit', 'load', 'play');
    // What it would run comes first.
    expect({ code, at: stdout.indexOf('Argument 1') < stdout.indexOf('Added for your review: game') }).toEqual({
      ...{ code: 0, at: true },
    });
    const state = async (): Promise<string | undefined> =>
      ((await home.json('list')).data['servers'] as { name: string; state: string }[]).find(
        ({ name }) => name === 'game',
      )?.state;
    expect(await state()).toBe('disabled');
    expect((await home.json('review')).data).toMatchObject({ reviews: [{ server: 'game', standing: 'in-review' }] });
    await home.run('kit', 'unload', 'play');
    expect((await home.json('kit', 'load', 'play', '--yes')).data).toMatchObject({ inReview: [] });
    expect(await state()).not.toBe('disabled');
  },
);
