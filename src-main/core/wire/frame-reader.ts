/**
 * Splits a byte stream into JSON-RPC messages, one per line, in linear time for any chunk sizes. Small messages are
 * parsed, results over a megabyte are kept as bytes, messages over the limit are skipped and replaced by an error.
 */
import type { Readable } from 'node:stream';
import { AppError } from '../base/errors.ts';
import { isObject, isSpace, type JsonObject, maxNesting, parseJson, toPlainNumber } from '../base/json.ts';
import type { ByteBudget, ByteHolder } from './byte-budget.ts';
import { type Envelope, EnvelopeScanner } from './envelope-scanner.ts';
import { isMessage, type Message, type RequestId, rpcCode } from './message.ts';
import { RawJson } from './raw-json.ts';
import type { MessageOrigin } from './transport.ts';

const newline = 0x0a;

/** Results from this size on are not parsed, in bytes. Below it JSON.parse is faster than our scanner. */
const rawThresholdBytes = 1024 * 1024;
/** A request of more characters is handled in a later turn of the event loop than it was parsed in. */
export const largeLength = 256 * 1024;
/** A line this far beyond the limit is no accident, in bytes. */
const oversizedBytes = 1024 * 1024 * 1024;
export const defaultMaxMessageBytes = 512 * 1024 * 1024;

interface FrameHandlers {
  onMessage(message: Message, origin?: MessageOrigin): void;
  onWarning(text: string): void;
  /** Called for each further chunk of a line that is far too long. */
  onEndless?(): void;
}

interface FrameBounds {
  /** Memory budget for long messages on several connections. */
  readonly budget?: ByteBudget | undefined;
  /** Maximum size of a message that is not a result, in bytes, because it must be parsed, which blocks. */
  readonly maxParsedBytes?: number;
}

export class FrameReader implements ByteHolder {
  readonly #handlers: FrameHandlers;
  readonly #maxBytes: number;
  readonly #budget: ByteBudget | undefined;
  readonly #maxParsedBytes: number;
  /** Whether its bytes were dropped for lack of memory. */
  #dropped = false;
  #gathered = new ChunkBuffer();
  #size = 0;
  #scanner: EnvelopeScanner | undefined;

  constructor(handlers: FrameHandlers, maxBytes: number = defaultMaxMessageBytes, bounds: FrameBounds = {}) {
    this.#handlers = handlers;
    this.#maxBytes = maxBytes;
    this.#budget = bounds.budget;
    this.#maxParsedBytes = Math.min(bounds.maxParsedBytes ?? maxBytes, maxBytes);
  }

