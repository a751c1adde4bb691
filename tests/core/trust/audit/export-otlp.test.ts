/** Audit records are exported as OpenTelemetry logs, with retries where they make sense. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { parseOtlpHeaders } from '../../../../src-main/core/base/otlp.ts';
import { logsUrl, exportRecords } from '../../../../src-main/core/trust/audit/export-otlp.ts';
import { readAll } from '../../../../src-main/core/trust/audit/read-audit-log.ts';
import { FileAuditLog } from '../../../../src-main/core/trust/audit/audit-segments.ts';
import { call, decision, linesOf, openAudit, openFolder, writtenLog } from './fixture.ts';

interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface Seen {
  readonly path: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

async function collector(replies: readonly Reply[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { status, headers = {}, body: answer = '{}' } = replies[seen.length] ?? { status: 200 };
      seen.push({ path: request.url, headers: request.headers, body });
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, seen, [Symbol.asyncDispose]: async () => void (await new Promise((end) => server.close(end))) };
}

const quick = { firstMs: 1, maxMs: 5 };
const target = (url: string, headers: Record<string, string> = {}) => ({
  url: logsUrl(url),
  headers,
  version: '1.2.3',
});

test('exports a record as an OTLP log record with its line', async () => {
  using open = openFolder();
  await using there = await collector([]);
  const audit = openAudit(open.folder);
  audit.note(call({ labels: ['private'], code: 'server_exited' }));
  audit.note(decision());
  await audit.close();
  const outcome = await exportRecords(
    readAll(new FileAuditLog(open.folder), { kinds: ['call'] }),
    target(there.url, { 'x-key': 'k' }),
  );
  expect(outcome).toEqual({ sent: 1, rejected: 0, message: '', last: 2 });
  const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = there.seen;
  expect({ path, type: headers['content-type'], key: headers['x-key'] }).toEqual({
    path: '/v1/logs',
    type: 'application/json',
    key: 'k',
  });
  const text = (value: string) => ({ stringValue: value });
  expect(JSON.parse(body)).toEqual({
    resourceLogs: [
      {
        resource: {
          attributes: [
            { key: 'service.name', value: text('tooltray') },
            { key: 'service.version', value: text('1.2.3') },
          ],
        },
        scopeLogs: [
          {
            scope: { name: 'tooltray.audit', version: '1.2.3' },
            logRecords: [
              {
                timeUnixNano: '1767225600000000000',
                observedTimeUnixNano: '1767225600000000000',
                severityNumber: 9,
                severityText: 'INFO',
                eventName: 'tooltray.audit.call',
                body: text('github:create_issue, 340 bytes in 13 ms: private'),
                attributes: [
                  { key: 'tooltray.audit.seq', value: { intValue: '2' } },
                  { key: 'tooltray.audit.kind', value: text('call') },
                  { key: 'tooltray.audit.app', value: text('cursor') },
                  { key: 'mcp.session.id', value: text('s1') },
                  { key: 'tooltray.audit.mode', value: text('proxy') },
                  { key: 'tooltray.audit.server', value: text('github') },
                  { key: 'gen_ai.tool.name', value: text('create_issue') },
                  { key: 'tooltray.audit.arguments.bytes', value: { intValue: '12' } },
                  { key: 'tooltray.audit.arguments.hmac', value: text('a'.repeat(43)) },
                  { key: 'tooltray.audit.result.bytes', value: { intValue: '340' } },
                  { key: 'tooltray.audit.result.hmac', value: text('b'.repeat(43)) },
                  { key: 'tooltray.audit.outcome', value: text('ok') },
                  { key: 'tooltray.audit.ms', value: { doubleValue: 12.5 } },
                  { key: 'tooltray.audit.labels', value: { arrayValue: { values: [text('private')] } } },
                  { key: 'error.type', value: text('server_exited') },
                  { key: 'log.record.original', value: text(linesOf(open.folder)[1] as string) },
                ],
              },
            ],
          },
        ],
      },
    ],
  });
});

test('retries when the collector is busy, and sends thousands of records in batches', async () => {
  using open = openFolder();
  await using there = await collector([{ status: 503 }, { status: 429, headers: { 'retry-after': '0' } }]);
  await writtenLog(open.folder, 1200);
  const outcome = await exportRecords(readAll(new FileAuditLog(open.folder), {}), target(there.url), quick);
  expect(outcome).toMatchObject({ sent: 1200, rejected: 0 });
  expect(there.seen).toHaveLength(5);
  expect(new Set(there.seen.slice(0, 3).map(({ body }) => body)).size).toBe(1);
});

test('gives up after the maximum of attempts, and reports what has arrived', async () => {
  using open = openFolder();
  const busy = { status: 503 };
  await using there = await collector([{ status: 200 }, busy, busy, busy]);
  await writtenLog(open.folder, 600);
  const sending = exportRecords(readAll(new FileAuditLog(open.folder), {}), target(there.url), {
    ...quick,
    attempts: 3,
  });
  await expect(sending).rejects.toMatchObject({
    code: 'call_failed',
    fix: expect.stringContaining('--after 502') as string,
  });
  expect(there.seen).toHaveLength(4);
});

test('neither retries a rejected request nor follows a redirect', async () => {
  using open = openFolder();
  await using other = await collector([]);
  await using there = await collector([{ status: 400 }]);
  await writtenLog(open.folder, 1);
  await expect(
    exportRecords(readAll(new FileAuditLog(open.folder), {}), target(there.url), quick),
  ).rejects.toMatchObject({
    message: 'The collector did not accept the records: it answered 400.',
  });
  expect(there.seen).toHaveLength(1);
  await using leads = await collector([{ status: 307, headers: { location: other.url } }]);
  const led = exportRecords(readAll(new FileAuditLog(open.folder), {}), target(leads.url), { ...quick, attempts: 1 });
  await expect(led).rejects.toMatchObject({ code: 'call_failed' });
  expect(other.seen).toEqual([]);
});

test('reports the records that the collector rejected', async () => {
  using open = openFolder();
  const body = JSON.stringify({ partialSuccess: { rejectedLogRecords: '2', errorMessage: 'too old' } });
  await using there = await collector([{ status: 200, body }]);
  await writtenLog(open.folder, 3);
  expect(await exportRecords(readAll(new FileAuditLog(open.folder), {}), target(there.url))).toMatchObject({
    sent: 3,
    rejected: 2,
    message: 'too old',
  });
});

test('keeps the path of a URL, and reads headers as the exporter specification defines them', () => {
  expect(logsUrl('https://otel.example/in/v1/logs').href).toBe('https://otel.example/in/v1/logs');
  expect(() => logsUrl('file:///etc/passwd')).toThrow('is no address of a collector');
  expect(parseOtlpHeaders('api-key=a%20b, x=1')).toEqual({ 'api-key': 'a b', x: '1' });
  expect(parseOtlpHeaders(undefined)).toEqual({});
});
