/**
 * Recognises structured content that is a text in a wrapping, `{"result": "…"}` or `{"content": "…"}`: many servers send
 * every text twice like this. Laid out it would be one endless line, so the text is kept instead.
 */
import type { ByteTarget } from './consumer.ts';
import { ObjectScanner } from './container-scanners.ts';
import { StringReader } from './string-reader.ts';
import { TextMark } from './text-mark.ts';

const quote = 0x22;

class NoWrapping extends Error {
  override readonly name = 'NoWrapping';
}

export class WrappedText implements ByteTarget {
  readonly #mark = new TextMark();
  readonly #scanner: ObjectScanner;
  #isOther = false;
  #texts = 0;

  constructor() {
    const mark = this.#mark;
    this.#scanner = new ObjectScanner(
      (first) => {
        if (first !== quote || ++this.#texts > 1) throw new NoWrapping();
        return new StringReader(mark, () => undefined);
      },
      () => undefined,
    );
  }

  /** What of the structured content has passed, which is JSON. */
  push(bytes: Uint8Array, start: number, end: number): void {
    if (this.#isOther) return;
    try {
      this.#scanner.push(bytes, start, end);
    } catch {
      this.#isOther = true;
    }
  }

  /** The text that was wrapped; undefined if it was something else. */
  get mark(): TextMark | undefined {
    return this.#isOther || !this.#scanner.done || this.#texts !== 1 ? undefined : this.#mark;
  }
}
