/** Reads along what an HTTP response carries, JSON or a stream of events: the bytes are looked at later, off the answer's way. */
import type { ServerResponse } from 'node:http';
import type { Batch } from '../activity/ledger/batch.ts';
import { FrameReader } from '../wire/frame-reader.ts';
import type { Message } from '../wire/message.ts';

type Write = (...input: unknown[]) => boolean;
type End = (...input: unknown[]) => ServerResponse;

/** `sent` is called for each message that has gone out. */
export function meterResponse(response: ServerResponse, batch: Batch, sent: (message: Message) => void): void {
  const frames = new ResponseFrames(sent);
  const held: Buffer[] = [];
  const keep = (chunk: unknown): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    held.push(
      typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length),
    );
    if (held.length === 1) batch.add(() => frames.read(held.splice(0)));
  };
  const write = response.write.bind(response) as Write;
  const end = response.end.bind(response) as End;
  // Whoever writes, the SDK or we: these two are where every byte goes through.
  response.write = (...input: unknown[]) => {
    keep(input[0]);
    return write(...input);
  };
  response.end = (...input: unknown[]) => {
    keep(input[0]);
    batch.add(() => frames.end());
    return end(...input);
  };
}

const newline = 0x0a;

/** Messages of a body: one JSON text, or the data of events, each of which the SDK writes on a line. */
class ResponseFrames {
  readonly #reader: FrameReader;
  #rest: Buffer = Buffer.alloc(0);
  #isJson: boolean | undefined;

  constructor(sent: (message: Message) => void) {
    this.#reader = new FrameReader({ onMessage: sent, onOddity: () => undefined });
  }

  read(chunks: readonly Buffer[]): void {
    const bytes = Buffer.concat([this.#rest, ...chunks]);
    this.#rest = Buffer.alloc(0);
    this.#isJson ??= bytes[0] === 0x7b;
    if (this.#isJson) this.#reader.push(bytes);
    else this.#events(bytes);
  }

  end(): void {
    this.#reader.end();
  }

  #events(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      const line = bytes.subarray(start, end + 1);
      if (line.subarray(0, 5).toString('latin1') === 'data:') this.#reader.push(line.subarray(5));
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
  }
}
