/** Decodes compressed responses, which some proxies and frameworks send regardless of Accept-Encoding. */
import * as zlib from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpFetch } from '../../../../src-main/core/servers/network/http-fetch.ts';
import { failure } from '../servers-harness.ts';
import { serve } from '../transports/http-harness.ts';

const codings: Readonly<Record<string, (text: string | Buffer) => Buffer>> = {
  gzip: (text) => zlib.gzipSync(text),
  'x-gzip': (text) => zlib.gzipSync(text),
  deflate: (text) => zlib.deflateSync(text),
  br: (text) => zlib.brotliCompressSync(text),
  zstd: (text) => zlib.zstdCompressSync(text),
  'Deflate, GZIP': (text) => zlib.gzipSync(zlib.deflateSync(text)),
  'utf-8': (text) => Buffer.from(text),
  identity: (text) => Buffer.from(text),
};

async function fetched(
  coding: string,
  body: Buffer,
  { type = 'application/json', maxDecodedBytes = 1024 * 1024 } = {},
) {
  const { href } = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': type, 'content-encoding': coding, 'content-length': body.length });
    response.end(body);
  });
  const http = new HttpFetch({ env: {}, maxDecodedBytes });
  onTestFinished(() => http.close());
  return http.fetch(href);
}

const text = '{"text":"grüße ✓ 日本"}'.repeat(1000);

describe('Response body', () => {
  test.each(Object.entries(codings))('decodes the content encoding %s', async (coding, encode) => {
    const response = await fetched(coding, encode(text));
    expect(await response.text()).toBe(text);
  });

  test('decodes deflate without a zlib header', async () => {
    expect(await (await fetched('deflate', zlib.deflateRawSync(text))).text()).toBe(text);
  });

  test('accepts an empty body with any content encoding', async () => {
    expect(await (await fetched('gzip', Buffer.alloc(0))).text()).toBe('');
  });

  test('rejects an unknown content encoding and names it', async () => {
    const response = await fetched('compress', Buffer.from('x'));
    expect(await failure(response.text())).toMatchObject({
      code: 'server_protocol',
      message: expect.stringContaining('compress') as string,
    });
  });

  test('rejects a body that does not match its content encoding', async () => {
    await failure((await fetched('gzip', Buffer.from('{"a":1}'))).text());
  });

  test('stops decoding a body beyond the size limit', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const response = await fetched('gzip', bomb);
    expect(await failure(response.text())).toMatchObject({ code: 'message_too_large' });
  });
});

test('delivers events of a compressed stream one by one, without a limit on their sum', async () => {
  const gzip = zlib.createGzip();
  const { href } = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
    gzip.pipe(response);
  });
  const http = new HttpFetch({ env: {}, maxDecodedBytes: 10 });
  onTestFinished(() => http.close());
  const say = (event: string): void => {
    gzip.write(event);
    gzip.flush();
  };
  say('data: the first of them\n\n');
  const body = (await http.fetch(href)).body as ReadableStream<Uint8Array>;
  const reader = body.getReader();
  const read = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString();
  expect(await read()).toBe('data: the first of them\n\n');
  say('data: the second\n\n');
  expect(await read()).toBe('data: the second\n\n');
  await reader.cancel();
  gzip.destroy();
});
