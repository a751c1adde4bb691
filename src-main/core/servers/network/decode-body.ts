/**
 * Decodes HTTP response bodies that a server, or a proxy in front of it, compressed although it was asked not to.
 * Source: RFC 9110, section 8.4.1 (content codings); for zstd RFC 8878. Lenient towards unfinished streams, as curl and
 * undici are.
 */
import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { AppError } from '../../base/errors.ts';
import { formatBytes } from '../../base/text-format.ts';

/** Values that misconfigured servers send for an unencoded body. */
const noCodings: ReadonlySet<string> = new Set(['', 'identity', 'none', 'utf-8', 'utf8', 'binary', '8bit']);

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
const lenient = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };

/** A decoder for a body that begins with this chunk; undefined for an unknown coding. */
function decoderFor(coding: string, first: Buffer): Transform | undefined {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip(lenient);
    case 'deflate':
      // Some servers omit the zlib header, whose lower half byte is the method 8.
      return ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate(lenient) : zlib.createInflateRaw(lenient);
    case 'br':
      return zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH });
    case 'zstd':
      // Available since Node.js 22.15.
      return (zlib as Partial<typeof zlib>).createZstdDecompress?.();
    default:
      return undefined;
  }
}

/** The codings of a `Content-Encoding` header, in the order they were applied; empty if nothing is encoded. */
export function contentCodings(header: string | null | undefined): readonly string[] {
  const named = (header ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  return named.filter((coding) => !noCodings.has(coding));
}

/**
 * Returns the decoded body. It fails with AppError `server_protocol` for an unknown coding,
 * `message_too_large` beyond `maxBytes` decoded bytes, and with the system's error for a damaged body.
 */
export function decodeBody(body: Readable, codings: readonly string[], maxBytes: number): Readable {
  const steps = codings.toReversed().map((coding) => (source: AsyncIterable<Buffer>) => decode(source, coding));
  const bounded = (source: AsyncIterable<Buffer>): AsyncIterable<Buffer> => bound(source, maxBytes);
  const decoded = [...steps, bounded].reduce<AsyncIterable<Buffer>>((source, step) => step(source), body);
  const readable = Readable.from(decoded, { objectMode: false });
  // Destroys the body even if nothing was read.
  return readable.once('close', () => body.destroy());
}

async function* decode(source: AsyncIterable<Buffer>, coding: string): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  // Responses without a body may name a coding, too.
  if (first.done === true) return;
  const decoder = decoderFor(coding, first.value);
  if (decoder === undefined) {
    await chunks.return?.();
    throw new AppError('server_protocol', `The response has the unknown encoding "${coding}".`);
  }
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  // The reader of the decoder receives the error.
  yield* pipeline(whole, decoder, () => undefined) as AsyncIterable<Buffer>;
}

async function* bound(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > maxBytes) {
      const text = `The compressed response is longer than ${formatBytes(maxBytes)} when decoded, and was aborted.`;
      throw new AppError('message_too_large', text);
    }
    yield chunk;
  }
}
