/** The beginning of a name or a number, held while its bytes pass: enough to know it by. */

/** Names and numbers are heard up to this length, in bytes. */
const longest = 200;

export class HeardBytes {
  readonly #bytes = Buffer.allocUnsafe(longest);
  #length = 0;
  #listening = false;

  get listening(): boolean {
    return this.#listening;
  }

  get text(): string {
    return this.#bytes.toString('utf8', 0, this.#length);
  }

  /** Something new begins; `listening`: whether anybody wants it. */
  begin(listening: boolean): void {
    this.#listening = listening;
    this.#length = 0;
  }

  byte(value: number): void {
    if (this.#listening && this.#length < longest) this.#bytes[this.#length++] = value;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    if (!this.#listening) return;
    const count = Math.min(end - start, longest - this.#length);
    for (let i = 0; i < count; i++) this.#bytes[this.#length++] = bytes[start + i] as number;
  }
}
