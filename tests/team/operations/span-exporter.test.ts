/** Exports calls as spans in the trace of their app; a failing collector costs only the spans. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { CallRecord } from '../../../src-main/core/activity/call-record.ts';
import { Emitter } from '../../../src-main/core/base/emitter.ts';
import { otlpTarget } from '../../../src-main/core/base/otlp.ts';
import { SpanExporter } from '../../../src-main/team/operations/span-exporter.ts';
import { HttpClient } from '../../support/http-client.ts';
import { ModernClient } from '../../support/modern-client.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { fixture } from '../../support/start-core.ts';
import { textOf } from '../../support/socket-client.ts';
import { startReplica, teamToken } from '../../support/start-replica.ts';
import { teamDatabase } from '../../support/team-database.ts';

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: object;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** A real receiver that responds with these statuses in turn; the last one repeats. */
async function collector(...statuses: readonly number[]) {
  const seen: { readonly path: string; readonly headers: object; readonly body: string }[] = [];
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const status = statuses[Math.min(seen.length, statuses.length - 1)] ?? 200;
      seen.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const spans = (): readonly Span[] => seen.flatMap(({ body }) => spansIn(body));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, spans };
}

function spansIn(body: string): readonly Span[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

const said = ({ attributes }: Span): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const [trace, app] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

test('continues the trace of an HTTP request, unless the call names another one', async () => {
  const there = await collector(200);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: there.url };
  const one = await startReplica(await teamDatabase(), { servers: { echo: fixture('echo') } }, { env });
  const headers = { authorization: `Bearer ${teamToken}`, traceparent: `00-${trace}-${app}-01` };
  const { session } = await openSession(one.url);
  const params = { name: 'echo_echo', arguments: { message: 'x' } };
  await post(one.url, 'tools/call', params, session, teamToken, { traceparent: headers.traceparent });
  const client = new ModernClient(new HttpClient(`${one.url}/server/echo`, true, headers));
  await client.call('echo', { message: 'x' });
  const [otherTrace, otherApp] = ['a'.repeat(32), 'b'.repeat(16)];
  await client.call('echo', { message: 'x' }, { _meta: { traceparent: `00-${otherTrace}-${otherApp}-01` } });
  await one[Symbol.asyncDispose]();
  const asked = there.spans().filter(({ kind }) => kind === 2);
  expect(asked).toMatchObject([
    { traceId: trace, parentSpanId: app },
    { traceId: trace, parentSpanId: app },
    { traceId: otherTrace, parentSpanId: otherApp },
  ]);
});

test('exports a call as a span in its app’s trace, with the server’s span below it', async () => {
  const there = await collector(200);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: there.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b' };
  const telling = { command: process.execPath, args: [join(import.meta.dirname, 'telling-server.ts')] };
  const servers = { echo: fixture('echo'), telling };
  const one = await startReplica(await teamDatabase(), { servers }, { env });
  const at = (url: string) => new ModernClient(new HttpClient(url, true, { authorization: `Bearer ${teamToken}` }));
  const client = at(`${one.url}/server/echo`);
  const sampled = { _meta: { traceparent: `00-${trace}-${app}-01` } };
  await client.call('echo', { message: 'a secret word' }, sampled);
  await client.call('echo', { message: 'nobody looks' }, { _meta: { traceparent: `00-${trace}-${app}-00` } });
  await at(one.url).call('no_such_tool');
  const tell = async (more: object): Promise<string> =>
    textOf((await at(`${one.url}/server/telling`).call('trace', {}, { ...more })).result ?? {});
  const told = [await tell(sampled), await tell({}), await tell({ _meta: { traceparent: `00-${trace}-${app}-00` } })];
  await one[Symbol.asyncDispose]();
  const [asked, server, lost, , below, , beginning, ...others] = there.spans();
  expect(others).toEqual([]);
  // The server's own span is below ours; without sampling, the app's context is passed on unchanged.
  expect(told).toEqual([
    `00-${trace}-${below?.spanId}-01`,
    `00-${beginning?.traceId}-${beginning?.spanId}-01`,
    `00-${trace}-${app}-00`,
  ]);
  expect(there.seen[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-key': 'a b' } });
  expect(asked).toMatchObject({ name: 'tools/call echo', kind: 2, traceId: trace, parentSpanId: app });
  expect(server).toMatchObject({ kind: 3, traceId: trace, parentSpanId: asked?.spanId });
  expect(asked && said(asked)).toMatchObject({
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': 'echo',
    'tooltray.server': 'echo',
    'user.id': 'tester',
    'tooltray.outcome': 'ok',
  });
  expect(lost).toMatchObject({ status: { code: 2 }, traceId: expect.not.stringMatching(trace) as string });
  const ns = ({ startTimeUnixNano, endTimeUnixNano }: Span) => [BigInt(startTimeUnixNano), BigInt(endTimeUnixNano)];
  const [[from = 0n, to = 0n], [begun = 0n, ended = 0n]] = [ns(asked as Span), ns(server as Span)];
  expect(from <= begun && begun <= ended && ended <= to).toBe(true);
  expect(there.seen.map(({ body }) => body).join('')).not.toContain('secret word');
});

const call: CallRecord = {
  startedAt: 1_790_000_000_000,
  sessionId: 's',
  app: 'cursor',
  mode: 'proxy',
  server: 'echo',
  tool: 'echo',
  durationMs: 3.25,
  stages: { resolve: 0.5, allow: 0.25, call: 2, shape: 0.5 },
  bytes: { request: 1, serverResult: 1, modelResult: 1 },
  outcome: 'ok',
};

function spansFor(url: string) {
  const recorded = new Emitter<CallRecord>();
  const warned: string[] = [];
  const spans = new SpanExporter({
    activity: { recorded },
    target: { url: new URL(url), headers: {} },
    service: 'tooltray',
    replica: 'r1',
    version: '1.2.3',
    log: { warn: (words) => void warned.push(words) },
    // A busy computer needs more time.
    endMs: 60_000,
  });
  return { recorded, spans, warned };
}

test('retries a busy collector, and drops spans that one rejects', async () => {
  const busy = await collector(503, 200);
  const first = spansFor(busy.url);
  first.recorded.emit(call);
  await first.spans.close();
  expect([busy.seen.length, busy.spans().length, first.warned]).toEqual([2, 4, []]);
  const refusing = await collector(400);
  const second = spansFor(refusing.url);
  second.recorded.emit(call);
  await second.spans.close();
  expect([refusing.seen.length, second.warned]).toEqual([1, [expect.stringContaining('Could not export 2 spans')]]);
});

test.each([
  ['nothing is said', {}, undefined],
  ['for all signals', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/otlp/' }, 'http://c:4318/otlp/v1/traces'],
  [
    'for traces, as it stands',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t:1/in' },
    'http://t:1/in',
  ],
  [
    'traces are switched off',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_TRACES_EXPORTER: 'none' },
    undefined,
  ],
])('sends traces to: %s', (_, env, url) => {
  expect(otlpTarget(env, 'traces')?.url.href).toBe(url);
});

test('rejects an invalid collector address', () => {
  expect(() => otlpTarget({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'traces')).toThrow(
    'no address of a collector',
  );
});
