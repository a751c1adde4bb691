/** Which brackets of JSON are open, a byte for each: nesting may be as deep as memory lasts. */
import { Malformed } from './consumer.ts';

/** Deeper nesting is no document; as text nothing of it is lost. */
const mostLevels = 10_000_000;

export class JsonStack {
  #levels = new Uint8Array(64);
  depth = 0;

  /** Whether the innermost bracket is an object's. */
  get inObject(): boolean {
    return this.#levels[this.depth - 1] === 1;
  }

  push(isObject: boolean): void {
    if (this.depth === this.#levels.length) this.#grow();
    this.#levels[this.depth++] = isObject ? 1 : 0;
  }

  /** Closes the innermost bracket; answers whether it was an object's. */
  pop(): boolean {
    const { inObject } = this;
    this.depth--;
    return inObject;
  }

  #grow(): void {
    if (this.depth >= mostLevels) throw new Malformed('Nested too deep.');
    const larger = new Uint8Array(this.#levels.length * 4);
    larger.set(this.#levels);
    this.#levels = larger;
  }
}
