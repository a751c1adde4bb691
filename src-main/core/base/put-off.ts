/** Work that is put off and done between calls, a little at a time: what it takes is spent on the way of none of them. */
import { Event } from './events.ts';

const waitMs = 200;
/** From so many on it is begun without waiting: what comes fast would be a long piece of work by then. */
const many = 64;
/** How long it keeps the thread at a time, in ms; longer where more waits than `many`, so that it keeps up however busy it is. */
const sliceMs = 0.5;
/** No more than these are held: beyond, they are done at once. */
const mostWaiting = 500;

export class PutOff {
  /** A part of it is done: what came of it may be written. */
  readonly paused = new Event();
  #work: (() => void)[] = [];
  #done = 0;
  #timer: NodeJS.Timeout | undefined;
  #isGoingOn = false;

  get isEmpty(): boolean {
    return this.#done === this.#work.length;
  }

  add(work: () => void): void {
    this.#work.push(work);
    const waiting = this.#work.length - this.#done;
    if (waiting > mostWaiting) this.run();
    else if (waiting === many) this.#goOn();
    else this.#timer ??= setTimeout(() => this.#goOn(), waitMs).unref();
  }

  /** Does what waits, now, and what comes of it. */
  run(): void {
    if (!this.isEmpty) this.#until(Infinity);
  }

  #goOn(): void {
    if (this.#isGoingOn) return;
    this.#isGoingOn = true;
    setImmediate(() => this.#slice()).unref();
  }

  #slice(): void {
    const waiting = this.#work.length - this.#done;
    if (waiting > 0) this.#until(performance.now() + sliceMs * Math.max(1, waiting / many));
    if (!this.isEmpty) {
      setImmediate(() => this.#slice()).unref();
      return;
    }
    this.#isGoingOn = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
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
    this.paused.emit();
  }
}
