/** A server's process for each user: private, with the user's values, started on demand and stopped when idle. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { secretVaultKey } from '../../../src-main/core/secrets/resolve-secrets.ts';
import { RpcError } from '../../../src-main/core/wire/message.ts';
import { failure, isAlive, say, toolNames } from '../../core/servers/servers-harness.ts';
import { until } from '../../support/until.ts';
import { ann, as, bob, newestPid, people } from './people.ts';

test('gives each user one private process, shared by the user’s apps', async () => {
  const { counter, harness } = people();
  const server = harness.server(counter());
  await server.start();
  expect(harness.pids('counter')).toEqual([]);
  const counts = await Promise.all([say(server, 'count', {}, as(ann, 'one')), say(server, 'count', {}, as(bob))]);
  expect([...counts, await say(server, 'count', {}, as(ann, 'two'))]).toEqual(['1', '1', '2']);
  expect(harness.pids('counter')).toHaveLength(2);
  expect(
    await failure(server.request('tools/call', { name: 'count' }, { ...as(ann), principal: undefined as never })),
  ).toMatchObject({
    code: 'not_allowed',
  });
});

test('takes the tool list from the first user’s process, and starts none for the second', async () => {
  const { counter, harness } = people();
  const config = counter();
  const server = harness.server(config);
  expect(await failure(server.ready())).toMatchObject({ code: 'server_starting' });
  server.onUserSeen(ann);
  await until(() => server.listedAt !== undefined);
  server.onUserSeen(bob);
  await server.ready();
  const next = harness.server(config);
  await server.stop();
  await next.restore();
  await next.start();
  expect([toolNames(server), toolNames(next)]).toEqual([toolNames(next), expect.arrayContaining(['count'])]);
  expect(harness.pids('counter')).toHaveLength(1);
});

test('reports why the first user’s process cannot list its tools, until one can', async () => {
  const values = new Map<string, string>();
  const { counter, harness } = people({ readOwn: (_, name) => Promise.resolve(values.get(name)) });
  const server = harness.server(counter({ env: { TOKEN: '${user:TOKEN}' } }));
  server.onUserSeen(ann);
  await until(() => server.state.kind === 'error');
  const reason = 'needs the secret TOKEN, which is not set';
  expect(server.state).toMatchObject({
    error: { code: 'secret_missing', message: expect.stringContaining(reason) as string },
  });
  // The caller retries it, and gets the error as well.
  expect(await failure(server.ready())).toMatchObject({
    code: 'secret_missing',
    fix: 'Set it: tooltray team secret set --user NAME TOKEN',
  });
  values.set(secretVaultKey('TOKEN'), 'x');
  await server.ready();
  expect([toolNames(server).includes('count'), server.state.kind === 'error']).toEqual([true, false]);
});

test('passes the user’s values to it, and nothing of the replica’s environment', async () => {
  const secrets = { TOOLTRAY_DATABASE: 'postgres://secret', AWS_SECRET_ACCESS_KEY: 'secret', TEAM_KEY: 'secret' };
  const { counter, harness } = people({
    env: { ...process.env, ...secrets },
    readOwn: ({ user }, name) => Promise.resolve(name === secretVaultKey('TOKEN') ? `token of ${user}` : undefined),
    readSecret: (name) => Promise.resolve(name === secretVaultKey('ORG') ? 'of all' : undefined),
  });
  const config = counter({ env: { TOKEN: '${user:TOKEN}', ORG: '${secret:ORG}' }, inheritEnv: 'all' });
  const server = harness.server(config);
  const [anns, bobs] = await Promise.all(
    [ann, bob].map(async (who) => JSON.parse(await say(server, 'env', {}, as(who))) as Record<string, string>),
  );
  expect([anns?.['TOKEN'], bobs?.['TOKEN'], anns?.['ORG']]).toEqual(['token of ann', 'token of bob', 'of all']);
  expect(anns?.['HOME']).not.toBe(bobs?.['HOME']);
  expect(JSON.stringify([anns, bobs])).not.toContain('secret');
  expect(Object.keys(anns ?? {}).filter((name) => /TOOLTRAY_(?!PROCESS)|AWS|KEY/.test(name))).toEqual([]);
});

test('reports which value a user lacks, and serves the next user', async () => {
  const { counter, harness } = people({
    readOwn: ({ user }) => Promise.resolve(user === 'ann' ? 'x' : undefined),
  });
  const server = harness.server(counter({ env: { TOKEN: '${user:TOKEN}' } }));
  const refused = await failure(server.request('tools/call', { name: 'count' }, as(bob)));
  expect(refused).toMatchObject({ message: expect.stringContaining('TOKEN, which is not set') as string });
  expect(await say(server, 'count', {}, as(ann))).toBe('1');
});

test('stops when idle, and starts again with the next call', async () => {
  const { counter, harness, processes } = people();
  const server = harness.server(counter({ idleTimeoutMs: 60 }));
  expect(await say(server, 'count', {}, as(ann))).toBe('1');
  await until(() => processes.counts.running === 0 && harness.registry.size === 0);
  expect(await say(server, 'count', {}, as(ann))).toBe('1');
});

test('limits the processes of a replica and of a user, and names the limit', async () => {
  let limits = { maxPerReplica: 1, maxPerUser: 8 };
  const { counter, harness, processes } = people({ limits: () => limits });
  const [server, other] = [harness.server(counter()), harness.server(counter({ name: 'other' }))];
  await say(server, 'count', {}, as(ann));
  const refused = (of: typeof server, who: typeof ann): Promise<unknown> =>
    failure(of.request('tools/call', { name: 'count' }, as(who)));
  const why = (limit: string): object => ({
    code: 'server_not_started',
    message: expect.stringContaining(limit) as string,
  });
  expect(await refused(server, bob)).toMatchObject(why('userProcesses.maxPerReplica'));
  limits = { maxPerReplica: 8, maxPerUser: 1 };
  expect(await refused(other, ann)).toMatchObject(why('userProcesses.maxPerUser'));
  expect(await say(server, 'count', {}, as(bob))).toBe('1');
  expect(processes.counts).toMatchObject({ running: 2, refused: { replica: 1, person: 1 } });
});

test('fails a call in flight when its process dies, without a rerun, and starts a new process next', async () => {
  const { counter, harness } = people();
  const log = join(harness.folder, 'runs');
  const server = harness.server(counter({}, [log]));
  await say(server, 'count', {}, as(ann));
  const pid = newestPid(harness);
  const call = { name: 'slow', arguments: { name: 'once', ms: 600_000 } };
  const hanging = failure(server.request('tools/call', call, as(ann)));
  await until(() => existsSync(log));
  process.kill(pid, 'SIGKILL');
  expect(await hanging).toBeInstanceOf(Error);
  await until(() => !isAlive(pid));
  expect(await say(server, 'count', {}, as(ann))).toBe('1');
  expect([harness.pids('counter').length, readFileSync(log, 'utf8')]).toEqual([2, 'once\n']);
});

test('starts a new process for a call that arrives while the process of its user ends', async () => {
  const { counter, processes, harness } = people();
  // It goes on when its input ends, until it is killed.
  const server = harness.server(counter({}, ['--stays']));
  expect([await say(server, 'count', {}, as(ann)), await say(server, 'count', {}, as(ann))]).toEqual(['1', '2']);
  const ending = processes.personChanged(ann);
  expect(await say(server, 'count', {}, as(ann))).toBe('1');
  await ending;
  expect(await say(server, 'count', {}, as(ann))).toBe('2');
});

test('forwards elicitation, progress and cancellation to the caller', async () => {
  const { harness, processes } = people();
  const unboxed = { isolation: { mode: 'none' }, placement: 'per-user' as const };
  const scripted = harness.scripted('asks', { tools: ['ask', 'tick', 'hang'] }, unboxed);
  const server = harness.server(scripted);
  const asked: string[] = [];
  const askClient = (method: string): Promise<never> => {
    asked.push(method);
    return Promise.reject(new RpcError(-32000, 'No.'));
  };
  const context = as(ann, 'app', { clientCapabilities: { elicitation: {} }, askClient });
  await say(server, 'ask', { method: 'elicitation/create' }, context);
  const ticks: unknown[] = [];
  const onProgress = (params: object): void => void ticks.push(params);
  const told = { name: 'tick', arguments: { times: 2, everyMs: 1 }, _meta: { progressToken: 'mine' } };
  await server.request('tools/call', told, as(ann, 'app', { onProgress }));
  const giveUp = new AbortController();
  const hanging = failure(server.request('tools/call', { name: 'hang' }, as(ann, 'app', { signal: giveUp.signal })));
  await until(() => harness.heard('asks').some(({ params }) => params?.['name'] === 'hang'));
  giveUp.abort();
  await hanging;
  await until(() => harness.heard('asks').some(({ method }) => method === 'notifications/cancelled'));
  expect([asked, ticks, processes.counts.running]).toEqual([
    ['elicitation/create'],
    [expect.objectContaining({ progressToken: 'mine' }), expect.objectContaining({ progressToken: 'mine' })],
    1,
  ]);
});