  /** Returns the number of lines that ended in the chunk. */
  push(chunk: Buffer): number {
    let lines = 0;
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#endLine(chunk.subarray(start, end));
      lines++;
      start = end + 1;
    }
    if (start < chunk.length) this.#append(chunk.subarray(start));
    return lines;
  }

  /** Ends the stream; a last line without line feed still counts. */
  end(): void {
    if (this.#size > 0) this.#finishLine();
  }

  /** Drops the incomplete line, which will not be read on. */
  drop(): void {
    this.#dropped = true;
    this.#gathered = new ChunkBuffer();
    this.#budget?.set(this, 0);
  }

  /** `rest`: what precedes the line feed. Most lines are short and arrive whole. */
  #endLine(rest: Buffer): void {
    const isWhole = this.#size === 0 && !this.#dropped;
    if (isWhole && rest.length <= Math.min(rawThresholdBytes, this.#maxBytes)) return this.#small([rest]);
    this.#append(rest);
    this.#finishLine();
  }

  #append(part: Buffer): void {
    if (part.length === 0) return;
    this.#size += part.length;
    if (this.#scanner === undefined && this.#size > rawThresholdBytes) {
      this.#scanner = new EnvelopeScanner();
      for (const earlier of this.#gathered.parts()) this.#scanner.push(earlier);
    }
    this.#scanner?.push(part);
    if (this.#size > this.#maxBytes) this.drop();
    if (this.#size > this.#maxBytes + oversizedBytes) this.#handlers.onEndless?.();
    if (this.#dropped) return;
    this.#gathered.push(part);
    // Smaller messages are not counted.
    if (this.#scanner !== undefined) this.#budget?.set(this, this.#size);
  }

  #finishLine(): void {
    const [parts, size, scanner, dropped] = [this.#gathered.parts(), this.#size, this.#scanner, this.#dropped];
    if (scanner !== undefined) this.#budget?.set(this, 0);
    this.#gathered = new ChunkBuffer();
    this.#size = 0;
    this.#scanner = undefined;
    this.#dropped = false;
    if (size > this.#maxBytes) this.#tooLarge(scanner?.finish(), size);
    else if (dropped) this.#lose(scanner?.finish().scalars ?? {}, outOfCapacity(size));
    else if (scanner !== undefined) this.#big(scanner.finish(), parts);
    else this.#small(parts);
  }

  #small(parts: readonly Buffer[]): void {
    const text = (parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)).toString('utf8');
    // Most lines that are not messages are log lines; ten thousand thrown errors took a second.
    if (!/^\s*[{[]/.test(text)) {
      if (text.trim() !== '') this.#handlers.onWarning(text);
      return;
    }
    let value: unknown;
    try {
      value = parseJson(text);
    } catch (error) {
      if (error instanceof RangeError) this.#tooDeep(text);
      else if (text.trim() !== '') this.#handlers.onWarning(text);
      return;
    }
    // Batches existed in protocol 2025-03-26 only; supporting them costs nothing.
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isMessage(one)) this.#handlers.onMessage(one, text.length > largeLength ? { isLarge: true } : undefined);
      else this.#handlers.onWarning(text);
    }
  }

  #big(envelope: Envelope, parts: readonly Buffer[]): void {
    const span = envelope.spans.get('result');
    const id = envelope.scalars['id'] as RequestId | undefined;
    const isVersioned = envelope.scalars['jsonrpc'] === '2.0';
    if (!envelope.complete || !isVersioned || id === undefined || span === undefined || 'method' in envelope.scalars) {
      const size = parts.reduce((sum, part) => sum + part.length, 0);
      if (size > this.#maxParsedBytes) this.#tooLarge(envelope, size, this.#maxParsedBytes);
      else this.#small(parts);
      return;
    }
    const chunks = slice(parts, span.start, span.end);
    if (envelope.depth > maxNesting) this.#lose({ id }, tooDeep());
    else if (chunks[0]?.[0] !== 0x7b) this.#small(parts);
    else {
      const result = new RawJson(chunks, { ...envelope.resultScalars });
      this.#handlers.onMessage({ jsonrpc: '2.0', id, result });
    }
  }

  #tooLarge(envelope: Envelope | undefined, size: number, limit = this.#maxBytes): void {
    const text = `A message of ${megabytes(size)} MB is over the limit of ${megabytes(limit)} MB and was skipped.`;
    const lost = new AppError('message_too_large', text, {
      fix: 'Request less at a time, or raise maxMessageMB for this server.',
    });
    this.#lose(envelope?.scalars ?? {}, lost);
  }

  /** JSON.parse accepts any depth, so the envelope of a too deeply nested message can still be read. */
  #tooDeep(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#handlers.onWarning(text);
      return;
    }
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isObject(one)) this.#lose(one, tooDeep());
    }
  }

  /** Replaces a message that is not forwarded: a request is rejected by its receiver, a response becomes an error. */
  #lose({ id: written, method }: Readonly<JsonObject>, lost: AppError): void {
    const id = toPlainNumber(written);
    if (typeof id === 'string' || typeof id === 'number') {
      const error = { code: rpcCode.aborted, message: lost.text };
      const asks = typeof method === 'string';
      this.#handlers.onMessage(asks ? { jsonrpc: '2.0', id, method, lost } : { jsonrpc: '2.0', id, error, lost });
    }
    this.#handlers.onWarning(lost.text);
  }
}

