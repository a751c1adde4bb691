/** Work that is put off and done between calls, a little at a time: what it takes is spent on the way of none of them. */

const waitMs = 200;
/** How long it keeps the thread at a time, in ms. */
const sliceMs = 2;
/** However busy it is, no more than these are held: beyond, they are done at once. */
const mostWaiting = 500;

export class Batch {
  #work: (() => void)[] = [];
  #done = 0;
  #isPlanned = false;

  add(work: () => void): void {
    this.#work.push(work);
    if (this.#work.length - this.#done > mostWaiting) this.run();
    else this.#plan();
  }

  /** Does what waits, now, and what comes of it. */
  run(): void {
    this.#until(Infinity);
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setTimeout(() => this.#slice(), waitMs).unref();
  }

  #slice(): void {
    this.#until(performance.now() + sliceMs);
    if (this.#work.length > 0) setImmediate(() => this.#slice()).unref();
    else this.#isPlanned = false;
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
    for (; work !== undefined && performance.now() < end; work = this.#work[this.#done]) {
      this.#done++;
      this.#do(work);
    }
    this.#work = this.#work.slice(this.#done);
    this.#done = 0;
  }
}
