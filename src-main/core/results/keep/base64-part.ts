/** Base64 on its way into a part: decoded as it passes. */
import type { ByteTarget } from './consumer.ts';
import type { DraftPlace } from './draft-place.ts';
import { PartDraft } from './part-draft.ts';

/** Plain and URL-safe letters; what is left over at the end is padded. */
const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

export class Base64Part implements ByteTarget {
  readonly draft: PartDraft;
  /** Letters that do not fill three bytes yet. */
  #rest = '';
  #ended = false;
  /** Something that is not base64 came: it has to be read again, as text. */
  spoiled = false;

  constructor(place: DraftPlace) {
    this.draft = new PartDraft(place);
  }

  push(bytes: Uint8Array, start: number, end: number): void {
    if (this.spoiled) return;
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
    // MIME breaks the lines.
    const letters = this.#rest + (/\s/.test(piece) ? piece.replace(/\s+/g, '') : piece);
    if (!base64.test(letters) || (this.#ended && letters !== '')) {
      this.spoiled = true;
      return;
    }
    const whole = letters.length - (letters.length % 4);
    this.#ended ||= letters[whole - 1] === '=';
    this.#rest = letters.slice(whole);
    this.#write(letters.slice(0, whole));
  }

  end(): void {
    // A padding of its own, or a single letter that is no byte.
    if (this.#rest.length === 1 || /^.?=/.test(this.#rest)) this.spoiled = true;
    else this.#write(this.#rest);
    if (this.spoiled) this.draft.discard();
    else this.draft.end();
  }

  #write(letters: string): void {
    const decoded = Buffer.from(letters, 'base64');
    this.draft.push(decoded, 0, decoded.length);
  }
}
