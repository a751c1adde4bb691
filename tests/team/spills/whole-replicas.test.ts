/** Two whole replicas: a spill of one is read at the other; while the object store is down, a result is truncated. */
import { expect, test } from 'vitest';
import { HttpClient } from '../../support/http-client.ts';
import { ModernClient } from '../../support/modern-client.ts';
import { bearer } from '../../support/callers.ts';
import { textOf } from '../../support/socket-client.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplica, teamToken, type TestReplica } from '../../support/start-replica.ts';
import { tcpDoor } from '../../support/tcp-door.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { objectsEnv, teamObjects, teamObjectsAddress } from '../../support/team-objects.ts';

const servers = { echo: fixture('echo') };
const message = `${Array.from({ length: 400 }, (_, at) => `line ${at} of the answer`).join('\n')}\n`;

test('reads a profile’s spill in that profile on any replica, and in no other profile', async () => {
  const database = await teamDatabase();
  const profiles = { calm: { servers: ['echo'] }, other: { servers: ['echo'] } };
  const config = { servers, profiles, results: { threshold: 2000 } };
  const objects = await teamObjectsAddress();
  await using a = await startReplica(database, config, { objects });
  await using b = await startReplica(database, config, { objects });
  const at = ({ url }: TestReplica, profile: string): ModernClient =>
    new ModernClient(new HttpClient(`${url}/p/${profile}`, true, bearer(teamToken)));
  const told = JSON.stringify((await at(a, 'calm').call('echo_echo', { message })).result);
  const [resultFile = ''] = /\b[a-km-np-z2-9]{20}\b/.exec(told) ?? [];
  const asked = { resultFile, op: 'grep', pattern: 'line 200 ' };
  const texts = [at(b, 'calm'), at(a, 'calm'), at(b, 'other')].map(async (client) =>
    textOf((await client.call('read_result', asked)).result ?? {}),
  );
  expect((await Promise.all(texts)).map((text) => /line 200|No spill with the ID/.exec(text)?.[0])).toEqual([
    'line 200',
    'line 200',
    'No spill with the ID',
  ]);
});

test('reads a spill on another replica, and truncates results while the object store is down', async () => {
  const { endpoint, prefix } = await teamObjects();
  const { port, pathname } = new URL(endpoint);
  const door = await tcpDoor('127.0.0.1', Number(port));
  const objects = `s3:/${pathname}/${prefix}?endpoint=http://127.0.0.1:${door.port}`;
  const database = await teamDatabase();
  const wishes = { objects, env: objectsEnv };
  const config = { servers, results: { threshold: 2000 } };
  await using a = await startReplica(database, config, wishes);
  await using b = await startReplica(database, config, wishes);
  const [here, there] = [a, b].map(({ url }) => new ModernClient(new HttpClient(url, true, bearer(teamToken))));
  // Server processes do not inherit its key.
  expect(Object.keys(a.replica.host.core.context.env).filter((name) => name.startsWith('TOOLTRAY_OBJECTS'))).toEqual(
    [],
  );
  const { result } = (await here?.call('echo_echo', { message })) ?? {};
  const told = JSON.stringify(result);
  const [id = ''] = /\b[a-km-np-z2-9]{20}\b/.exec(told) ?? [];
  expect([id.length, told.includes(a.folder), told.includes('line 200')]).toEqual([20, false, false]);
  const found = await there?.call('read_result', { resultFile: id, op: 'grep', pattern: 'line 200 ' });
  expect(textOf(found?.result ?? {})).toContain('line 200 of the answer');
  const read = await there?.once('resources/read', { uri: `tooltray://spill/${id}` });
  expect(read?.result).toMatchObject({ contents: [{ text: message }] });
  await door.shut();
  const whole = await here?.call('echo_echo', { message });
  expect(whole?.result).toMatchObject({
    content: [{ text: expect.stringContaining('CUT') as string }],
    _meta: { 'tooltray/notKept': expect.stringContaining('object store') as string },
  });
});
