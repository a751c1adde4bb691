/** Notices a client app that was told of a new list of tools and goes on with the old one: some never list again. */

/** One that listens lists again at once; until then calls may be on their way. */
const patientCalls = 3;
const patienceMs = 10_000;

export class ListWatch {
  #toldAt: number | undefined;
  #calls = 0;
  #stale = false;

  /** It was told, and has not listed since. */
  get waiting(): boolean {
    return this.#toldAt !== undefined;
  }

  /** It does not listen. */
  get stale(): boolean {
    return this.#stale;
  }

  told(now: number): void {
    this.#toldAt ??= now;
  }

  called(now: number): void {
    if (this.#toldAt === undefined) return;
    this.#calls++;
    this.#stale ||= this.#calls >= patientCalls || now - this.#toldAt >= patienceMs;
  }

  listed(): void {
    this.#toldAt = undefined;
    this.#calls = 0;
    this.#stale = false;
  }
}
