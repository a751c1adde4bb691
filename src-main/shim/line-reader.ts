/**
 * Splits a byte stream into lines and identifies each message, while the bytes of long lines are already being
 * forwarded.
 */
import { isObject, type JsonObject, parseJson } from '../core/base/json.ts';
import { EnvelopeScanner } from '../core/wire/envelope-scanner.ts';

/** The parts of a JSON-RPC message that the shim needs. */
export interface MessageFacts {
  /** The ID as JSON text, so that 1 and "1" differ; undefined in a notification. */
  readonly id: string | undefined;
  readonly method: string | undefined;
  /** Params of a short message. */
  readonly params: JsonObject | undefined;
  /** Error message of a short response. */
  readonly failure: string | undefined;
}

/** A whole line, or part of one that is too long to buffer. Its newline is in the last part. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly first: boolean;
  readonly last: boolean;
  /**
   * Messages of the line, on its last part; several in a batch, none if it is not JSON-RPC. Parsed lazily, so that the
   * bytes need not wait.
   */
  readonly messages: () => readonly MessageFacts[];
}

const newline = 0x0a;

/** Lines up to this size are passed on whole; longer ones in parts, so that 50 MB need no 50 MB of memory. */
const maxBufferedBytes = 64 * 1024;

export class LineReader {
  /** Buffers lines of any length until they are complete, because their handling is not decided yet. */
  holdAll = false;
  readonly #onPiece: (piece: Chunk) => void;
  #held: Buffer[] = [];
  #size = 0;
  #scanner: EnvelopeScanner | undefined;

  constructor(onPiece: (piece: Chunk) => void) {
    this.#onPiece = onPiece;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#take(chunk.subarray(start, end + 1), true);
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start), false);
  }

  /** The stream has ended; a last line without newline still counts. */
  end(): void {
    if (this.#size > 0) this.#take(Buffer.of(newline), true);
  }

  #take(bytes: Buffer, last: boolean): void {
    this.#size += bytes.length;
    if (this.#scanner !== undefined) this.#passOn(bytes, last);
    else if (last) this.#whole(bytes);
    else {
      this.#held.push(bytes);
      if (this.#size > maxBufferedBytes && !this.holdAll) this.#startStreaming();
    }
    if (!last) return;
    this.#held = [];
    this.#size = 0;
    this.#scanner = undefined;
  }

  #whole(end: Buffer): void {
    const bytes = this.#held.length === 0 ? end : Buffer.concat([...this.#held, end]);
    this.#onPiece({ bytes, first: true, last: true, messages: () => readMessages(bytes) });
  }

  #startStreaming(): void {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#scanner = new EnvelopeScanner();
    this.#scanner.push(bytes);
    this.#onPiece({ bytes, first: true, last: false, messages: () => [] });
  }

  #passOn(bytes: Buffer, last: boolean): void {
    this.#scanner?.push(bytes);
    const scanner = this.#scanner;
    const messages = () => (last ? readScalars(scanner?.finish().scalars ?? {}) : []);
    this.#onPiece({ bytes, first: false, last, messages });
  }
}

/** Parses the messages of a whole line. */
export function readMessages(line: Buffer): MessageFacts[] {
  let value: unknown;
  try {
    value = parseJson(line.toString('utf8'));
  } catch {
    return [];
  }
  return (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isObject).flatMap(readScalars);
}

function readScalars({ id, method, params, error }: Readonly<JsonObject>): MessageFacts[] {
  const facts = {
    id: id === undefined || id === null ? undefined : JSON.stringify(id),
    method: typeof method === 'string' ? method : undefined,
    params: isObject(params) ? params : undefined,
    failure: isObject(error) && typeof error['message'] === 'string' ? error['message'] : undefined,
  };
  return facts.id === undefined && facts.method === undefined ? [] : [facts];
}
