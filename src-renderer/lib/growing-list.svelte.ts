/** A list of a thousand rows comes onto the page some rows a frame, so that opening it holds nothing up. */

/** About a dozen milliseconds of one frame; more than fit on a screen. */
const rowsAFrame = 50;

export class GrowingList<T> {
  readonly #all: () => readonly T[];
  #count = $state(rowsAFrame);

  /** To be made while a component is; `all` may change at any time. */
  constructor(all: () => readonly T[]) {
    this.#all = all;
    $effect(() => {
      if (this.#count >= all().length) return;
      const frame = requestAnimationFrame(() => (this.#count += rowsAFrame));
      return () => cancelAnimationFrame(frame);
    });
  }

  /** Those that are on the page by now. */
  get shown(): readonly T[] {
    const all = this.#all();
    return this.#count < all.length ? all.slice(0, this.#count) : all;
  }
}
