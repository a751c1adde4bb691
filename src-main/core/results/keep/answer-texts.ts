/** The texts of an answer: long ones become parts, a few short ones stay in the answer, many are gathered in one file. */
import type { JsonObject } from '../../base/json.ts';
import type { DraftPlace } from './draft-place.ts';
import type { TextMark } from './text-mark.ts';
import { TextGathering } from './text-gathering.ts';
import type { TextPart } from './text-part.ts';

export interface AnswerText {
  /** Its place in the answer. */
  readonly order: number;
  readonly part: TextPart;
  readonly mimeType: string | undefined;
  readonly note: string | undefined;
  /** The block as it came, for a text that is short. */
  readonly block: () => JsonObject;
}

export interface InlineBlock {
  readonly order: number;
  readonly block: JsonObject;
}

/** Texts of up to this many bytes may stay in the answer. */
export const shortText = 1024;
const mostShortBytes = 4096;
const mostShort = 16;
const mostParts = 8;
/** Other blocks that stay in the answer, as JSON. */
const mostInlineCharacters = 16 * 1024;

export class AnswerTexts {
  readonly #place: DraftPlace;
  #long: AnswerText[] = [];
  #short: AnswerText[] = [];
  readonly #blocks: InlineBlock[] = [];
  #blockCharacters = 0;
  #gathering: TextGathering | undefined;

  constructor(place: DraftPlace) {
    this.#place = place;
  }

  add(text: AnswerText): void {
    (text.part.length > shortText ? this.#long : this.#short).push(text);
    const shortBytes = this.#short.reduce((sum, { part }) => sum + part.length, 0);
    const isMuch = this.#long.length > mostParts || this.#short.length > mostShort || shortBytes > mostShortBytes;
    if (isMuch || this.#gathering !== undefined) this.#gather();
  }

  /** A block that is no text: a link, something new. */
  addBlock(order: number, block: JsonObject): void {
    const json = JSON.stringify(block);
    this.#blockCharacters += json.length;
    if (this.#blockCharacters <= mostInlineCharacters) this.#blocks.push({ order, block });
    else this.#openGathering(order).add(Buffer.from(json));
  }

  /** Takes out what is JSON of the same bytes. */
  dropSame(digest: string): void {
    const isOther = ({ part }: AnswerText): boolean => {
      if (!part.isJson || part.draft.digest() !== digest) return true;
      part.draft.discard();
      return false;
    };
    this.#long = this.#long.filter(isOther);
    this.#short = this.#short.filter(isOther);
  }

  /** Whether this is the only text. */
  isOnly(mark: TextMark): boolean {
    const [text, ...others] = [...this.#long, ...this.#short];
    return others.length === 0 && this.#gathering === undefined && text?.part.mark.equals(mark) === true;
  }

  /** Nothing else of the answer is a part: then its short texts are. */
  makeLong(): void {
    if (this.#short.length > 1) this.#gather();
    this.#long.push(...this.#short.splice(0));
  }

  get parts(): readonly AnswerText[] {
    return this.#long;
  }

  get gathering(): TextGathering | undefined {
    return this.#gathering;
  }

  get inline(): readonly InlineBlock[] {
    return [...this.#blocks, ...this.#short.map(({ order, block }) => ({ order, block: block() }))].sort(
      (a, b) => a.order - b.order,
    );
  }

  discard(): void {
    for (const { part } of this.#long) part.draft.discard();
    this.#gathering?.draft.discard();
  }

  #gather(): void {
    const texts = [...this.#short.splice(0), ...this.#long.splice(0)].sort((a, b) => a.order - b.order);
    const [first] = texts;
    if (first === undefined) return;
    const gathering = this.#openGathering(first.order);
    for (const { part } of texts) gathering.take(part);
  }

  #openGathering(order: number): TextGathering {
    return (this.#gathering ??= new TextGathering(this.#place, order));
  }
}
