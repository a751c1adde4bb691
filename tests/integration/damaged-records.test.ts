/** Damaged records of what the user accepted: everything waits, a copy is kept, and no cause is claimed that was not compared. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fixture, startCore } from '../support/start-core.ts';

const config = { servers: { a: fixture('echo') }, reviews: { onChange: 'hold' } };
const damaged = '{"version":1,"serv';
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tooltray-damaged-'));
  await using _core = await startCore(config, { home, ownConfig: true });
});
afterEach(() => rm(home, { recursive: true, force: true }));

test('says of definitions whose record is damaged that nothing was compared', async () => {
  const folder = join(home, 'data/pins');
  const [name = ''] = await readdir(folder);
  await writeFile(join(folder, name), damaged);
  {
    await using core = await startCore(config, { home, ownConfig: true });
    const [question] = core.host.core.pins.questions(new Set(['a']));
    expect(question).toMatchObject({ server: 'a', isLost: true, isOtherLaunch: false, isRugPull: false });
    const refusal = await (await core.open()).request('tools/call', { name: 'echo', arguments: { message: 'x' } });
    expect(JSON.stringify(refusal)).not.toMatch(/is new|has changed/);
  }
  expect(await readFile(join(folder, `${name}.corrupt`), 'utf8')).toBe(damaged);
  // The next core has a record again, with nothing accepted in it, and the launch is the same.
  await using core = await startCore(config, { home, ownConfig: true });
  expect(core.host.core.pins.questions(new Set(['a']))).toMatchObject([{ isOtherLaunch: false, isRugPull: false }]);
});

test('says of a config whose record is damaged that nothing was compared, until the user has agreed anew', async () => {
  const file = join(home, 'data/accepted-config.json');
  await writeFile(file, damaged);
  for (let run = 1; run <= 2; run++) {
    await using core = await startCore(config, { home, ownConfig: true });
    const { waiting, current } = core.host.core.options.config;
    expect(waiting.every(({ isLost }) => isLost === true)).toBe(true);
    expect([waiting.length > 0, current.servers.map(({ enabled }) => enabled)]).toEqual([true, [false]]);
  }
  expect(await readFile(`${file}.corrupt`, 'utf8')).toBe(damaged);
  {
    await using core = await startCore(config, { home, ownConfig: true });
    await core.host.core.options.config.accept(core.host.core.options.config.waiting);
  }
  await using core = await startCore(
    { ...config, servers: { ...config.servers, b: fixture('echo') } },
    { home, ownConfig: true },
  );
  expect(core.host.core.options.config.waiting).toMatchObject([{ server: 'b' }]);
  expect(core.host.core.options.config.waiting.some(({ isLost }) => isLost === true)).toBe(false);
});
