/** Work that is put off and done between calls, a little at a time: what it takes is spent on the way of none of them. */
import { Event } from './events.ts';

const waitMs = 200;
/** It is begun and gone on with where nothing more came for so long: whoever calls in a row is not in the way of its own records. */
const quietMs = 8;
/** No longer than this after the first of it, and no more than so many, does it wait for a quiet moment. */
const longestMs = 2000;
const many = 400;
/** How long it keeps the thread at a time where it is quiet, in ms. */
const quietSliceMs = 1;
/** And where it is not; longer where more waits than `many`, so that it keeps up however busy it is. */
const sliceMs = 0.5;
/** No more than these are held: beyond, they are done at once. */
const mostWaiting = 1000;

export class PutOff {
  /** A part of it is done, what came of it may be written; true: the next part follows within the moment. */
  readonly paused = new Event<boolean>();
  #work: (() => void)[] = [];
  #done = 0;
  /** When the first of what waits came, and the last; by the clock of `performance.now()`. */
  #firstAt = 0;
  #lastAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isGoingOn = false;
  #followsSoon = false;

  get isEmpty(): boolean {
    return this.#waiting === 0;
  }

  add(work: () => void): void {
    this.#lastAt = performance.now();
    if (this.isEmpty) this.#firstAt = this.#lastAt;
    this.#work.push(work);
    if (this.#waiting > mostWaiting) this.run();
    else if (this.#waiting === many) this.#goOn();
    else this.#timer ??= setTimeout(() => this.#goOn(), waitMs).unref();
  }

  /** Does what waits, now, and what comes of it. */
  run(): void {
    if (!this.isEmpty) this.#until(Infinity);
  }

  get #waiting(): number {
    return this.#work.length - this.#done;
  }

  /** How long to wait for a quiet moment, in ms; 0: this is one, or it has to be done now. */
  #wait(now: number): number {
    if (this.#waiting >= many || now - this.#firstAt >= longestMs) return 0;
    return Math.max(0, this.#lastAt + quietMs - now);
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
      if (this.#followsSoon) this.#pause(false);
      this.#timer ??= setTimeout(() => this.#goOn(), Math.ceil(wait)).unref();
      return;
    }
    const isQuiet = now - this.#lastAt >= quietMs;
    this.#until(now + (isQuiet ? quietSliceMs : sliceMs * Math.max(1, this.#waiting / many)));
    if (!this.isEmpty) this.#goOn();
  }

  #do(work: () => void): void {
    try {
      work();
    } catch (error) {
      // A mistake in what is put off is the developer's to see, not a reason to end the core.
      process.emitWarning(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #until(end: number): void {
    let work = this.#work[this.#done];
    for (; work !== undefined; work = this.#work[this.#done]) {
      this.#done++;
      this.#do(work);
      if (performance.now() >= end) break;
    }
    this.#work = this.#work.slice(this.#done);
    this.#done = 0;
    this.#pause(!this.isEmpty);
  }

  #pause(followsSoon: boolean): void {
    this.#followsSoon = followsSoon;
    this.paused.emit(followsSoon);
  }
}
