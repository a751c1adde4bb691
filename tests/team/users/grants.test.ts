/** Access grants: groups grant servers and tools, several add up, and `everyone` applies to all. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bearer } from '../../support/callers.ts';
import { HttpClient } from '../../support/http-client.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplica, type TestReplica } from '../../support/start-replica.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { TeamPeople } from '../../support/team-callers.ts';
import { teamDatabase } from '../../support/team-database.ts';

async function open(): Promise<{ readonly on: TestReplica; readonly team: TeamPeople }> {
  const profiles = { ofOne: { servers: ['one'] }, ofTwo: { servers: ['two'] }, reading: { readOnly: true } };
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-grants-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // Distinguished by their tools, because with a single server names have no prefix.
  const server = (name: string): ReturnType<typeof fixture> => {
    const script = join(folder, `${name}.json`);
    writeFileSync(script, JSON.stringify({ tools: [{ name: `tool-of-${name}`, answer: 'done' }] }));
    return fixture('scripted', script);
  };
  const servers = { one: server('one'), two: server('two'), three: server('three') };
  const on = await startReplica(await teamDatabase(), { servers, profiles });
  onTestFinished(() => on[Symbol.asyncDispose]());
  const team = new TeamPeople(on);
  await team.people.ungrant('everyone');
  await team.people.grant('ones', 'ofOne');
  await team.people.grant('twos', 'ofTwo');
  await team.people.grant('both', 'ofOne');
  await team.people.grant('both', 'ofTwo');
  await team.people.grant('all', '*');
  await team.people.grant('lost', 'no such profile');
  return { on, team };
}

/** Names of the servers whose tools are visible to a user in these groups. */
async function shown({ url }: TestReplica, token: string): Promise<string[]> {
  const { session } = await openSession(url, token);
  const { result } = (await post(url, 'tools/list', {}, session, token)).message;
  const tools = (result?.['tools'] ?? []) as { name: string }[];
  return [...new Set(tools.map(({ name }) => /tool-of-(\w+)/.exec(name)?.[1] ?? name))].sort();
}

test('grants none, one, the other, both or all servers, by the user’s groups', async () => {
  const { on, team } = await open();
  const cases: readonly (readonly [groups: readonly string[], servers: readonly string[]])[] = [
    [[], []],
    [['ones'], ['one']],
    [['twos'], ['two']],
    [
      ['ones', 'twos'],
      ['one', 'two'],
    ],
    [['both'], ['one', 'two']],
    [['unknown'], []],
    [['unknown', 'ones'], ['one']],
    [['lost'], []],
    [['lost', 'twos'], ['two']],
    [
      ['ones', 'all'],
      ['one', 'three', 'two'],
    ],
  ];
  for (const [at, [groups, servers]] of cases.entries()) {
    await team.people.add({ name: `user ${at}`, groups });
    expect([groups, await shown(on, await team.give(`user ${at}`))]).toEqual([groups, servers]);
  }
});

test('grants everyone the servers of the group `everyone` until they are revoked', async () => {
  const { on, team } = await open();
  await team.people.add({ name: 'ana' });
  await team.people.add({ name: 'ben', groups: ['ones'] });
  const [ana, ben] = [await team.give('ana'), await team.give('ben')];
  expect([await shown(on, ana), await shown(on, ben)]).toEqual([[], ['one']]);
  await team.people.grant('everyone', 'ofTwo');
  await expect.poll(() => shown(on, ana)).toEqual(['two']);
  await expect.poll(() => shown(on, ben)).toEqual(['one', 'two']);
  await team.people.ungrant('everyone', 'ofTwo');
  await expect.poll(() => shown(on, ana)).toEqual([]);
});

test('removing a user from a group ends open streams and further calls', async () => {
  const { on, team } = await open();
  await team.people.add({ name: 'ana', groups: ['ones', 'twos'] });
  const token = await team.give('ana');
  const client = new HttpClient(on.url, false, bearer(token));
  await client.initialize();
  const call = async (): Promise<boolean> => {
    const params = { name: 'two_tool-of-two', arguments: {} };
    const { session } = await openSession(on.url, token);
    const { message } = await post(on.url, 'tools/call', params, session, token);
    return message.error === undefined && message.result?.['isError'] !== true;
  };
  expect(await call()).toBe(true);
  const opened = Promise.withResolvers<void>();
  const listening = client.listen(() => opened.resolve()).catch(() => undefined);
  await opened.promise;
  await team.people.change('ana', { groups: ['ones'] });
  await listening;
  expect(await call()).toBe(false);
  expect(await shown(on, token)).toEqual(['one']);
});
