/** Event streams on real responses: format, and slow readers. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EventStream, EventStreams } from '../../../../src-main/core/sessions/http/event-stream.ts';
import { ByteBudget } from '../../../../src-main/core/wire/byte-budget.ts';
import { RawJson } from '../../../../src-main/core/wire/raw-json.ts';
import { until } from '../../../support/until.ts';

let server: Server;
let client: Socket;
let stream: EventStream;
let response: ServerResponse;
let streams: EventStreams;

const mostUnread = 32 * 1024 * 1024;

beforeEach(async () => {
  streams = new EventStreams(new ByteBudget(mostUnread));
  const opened = Promise.withResolvers<void>();
  server = createServer((_request, given) => {
    response = given;
    stream = streams.open(given);
    opened.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await opened.promise;
});
afterEach(() => {
  client.destroy();
  server.close();
});

const big = { jsonrpc: '2.0', method: 'notifications/progress', params: { text: 'x'.repeat(1024 * 1024) } } as const;
const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;

test('writes a result of many lines as one data line', async () => {
  const text = '{\n  "content": [\r\n {"type": "text", "text": "a\\nb"}]\n}';
  let got = '';
  client.on('data', (chunk: Buffer) => (got += chunk.toString()));
  stream.send({ jsonrpc: '2.0', id: 1, result: new RawJson([Buffer.from(text)]) });
  stream.end();
  await until(() => got.endsWith('\r\n0\r\n\r\n'));
  // The event may be split over several chunks.
  const body = got.split('\r\n\r\n')[1]?.replace(/(?:^|\r\n)[0-9a-f]+\r\n/gi, '') ?? '';
  const [, said = ''] = /^event: message\ndata: (.*)\n\n/.exec(body) ?? [];
  expect(JSON.parse(said)).toEqual({ jsonrpc: '2.0', id: 1, result: JSON.parse(text) as unknown });
});

test('drops progress for a slow reader, but nothing else', () => {
  client.pause();
  for (let at = 0; at < 64; at++) stream.send(big);
  const unread = response.writableLength;
  expect(unread).toBeLessThan(16 * 1024 * 1024);
  stream.send(changed);
  expect(response.writableLength).toBeGreaterThan(unread);
  expect(stream.isOpen).toBe(true);
});

test('disconnects a reader with too many unread bytes and frees its budget', async () => {
  client.pause();
  const answer = { jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(8 * 1024 * 1024) } } as const;
  for (let at = 0; at < 8; at++) stream.send(answer);
  await until(() => response.destroyed);
  expect(stream.isOpen).toBe(false);
  await until(() => streams.count === 0);
});

test('writes nothing to a closed stream', async () => {
  client.destroy();
  await until(() => response.destroyed);
  stream.send(changed);
  stream.keepAlive();
  stream.end();
  expect(streams.count).toBe(0);
});
