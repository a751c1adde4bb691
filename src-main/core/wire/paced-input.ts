/**
 * Reads messages off a stream in turn with everybody else. libuv reads a stream that always has more up to 32 times before
 * it looks at the next one: two megabytes of short messages from one side kept all others waiting for seconds.
 */
import type { Readable } from 'node:stream';
import type { FrameReader } from './frame-reader.ts';

/** One chunk may take so long, in ms, or hold so many messages; then it is the others' turn. */
const longTurnMs = 2;
const manyMessages = 50;

/** Why a stream is not read: too much of it is open, its answers lie unread, or others are next. */
type Stop = 'open' | 'unread' | 'turn';

export class PacedInput {
  readonly #input: Readable;
  readonly #reader: FrameReader;
  readonly #stops = new Set<Stop>();

  /** Reads from the first `resume` on. */
  constructor(input: Readable, reader: FrameReader) {
    this.#input = input;
    this.#reader = reader;
    input.on('data', (chunk: Buffer) => this.push(chunk));
    input.pause();
  }

  /** Takes bytes as if they had come off the stream now. */
  push(chunk: Buffer): void {
    const start = performance.now();
    const messages = this.#reader.push(chunk);
    if (messages < manyMessages && performance.now() - start < longTurnMs) return;
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
