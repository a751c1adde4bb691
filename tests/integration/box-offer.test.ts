/** Servers from before there were boxes: the person is asked about them once, in one item, and each is answered by itself. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sandboxProblem } from '../../src-main/core/servers/launch/isolation/sandbox.ts';
import type { InboxItem } from '../../src-main/core/trust/inbox/inbox-item.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';
import { usedHome } from '../support/used-home.ts';

/** Where there is none nobody is asked. */
const problem = await sandboxProblem({ PATH: process.env['PATH'] ?? '' });

async function items(core: TestCore): Promise<readonly InboxItem[]> {
  return (await core.host.core.inbox.items()).filter(({ kind }) => kind === 'box');
}

/** What the server got when it tried to read a file. */
async function readBy(core: TestCore, server: string, path: string): Promise<string> {
  await until(() => core.server(server).state.kind === 'ready');
  const client = await core.open();
  const params = { name: `${server}_read`, arguments: { path } };
  const { content } = (await client.request('tools/call', params)) as { content: { text: string }[] };
  return content[0]?.text ?? '';
}

interface Places {
  readonly home: string;
  /** A folder that a server is given, and a file in it. */
  readonly given: string;
  /** A file of the person that none is given. */
  readonly foreign: string;
}

async function places(): Promise<Places> {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-box-offer-'));
  const foreign = join(homedir(), `.tooltray-box-offer-${process.pid}`);
  onTestFinished(() => [folder, foreign].forEach((path) => rmSync(path, { recursive: true, force: true })));
  const given = join(folder, 'given');
  mkdirSync(given);
  writeFileSync(join(given, 'file.txt'), 'in the folder');
  writeFileSync(foreign, 'the key');
  return { home: await usedHome(), given, foreign };
}

describe.skipIf(problem !== undefined)('where this machine has a sandbox', () => {
  test('one item for all that was there; one goes into a box, the other is left, and both come back', async () => {
    const { home, given, foreign } = await places();
    const [old, other] = [fixture('prober', given), fixture('prober', given)];
    const servers = { old, other, off: { ...old, enabled: false }, said: { ...old, isolation: 'none' } };
    await using core = await startCore({ servers }, { home });
    const [item, ...more] = (await items(core)) as [InboxItem];
    expect(more).toEqual([]);
    expect(item.parts.map(({ keys }) => keys)).toEqual([['old'], ['other']]);
    const notes = item.parts[0]?.notes.map(({ text }) => text).join(' ');
    expect(notes).toContain(`Keeps its own program, ${given} and the network.`);
    expect(notes).toContain('Loses all of your other files');
    expect(item.actions.map(({ id, isRisky }) => [id, isRisky])).toEqual([
      ['confine', false],
      ['leave', true],
    ]);
    expect(await readBy(core, 'old', foreign)).toBe('the key');

    const before = readFileSync(core.configFile, 'utf8');
    const { inbox } = core.host.core;
    const { undo = '' } = await inbox.decide(item.id, { action: 'confine', by: 'dashboard', parts: ['old'] });
    expect(JSON.parse(readFileSync(core.configFile, 'utf8'))).toMatchObject({
      servers: { old: { isolation: { mode: 'auto', network: true, write: [given] } } },
    });
    expect(await readBy(core, 'old', join(given, 'file.txt'))).toBe('in the folder');
    expect(await readBy(core, 'old', foreign)).toContain('ENOENT');

    const [rest] = (await items(core)) as [InboxItem];
    expect([rest.server, rest.parts.map(({ keys }) => keys)]).toEqual(['other', [['other']]]);
    const left = await inbox.decide(rest.id, { action: 'leave', by: 'dashboard' });
    expect([left.isDone, await items(core)]).toEqual([true, []]);
    expect(await readBy(core, 'other', foreign)).toBe('the key');
    await inbox.undo(left.undo ?? '');
    await inbox.undo(undo);
    expect(JSON.parse(readFileSync(core.configFile, 'utf8'))).toEqual(JSON.parse(before));
    expect((await items(core))[0]?.parts).toHaveLength(2);
    expect(await readBy(core, 'old', foreign)).toBe('the key');
  });

  test('an answer outlives a restart, and a server that came later is nobody’s question', async () => {
    const { home, given } = await places();
    const old = fixture('prober', given);
    const config = await (async () => {
      await using core = await startCore({ servers: { old } }, { home });
      const [item] = (await items(core)) as [InboxItem];
      await core.host.core.inbox.decide(item.id, { action: 'leave', by: 'dashboard' });
      return readFileSync(core.configFile, 'utf8');
    })();
    await using again = await startCore(config, { home });
    expect(await items(again)).toEqual([]);
    const { servers } = JSON.parse(config) as { servers: object };
    await again.write({ servers: { ...servers, young: fixture('prober') } });
    await until(() => again.host.core.servers.find('young') !== undefined);
    expect(await items(again)).toEqual([]);
  });
});

test('without a sandbox, and in a new home, nobody is asked', async () => {
  const { home, given } = await places();
  const servers = { old: { ...fixture('prober', given), command: process.execPath } };
  {
    await using core = await startCore({ servers }, { home, env: { PATH: given, SHELL: '/bin/false' } });
    expect(core.server('old').state.kind).toBe('ready');
    expect(await items(core)).toEqual([]);
  }
  await using fresh = await startCore({ servers });
  expect(await items(fresh)).toEqual([]);
});