function outOfCapacity(size: number): AppError {
  const text = `A message of ${megabytes(size)} MB was skipped: it did not fit into memory together with messages of other servers.`;
  return new AppError('message_too_large', text, { fix: 'Request less at a time, or call again later.' });
}

function tooDeep(): AppError {
  return new AppError(
    'message_too_large',
    `A message is nested too deeply (over ${maxNesting} levels) and was skipped.`,
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(bytes < 10 * 1024 * 1024 ? 1 : 0);
}

/** The bytes of [start, end) without surrounding white space, not copied. */
function slice(parts: readonly Buffer[], start: number, end: number): Buffer[] {
  const pieces: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, part.length);
    if (from < to) pieces.push(part.subarray(from, to));
    offset += part.length;
  }
  while (pieces[0] !== undefined && isSpace(pieces[0][0])) {
    pieces[0] = pieces[0].subarray(1);
    if (pieces[0].length === 0) pieces.shift();
  }
  return pieces;
}

// The bytes of one message as they arrive: a short one as is, a long one copied into pieces of tens of megabytes.
// Thousands of small pieces that live as long as the message fragment the allocator's heap, which is then not returned
// to the system: after a result of 400 MB a core kept that size.

/** Messages from this size on are long, in bytes. */
const longBytes = 4 * 1024 * 1024;
/** Parts from this size on are not copied, in bytes. */
const largeBytes = 1024 * 1024;
/** Above 32 MiB the allocators of all systems, including glibc's, request separate memory from the system. */
const pieceBytes = 33 * 1024 * 1024;

export class ChunkBuffer {
  readonly #parts: Buffer[] = [];
  #size = 0;
  #piece: Buffer | undefined;
  #used = 0;

  push(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > longBytes && part.length < largeBytes) return this.#copy(part);
    this.#endPiece();
    this.#parts.push(part);
  }

  /** Returns all received bytes, in order. */
  parts(): readonly Buffer[] {
    this.#endPiece();
    return this.#parts;
  }

  #copy(part: Buffer): void {
    for (let rest = part; rest.length > 0;) {
      this.#piece ??= Buffer.allocUnsafeSlow(pieceBytes);
      const copied = rest.copy(this.#piece, this.#used);
      this.#used += copied;
      rest = rest.subarray(copied);
      if (this.#used === pieceBytes) this.#endPiece();
    }
  }

  #endPiece(): void {
    if (this.#piece !== undefined) this.#parts.push(this.#piece.subarray(0, this.#used));
    this.#piece = undefined;
    this.#used = 0;
  }
}

// Reads messages from a stream in turn with other streams. libuv reads a busy stream up to 32 times before the next
// one: two megabytes of short messages from one side blocked all others for seconds.

/** Maximum duration of a chunk, in ms, or number of its messages; then other streams get their turn. */
const maxTurnMs = 2;
const maxMessagesPerTurn = 50;

/** Why a stream is not read: too many open requests, unread responses, or another stream's turn. */
type Stop = 'open' | 'unread' | 'turn';

export class PacedReader {
  readonly #input: Readable;
  readonly #reader: FrameReader;
  readonly #stops = new Set<Stop>();

  /** Reading starts with the first `resume`. */
  constructor(input: Readable, reader: FrameReader) {
    this.#input = input;
    this.#reader = reader;
    input.on('data', (chunk: Buffer) => this.push(chunk));
    input.pause();
  }

  /** Processes bytes as if they had just been read from the stream. */
  push(chunk: Buffer): void {
    const start = performance.now();
    const messages = this.#reader.push(chunk);
    if (messages < maxMessagesPerTurn && performance.now() - start < maxTurnMs) return;
    this.stop('turn', true);
    setImmediate(() => this.stop('turn', false));
  }

  /** Reads, unless there is a reason not to. */
  resume(): void {
    if (this.#stops.size === 0) this.#input.resume();
  }

  stop(why: Stop, isOn: boolean): void {
    if (isOn) this.#stops.add(why);
    else this.#stops.delete(why);
    if (isOn) this.#input.pause();
    else this.resume();
  }
}
