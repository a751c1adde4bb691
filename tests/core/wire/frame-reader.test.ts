import { describe, expect, test } from 'vitest';
import { FrameReader } from '../../../src-main/core/wire/frame-reader.ts';
import { type Message, serializeMessage } from '../../../src-main/core/wire/message.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';

interface Read {
  readonly messages: Message[];
  readonly oddities: string[];
}

function read(bytes: Buffer, chunkSize: number, maxBytes?: number): Read {
  const messages: Message[] = [];
  const oddities: string[] = [];
  const reader = new FrameReader({ onMessage: (m) => messages.push(m), onWarning: (t) => oddities.push(t) }, maxBytes);
  for (let at = 0; at < bytes.length; at += chunkSize) reader.push(bytes.subarray(at, at + chunkSize));
  reader.end();
  return { messages, oddities };
}

function bigResult(extra: Record<string, unknown> = {}): Record<string, unknown> {
  const text = 'Zoë said "quote \\ and } brace" '.repeat(60_000);
  return { content: [{ type: 'text', text }], ...extra };
}

describe('frames', () => {
  test('reads small messages in order for any chunk size', () => {
    const lines = [1, 2, 3].map((id) => JSON.stringify({ jsonrpc: '2.0', id, result: { at: 'é€😀', id } }));
    const bytes = Buffer.from(lines.join('\r\n') + '\n');
    for (const size of [1, 2, 3, 7, 1000]) {
      expect(read(bytes, size).messages.map((m) => JSON.stringify(m))).toEqual(lines);
    }
  });

  test('keeps the spelling of numbers that a double cannot hold', () => {
    const line = '{"jsonrpc":"2.0","id":1,"result":{"big":12345678901234567890,"one":1.0,"huge":1e400,"minus":-0}}';
    const { messages } = read(Buffer.from(line + '\n'), 9);
    expect(serializeMessage(messages[0] as Message)).toEqual([line + '\n']);
  });

  test('reports a line that is not a message and reads the next one', () => {
    const { messages, oddities } = read(Buffer.from('npm warn hello\n\n{"a":1}\n{"jsonrpc":"2.0","method":"x"}\n'), 5);
    expect(messages).toEqual([{ jsonrpc: '2.0', method: 'x' }]);
    expect(oddities).toEqual(['npm warn hello', '{"a":1}']);
  });

  test.each([
    ['a request', '{"level":"info","id":"req-1","method":"GET"}'],
    ['a notification', '{"level":"info","method":"POST"}'],
    ['an answer', '{"id":1,"result":{"status":200}}'],
    ['an error', '{"id":1,"error":{"code":502,"message":"no"}}'],
    ['a long answer', `{"id":1,"result":{"text":"${'x'.repeat(1024 * 1024)}"}}`],
    ['a message of another version', '{"jsonrpc":"1.0","id":1,"result":{}}'],
  ])('reports %s without "jsonrpc": "2.0"', (_what, line) => {
    expect(read(Buffer.from(`${line}\n`), 65_536)).toEqual({ messages: [], oddities: [line] });
  });

  test('passes on a big result unchanged, with its id and flags, in any member order', () => {
    const result = bigResult({ isError: true, resultType: 'complete' });
    const body = JSON.stringify(result);
    for (const line of [
      `{"result": ${body} ,"jsonrpc":"2.0","id":"x\\"7"}`,
      `{"vendor":{"id":9},"id":"x\\"7","result":${body},"jsonrpc":"2.0"}`,
    ]) {
      for (const size of [1000, 65_536, line.length]) {
        const [message] = read(Buffer.from(line + '\n'), size).messages;
        if (message === undefined || !('result' in message)) throw new Error('no result');
        const raw = message.result as RawJson;
        expect(raw).toBeInstanceOf(RawJson);
        expect({ id: message.id, facts: raw.scalars, text: raw.text().trimEnd() === body }).toEqual({
          id: 'x"7',
          facts: { isError: true, resultType: 'complete' },
          text: true,
        });
      }
    }
  });

  test('parses a big request and a big error completely', () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', arguments: bigResult() } };
    const failure = { jsonrpc: '2.0', id: 2, error: { code: 1, message: 'm', data: bigResult() } };
    const { messages } = read(Buffer.from(`${JSON.stringify(request)}\n${JSON.stringify(failure)}\n`), 50_000);
    expect(messages).toEqual([request, failure]);
  });

  test('returns an error for a message over the limit and reads the next one', () => {
    const line = JSON.stringify({ jsonrpc: '2.0', result: bigResult(), id: 41 });
    const next = JSON.stringify({ jsonrpc: '2.0', id: 42, result: {} });
    const { messages, oddities } = read(Buffer.from(`${line}\n${next}\n`), 60_000, 1_200_000);
    expect(messages[0]).toMatchObject({
      id: 41,
      error: { message: expect.stringContaining('over the limit') as string },
    });
    expect(messages[1]).toEqual(JSON.parse(next));
    expect(oddities).toHaveLength(1);
  });

  test('replaces invalid UTF-8 in a big result and keeps split characters', () => {
    const good = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { t: '€'.repeat(600_000) } }) + '\n');
    const [fine] = read(good, 4097).messages;
    if (fine === undefined || !('result' in fine)) throw new Error('no result');
    expect((fine.result as RawJson).parse()).toEqual({ t: '€'.repeat(600_000) });

    const bad = Buffer.from(good);
    bad[500_000] = 0xff;
    const [mended] = read(bad, 4097).messages;
    if (mended === undefined || !('result' in mended)) throw new Error('no result');
    expect((mended.result as RawJson).text()).toContain('\ufffd');
  });
});

describe('raw results', () => {
  test('prepends members without parsing', () => {
    const raw = new RawJson([Buffer.from('{"a'), Buffer.from('":1}')]);
    expect(raw.withMembers({ resultType: 'complete' }).text()).toBe('{"resultType":"complete","a":1}');
    expect(new RawJson([Buffer.from('{}')]).withMembers({ b: 2 }).text()).toBe('{"b":2}');
  });
});
