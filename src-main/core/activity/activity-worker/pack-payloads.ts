/** The three texts of a call as one row: side by side in UTF-8, compressed where that makes them smaller. */
import * as zlib from 'node:zlib';
import { type PayloadSide, payloadSides, type PayloadGap, payloadAbsences } from '../payload.ts';

/** Masked. */
export type PayloadTexts = Readonly<Record<PayloadSide, { readonly text: string } | { readonly none: PayloadGap }>>;

export interface PackedPayloads {
  /** How `body` is compressed. Node.js has zstd from 22.15 on. */
  readonly codec: 'plain' | 'deflate' | 'zstd';
  /** JSON: bytes of each side in the body, or why it has none. */
  readonly sides: string;
  readonly body: Uint8Array;
}

/** In bytes: what is shorter does not get smaller. */
const minCompressibleBytes = 100;
/** Maximum size of data compressed synchronously, in bytes. */
const maxSyncCompressBytes = 64 * 1024;

export function packPayloads(texts: PayloadTexts): PackedPayloads {
  const sides = payloadSides.map((side) => {
    const said = texts[side];
    return 'none' in said ? ([side, said.none] as const) : ([side, Buffer.byteLength(said.text)] as const);
  });
  const whole = Buffer.allocUnsafe(sides.reduce((sum, [, length]) => sum + (Number(length) || 0), 0));
  let at = 0;
  // Each by itself: half of a character at the end of one and the other half at the beginning of the next stay two.
  for (const side of payloadSides) {
    const said = texts[side];
    if ('text' in said) at += whole.write(said.text, at);
  }
  return { sides: JSON.stringify(Object.fromEntries(sides)), ...compressed(whole) };
}

/** Throws where the row is not as it was written. */
export function unpackPayloads({ codec, sides, body }: PackedPayloads): PayloadTexts {
  const lengths = JSON.parse(sides) as Readonly<Record<PayloadSide, number | PayloadGap>>;
  const total = payloadSides.reduce((sum, side) => sum + (Number(lengths[side]) || 0), 0);
  const whole = decompressed(codec, body, total);
  if (whole.length !== total) throw new Error(`The texts have ${whole.length} bytes instead of ${total}.`);
  let at = 0;
  const read = payloadSides.map((side) => {
    const length = lengths[side];
    if (typeof length !== 'number') return [side, { none: payloadAbsences.find((one) => one === length) ?? 'nothing' }];
    at += length;
    return [side, { text: whole.toString('utf8', at - length, at) }];
  });
  return Object.fromEntries(read) as PayloadTexts;
}

function compressed(whole: Buffer): Pick<PackedPayloads, 'codec' | 'body'> {
  if (whole.length < minCompressibleBytes) return { codec: 'plain', body: whole };
  const codec = hasZstd ? 'zstd' : 'deflate';
  // The output buffer has this length, 16 KB by default: thousands of short calls held 40 MB until a garbage collection.
  const options = { chunkSize: Math.min(whole.length, maxSyncCompressBytes) };
  const body = hasZstd ? zlib.zstdCompressSync(whole, options) : zlib.deflateRawSync(whole, options);
  return body.length < whole.length ? { codec, body } : { codec: 'plain', body: whole };
}

const hasZstd = 'zstdCompressSync' in zlib;

/** Never more than `total` bytes, whatever a damaged row says. */
function decompressed(codec: PackedPayloads['codec'], body: Uint8Array, total: number): Buffer {
  if (codec === 'plain') return Buffer.from(body);
  const limit = { maxOutputLength: Math.max(1, total) };
  return codec === 'zstd' ? zlib.zstdDecompressSync(body, limit) : zlib.inflateRawSync(body, limit);
}
