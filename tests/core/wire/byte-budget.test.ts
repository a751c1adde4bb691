import { expect, test } from 'vitest';
import { ByteBudget } from '../../../src-main/core/wire/byte-budget.ts';
import { FrameReader } from '../../../src-main/core/wire/frame-reader.ts';
import type { Message } from '../../../src-main/core/wire/message.ts';

const megabyte = 1024 * 1024;

function readerOn(budget: ByteBudget): { reader: FrameReader; messages: Message[] } {
  const messages: Message[] = [];
  const handlers = { onMessage: (message: Message) => messages.push(message), onWarning: () => undefined };
  return { reader: new FrameReader(handlers, 64 * megabyte, { budget }), messages };
}

test('drops the holder with the most bytes, however late the others come', () => {
  const dropped: string[] = [];
  const budget = new ByteBudget(100);
  const holder = (name: string) => ({ drop: () => dropped.push(name) });
  const [large, small, late] = [holder('large'), holder('small'), holder('late')];
  budget.set(large, 70);
  budget.set(small, 20);
  budget.set(late, 30);
  expect([dropped, budget.total]).toEqual([['large'], 50]);
  budget.set(late, 0);
  expect(budget.total).toBe(20);
});

test('keeps endless lines within the shared budget and still reads a whole message of another connection', () => {
  const budget = new ByteBudget(10 * megabyte);
  const endless = [readerOn(budget), readerOn(budget), readerOn(budget)];
  const chunk = Buffer.alloc(megabyte, 'x');
  for (let i = 0; i < 30; i++) for (const { reader } of endless) reader.push(chunk);
  expect(budget.total).toBeLessThanOrEqual(10 * megabyte);
  const honest = readerOn(budget);
  honest.reader.push(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":{"text":"${'y'.repeat(3 * megabyte)}"}}\n`));
  expect(honest.messages).toMatchObject([{ id: 1, result: { byteLength: 3 * megabyte + 11 } }]);
  expect(budget.total).toBeLessThanOrEqual(10 * megabyte);
});

test('reports a response that was dropped to its request', () => {
  const budget = new ByteBudget(2 * megabyte);
  const { reader, messages } = readerOn(budget);
  reader.push(Buffer.from(`{"jsonrpc":"2.0","id":7,"result":{"text":"${'y'.repeat(3 * megabyte)}`));
  reader.push(Buffer.from('"}}\n{"jsonrpc":"2.0","id":8,"result":{}}\n'));
  expect(messages).toMatchObject([
    { id: 7, error: { message: expect.stringContaining('did not fit into memory') as string } },
    { id: 8, result: {} },
  ]);
  expect(budget.total).toBe(0);
});

test('limits messages that must be parsed, but not results', () => {
  const messages: Message[] = [];
  const oddities: string[] = [];
  const reader = new FrameReader(
    { onMessage: (message) => messages.push(message), onWarning: (text) => oddities.push(text) },
    64 * megabyte,
    { maxParsedBytes: 2 * megabyte },
  );
  const long = 'y'.repeat(3 * megabyte);
  reader.push(Buffer.from(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${long}"}}\n`));
  reader.push(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":{"text":"${long}"}}\n`));
  expect([messages.length, oddities]).toEqual([1, [expect.stringContaining('3.0 MB is over the limit of 2.0 MB')]]);
});
