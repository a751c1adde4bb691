import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { ByteBudget, createConnectionBudgets } from '../../../src-main/core/wire/byte-budget.ts';
import type { Message } from '../../../src-main/core/wire/message.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';
import { StreamTransport, type StreamTransportOptions } from '../../../src-main/core/wire/stream-transport.ts';

interface Line {
  readonly transport: StreamTransport;
  /** The other end. */
  readonly far: Socket;
  readonly messages: Message[];
  readonly oddities: string[];
  readonly closings: (Error | undefined)[];
  readonly closed: Promise<void>;
}

const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A started transport on a real socket, with its other side. */
async function line(options: StreamTransportOptions = {}): Promise<Line> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const far = connect((server.address() as { port: number }).port, '127.0.0.1');
  const [near] = (await once(server, 'connection')) as [Socket];
  server.close();
  sockets.push(near, far);
  near.pause();
  const transport = new StreamTransport(near, near, options);
  const [messages, oddities, closings]: [Message[], string[], (Error | undefined)[]] = [[], [], []];
  const closed = Promise.withResolvers<void>();
  await transport.start({
    onMessage: (message) => messages.push(message),
    onWarning: (oddity) => oddities.push(oddity),
    onClose: (error) => {
      closings.push(error);
      closed.resolve();
    },
  });
  return { transport, far, messages, oddities, closings, closed: closed.promise };
}

test('receives messages in order, starting with bytes that were already read', async () => {
  const { far, messages, closed } = await line({
    leftover: Buffer.from('{"jsonrpc":"2.0","method":"first"}\n{"jsonrpc":"2.0","met'),
  });
  far.end('hod":"second"}\n{"jsonrpc":"2.0","id":0,"result":{}}');
  await closed;
  expect(messages).toEqual([
    { jsonrpc: '2.0', method: 'first' },
    { jsonrpc: '2.0', method: 'second' },
    { jsonrpc: '2.0', id: 0, result: {} },
  ]);
});

test('sends one message per line in order, and big results as raw bytes', async () => {
  const { transport, far } = await line();
  const body = `{"price":1.10,"text":"${'é'.repeat(100_000)}"}`;
  const bytes = Buffer.from(body);
  const raw = new RawJson([bytes.subarray(0, 70_000), bytes.subarray(70_000)]);
  void transport.send({ jsonrpc: '2.0', id: 'a"b', result: raw });
  void transport.send({ jsonrpc: '2.0', method: 'line\nbreak', params: { a: 'b\nc' } });
  await transport.close();
  expect((await text(far)).split('\n')).toEqual([
    `{"jsonrpc":"2.0","id":"a\\"b","result":${body}}`,
    '{"jsonrpc":"2.0","method":"line\\nbreak","params":{"a":"b\\nc"}}',
    '',
  ]);
});

test('reports a line that is not a message and stays open', async () => {
  const { far, messages, oddities, closed } = await line({ maxMessageBytes: 2_000_000 });
  far.write('hello\n');
  far.write(`{"jsonrpc":"2.0","id":1,"result":{"a":"${'x'.repeat(2_100_000)}"}}\n`);
  far.end('{"jsonrpc":"2.0","method":"still here"}\n');
  await closed;
  expect(oddities[0]).toBe('hello');
  expect(messages).toMatchObject([
    { id: 1, error: { message: expect.stringContaining('over the limit') as string } },
    { method: 'still here' },
  ]);
});

test('closes once when the other side disconnects, without an error after a clean end', async () => {
  const { transport, far, closings, closed } = await line();
  far.end();
  await closed;
  await transport.close();
  expect(closings).toEqual([undefined]);
  await expect(transport.send({ jsonrpc: '2.0', method: 'x' })).rejects.toThrow('The peer has disconnected.');
});

test('reports why a connection broke', async () => {
  const { far, closings, closed } = await line();
  far.resetAndDestroy();
  await closed;
  expect(closings).toMatchObject([{ code: 'ECONNRESET' }]);
});

test('closes once if it is closed twice', async () => {
  const { transport, far, closings } = await line();
  far.resume();
  await Promise.all([transport.close(), transport.close(), once(far, 'end')]);
  expect(closings).toEqual([undefined]);
});

test('stops reading for a slow reader, drops progress and later sends each change once', async () => {
  const { transport, far, messages } = await line();
  far.pause();
  const long = { jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(1024 * 1024) } } as const;
  for (let at = 0; at < 24; at++) await transport.send(long);
  far.write('{"jsonrpc":"2.0","method":"asks for more"}\n');
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } } as const;
  const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;
  for (let at = 0; at < 1000; at++) await Promise.all([transport.send(progress), transport.send(changed)]);
  expect(messages).toEqual([]);
  let heard = '';
  far.setEncoding('utf8').on('data', (chunk: string) => (heard += chunk));
  far.resume();
  while (messages.length === 0 || !heard.includes('list_changed'))
    await new Promise((resolve) => setTimeout(resolve, 5));
  expect(messages).toMatchObject([{ method: 'asks for more' }]);
  expect([heard.split('list_changed').length - 1, heard.includes('progress')]).toEqual([1, false]);
});

test('closes the connection with the most unread bytes when the budget is exceeded', async () => {
  const budgets = { ...createConnectionBudgets(), unread: new ByteBudget(16 * 1024 * 1024) };
  const { transport, far, closings, closed } = await line({ budgets });
  far.pause();
  const long = { jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(1024 * 1024) } } as const;
  for (let at = 0; at < 40; at++) await transport.send(long).catch(() => undefined);
  await closed;
  expect(closings).toMatchObject([{ code: 'session_limit' }]);
  expect(budgets.unread.total).toBe(0);
});
