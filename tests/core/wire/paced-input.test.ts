import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FrameReader, PacedReader } from '../../../src-main/core/wire/frame-reader.ts';

test('yields to other work after a chunk with many messages, and loses none', async () => {
  const input = new PassThrough({ highWaterMark: 1024 * 1024 });
  let messages = 0;
  const reader = new FrameReader({ onMessage: () => messages++, onWarning: () => undefined });
  const paced = new PacedReader(input, reader);
  const chunk = '{"jsonrpc":"2.0","method":"a"}\n'.repeat(100);
  for (let i = 0; i < 5; i++) input.write(chunk);
  paced.resume();
  const seen: number[] = [];
  while (messages < 500) {
    await turn();
    seen.push(messages);
  }
  const steps = seen.map((count, at) => count - (seen[at - 1] ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(200);
});

test('stops reading while any reason for it remains', async () => {
  const input = new PassThrough();
  let messages = 0;
  const reader = new FrameReader({ onMessage: () => messages++, onWarning: () => undefined });
  const paced = new PacedReader(input, reader);
  paced.resume();
  paced.stop('open', true);
  paced.stop('unread', true);
  input.write('{"jsonrpc":"2.0","method":"a"}\n');
  paced.stop('open', false);
  await turn();
  expect(messages).toBe(0);
  paced.stop('unread', false);
  await turn();
  await turn();
  expect(messages).toBe(1);
});
