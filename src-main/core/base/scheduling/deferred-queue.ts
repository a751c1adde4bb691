/** Deferred work, done between calls in small slices, so that no call waits for it. */
import { Emitter } from '../emitter.ts';

const startDelayMs = 200;
/**
 * Work starts and continues once nothing new was added for this long: a client that calls repeatedly does not wait for
 * its own records.
 */
const idleThresholdMs = 8;
/** No longer than this after the first of it, and no more than so many, does it wait for a quiet moment. */
const maxMs = 2000;
const eagerThreshold = 1200;
/** Nor what holds more bytes than these. */
const eagerThresholdBytes = 8 * 1024 * 1024;
/** How long it keeps the thread at a time where it is quiet, in ms. */
const idleSliceMs = 1;
/**
 * And where it is not, at the most: what is more than `many` is done as it comes, a piece or two in each turn of the
 * loop, and no call stands behind a row of them. Longer where more waits than twice that, so that it keeps up however
 * busy it is.
 */
const busySliceMs = 0.5;
/** No more than these are held: beyond, they are done at once. */
const maxPendingItems = 3000;
const maxBytes = 4 * eagerThresholdBytes;

interface Piece {
  readonly work: () => void;
  readonly bytes: number;
  /** When it came, by the clock of `performance.now()`. */
  readonly at: number;
}

export class DeferredQueue {
  /** A part of it is done, what came of it may be written; true: more waits. */
  readonly sliceDone = new Emitter<boolean>();
  #work: Piece[] = [];
  #done = 0;
  #bytes = 0;
  #lastAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isGoingOn = false;

  get isEmpty(): boolean {
    return this.#waiting === 0;
  }

  /** `bytes`: what it holds until it is done, about. */
  add(work: () => void, bytes = 0): void {
    this.#lastAt = performance.now();
    this.#work.push({ work, bytes, at: this.#lastAt });
    this.#bytes += bytes;
    if (this.#waiting > maxPendingItems || this.#bytes > maxBytes) this.drain();
    else if (this.#isMuch) this.#goOn();
    else this.#timer ??= setTimeout(() => this.#goOn(), startDelayMs).unref();
  }

  /** Does what waits, now, and what comes of it. */
  drain(): void {
    if (!this.isEmpty) this.#until(Infinity);
  }

  get #waiting(): number {
    return this.#work.length - this.#done;
  }

  get #isMuch(): boolean {
    return this.#waiting >= eagerThreshold || this.#bytes >= eagerThresholdBytes;
  }

  /** How long to wait for a quiet moment, in ms; 0: this is one, or it has to be done now. */
  #wait(now: number): number {
    if (this.#isMuch || this.#isLate(now)) return 0;
    return Math.max(0, this.#lastAt + idleThresholdMs - now);
  }

  #isLate(now: number): boolean {
    const oldest = this.#work[this.#done];
    return oldest !== undefined && now - oldest.at >= maxMs;
  }

  #goOn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isGoingOn) return;
    this.#isGoingOn = true;
    setImmediate(() => this.#slice());
  }

  /** A part, where it is quiet, or what is left has to be done however busy it is. */
  #slice(): void {
    this.#isGoingOn = false;
    if (this.isEmpty) return;
    const now = performance.now();
    const wait = this.#wait(now);
    if (wait > 0) {
      this.#timer ??= setTimeout(() => this.#goOn(), Math.ceil(wait)).unref();
      return;
    }
    const isQuiet = now - this.#lastAt >= idleThresholdMs;
    const end = now + (isQuiet ? idleSliceMs : busySliceMs * Math.max(1, this.#waiting / (2 * eagerThreshold)));
    this.#until(end, !isQuiet && !this.#isLate(now));
    if (!this.isEmpty) this.#goOn();
  }

  #do(work: () => void): void {
    try {
      work();
    } catch (error) {
      // An error in deferred work is for the developer to see, not a reason to end the core.
      process.emitWarning(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Until that time; `excess`: or until what waits is not too much. */
  #until(end: number, excess = false): void {
    let piece = this.#work[this.#done];
    for (; piece !== undefined && (!excess || this.#isMuch); piece = this.#work[this.#done]) {
      this.#done++;
      this.#bytes -= piece.bytes;
      this.#do(piece.work);
      if (performance.now() >= end) break;
    }
    this.#work = this.#work.slice(this.#done);
    this.#done = 0;
    this.sliceDone.emit(!this.isEmpty);
  }
}
