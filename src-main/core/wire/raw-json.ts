/** A JSON object stored as the received bytes: forwarded unparsed, and parsed only on access. */
import { isUtf8 } from 'node:buffer';
import { isSpace, type JsonObject, parseJson } from '../base/json.ts';

export class RawJson {
  readonly chunks: readonly Buffer[];
  readonly byteLength: number;
  /**
   * The object's short top-level strings, numbers and booleans (`isError`, `resultType`), read while the bytes
   * arrived.
   */
  readonly scalars: Readonly<JsonObject>;

  constructor(chunks: readonly Buffer[], facts: JsonObject = {}) {
    this.chunks = isUtf8Across(chunks) ? chunks : [Buffer.from(Buffer.concat(chunks).toString('utf8'))];
    this.byteLength = this.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    this.scalars = facts;
  }

  /** The JSON text. Throws RangeError beyond V8's maximum string length (about 512 MiB). */
  text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }

  parse(): JsonObject {
    return parseJson(this.text()) as JsonObject;
  }

  /** The same object with members inserted first; a later duplicate wins, as in JSON.parse. */
  withMembers(members: JsonObject): RawJson {
    const first = this.chunks[0];
    if (first === undefined) return this;
    const head = Buffer.from(JSON.stringify(members).slice(0, -1) + (isEmptyObject(this.chunks) ? '' : ','));
    return new RawJson([head, first.subarray(1), ...this.chunks.slice(1)], { ...members, ...this.scalars });
  }

  /** Lets JSON.stringify write it like a plain object. */
  toJSON(): JsonObject {
    return this.parse();
  }
}

/** The parsed object, however the result is held. */
export function toObject(result: JsonObject | RawJson): JsonObject {
  return result instanceof RawJson ? result.parse() : result;
}

/** A short top-level member, without parsing large results. */
export function scalarOf(result: JsonObject | RawJson, key: string): unknown {
  return result instanceof RawJson ? result.scalars[key] : result[key];
}

function isEmptyObject(chunks: readonly Buffer[]): boolean {
  let opened = false;
  for (const chunk of chunks) {
    for (const byte of chunk) {
      if (opened && !isSpace(byte)) return byte === 0x7d;
      opened ||= byte === 0x7b;
    }
  }
  return true;
}

/** Whether chunks are valid UTF-8 together, even if characters are split between them. */
function isUtf8Across(chunks: readonly Buffer[]): boolean {
  let carry: Buffer | undefined;
  for (const chunk of chunks) {
    let rest = chunk;
    if (carry !== undefined) {
      const missing = Math.min(sequenceLength(carry[0] as number) - carry.length, rest.length);
      const joined = Buffer.concat([carry, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (joined.length < sequenceLength(joined[0] as number)) {
        carry = joined;
        continue;
      }
      if (!isUtf8(joined)) return false;
      carry = undefined;
    }
    const cut = incompleteTail(rest);
    if (!isUtf8(rest.subarray(0, rest.length - cut))) return false;
    if (cut > 0) carry = rest.subarray(rest.length - cut);
  }
  return carry === undefined;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** Number of bytes at the end that begin an incomplete character (0 to 3). */
function incompleteTail(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}
