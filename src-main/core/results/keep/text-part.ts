/** A text on its way into a part: JSON pretty-printed where it is a whole object or list, anything else as it is. */
import { type ByteTarget, Malformed } from './consumer.ts';
import type { DraftPlace } from './draft-place.ts';
import { PartDraft } from './part-draft.ts';
import { PrettyJson } from './pretty-json.ts';
import { ShapeBuilder, type ShapeNode } from './shape-builder.ts';
import { TextMark } from './text-mark.ts';

/** So much of a text is held: most of what only looks like JSON shows it by then. */
const longestHeld = 64 * 1024;

export class TextPart implements ByteTarget {
  readonly #place: DraftPlace;
  #draft: PartDraft | undefined;
  #json: PrettyJson | undefined;
  #shape: ShapeBuilder | undefined;
  #held: Buffer | undefined;
  /** The text as it came. */
  readonly mark = new TextMark();
  #isPlain: boolean;
  /** It began as JSON and turned out to be none when it could not be taken back: it has to be read again, as plain text. */
  spoiled = false;

  constructor(place: DraftPlace, isPlain: boolean) {
    this.#place = place;
    this.#isPlain = isPlain;
  }

  push(bytes: Uint8Array, start: number, end: number): void {
    if (this.spoiled) return;
    if (this.#draft === undefined) {
      const first = firstLetter(bytes, start, end);
      const isShort = this.length + end - start <= longestHeld;
      // White space alone says nothing yet.
      if (first === undefined && isShort && !this.#isPlain) {
        this.#hold(bytes, start, end);
        return;
      }
      this.#begin(first === 0x7b || first === 0x5b);
      if (this.#held !== undefined) this.#take(this.#held, 0, this.#held.length);
    }
    this.#hold(bytes, start, end);
    this.#take(bytes, start, end);
  }

  /** The text is over. */
  end(): void {
    if (this.#draft === undefined) {
      this.#begin(false);
      this.#take(this.#held ?? Buffer.alloc(0), 0, this.#held?.length ?? 0);
    }
    if (this.#json !== undefined && !this.#json.done && !this.spoiled) this.#fallBack();
    if (this.spoiled) this.#draft?.discard();
    else this.#draft?.end();
  }

  get isJson(): boolean {
    return this.#json !== undefined;
  }

  get shape(): ShapeNode | undefined {
    return this.#shape?.root;
  }

  get draft(): PartDraft {
    if (this.#draft === undefined) throw new Malformed('A text that was not ended.');
    return this.#draft;
  }

  /** The text as it came, of one that is short. */
  get raw(): Buffer | undefined {
    return this.#held;
  }

  /** Length of the text as it came. */
  get length(): number {
    return this.mark.length;
  }

  #begin(looksLikeJson: boolean): void {
    const isJson = looksLikeJson && !this.#isPlain;
    this.#draft = new PartDraft(this.#place, isJson);
    this.#shape = isJson ? new ShapeBuilder() : undefined;
    this.#json = isJson ? new PrettyJson(this.#draft, this.#shape) : undefined;
  }

  #take(bytes: Uint8Array, start: number, end: number): void {
    if (this.#json === undefined) {
      this.#draft?.push(bytes, start, end);
      return;
    }
    try {
      const stop = this.#json.push(bytes, start, end);
      if (firstLetter(bytes, stop, end) === undefined) return;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
    this.#fallBack();
  }

  /** It is no JSON after all. */
  #fallBack(): void {
    this.#isPlain = true;
    if (this.#held === undefined) {
      this.spoiled = true;
      return;
    }
    this.#draft?.discard();
    this.#begin(false);
    this.#take(this.#held, 0, this.#held.length);
  }

  #hold(bytes: Uint8Array, start: number, end: number): void {
    const isFirst = this.length === 0;
    this.mark.push(bytes, start, end);
    if (this.length > longestHeld) this.#held = undefined;
    else if (isFirst) this.#held = Buffer.from(bytes.subarray(start, end));
    else this.#held = Buffer.concat([this.#held as Buffer, bytes.subarray(start, end)]);
  }
}

/** The first byte that is no white space. */
function firstLetter(bytes: Uint8Array, start: number, end: number): number | undefined {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
  }
  return undefined;
}
