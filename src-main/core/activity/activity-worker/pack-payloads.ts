/** Packs the three texts of a call into one row, in UTF-8, compressed if that is smaller. */
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

/** In bytes; shorter texts are not compressed. */
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
  // Encoded separately, so that halves of a surrogate pair in adjacent texts do not combine.
  for (const side of payloadSides) {
    const said = texts[side];
    if ('text' in said) at += whole.write(said.text, at);
  }
  return { sides: JSON.stringify(Object.fromEntries(sides)), ...compressed(whole) };
}

/** Throws if the row is damaged. */
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
  // By default the output buffer has 16 KB: thousands of short calls retained 40 MB until a garbage collection.
  const options = { chunkSize: Math.min(whole.length, maxSyncCompressBytes) };
  const body = hasZstd ? zlib.zstdCompressSync(whole, options) : zlib.deflateRawSync(whole, options);
  return body.length < whole.length ? { codec, body } : { codec: 'plain', body: whole };
}

const hasZstd = 'zstdCompressSync' in zlib;

/** At most `total` bytes, even if the row is damaged. */
function decompressed(codec: PackedPayloads['codec'], body: Uint8Array, total: number): Buffer {
  if (codec === 'plain') return Buffer.from(body);
  const limit = { maxOutputLength: Math.max(1, total) };
  return codec === 'zstd' ? zlib.zstdDecompressSync(body, limit) : zlib.inflateRawSync(body, limit);
}
