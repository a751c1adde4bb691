/** What has passed and is not noted yet: reading each message as it went by made the next one wait. */

/** It is noted after this long, or when it holds this much memory. */
const noteMs = 50;
const mostBytes = 1024 * 1024;

export class NoteQueue {
  #notes: (() => void)[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `bytes`: what the note keeps in memory until then. */
  add(note: () => void, bytes: number): void {
    this.#notes.push(note);
    this.#bytes += bytes;
    if (this.#bytes > mostBytes) this.catchUp();
    else this.#timer ??= setTimeout(() => this.catchUp(), noteMs).unref();
  }

  /** Notes all of it now, in the order it came. */
  catchUp(): void {
    if (this.#notes.length === 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#bytes = 0;
    for (const note of this.#notes.splice(0)) note();
  }
}
