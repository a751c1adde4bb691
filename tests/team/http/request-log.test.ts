/** Log lines of a request carry its id and its trace. */
import { Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { post, openSession } from '../../support/team-caller.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplica, teamToken } from '../../support/start-replica.ts';
import { teamDatabase } from '../../support/team-database.ts';

interface Line {
  readonly scope: string;
  readonly level: string;
  readonly message: string;
  readonly requestId?: string;
  readonly traceId?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

async function replicaWithLog() {
  const lines: Line[] = [];
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as Line);
      done();
    },
  });
  const one = await startReplica(await teamDatabase(), { servers: { echo: fixture('echo') } }, { logTo: { stdout } });
  onTestFinished(() => one[Symbol.asyncDispose]());
  const ended = (id: string): Promise<Line> =>
    expect
      .poll(() => lines.find(({ scope, requestId }) => scope === 'http' && requestId === id))
      .toBeDefined()
      .then(() => lines.find(({ scope, requestId }) => scope === 'http' && requestId === id) as Line);
  return { one, lines, ended };
}

const [trace, app] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

test('writes the request id and trace id of a request into its log lines', async () => {
  const { one, ended } = await replicaWithLog();
  const { session } = await openSession(one.url);
  const params = { name: 'echo_echo', arguments: { message: 'x' } };
  const headers = { traceparent: `00-${trace}-${app}-01`, 'x-request-id': 'balancer-1' };
  await post(one.url, 'tools/call', params, session, teamToken, headers);
  expect(await ended('balancer-1')).toMatchObject({
    level: 'info',
    traceId: trace,
    fields: { method: 'POST', path: '/mcp', status: 200, isComplete: true },
  });
});

test('assigns ids to requests without valid ones, and logs no query', async () => {
  const { one, lines, ended } = await replicaWithLog();
  const address = `${one.url}?code=secret-code`;
  const response = await fetch(address, { headers: { 'x-request-id': 'a "forged" one', traceparent: 'none' } });
  const id = response.headers.get('x-request-id') ?? '';
  expect(id).toMatch(/^[\da-f-]{36}$/);
  const line = await ended(id);
  expect(line.traceId).toMatch(/^[\da-f]{32}$/);
  expect(line.fields).toMatchObject({ status: 401, path: '/mcp' });
  expect(JSON.stringify(lines)).not.toContain('secret-code');
});

test('logs a request that its client aborts', async () => {
  const { one, ended } = await replicaWithLog();
  const { session } = await openSession(one.url);
  const gone = new AbortController();
  const headers = {
    authorization: `Bearer ${teamToken}`,
    'mcp-session-id': session,
    accept: 'text/event-stream',
    'x-request-id': 'aborted',
  };
  const response = await fetch(one.url, { headers, signal: gone.signal });
  expect(response.status).toBe(200);
  gone.abort();
  expect((await ended('aborted')).fields).toMatchObject({ method: 'GET', isComplete: false });
});
